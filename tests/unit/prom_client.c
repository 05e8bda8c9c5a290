#include "fmt/prom/prom_client.h"

#include <math.h>

#include "check.h"

static void check_number(double v, const char *want)
{
	char out[PROM_NUMBER_MAX];

	CHECK_STR(str_make(out, prom_client_put(out, v)), want);
}

int main(void)
{
	check_case("numbers are Python's repr");
	check_number(1, "1.0");
	check_number(0.1, "0.1");
	check_number(-0.0, "-0.0");
	check_number(1e-6, "1e-06");
	check_number(1e16, "1e+16");
	check_number(1.5e300, "1.5e+300");
	check_number((double)NAN, "NaN");
	check_number(-(double)INFINITY, "-Inf");

	check_case("positive ones have an exponent from a million on");
	check_number(999999, "999999.0");
	check_number(1e6, "1e+06");
	check_number(1234567.5, "1.2345675e+06");
	check_number(9007199254740992, "9.007199254740992e+15");
	check_number(-1e6, "-1000000.0");
	return check_done();
}
