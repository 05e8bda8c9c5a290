/* net/client/url: what is accepted, what it comes to, and what is refused. */
#include "net/client/url.h"

#include "check.h"

/* Text is read and put together again as origin + path. */
static void goes_to(const char *text, const char *want)
{
	struct buf out = buf_new(1024);
	struct url url;
	struct err err;

	if (!CHECK(url_parse(str_of(text), &url, &err) == 0)) {
		printf("# %s: %s\n", text, err.text);
		return;
	}
	url_put_origin(&out, &url);
	buf_put(&out, url.path.p, url.path.n);
	CHECK_STR(buf_str(&out), want);
	buf_free(&out);
}

static void is_refused(const char *text)
{
	struct url url;
	struct err err;

	if (!CHECK(url_parse(str_of(text), &url, &err) == ERR_INPUT))
		printf("# %s is accepted\n", text);
}

static bool same_origin(const char *a, const char *b)
{
	struct url x, y;
	struct err err;

	return url_parse(str_of(a), &x, &err) == 0 &&
	       url_parse(str_of(b), &y, &err) == 0 && url_same_origin(&x, &y);
}

static void test_parts(void)
{
	struct url url;
	struct err err;

	check_case("the parts of a URL");
	CHECK(url_parse(str_of("https://u:p@[::1%25lo]:8/a?b@c:d"), &url,
			&err) == 0);
	CHECK_STR(url.scheme, "https");
	CHECK_STR(url.user, "u:p");
	CHECK_STR(url.host, "[::1%25lo]");
	CHECK_INT(url.port, 8);
	CHECK_STR(url.path, "/a?b@c:d");
}

static void test_canonical(void)
{
	check_case("scheme and host in lower case, default ports left out");
	goes_to("HTTP://Host.Example:80/Path", "http://host.example/Path");
	goes_to("https://h:443?q", "https://h?q");
	goes_to("http://h:443", "http://h:443");
	goes_to("http://[FE80::A%Eth0]:1/", "http://[fe80::a%Eth0]:1/");
	goes_to("http://u:p@h/", "http://h/");
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"",
		"http://",
		"http://:1",
		"http://h:",
		"http://h:0",
		"http://h:65536",
		"http://h:-1",
		"http://h:1a",
		"http://a b",
		"http://a\\b",
		"http://a\tb",
		"http://h#f",
		"http://::1",
		"http://[::1",
		"http://[h]:1",
		"http://[::1]x",
		"http://h\xc3",
		"http://a@b@c",
		"http://<x>@h:1",
		"ht~tp://h",
		"http://h:000080",
	};

	check_case("what readers could disagree about is refused");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_refused(bad[i]);
}

static void test_origins(void)
{
	check_case("an origin is scheme, host and port");
	CHECK(same_origin("http://h/a", "HTTP://H:80/b"));
	CHECK(!same_origin("http://h/a", "https://h/a"));
	CHECK(!same_origin("http://h:1", "http://h:2"));
	CHECK(!same_origin("http://h", "http://h.x"));
	CHECK(!same_origin("http://127.0.0.1:1", "http://localhost:1"));
}

int main(void)
{
	test_parts();
	test_canonical();
	test_refused();
	test_origins();
	return check_done();
}
