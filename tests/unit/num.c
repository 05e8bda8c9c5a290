#include "base/num.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { TEXT_MAX = 400 };

/* Random numbers of each kind. */
static const long rounds = 500000;

/* $OBS_SEED changes it, in make differential. */
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

/* A decimal number: 0.digits * 10^point, without zeros at its ends. */
struct digits {
	char text[24];
	int n, point;
};

/* Of "d.ddde+XX". */
static struct digits digits_of(const char *text)
{
	struct digits d = {.point = 1};

	for (; *text != 'e'; text++)
		if (*text != '.')
			d.text[d.n++] = *text;
	d.point += (int)strtol(text + 1, NULL, 10);
	while (d.n > 1 && d.text[d.n - 1] == '0')
		d.n--;
	d.text[d.n] = '\0';
	return d;
}

/* One more in the last digit; 99 becomes 100. */
static struct digits next_up(struct digits d)
{
	unsigned long long number = strtoull(d.text, NULL, 10);
	int n = snprintf(d.text, sizeof(d.text), "%llu", number + 1);

	d.point += n - d.n;
	d.n = n;
	return d;
}

static bool reads_back(const struct digits *d, double v)
{
	char text[TEXT_MAX + 32];

	snprintf(text, sizeof(text), "0.%se%d", d->text, d->point);
	return strtod(text, NULL) == v;
}

/*
 * The fewest digits that strtod reads back as v > 0 and, of these, the
 * nearest to v. That is what printf rounds to; only below a power of two,
 * where doubles lie closer, the nearest may be another double and the next
 * one up be v.
 */
static struct digits shortest(double v)
{
	char text[TEXT_MAX];
	struct digits d, next;

	for (int count = 1; count < 17; count++) {
		snprintf(text, sizeof(text), "%.*e", count - 1, v);
		d = digits_of(text);
		if (reads_back(&d, v))
			return d;
		/* All count digits: the zeros at the end count here. */
		for (; d.n < count; d.n++)
			d.text[d.n] = '0';
		d.text[d.n] = '\0';
		next = next_up(d);
		if (reads_back(&next, v))
			return next;
	}
	snprintf(text, sizeof(text), "%.16e", v);
	return digits_of(text);
}

/* As Python's repr lays the digits out. */
static void lay_out(const struct digits *d, char out[TEXT_MAX])
{
	int zeros = d->point > d->n ? d->point - d->n : 0;

	if (d->point > 16 || d->point <= -4)
		snprintf(out, TEXT_MAX, "%.1s%s%se%+03d", d->text,
			 d->n > 1 ? "." : "", d->text + 1, d->point - 1);
	else if (d->point <= 0)
		snprintf(out, TEXT_MAX, "0.%.*s%s", -d->point, "0000", d->text);
	else
		snprintf(out, TEXT_MAX, "%.*s%.*s.%s", d->point, d->text, zeros,
			 "0000000000000000",
			 d->point < d->n ? d->text + d->point : "0");
}

/* Both ways and both signs, for a finite v > 0. */
static void check_both(double v)
{
	char text[NUM_DOUBLE_MAX + 1], want[TEXT_MAX];
	struct digits d = shortest(v);
	double back;

	lay_out(&d, want);
	text[num_put_repr(text, v)] = '\0';
	CHECK_TEXT(text, want);
	if (CHECK(num_parse_double(str_of(text), &back)))
		CHECK_DOUBLE(back, v);
	text[num_put_repr(text, -v)] = '\0';
	CHECK(text[0] == '-');
	CHECK_TEXT(text + 1, want);
	if (CHECK(num_parse_double(str_of(text), &back)))
		CHECK_DOUBLE(back, -v);
}

static void check_print(void)
{
	char text[NUM_DOUBLE_MAX + 1];

	check_case("printing is the shortest that reads back to the same bits");
	for (long i = 0; i < rounds; i++) {
		double v = any_double(), back;

		text[num_put_repr(text, v)] = '\0';
		CHECK_DOUBLE(strtod(text, NULL), v);
		if (!CHECK(num_parse_double(str_of(text), &back)))
			return;
		CHECK_DOUBLE(back, v);
		if (i % 64 == 0 && v != 0)
			check_both(fabs(v));
	}
}

