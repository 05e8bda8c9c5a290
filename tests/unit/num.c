#include "base/num.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { TEXT_MAX = 400 };

/* Random numbers of each kind; $OBS_ROUNDS of them in make differential. */
static long rounds = 500000;

static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift. */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A finite double of any size. */
static double any_double(void)
{
	double v;

	do {
		uint64_t bits = next_random();

		memcpy(&v, &bits, sizeof(v));
	} while (!isfinite(v));
	return v;
}

/* Digits of the shortest text that strtod reads back as v. */
static int shortest_digits(double v, char text[TEXT_MAX])
{
	for (int digits = 1; digits < 17; digits++) {
		snprintf(text, TEXT_MAX, "%.*e", digits - 1, v);
		if (strtod(text, NULL) == v)
			return digits;
	}
	snprintf(text, TEXT_MAX, "%.16e", v);
	return 17;
}

static int digits_of(const char *text)
{
	int digits = 0, zeros = 0;

	for (; *text != '\0' && *text != 'e'; text++) {
		if (*text < '0' || *text > '9' || (digits == 0 && *text == '0'))
			continue;
		zeros = *text == '0' ? zeros + 1 : 0;
		digits++;
	}
	return digits - zeros;
}

static void check_print(void)
{
	char text[NUM_DOUBLE_MAX + 1], reference[TEXT_MAX];

	check_case("printing is the shortest that reads back to the same bits");
	for (long i = 0; i < rounds; i++) {
		double v = any_double(), back;

		text[num_put_repr(text, v)] = '\0';
		CHECK_DOUBLE(strtod(text, NULL), v);
		if (!CHECK(num_parse_double(str_of(text), &back)))
			return;
		CHECK_DOUBLE(back, v);
		if (i % 256 == 0)
			CHECK_INT(digits_of(text),
				  shortest_digits(v, reference));
	}
}

static void check_repr(double v, const char *repr, const char *shorter)
{
	char text[NUM_DOUBLE_MAX];

	CHECK_STR(str_make(text, num_put_repr(text, v)), repr);
	CHECK_STR(str_make(text, num_put_short(text, v)), shorter);
}

static void check_forms(void)
{
	check_case("numbers are printed as Python's repr prints them");
	check_repr(0.0, "0.0", "0");
	check_repr(-0.0, "-0.0", "-0");
	check_repr(1.0, "1.0", "1");
	check_repr(1e-5, "1e-05", "1e-05");
	check_repr(1e-4, "0.0001", "0.0001");
	check_repr(1e15, "1000000000000000.0", "1000000000000000");
	check_repr(1e16, "1e+16", "1e+16");
	check_repr(123456789012345680.0, "1.2345678901234568e+17",
		   "1.2345678901234568e+17");
	check_repr(5e-324, "5e-324", "5e-324");
	check_repr(1.7976931348623157e308, "1.7976931348623157e+308",
		   "1.7976931348623157e+308");
	check_repr(9007199254740993.0, "9007199254740992.0",
		   "9007199254740992");
	check_repr((double)NAN, "NaN", "NaN");
	check_repr((double)-INFINITY, "-Inf", "-Inf");
}

static void check_one_reading(const char *text)
{
	double v = 0;

	if (CHECK(num_parse_double(str_of(text), &v)))
		CHECK_DOUBLE(v, strtod(text, NULL));
}

static void check_read(void)
{
	char text[TEXT_MAX];

	check_case("reading gives the bits that strtod gives");
	for (long i = 0; i < rounds; i++) {
		snprintf(text, sizeof(text), "%.*e", (int)(next_random() % 25),
			 any_double());
		check_one_reading(text);
		snprintf(text, sizeof(text), "%llu.%llue%d",
			 (unsigned long long)(next_random() >> i % 64),
			 (unsigned long long)next_random(),
			 (int)(next_random() % 700) - 350);
		check_one_reading(text);
	}
}

