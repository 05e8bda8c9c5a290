#include "net/client/http_idle.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/array.h"
#include "base/clock.h"

/* Requests start in bursts: check once per burst. */
#define CHECK_EACH (5 * NS_PER_MS)

void http_idle_free(struct http_idle *idle)
{
	free(idle->v);
	*idle = (struct http_idle){0};
}

/* The port that a socket is bound to; 0 if none. */
static int local_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_storage room;
	} at = {.any.sa_family = AF_UNSPEC};
	socklen_t size = sizeof(at);

	if (getsockname(fd, &at.any, &size) != 0)
		return 0;
	if (at.any.sa_family == AF_INET)
		return ntohs(at.v4.sin_port);
	return at.any.sa_family == AF_INET6 ? ntohs(at.v6.sin6_port) : 0;
}

void http_idle_add(struct http_idle *idle, int fd)
{
	int port = local_port(fd);

	if (port == 0)
		return;
	if (ARRAY_GROW(idle->v, idle->n, idle->cap))
		idle->v[idle->n++] = (struct http_idle_socket){fd, port};
}

static void forget(struct http_idle *idle, size_t i)
{
	idle->v[i] = idle->v[--idle->n];
}

void http_idle_use(struct http_idle *idle, int port)
{
	for (size_t i = idle->n; i > 0; i--)
		if (idle->v[i - 1].port == port)
			forget(idle, i - 1);
}

void http_idle_close(struct http_idle *idle, int fd)
{
	for (size_t i = idle->n; i > 0; i--)
		if (idle->v[i - 1].fd == fd)
			forget(idle, i - 1);
}

void http_idle_check(struct http_idle *idle)
{
	int64_t now = clock_monotonic();
	char byte;

	if (now - idle->checked < CHECK_EACH)
		return;
	idle->checked = now;
	for (size_t i = 0; i < idle->n; i++)
		if (recv(idle->v[i].fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
			shutdown(idle->v[i].fd, SHUT_RDWR);
}