/* Doubles lie half as close above a power of two as below. */
static void check_powers(void)
{
	check_case("powers of two and their neighbours, printed and read");
	for (int e = -1074; e <= 1023; e++) {
		double power = ldexp(1, e), v = power;

		for (int i = 0; i < 4 && isfinite(v); i++) {
			check_both(v);
			v = nextafter(v, (double)INFINITY);
		}
		v = power;
		for (int i = 0; i < 4 && v > 0; i++) {
			check_both(v);
			v = nextafter(v, 0);
		}
	}
	check_case("powers of ten and their neighbours, printed and read");
	for (int e = -323; e <= 308; e++) {
		char text[32];
		double v;

		snprintf(text, sizeof(text), "1e%d", e);
		v = strtod(text, NULL);
		check_both(v);
		check_both(nextafter(v, (double)INFINITY));
		if (e > -323)
			check_both(nextafter(v, 0));
	}
}

static void check_denormals(void)
{
	const double most = 0x0.fffffffffffffp-1022;

	check_case("denormals, printed and read");
	for (int i = 1; i <= 4096; i++) {
		check_both(ldexp(i, -1074));
		check_both(most - ldexp(i, -1074));
		check_both(most + ldexp(i, -1074));
		check_both(ldexp((double)(next_random() >> 12 >> i % 52 | 1),
				 -1074));
	}
}

static void check_repr(double v, const char *repr, const char *shorter)
{
	char text[NUM_DOUBLE_MAX];

	CHECK_STR(str_make(text, num_put_repr(text, v)), repr);
	CHECK_STR(str_make(text, num_put_short(text, v)), shorter);
}

/* Numbers with few decimals are their own shortest text; their neighbours, with
 * 16 digits or 17, are not. */
static void check_few_decimals(void)
{
	char text[NUM_DOUBLE_MAX], wanted[64];

	check_case("up to three decimals are printed as they were written");
	for (long i = 0; i < rounds; i++) {
		uint64_t d = next_random() % 1000000000000000u >>
			     next_random() % 50;
		double v = (double)d / 1000;
		int n = snprintf(wanted, sizeof(wanted), "%llu.%03llu",
				 (unsigned long long)(d / 1000),
				 (unsigned long long)(d % 1000));

		while (wanted[n - 1] == '0')
			n--;
		n -= wanted[n - 1] == '.';
		wanted[n] = '\0';
		if (d >= 1)
			CHECK_STR(str_make(text, num_put_short(text, v)),
				  wanted);
		check_both(nextafter(v, 1e300));
	}
	check_repr(999999999999.999, "999999999999.999", "999999999999.999");
	check_repr(0.0005, "0.0005", "0.0005");
	check_repr(-0.125, "-0.125", "-0.125");
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

/* The decimal less one in its last digit, at p; there is a first one. */
static void take_one(char *p)
{
	for (; *p == '0' || *p == '.'; p--)
		if (*p == '0')
			*p = '9';
	(*p)--;
}

/* The decimal at the middle of v and the next double, and what lies close on
 * both sides of it; long double has room for the middle. */
static void check_middle(double v)
{
	static const int kept[] = {17, 18, 19, 20, 21, 25, 40};
	long double up = nextafter(v, (double)INFINITY);
	char text[1600];
	size_t last;

	if (!isfinite(v) || isinf((double)up))
		return;
	/* As many digits as a middle of denormals has. */
	snprintf(text, sizeof(text), "%.770Le", ((long double)v + up) / 2);
	check_one_reading(text);
	last = strcspn(text, "e") - 1;
	text[last] = '1';
	check_one_reading(text);
	text[last] = '0';
	take_one(text + last);
	check_one_reading(text);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		snprintf(text, sizeof(text), "%.*Le", kept[i] - 1,
			 ((long double)v + up) / 2);
		check_one_reading(text);
	}
}

