/*
 * Listening sockets: TCP on one address, or a unix socket, and their names.
 *
 * Syntax:
 *	PORT		TCP on 127.0.0.1
 *	HOST:PORT	a name or an IPv4 address
 *	[ADDRESS]:PORT	IPv6, a zone after % included
 *	unix:PATH	a unix socket; one without a listener is replaced
 * Port 0 means any free port. Only loopback is ever implied: ":PORT" alone is
 * rejected.
 *
 * A port in use is ERR_IO at once, even if only a wildcard or one of a name's
 * addresses is taken.
 */
#ifndef OBS_NET_SERVER_LISTEN_H
#define OBS_NET_SERVER_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { LISTEN_NAME_MAX = 256 };

/* Owns fd until it is handed over, and the file of a unix socket. */
struct listener {
	int fd;
	bool loopback;		    /* not reachable from other machines */
	char host[LISTEN_NAME_MAX]; /* as the caller named it, or "" */
	char path[LISTEN_NAME_MAX]; /* of a unix socket, or "" */
	/* "http://127.0.0.1:9999" as bound, or "unix:/run/x.sock" */
	char url[LISTEN_NAME_MAX + 32];
};

/* Both return 0, ERR_INPUT for an invalid address, or ERR_IO. */
int listen_tcp(struct listener *l, const char *host, uint16_t port,
	       struct err *err);
int listen_text(struct listener *l, const char *text, struct err *err);

/* Close what it still owns, and remove the file of a unix socket. */
void listen_close(struct listener *l);

#endif
