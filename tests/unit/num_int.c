#include "base/num.h"

#include <inttypes.h>

#include "check.h"

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
	CHECK(num_parse_int(str_of("1785575300134364244"), &i));
	CHECK_INT(i, 1785575300134364244);
	CHECK(!num_parse_int(str_of("17855753001343642440"), &i));
	CHECK(!num_parse_int(str_of("9999999999999999999"), &i));
	CHECK(!num_parse_int(str_of("123456789012345x78"), &i));
	CHECK(!num_parse_int(str_of("000000000000000000000000x"), &i));
	CHECK(!num_parse_int(str_of("9223372036854775808"), &i));
	CHECK(!num_parse_int(str_of("-9223372036854775809"), &i));
	CHECK_STR(str_make(text, num_put_int(text, INT64_MIN)),
		  "-9223372036854775808");
	CHECK_STR(str_make(text, num_put_uint(text, UINT64_MAX)),
		  "18446744073709551615");
	CHECK_STR(str_make(text, num_put_int(text, 0)), "0");
}

/* At each power of ten, where a digit more begins, and beside it. */
static void check_lengths(void)
{
	char text[NUM_INT_MAX], wanted[32];

	check_case("numbers of each length are printed");
	for (uint64_t power = 1;; power *= 10) {
		for (uint64_t v = power - 1; v <= power + 1; v++) {
			snprintf(wanted, sizeof(wanted), "%" PRIu64, v);
			CHECK_STR(str_make(text, num_put_uint(text, v)),
				  wanted);
		}
		if (power > UINT64_MAX / 10)
			break;
	}
}

int main(void)
{
	check_integers();
	check_lengths();
	return check_done();
}