static void check_middles(void)
{
	check_case("what lies between two doubles is rounded as strtod rounds");
	for (int e = -1074; e <= 1023; e++) {
		double power = ldexp(1, e);

		check_middle(power);
		check_middle(nextafter(power, 0));
		check_middle(nextafter(power, (double)INFINITY));
	}
	for (int i = 0; i < 1000; i++) {
		check_middle(ldexp(i, -1074));
		check_middle(fabs(any_double()));
		check_middle(ldexp((double)(next_random() >> 12), -1074));
	}
}

/*
 * Numbers of at most 19 digits that lie exactly in the middle: w * 10^q, where
 * w * 5^q, or w / 5^-q, is an odd number of 54 bits times a power of two. There
 * are such for -4 <= q <= 23 only.
 */
static void check_exact_middles(void)
{
	check_case("numbers in the middle of two doubles are rounded to even");
	for (int q = -4; q <= 23; q++) {
		uint64_t five = 1;

		for (int i = 0; i < abs(q); i++)
			five *= 5;
		for (int i = 0; i < 2000; i++) {
			uint64_t m = next_random() >> 10 | (uint64_t)1 << 53;
			uint64_t w = q < 0 ? (m | 1) * five
					   : (m / five + 1) | 1;

			/* Past the numbers that are read by a division. */
			while (w <= (uint64_t)1 << 53)
				w *= 2;
			if (i % 2 != 0 && w < (uint64_t)1 << 62)
				w *= 2;
			for (int by = -1; by <= 1; by++) {
				char text[64];

				snprintf(text, sizeof(text), "%" PRIu64 "e%d",
					 w + (uint64_t)by, q);
				check_one_reading(text);
			}
		}
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
	/* 64 bits hold 19 digits, and some numbers of 20. */
	check_one_reading("18446744073709551615");
	check_one_reading("18446744073709551617");
	check_one_reading("-18446744073709551617");
	check_one_reading("1844674407370955161.7");
	check_one_reading("-1844674407370955161.7");
	check_one_reading("00018446744073709551617");
	check_one_reading("18446744073709551616.0000000000000000000000001");
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

static void check_one_round6(double v)
{
	char text[TEXT_MAX];

	snprintf(text, sizeof(text), "%.6f", v);
	CHECK_DOUBLE(num_round6(v), strtod(text, NULL));
	snprintf(text, sizeof(text), "%.6f", -v);
	CHECK_DOUBLE(num_round6(-v), strtod(text, NULL));
}

/* Middles of two millionths are odd multiples of 1/128: the only doubles that
 * lie on one. Others lie as close to one as doubles can. */
static void check_round6_middles(void)
{
	check_case("what lies at the middle of two millionths goes to even");
	for (int i = 0; i < 20000; i++) {
		int bits = i % 39 + 1;
		double odd = (double)(next_random() >> (64 - bits) | 1) / 128;
		double near =
			((double)(next_random() >> (64 - bits)) + 0.5) / 1e6;

		check_one_round6(odd);
		check_one_round6(nextafter(odd, 0));
		check_one_round6(nextafter(odd, (double)INFINITY));
		check_one_round6(near);
		check_one_round6(nextafter(near, 0));
		check_one_round6(nextafter(near, (double)INFINITY));
	}
	for (int e = -1074; e <= 1023; e++) {
		check_one_round6(ldexp(1, e));
		check_one_round6(nextafter(ldexp(1, e), 0));
	}
	for (int i = -2000; i <= 2000; i++)
		check_one_round6(4e9 + i / 128.0);
}

static void check_round6(void)
{
	check_case("rounding to 6 decimals is that of the decimal text");
	for (long i = 0; i < rounds; i++) {
		double v = (double)(next_random() >> i % 50) / 1e7 - 1e4;

		if (i % 3 == 0)
			v = 1.7e9 + (double)(next_random() % 100000) / 3e6;
		if (i % 100 == 0)
			v = any_double();
		check_one_round6(v);
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
	const char *seed = getenv("OBS_SEED");

	if (seed != NULL)
		state ^= strtoull(seed, NULL, 10);
	check_print();
	check_powers();
	check_denormals();
	check_forms();
	check_few_decimals();
	check_read();
	check_middles();
	check_exact_middles();
	check_hard_readings();
	check_refused();
	check_round6();
	check_round6_middles();
	return check_done();
}
