#include "base/redact.h"

#include <string.h>

#include "check.h"

static void check_left(const char *text, const char *left)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	copy[redact_urls(copy, strlen(copy))] = '\0';
	CHECK_STR(str_of(copy), left);
}

int main(void)
{
	check_case("user and password go");
	check_left("http://u:p@h:1", "http://h:1");
	check_left("grpc://u@h", "grpc://h");
	check_left("a http://u:p@h/x, https://v:q@w:2: no", "a http://h/x, "
							    "https://w:2: no");
	check_left("http://u:p@q@10.0.0.1:30000", "http://10.0.0.1:30000");
	check_left("http://u:p@10.0.0.1", "http://10.0.0.1");
	check_left("http://u:p@1:80", "http://1:80");
	check_left("http://u:p@[::1]:2", "http://[::1]:2");
	check_left("http://u:p@", "http://");
	check_left("://a@b", "://b");

	check_case("paths, ranks and texts without a URL stay");
	check_left("", "");
	check_left("h:1@3", "h:1@3");
	check_left("http://", "http://");
	check_left("http://h/p@x?a@b", "http://h/p@x?a@b");
	check_left("http://h:1 a@b", "http://h:1 a@b");
	check_left("http://h:1@3", "http://h:1@3");
	check_left("http://h:1@3: cannot connect", "http://h:1@3: cannot "
						   "connect");
	check_left("http://u:p@h:1@12, x", "http://h:1@12, x");
	check_left("'http://h:1' a@b", "'http://h:1' a@b");

	return check_done();
}
