/*
 * Idle connections, kept for the next request.
 *
 * A server must not send on one: such bytes belong to an unrequested response,
 * a second one or a late remainder, and would be taken for the response to the
 * next request. The connection is shut down before that.
 *
 * libcurl closes them and chooses which to use; it only reveals the socket when
 * it becomes idle, and the local port when it is reused. If two have the same
 * port, neither is watched, so that a busy one never is. A socket without a
 * port is not kept.
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
	int64_t checked; /* when they were last checked */
};

void http_idle_free(struct http_idle *idle);

/* Watch an idle socket. Does nothing if it has no port or memory is out. */
void http_idle_add(struct http_idle *idle, int fd);

/* A connection from this local port is in use, or this socket is closed. */
void http_idle_use(struct http_idle *idle, int port);
void http_idle_close(struct http_idle *idle, int fd);

/* Shut down those that received bytes; does nothing if it just did. */
void http_idle_check(struct http_idle *idle);

#endif
