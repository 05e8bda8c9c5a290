#include "base/quantile_text.h"

#include "check.h"

static void check_quantile(const char *text, double fraction, double percent)
{
	struct quantile_value v = {-1, -1};

	CHECK(quantile_parse(str_of(text), &v));
	CHECK(v.fraction == fraction);
	CHECK(v.percent == percent);
}

int main(void)
{
	static const char *const wrong[] = {
		"",	"p",   ".",	"-1",  "-0",
		"+0.5", "101", "p101",	"nan", "inf",
		"1e-2", "0x1", "95%",	"P95", "pp5",
		"0..5", " 5",  "100.1", "0,5", "99999999999999999999"};
	struct quantile_value v = {-1, -1};

	check_case("0.95, 95 and p95 are one quantile");
	check_quantile("0.95", 0.95, 95);
	check_quantile("95", 0.95, 95);
	check_quantile("p95", 0.95, 95);
	check_case("both spellings are rounded once");
	/* By multiplication these would be 56.99999999999999 and so on. */
	check_quantile("0.57", 0.57, 57);
	check_quantile("0.29", 0.29, 29);
	check_quantile("p99.9", 0.999, 99.9);
	check_case("1 is the maximum, p1 a percentile");
	check_quantile("0", 0, 0);
	check_quantile("1", 1, 100);
	check_quantile("p1", 0.01, 1);
	check_quantile("1.5", 0.015, 1.5);
	check_quantile("p0.5", 0.005, 0.5);
	check_quantile("100", 1, 100);
	check_quantile(".5", 0.5, 50);
	check_quantile("5.", 0.05, 5);
	check_case("everything else is rejected");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!quantile_parse(str_of(wrong[i]), &v));
	CHECK(v.fraction == -1 && v.percent == -1);
	return check_done();
}
