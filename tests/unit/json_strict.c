/* fmt/json/json_strict: what it takes is JSON and is cut where json_lenient
 * cuts it, whatever byte of an object is another. */
#include "fmt/json/json_strict.h"

#include "base/arena.h"
#include "base/limits.h"
#include "check.h"
#include "fmt/json/json_read.h"

static const struct str names[] = {STR("ph"), STR("ts"), STR("args")};
enum { NAMES = 3 };

static struct str found[NAMES];

static const struct str inner_names[] = {STR("id"), STR("n")};
static struct str inside[2];
static const struct json_inner inner = {inner_names, inside, 2, 2};

/* How many bytes of the text are an object; 0: it is not strict. */
static int64_t length_of(const char *text)
{
	const char *end =
		json_strict_scan(str_of(text), names, found, NAMES, &inner);

	return end == NULL ? 0 : end - text;
}

static void test_members(void)
{
	check_case("members are slices, of equal ones the last");
	CHECK_INT(length_of("{ \"args\" : {\"ts\":[1, {}]} ,\n    \"ts\":5, "
			    "\"ph\":\"x\\\"\" , \"ts\" : -1.5e3 }, {"),
		  68);
	CHECK_STR(found[0], "\"x\\\"\"");
	CHECK_STR(found[1], "-1.5e3");
	CHECK_STR(found[2], "{\"ts\":[1, {}]}");
	CHECK_INT(length_of("{\"a\":{\"ts\":1},\"b\":[[],{},\"\",null]}"), 34);
	CHECK(found[1].p == NULL);
	CHECK_INT(length_of("{}"), 2);
}

static void test_inner(void)
{
	check_case("members of a member are found in the last one only");
	CHECK(length_of("{\"id\":1,\"args\":{\"n\":{\"id\":2},\"id\":3},"
			"\"ts\":{\"id\":4}}") > 0);
	CHECK_STR(inside[0], "3");
	CHECK_STR(inside[1], "{\"id\":2}");
	CHECK(length_of("{\"args\":{\"id\":3},\"args\":{\"n\":[]}}") > 0);
	CHECK(inside[0].p == NULL);
	CHECK_STR(inside[1], "[]");
	CHECK(length_of("{\"args\":{\"id\":3},\"args\":[1,{\"id\":2}]}") > 0);
	CHECK(inside[0].p == NULL);
	CHECK(length_of("{\"args\":{\"id\":3},\"args\":5}") > 0);
	CHECK(inside[0].p == NULL);
}

static void test_odd(void)
{
	static const char *const odd[] = {
		"",
		"[]",
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\":1",
		"{\"a\":1,",
		"{\"a\":1,}",
		"{,\"a\":1}",
		"{\"a\":[1,]}",
		"{\"a\":[1}",
		"{\"a\":1]",
		"{\"a\":NaN}",
		"{\"a\":007}",
		"{\"a\":1.}",
		"{\"a\":1e}",
		"{\"a\":-}",
		"{\"a\":tru}",
		"{\"a\":\"\t\"}",
		"{\"a\":\"\\d\"}",
		"{\"a\":\"\\u12\", \"b\": 1}",
		"{\"a\":\"\xff\"}",
		"{\"a\" 1}",
		"{\"a\":1 \"b\":2}",
		"{a:1}",
	};

	check_case("what is not strict, or does not end, is not taken");
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		CHECK_INT(length_of(odd[i]), 0);
}

static void test_other_bytes(void)
{
	char text[] = "{\"ph\": \"X\xc3\xa9\\n\", \"ts\":-10.5e+1 ,\"args\":{"
		      "\"a\":[true,{\"b\":null}, [ ] ]}\n                 }";
	size_t n = sizeof(text) - 1;
	int taken = 0;

	check_case("with any byte changed, it takes only JSON");
	CHECK_INT(length_of(text), (int64_t)n);
	for (size_t i = 0; i < n; i++) {
		char kept = text[i];

		for (int c = 1; c < 256; c++) {
			struct arena arena = arena_new(LIMIT_LINE);
			struct err err = {0};
			struct value v;

			text[i] = (char)c;
			if (length_of(text) == (int64_t)n) {
				CHECK(json_parse(str_make(text, n), &arena, &v,
						 &err) == 0);
				taken++;
			}
			arena_free(&arena);
		}
		text[i] = kept;
	}
	CHECK(taken > 255);
}

int main(void)
{
	test_members();
	test_inner();
	test_odd();
	test_other_bytes();
	return check_done();
}
