#include "net/server/listen.h"

#include <netdb.h>

#include "check.h"

/* Without /etc/hosts and a name server it has no address. */
static bool localhost_is_known(void)
{
	struct addrinfo *found;

	if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
		return false;
	freeaddrinfo(found);
	return true;
}

static int try_text(const char *text)
{
	struct listener l;
	struct err err = {0};
	int rc = listen_text(&l, text, &err);

	if (rc == 0)
		listen_close(&l);
	return rc;
}

int main(void)
{
	static const char *const refused[] = {
		"",	  ":0",	   "host",	"::1:0", "[::1]",
		"[::1]0", "[]:0",  "1:-1",	"1:+1",	 "1:65536",
		"x:1x",	  "unix:", "127.0.0.1:"};
	struct listener l;
	struct err err = {0};

	check_case("a bare port is loopback, and 0 picks one");
	CHECK_INT(listen_text(&l, "0", &err), 0);
	CHECK(str_starts(str_of(l.url), "http://127.0.0.1:"));
	CHECK(l.loopback);
	listen_close(&l);
	check_case("other addresses are what they are");
	CHECK_INT(listen_text(&l, "0.0.0.0:0", &err), 0);
	CHECK(!l.loopback);
	listen_close(&l);
	if (localhost_is_known())
		CHECK_INT(try_text("localhost:0"), 0);
	check_case("what is no address is refused");
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		CHECK_INT(try_text(refused[i]), ERR_INPUT);
	check_case("a file that is no socket is not replaced");
	CHECK_INT(try_text("unix:/dev/null"), ERR_IO);
	return check_done();
}
