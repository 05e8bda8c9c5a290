#include "base/str.h"

#include "check.h"

static void check_cut(void)
{
	struct str rest = str_of("a,,b");

	check_case("a text is cut at each mark, and its last part has none");
	CHECK_STR(str_cut(&rest, ','), "a");
	CHECK_STR(str_cut(&rest, ','), "");
	CHECK_STR(rest, "b");
	CHECK_STR(str_cut(&rest, ','), "b");
	CHECK_STR(rest, "");
	CHECK_STR(str_cut(&rest, ','), "");
	rest = str_of("a,");
	CHECK_STR(str_cut(&rest, ','), "a");
	CHECK_STR(rest, "");
	rest = str_make(NULL, 0);
	CHECK(str_cut(&rest, ',').n == 0 && rest.p == NULL);
	CHECK_STR(str_before(str_of("a#b#c"), '#'), "a");
	CHECK_STR(str_before(str_of("#b"), '#'), "");
	CHECK_STR(str_before(str_of("abc"), '#'), "abc");
}

static void check_skip(void)
{
	struct str s = str_of("perf/e2e/mean");

	check_case("a prefix or a suffix is removed only if it is there");
	CHECK(!str_skip_prefix(&s, "perf//"));
	CHECK(!str_drop_suffix(&s, "/means"));
	CHECK_STR(s, "perf/e2e/mean");
	CHECK(str_skip_prefix(&s, "perf/"));
	CHECK_STR(s, "e2e/mean");
	CHECK(str_drop_suffix(&s, "/mean"));
	CHECK_STR(s, "e2e");
	CHECK(!str_skip_prefix(&s, "e2e/"));
	CHECK(str_skip_prefix(&s, "e2e"));
	CHECK_STR(s, "");
	CHECK(!str_drop_suffix(&s, "e"));
	CHECK_STR(str_skip_bom(str_of("\xef\xbb\xbf{}")), "{}");
	CHECK_STR(str_skip_bom(str_of("\xef\xbb")), "\xef\xbb");
}

static void check_nocase(void)
{
	check_case("only the case of letters is ignored");
	CHECK(str_is_nocase(str_of("GzIp"), "gzip"));
	CHECK(str_is_nocase(str_of("gzip"), "GZIP"));
	CHECK(str_is_nocase(str_of(""), ""));
	CHECK(!str_is_nocase(str_of("gzip2"), "gzip"));
	CHECK(!str_is_nocase(str_of("gzi"), "gzip"));
	CHECK(!str_is_nocase(str_of("@"), "`"));
	CHECK(!str_is_nocase(str_of("["), "{"));
	CHECK(str_has_nocase(str_of("text/HTML; a"), "html"));
	CHECK(!str_has_nocase(str_of("HTM"), "html"));
}

int main(void)
{
	check_cut();
	check_skip();
	check_nocase();
	return check_done();
}
