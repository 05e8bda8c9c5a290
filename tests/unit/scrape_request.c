#include "net/client/scrape_request.h"

#include "check.h"

static int64_t timeout_of(const char *text)
{
	return scrape_request_timeout(str_of(text));
}

static bool takes(const char *text)
{
	return scrape_request_takes_gzip(str_of(text));
}

static void check_timeouts(void)
{
	check_case("a scrape timeout less a tenth, at most a quarter second");
	CHECK_INT(timeout_of("1"), 900000000);
	CHECK_INT(timeout_of("10"), 9750000000);
	CHECK_INT(timeout_of(" 10.000000 "), 9750000000);
	CHECK(timeout_of("0.001") > 0);
	check_case("what is no positive number of seconds sets no limit");
	CHECK_INT(timeout_of(""), INT64_MAX);
	CHECK_INT(timeout_of("abc"), INT64_MAX);
	CHECK_INT(timeout_of("-1"), INT64_MAX);
	CHECK_INT(timeout_of("0"), INT64_MAX);
	CHECK_INT(timeout_of("1e999"), INT64_MAX);
	CHECK_INT(timeout_of("nan"), INT64_MAX);
	CHECK_INT(timeout_of("10s"), INT64_MAX);
	CHECK_INT(timeout_of("1,2"), INT64_MAX);
}

static void check_codings(void)
{
	check_case("gzip by name, by its old name, and by a star");
	CHECK(takes("gzip"));
	CHECK(takes("GZIP"));
	CHECK(takes("deflate, gzip ; q=0.5"));
	CHECK(takes("x-gzip"));
	CHECK(takes("*"));
	CHECK(takes("gzip;q=1.0, identity; q=0.5, *;q=0"));
	CHECK(takes("identity;q=0, *;q=0.1"));
	check_case("not when it is refused, less liked, or not mentioned");
	CHECK(!takes(""));
	CHECK(!takes("identity"));
	CHECK(!takes("br, zstd"));
	CHECK(!takes("gzip;q=0"));
	CHECK(!takes("gzip;q=0.000"));
	CHECK(!takes("gzip;q=0, *"));
	CHECK(!takes("*;q=0"));
	CHECK(!takes("identity, gzip;q=0.5"));
	check_case("what is malformed asks for nothing");
	CHECK(!takes("gzip;q="));
	CHECK(!takes("gzip;q=2"));
	CHECK(!takes("gzip;q=-1"));
	CHECK(!takes("gzip;q=nan"));
	CHECK(!takes("notgzip"));
	CHECK(!takes(",;=,;"));
}

int main(void)
{
	check_timeouts();
	check_codings();
	return check_done();
}
