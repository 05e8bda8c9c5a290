/*
 * Listening sockets: TCP on one address, or a unix socket, and their names.
 *
 * What a user writes:
 *	PORT		TCP on 127.0.0.1
 *	HOST:PORT	a name or an IPv4 address
 *	[ADDRESS]:PORT	IPv6, a zone after % included
 *	unix:PATH	a unix socket; one that nobody listens on is replaced
 * Port 0 stands for any that is free. Other addresses than loopback are never
 * assumed: ":PORT" alone is refused.
 *
 * A port that somebody listens on is ERR_IO at once, also when only a wildcard
 * or one of a name's addresses is taken.
 */
#ifndef OBS_NET_SERVER_LISTEN_H
#define OBS_NET_SERVER_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { LISTEN_NAME_MAX = 256 };

/* Owns fd until it is given away, and the file of a unix socket. */
struct listener {
	int fd;
	bool loopback;		    /* nobody from another machine gets here */
	char host[LISTEN_NAME_MAX]; /* as the caller named it, or "" */
	char path[LISTEN_NAME_MAX]; /* of a unix socket, or "" */
	/* "http://127.0.0.1:9999" as bound, or "unix:/run/x.sock" */
	char url[LISTEN_NAME_MAX + 32];
};

/* The three give 0, ERR_INPUT for what is no address, or ERR_IO. */
int listen_tcp(struct listener *l, const char *host, uint16_t port,
	       struct err *err);
int listen_unix(struct listener *l, const char *path, struct err *err);
int listen_text(struct listener *l, const char *text, struct err *err);

/* Close what is still owned, and remove the file of a unix socket. */
void listen_close(struct listener *l);

#endif
