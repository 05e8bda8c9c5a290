/*
 * With operands this is a server for tests/serve.bats instead:
 *	serve HOST PORT [PATH=FILE]...
 * It prints its URL and serves until SIGINT or SIGTERM.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "net/server/serve.h"
#include "net/server/serve_host.h"
#include "net/server/serve_path.h"

#include "check.h"

static bool accepts(const char *header)
{
	static const struct str names[] = {STR("Node-7"), STR("")};

	return serve_host_accepts(str_of(header), names, 2);
}

static void check_hosts(void)
{
	check_case("localhost and addresses are accepted, with any port");
	CHECK(accepts("localhost"));
	CHECK(accepts("LocalHost:8080"));
	CHECK(accepts("127.0.0.1:9999"));
	CHECK(accepts("192.0.2.7"));
	CHECK(accepts("[::1]"));
	CHECK(accepts("[::1]:9999"));
	CHECK(accepts("[fe80::1%25eth0]:80"));
	check_case("a name that was given is accepted");
	CHECK(accepts("node-7:9999"));
	check_case("other names are not, whatever they look like");
	CHECK(!accepts("evil.example"));
	CHECK(!accepts("localhost.evil.example"));
	CHECK(!accepts("127.0.0.1.evil.example:9999"));
	CHECK(!accepts("node-7.evil.example"));
	CHECK(!accepts("0x7f.1"));
	CHECK(!accepts("2130706433"));
	CHECK(!accepts("127.1"));
	check_case("what is no Host at all is not");
	CHECK(!accepts(""));
	CHECK(!accepts(":80"));
	CHECK(!accepts("::1"));
	CHECK(!accepts("[::1"));
	CHECK(!accepts("[]"));
	CHECK(!accepts("[::1]x"));
	CHECK(!accepts("[localhost]"));
	CHECK(!accepts("localhost:evil"));
	CHECK(!accepts("localhost:80@evil.example"));
	CHECK(!accepts("127.0.0.1 "));
}

static void check_target(const char *target, const char *path,
			 const char *authority)
{
	struct str found;

	CHECK_TEXT(serve_path_of(target, &found), path);
	CHECK((found.p != NULL) == (authority != NULL));
	if (found.p != NULL && authority != NULL)
		CHECK_STR(found, authority);
}

static void check_targets(void)
{
	check_case("a target is a path, or a URL with its authority");
	check_target("/metrics", "/metrics", NULL);
	check_target("http://h:1/metrics", "/metrics", "h:1");
	check_target("HTTPS://[::1]:2//x", "//x", "[::1]:2");
	check_target("http://h", "/", "h");
	check_target("http:///x", "/x", "");
	check_target("/http://h/x", "/http://h/x", NULL);
	check_target("ftp://h/x", "ftp://h/x", NULL);
	check_target("*", "*", NULL);
	check_target("", "", NULL);
}

static void check_open(void)
{
	struct server *first = NULL, *second = NULL;
	struct serve_route pipe_route = {
		.path = "/p", .type = "text/plain", .fd = -1};
	struct err err = {0};
	const char *colon;
	uint16_t port;

	check_case("port 0 picks one, and the URL tells which");
	if (!CHECK(serve_open(&first, "127.0.0.1", 0, NULL, 0, &err) == 0))
		return;
	colon = strrchr(serve_url(first), ':');
	port = (uint16_t)strtoul(colon + 1, NULL, 10);
	CHECK(str_starts(str_of(serve_url(first)), "http://127.0.0.1:"));
	CHECK(port != 0);
	check_case("a port in use is refused, by a wildcard too");
	CHECK_INT(serve_open(&second, "127.0.0.1", port, NULL, 0, &err),
		  ERR_IO);
	CHECK(strstr(err.text, colon) != NULL &&
	      strstr(err.text, "in use") != NULL);
	CHECK_INT(serve_open(&second, "0.0.0.0", port, NULL, 0, &err), ERR_IO);
	serve_close(first);
	check_case("a closed server leaves its port free");
	CHECK_INT(serve_open(&second, "127.0.0.1", port, NULL, 0, &err), 0);
	serve_close(second);
	check_case("a host that is none, and a route without a file");
	CHECK_INT(serve_open(&first, "no such host", 0, NULL, 0, &err), ERR_IO);
	CHECK_INT(serve_open(&first, "127.0.0.1", 0, &pipe_route, 1, &err),
		  ERR_IO);
}

static bool parse_route(struct serve_route *route, char *operand)
{
	char *equals = strchr(operand, '=');

	if (equals == NULL)
		return false;
	*equals = '\0';
	*route = (struct serve_route){.path = operand,
				      .type = "text/html; charset=utf-8",
				      .policy = SERVE_PAGE_POLICY,
				      .fd = open(equals + 1, O_RDONLY)};
	return route->fd >= 0;
}

static int serve(int argc, char **argv)
{
	struct serve_route routes[8];
	struct server *server = NULL;
	size_t count = 0;
	struct err err = {0};
	sigset_t stop;
	int rc;

	for (int i = 3; i < argc && count < 8; i++)
		if (!parse_route(&routes[count++], argv[i]))
			return 2;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	rc = serve_open(&server, argv[1], (uint16_t)strtoul(argv[2], NULL, 10),
			routes, count, &err);
	if (rc == 0) {
		printf("%s\n", serve_url(server));
		fflush(stdout);
		rc = serve_run(server, signalfd(-1, &stop, 0), &err);
	}
	serve_close(server);
	if (rc != 0)
		fprintf(stderr, "%s\n", err.text);
	return -rc;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return serve(argc, argv);
	check_hosts();
	check_targets();
	check_open();
	return check_done();
}
