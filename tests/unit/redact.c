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

static void check_hidden(const char *text, const char *secret, bool cut,
			 const char *left)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	redact_secret(copy, strlen(copy), secret, cut);
	CHECK_STR(str_of(copy), left);
}

static void check_basic(const char *text, const char *left)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	redact_basic(copy, strlen(copy));
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

	check_case("values of parameters that look secret are hidden");
	check_left("h:1/m?token=abc: no", "h:1/m?token=*: no");
	check_left("http://u:p@h/?x=1&API_Key=a:b&y=2, z",
		   "http://h/?x=1&API_Key=*&y=2, z");
	check_left("'h?X-Amz-Signature=a/b=c'", "'h?X-Amz-Signature=*'");
	check_left("h?token=#f?auth=", "h?token=#f?auth=");
	check_left("h?passwd=1", "h?passwd=*");

	check_case("other parameters stay, and what only looks like one");
	check_left("h?name=token&n=2", "h?name=token&n=2");
	check_left("--key-file=a token=b", "--key-file=a token=b");
	check_left("h? token=b", "h? token=b");

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

	check_case("a secret becomes stars, also where the text ends in it");
	check_hidden("key s3, s3s3", "s3", false, "key **, ****");
	check_hidden("", "s3", true, "");
	check_hidden("s3", NULL, true, "s3");
	check_hidden("s3", "", true, "s3");
	check_hidden("s", "s3", false, "s");
	check_hidden("key s3cr", "s3cret", true, "key ****");
	check_hidden("key s3cr", "s3cret", false, "key s3cr");
	check_hidden("s3c", "s3cret", true, "***");

	check_case("so do user and password in base64");
	check_basic("Authorization: Basic dTpw/+==\r\nA: Basic x",
		    "Authorization: Basic ********\r\nA: Basic *");
	check_basic("Basic ", "Basic ");
	check_basic("", "");

	return check_done();
}
