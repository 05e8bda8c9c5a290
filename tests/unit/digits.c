/* base/digits.h: decimal digits, eight at a time; and their decimals. */
#include "base/digits.h"

#include <stdlib.h>

#include "base/num.h"
#include "check.h"

/* The digits of a text, and how many bytes they are. */
static void takes(const char *text, uint64_t number, size_t bytes)
{
	uint64_t got = 0;
	/* A copy, so that reading past its end is found. */
	size_t n = strlen(text);
	char *copy = calloc(n + 1, 1);

	CHECK(copy != NULL);
	if (copy == NULL)
		return;
	memcpy(copy, text, n);
	CHECK_INT(digits_take(copy, copy + n, &got) - copy, (int64_t)bytes);
	CHECK(got == number);
	free(copy);
}

/* Eight bytes, all of which are digits, or all but one. */
static void check_each_byte(void)
{
	char text[9];
	uint64_t got;

	for (int at = 0; at < 8; at++)
		for (int c = 0; c < 256; c++) {
			bool digit = c >= '0' && c <= '9';

			memcpy(text, "12345678", sizeof(text));
			text[at] = (char)c;
			if (!CHECK(digits_up_to_eight(text, &got) ==
				   (digit ? 8 : at)))
				return;
			text[digit ? 8 : at] = '\0';
			CHECK(got == strtoull(text, NULL, 10));
		}
}

/* Marsaglia's xorshift. */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* All of up to 19 digits, with the point at any place. */
static void check_decimals(void)
{
	char text[64];

	check_case("digits and their decimals are the nearest double");
	for (int i = 0; i < 500000; i++) {
		uint64_t digits = next_random() % 10000000000000000000u >>
				  i % 64;
		int decimals = (int)(next_random() % 20);
		double v = -1;

		if (!num_of_decimal(digits, decimals, &v))
			continue; /* says so; num_parse_double reads these */
		snprintf(text, sizeof(text), "%" PRIu64 "e-%d", digits,
			 decimals);
		CHECK_DOUBLE(v, strtod(text, NULL));
	}
	check_case("the usual decimals are never left to another function");
	for (int i = 0; i < 1000; i++) {
		double v;

		CHECK(num_of_decimal(1785575300134364 + (uint64_t)i, 6, &v));
		CHECK(num_of_decimal(next_random() >> 11, i % 23, &v));
	}
}

int main(void)
{
	check_case("digits of any length are read up to the first other byte");
	takes("", 0, 0);
	takes("x", 0, 0);
	takes("7", 7, 1);
	takes("1234567", 1234567, 7);
	takes("12345678", 12345678, 8);
	takes("123456789", 123456789, 9);
	takes("1234567.8", 1234567, 7);
	takes("12345678901234567e", 12345678901234567, 17);
	takes("1785575300134364244", 1785575300134364244, 19);
	takes("18446744073709551615", UINT64_MAX, 20);
	takes("0000000000000001", 1, 16);
	takes("1234567/", 1234567, 7);
	takes("1234567:", 1234567, 7);
	check_case("eight bytes are read up to the first that is no digit");
	check_each_byte();
	check_case("digits are added to those that were read before");
	{
		uint64_t got = 17;
		const char *text = "000000025";

		digits_take(text, text + 9, &got);
		CHECK(got == 17000000025);
	}
	check_decimals();
	return check_done();
}
