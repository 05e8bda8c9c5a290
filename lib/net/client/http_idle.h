/*
 * Connections that are kept for the next request, while nobody uses them.
 *
 * A server has nothing to say on one: bytes that come are of an answer that
 * nobody asked for, a second one or a late rest, and would be taken for the
 * answer to the next request. Such a connection is shut down before that.
 *
 * libcurl closes them and chooses which to use; all that is known of it is the
 * socket when it becomes idle, and the local port when it is used again. A
 * port that two of them have makes both unwatched, never a busy one watched.
 * A socket without a port is not for keeping.
 */
#ifndef OBS_NET_CLIENT_HTTP_IDLE_H
#define OBS_NET_CLIENT_HTTP_IDLE_H

#include <stddef.h>
#include <stdint.h>

struct http_idle {
	struct http_idle_socket {
		int fd;
		int port; /* local */
	} * v;
	size_t n, cap;
	int64_t checked; /* when they were last looked at */
};

void http_idle_free(struct http_idle *idle);

/* A socket becomes idle. Not watched when it has no port, or without memory. */
void http_idle_add(struct http_idle *idle, int fd);

/* A connection from this local port is used, or this socket is closed. */
void http_idle_use(struct http_idle *idle, int port);
void http_idle_close(struct http_idle *idle, int fd);

/* Shut those down that got bytes; does nothing when it just did. */
void http_idle_check(struct http_idle *idle);

#endif