static void check_hard_readings(void)
{
	check_case("numbers halfway between two doubles are rounded to even");
	check_one_reading("9007199254740993");
	check_one_reading("9007199254740993.00000000000000000000000000001");
	check_one_reading(
		"1.00000000000000011102230246251565404236316680908203125");
	check_one_reading(
		"1.00000000000000011102230246251565404236316680908203124");
	check_one_reading(
		"1.00000000000000011102230246251565404236316680908203126");
	check_one_reading("2.4703282292062327208299439634110e-324");
	check_one_reading("2.4703282292062328e-324");
	check_one_reading("2.2250738585072011e-308");
	check_one_reading("179769313486231580793e289");
	check_one_reading("1e400");
	check_one_reading("-1e-400");
	check_one_reading("0e99999999999999999999");
	check_one_reading("00000000000000000000000000000000000000001");
	check_one_reading("+.5");
	check_one_reading("5.");
}

static void check_refused(void)
{
	static const char *const texts[] = {"",	   "-",	  ".",	 "e5",	 "1e",
					    "1e+", " 1",  "1 ",	 "0x1",	 "nan",
					    "inf", "1_0", "--1", "1.2.3"};
	double v;
	int64_t i;

	check_case("what is no number is refused");
	for (size_t n = 0; n < sizeof(texts) / sizeof(texts[0]); n++) {
		CHECK(!num_parse_double(str_of(texts[n]), &v));
		CHECK(!num_parse_int(str_of(texts[n]), &i));
	}
	CHECK_INT((int64_t)num_scan_double(str_of("1.5e3x"), &v), 5);
	CHECK_INT((int64_t)num_scan_double(str_of("1e+"), &v), 1);
	CHECK_INT((int64_t)num_scan_double(str_of("x1"), &v), 0);
}

static void check_integers(void)
{
	char text[NUM_INT_MAX];
	int64_t i = 0;

	check_case("integers are read to their limits and no further");
	CHECK(num_parse_int(str_of("9223372036854775807"), &i));
	CHECK_INT(i, INT64_MAX);
	CHECK(num_parse_int(str_of("-9223372036854775808"), &i));
	CHECK_INT(i, INT64_MIN);
	CHECK(num_parse_int(str_of("+000000000000000000000007"), &i));
	CHECK_INT(i, 7);
	CHECK(!num_parse_int(str_of("9223372036854775808"), &i));
	CHECK(!num_parse_int(str_of("-9223372036854775809"), &i));
	CHECK_STR(str_make(text, num_put_int(text, INT64_MIN)),
		  "-9223372036854775808");
	CHECK_STR(str_make(text, num_put_uint(text, UINT64_MAX)),
		  "18446744073709551615");
	CHECK_STR(str_make(text, num_put_int(text, 0)), "0");
}

static void check_round6(void)
{
	char text[TEXT_MAX];

	check_case("rounding to 6 decimals is that of the decimal text");
	for (long i = 0; i < rounds; i++) {
		double v = (double)(next_random() >> i % 50) / 1e7 - 1e4;

		if (i % 3 == 0)
			v = 1.7e9 + (double)(next_random() % 100000) / 3e6;
		if (i % 100 == 0)
			v = any_double();
		snprintf(text, sizeof(text), "%.6f", v);
		CHECK_DOUBLE(num_round6(v), strtod(text, NULL));
	}
	CHECK(isnan(num_round6((double)NAN)));
	CHECK_DOUBLE(num_round6((double)INFINITY), (double)INFINITY);
	CHECK_DOUBLE(num_round6(-0.0), -0.0);
	CHECK_DOUBLE(num_round6(-1e-9), -0.0);
	CHECK_DOUBLE(num_round6(0.0000005), 0.0);
	CHECK_DOUBLE(num_round6(1e300), 1e300);
}

int main(void)
{
	const char *wanted = getenv("OBS_ROUNDS");

	if (wanted != NULL)
		rounds = strtol(wanted, NULL, 10);
	check_print();
	check_forms();
	check_read();
	check_hard_readings();
	check_refused();
	check_integers();
	check_round6();
	return check_done();
}
