/* What Python makes of values, and which span ids are the same. */
#include <math.h>

#include "base/limits.h"
#include "base/num.h"
#include "check.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "rollout/span_ids.h"

static struct arena arena;

static struct value text(const char *s)
{
	return value_str(str_of(s));
}

static struct value big(const char *digits)
{
	struct value v = text(digits);

	v.kind = VALUE_BIGINT;
	return v;
}

static void check_truth(void)
{
	check_case("truth is that of bool()");
	CHECK(!value_truth((struct value){.kind = VALUE_ABSENT}));
	CHECK(!value_truth(value_none()));
	CHECK(!value_truth(value_bool(false)));
	CHECK(!value_truth(value_int(0)));
	CHECK(!value_truth(value_float(-0.0)));
	CHECK(!value_truth(text("")));
	CHECK(!value_truth(value_new(&arena, VALUE_LIST, 0)));
	CHECK(value_truth(text("0")));
	CHECK(value_truth(value_float((double)NAN)));
	CHECK(value_truth(big("18446744073709551616")));
}

static void to_float(const char *s, double want)
{
	double f = 0;

	if (CHECK(value_to_float(text(s), &f)))
		CHECK_DOUBLE(f, want);
}

static void check_float(void)
{
	static const char *const refused[] = {"",    " ",    "x",    "1_",
					      "_1",  "1__0", "1e",   "0x1",
					      "1 0", "nano", "infi", "--1"};
	double f;

	check_case("text becomes a float as float() reads it");
	to_float("1_0.5", 10.5);
	to_float(" 2.5\n", 2.5);
	to_float("1e-3", 0.001);
	to_float("+Infinity", (double)INFINITY);
	to_float("-inf", -(double)INFINITY);
	CHECK(value_to_float(text("NaN"), &f) && isnan(f));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK(!value_to_float(text(refused[i]), &f));

	check_case("other kinds become a float, or not");
	CHECK(value_to_float(value_bool(true), &f) && f == 1);
	CHECK(value_to_float(value_int(-3), &f) && f == -3);
	CHECK(value_to_float(big("18446744073709551616"), &f) &&
	      f == 18446744073709551616.0);
	CHECK(!value_to_float(value_none(), &f));
	CHECK(!value_to_float(value_new(&arena, VALUE_LIST, 0), &f));
}

static void to_int(struct value v, const char *want)
{
	char digits[NUM_INT_MAX];
	struct value i;

	if (!CHECK(value_to_int(&arena, v, &i)))
		return;
	if (i.kind == VALUE_BIGINT)
		CHECK_STR(value_text(i), want);
	else
		CHECK_STR(str_make(digits, num_put_int(digits, i.i)), want);
}

static void check_int_of(void)
{
	struct value i;

	check_case("values become an integer as int() makes it");
	to_int(text("3"), "3");
	to_int(text(" -1_000 "), "-1000");
	to_int(text("+007"), "7");
	to_int(text("99999999999999999999"), "99999999999999999999");
	to_int(value_float(2.9), "2");
	to_int(value_float(-2.9), "-2");
	to_int(value_float(1e22), "10000000000000000000000");
	to_int(value_bool(true), "1");
	CHECK(!value_to_int(&arena, text("abc"), &i));
	CHECK(!value_to_int(&arena, text("2.5"), &i));
	CHECK(!value_to_int(&arena, text(""), &i));
	CHECK(!value_to_int(&arena, text("-"), &i));
	CHECK(!value_to_int(&arena, value_float((double)NAN), &i));
	CHECK(!value_to_int(&arena, value_none(), &i));
}

static void sums_to(struct value x, struct value y, const char *want)
{
	to_int(value_int_add(&arena, x, y), want);
	to_int(value_int_add(&arena, y, x), want);
}

static void check_long(void)
{
	check_case("integers of any size are added and compared");
	sums_to(value_int(INT64_MAX), value_int(1), "9223372036854775808");
	sums_to(value_int(INT64_MIN), value_int(-1), "-9223372036854775809");
	sums_to(big("9223372036854775808"), value_int(-1),
		"9223372036854775807");
	sums_to(big("99999999999999999999"), value_int(1),
		"100000000000000000000");
	sums_to(big("-100000000000000000000"), value_int(1),
		"-99999999999999999999");
	sums_to(big("-99999999999999999999"), big("99999999999999999999"), "0");
	CHECK(value_int_cmp(value_int(-1), value_int(1)) < 0);
	CHECK(value_int_cmp(big("-99999999999999999999"), value_int(1)) < 0);
	CHECK(value_int_cmp(big("99999999999999999999"),
			    big("99999999999999999998")) > 0);
	CHECK(value_int_cmp(value_int(7), value_int(7)) == 0);
}

static void check_ids(void)
{
	struct span_ids ids;
	struct arena little = arena_new(256 * KIB);
	int32_t one, word, last;

	check_case("span ids are the same when Python calls them equal");
	CHECK(span_ids_new(&ids, &arena));
	one = span_ids_number(&ids, value_int(1));
	word = span_ids_number(&ids, text("1"));
	CHECK(one != word);
	CHECK_INT(span_ids_number(&ids, value_bool(true)), one);
	CHECK_INT(span_ids_number(&ids, value_float(1.0)), one);
	CHECK_INT(span_ids_number(&ids, text("1")), word);
	CHECK(span_ids_number(&ids, value_float(1.5)) != one);
	CHECK_INT(span_ids_number(&ids, value_float(-0.0)),
		  span_ids_number(&ids, value_float(0.0)));
	CHECK_INT(span_ids_number(&ids, big("18446744073709551616")),
		  span_ids_number(&ids, big("18446744073709551616")));
	CHECK(span_ids_number(&ids, value_int(INT64_MAX)) !=
	      span_ids_number(&ids, value_int(INT64_MAX - 1)));

	check_case("many ids keep their numbers");
	CHECK(span_ids_new(&ids, &arena));
	for (int i = 0; i < 50000; i++)
		CHECK_INT(span_ids_number(&ids, value_int(i * INT64_C(1024))),
			  i);
	for (int i = 0; i < 50000; i++)
		CHECK_INT(span_ids_number(&ids, value_int(i * INT64_C(1024))),
			  i);

	check_case("ids that no longer fit have no number, and it is known");
	CHECK(span_ids_new(&ids, &little));
	last = 0;
	for (int i = 0; i < 50000 && last != SPAN_ID_NONE; i++)
		last = span_ids_number(&ids, value_int(i));
	CHECK_INT(last, SPAN_ID_NONE);
	CHECK(little.failed && ids.count >= 1000);
	CHECK_INT(span_ids_number(&ids, value_int(7)), 7);
	arena_free(&little);
}

int main(void)
{
	arena = arena_new(64 * MIB);
	check_truth();
	check_float();
	check_int_of();
	check_long();
	check_ids();
	arena_free(&arena);
	return check_done();
}
