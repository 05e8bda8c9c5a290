#include "net/server/httpd.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static struct httpd *httpd;
static struct httpd_content *page;

static struct httpd_content *reject_none(void *owner,
					 const struct httpd_request *request)
{
	(void)owner;
	(void)request;
	return NULL;
}

static void give_page(void *owner, struct httpd_request *request)
{
	(void)owner;
	httpd_answer(request, page);
}

static const struct httpd_hooks hooks = {.reject = reject_none,
					 .ask = give_page};

/* Start it on a free port, which *at tells. */
static void start(struct sockaddr_in *at)
{
	const struct httpd_options options = {.connections = 8};
	socklen_t size = sizeof(*at);
	struct err err;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET};
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	page = httpd_content_text(200, "page");
	if (bind(fd, (struct sockaddr *)at, size) != 0 || listen(fd, 8) != 0 ||
	    getsockname(fd, (struct sockaddr *)at, &size) != 0 ||
	    page == NULL ||
	    httpd_start(&httpd, fd, &options, &hooks, &err) != 0)
		abort();
}

/* A client that has sent its request. */
static int ask(const struct sockaddr_in *at)
{
	static const char request[] =
		"GET / HTTP/1.0\r\nConnection: close\r\n\r\n";
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 ||
	    write(fd, request, strlen(request)) < 0)
		abort();
	return fd;
}

/* Lower the limit so that there is no descriptor more; returns the one there
 * was. */
static struct rlimit take_descriptors(void)
{
	struct rlimit before, none;
	int next = dup(STDERR_FILENO);

	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)next;
	setrlimit(RLIMIT_NOFILE, &none);
	return before;
}

static bool is_readable(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};

	return poll(&one, 1, 0) == 1;
}

/* Wait for as long as the httpd asks to, and take a step. */
static void step(void)
{
	struct pollfd one = {.fd = httpd_fd(httpd), .events = POLLIN};
	struct err err;

	poll(&one, 1, httpd_wait(httpd));
	CHECK_INT(httpd_step(httpd, &err), 0);
}

static void check_answer(int client)
{
	char answer[1024];
	ssize_t n;

	for (int steps = 0; steps < 100 && !is_readable(client); steps++)
		step();
	n = recv(client, answer, sizeof(answer), MSG_DONTWAIT);
	CHECK(n > 0 &&
	      str_starts(str_make(answer, (size_t)n), "HTTP/1.1 200 OK"));
	close(client);
}

/* No event asks for a step, time does. */
static void check_rest(void)
{
	CHECK(!is_readable(httpd_fd(httpd)));
	CHECK(httpd_wait(httpd) >= 0);
}

int main(void)
{
	struct sockaddr_in at;
	struct rlimit limit;
	int client;

	start(&at);
	check_case("a client is answered");
	check_answer(ask(&at));
	check_case("without a descriptor for a client it rests, and tries on");
	client = ask(&at);
	limit = take_descriptors();
	for (int i = 0; i < 3; i++) {
		step();
		check_rest();
	}
	check_case("a step in the middle of a rest does not end it");
	CHECK_INT(httpd_step(httpd, &(struct err){0}), 0);
	check_rest();
	check_case("when there is one again the client is answered");
	setrlimit(RLIMIT_NOFILE, &limit);
	check_answer(client);
	check_answer(ask(&at));
	httpd_stop(httpd);
	httpd_content_drop(page);
	return check_done();
}
