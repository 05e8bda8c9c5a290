/* Idle connections that a server writes to. */
#include "net/client/http_idle.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/* A TCP connection over loopback; returns the client's end. */
static int connect_pair(int *server)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(bind(listener, (struct sockaddr *)&at, size) == 0);
	CHECK(listen(listener, 1) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&at, &size) == 0);
	CHECK(connect(client, (struct sockaddr *)&at, size) == 0);
	*server = accept(listener, NULL, NULL);
	CHECK(*server >= 0);
	close(listener);
	return client;
}

/* Has this end been shut down? Then nothing more can be written to it. */
static bool is_shut(int fd)
{
	return send(fd, "x", 1, MSG_NOSIGNAL) != 1;
}

static void say(int server)
{
	static const struct timespec moment = {.tv_nsec = 20000000};

	CHECK(write(server, "late", 4) == 4);
	nanosleep(&moment, NULL);
}

static int port_of(int fd)
{
	struct sockaddr_in at = {0};
	socklen_t size = sizeof(at);

	CHECK(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	return ntohs(at.sin_port);
}

int main(void)
{
	struct http_idle idle = {0};
	int servers[4], clients[4], pair[2];

	for (int i = 0; i < 4; i++)
		clients[i] = connect_pair(&servers[i]);
	for (int i = 0; i < 4; i++)
		http_idle_add(&idle, clients[i]);
	check_case("a socket without a port is not watched");
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	http_idle_add(&idle, pair[0]);
	CHECK_INT((int64_t)idle.n, 4);
	check_case("what gets bytes while it is idle is shut down");
	http_idle_use(&idle, port_of(clients[1]));
	http_idle_close(&idle, clients[2]);
	for (int i = 0; i < 3; i++)
		say(servers[i]);
	http_idle_check(&idle);
	CHECK(is_shut(clients[0]));
	check_case("what is used, closed or silent is not");
	CHECK(!is_shut(clients[1]));
	CHECK(!is_shut(clients[2]));
	CHECK(!is_shut(clients[3]));
	check_case("one look is for all of a burst");
	http_idle_add(&idle, clients[1]);
	http_idle_check(&idle);
	CHECK(!is_shut(clients[1]));
	say(servers[1]);
	http_idle_check(&idle);
	CHECK(is_shut(clients[1]));
	for (int i = 0; i < 4; i++) {
		close(servers[i]);
		close(clients[i]);
	}
	close(pair[0]);
	close(pair[1]);
	http_idle_free(&idle);
	return check_done();
}
