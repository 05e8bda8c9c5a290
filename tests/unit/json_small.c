/* fmt/json/json_small: small documents, read and written. */
#include "fmt/json/json_small.h"

#include "check.h"

static void test_reading(void)
{
	static const char text[] =
		"{\"a\": [1, \"2\", \"x\", false], \"A\": {}, \"a\": 0} \n";
	struct err err;
	struct json_small *root = json_small_parse(str_of(text), &err);
	const struct json_small *item =
		json_small_first(json_small_member(root, "a"));
	double number = 0;

	check_case("members by name, items in order, numbers in text");
	if (!CHECK(root != NULL))
		return;
	CHECK(json_small_number(item, &number) && number == 1);
	item = json_small_next(item);
	CHECK(json_small_number(item, &number) && number == 2);
	item = json_small_next(item);
	CHECK(!json_small_number(item, &number));
	CHECK_STR(json_small_text(item), "x");
	CHECK(json_small_is_false(json_small_next(item)));
	CHECK(json_small_member(root, "A") != NULL);
	json_small_free(root);
}

static void test_absent(void)
{
	check_case("what is not there has no members, text or number");
	CHECK(json_small_member(NULL, "a") == NULL);
	CHECK(json_small_first(NULL) == NULL);
	CHECK(json_small_text(NULL).p == NULL);
	CHECK(!json_small_number(NULL, &(double){0}));
	CHECK(!json_small_is_array(NULL));
}

static void test_refused(void)
{
	static const char *const bad[] = {"", "{", "[1,]", "{} x", "nul"};
	struct err err;

	check_case("what is not one document is refused, with the byte");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(json_small_parse(str_of(bad[i]), &err) == NULL);
		CHECK_INT(err.code, ERR_INPUT);
		CHECK_INT(err.unit, ERR_BYTE);
	}
	CHECK(json_small_parse(str_of("{} x"), &err) == NULL);
	CHECK_INT(err.at, 3);
}

static void test_writing(void)
{
	struct buf out = buf_new(1024);
	struct json_small *root = json_small_new_array();
	struct json_small *object = json_small_add_object(root, NULL);
	struct err err;

	check_case("a document is built from its root and printed");
	json_small_add_text(object, "k", "a\"\n");
	json_small_add_text(json_small_add_array(object, "v"), NULL, "x");
	CHECK_INT(json_small_print(root, false, &out, &err), 0);
	CHECK_STR(buf_str(&out), "[{\"k\":\"a\\\"\\n\",\"v\":[\"x\"]}]");
	CHECK(json_small_add_text(NULL, "k", "x") == NULL);
	json_small_free(root);
	buf_free(&out);
}

static void test_object(void)
{
	struct json_small *root = json_small_new_object();
	struct buf text = buf_new(256);
	struct err err;

	check_case("an object is built member by member");
	json_small_add_number(root, "n", 3);
	json_small_add_bool(root, "b", true);
	json_small_add_text(json_small_add_array(root, "a"), NULL, "x\"");
	CHECK_INT(json_small_print(root, false, &text, &err), 0);
	CHECK_STR(buf_str(&text), "{\"n\":3,\"b\":true,\"a\":[\"x\\\"\"]}");
	CHECK(json_small_is_true(json_small_member(root, "b")));
	CHECK(!json_small_is_true(json_small_member(root, "n")));
	json_small_free(root);
	buf_free(&text);
}

int main(void)
{
	test_reading();
	test_absent();
	test_refused();
	test_writing();
	test_object();
	return check_done();
}
