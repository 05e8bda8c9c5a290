#include "fmt/prom/prom_check.h"

#include "check.h"

static struct prom_check checked(const char *text)
{
	struct prom_check check;
	struct err err = {0};

	CHECK_INT(prom_check(str_of(text), &check, &err), 0);
	return check;
}

int main(void)
{
	struct prom_check check;

	check_case("samples are counted, with and without a last newline");
	CHECK_INT(
		(int64_t)checked("# TYPE x gauge\nx 1\n\nx{a=\"b\"} 2").samples,
		2);
	CHECK(!checked("x 1\n").openmetrics);
	CHECK_INT((int64_t)checked("").samples, 0);
	check_case("an exposition that ends in # EOF has seconds");
	check = checked("x 1 0.25\n# EOF\n");
	CHECK(check.openmetrics && check.samples == 1 && check.bad == 0);
	CHECK_INT((int64_t)checked("x 1 0.25\n").bad, 1);
	check_case("a stream of snapshots is told from one exposition");
	CHECK(checked("# obs-scrape stream\nx 1 5\n# EOF\n").stream);
	CHECK(checked("x 1\n# EOF\nx 2\n# EOF\n").stream);
	CHECK(!checked("x 1\n# EOF\n").stream);
	CHECK(!checked("x 1\n# EOF\nx 2\n").stream);
	check_case("lines that are not valid are counted, the first is kept");
	check = checked("x 1\nx is 2\n\nx y\n");
	CHECK(check.samples == 1 && check.bad == 2);
	CHECK(check.first.unit == ERR_LINE && check.first.at == 2);
	check_case("what text is instead of metrics, by its first bytes");
	CHECK_TEXT(prom_check_other(str_of("\n <!DOCTYPE html>")),
		   "an HTML page");
	CHECK_TEXT(prom_check_other(str_of("\x1f\x8b\x08")), "gzip data");
	CHECK_TEXT(prom_check_other(str_of("[1]")), "JSON");
	CHECK_TEXT(prom_check_other(str_of("{\n \"a\" : 1}")), "JSON");
	CHECK_TEXT(prom_check_other(str_of("{}")), "JSON");
	CHECK(prom_check_other(str_of("{\"a.b\"} 1\n")) == NULL);
	CHECK(prom_check_other(str_of("{\"a:b\",c=\"d\"} 1\n")) == NULL);
	CHECK(prom_check_other(str_of("{\"")) == NULL);
	CHECK(prom_check_other(str_of("{x=\"1\"} 1\na 2\n")) == NULL);
	CHECK(prom_check_other(str_of("{}\na 2\n")) == NULL);
	CHECK_TEXT(prom_check_other(str_of("<?xml version=\"1.0\"?>")),
		   "an XML document");
	CHECK(prom_check_other(str_of("{a=\"b\",\"c.d\"} 1\n")) == NULL);
	CHECK_TEXT(prom_check_other(str_of("[\n 1.5e3, 2]")), "JSON");
	CHECK_TEXT(prom_check_other(str_of("[null]")), "JSON");
	CHECK(prom_check_other(str_of("[INFO] ready\nx 1\n")) == NULL);
	CHECK(prom_check_other(str_of("[2026-01-02 03:04] ready\n")) == NULL);
	CHECK_TEXT(prom_check_other(str_make("ab\0c", 4)), "binary data");
	CHECK_TEXT(prom_check_other(str_of("\x80\x04\x95")), "a pickle");
	CHECK(prom_check_other(str_of("x 1\n")) == NULL);
	CHECK(prom_check_other(str_of("")) == NULL);
	return check_done();
}
