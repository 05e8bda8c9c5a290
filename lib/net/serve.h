/*
 * A small HTTP server for a fixed table of paths (libmicrohttpd stays behind
 * this header).
 *
 * Only the paths of the table exist; none is ever mapped to the file system,
 * and there is no listing. GET and HEAD alone are answered; see serve_host.h
 * for whom. One thread serves everybody: a slow client waits for itself, an
 * idle one is dropped after SERVE_IDLE seconds, and no more than
 * SERVE_CONNECTIONS are open at once, the others wait in the kernel.
 *
 * The library sets no signals: a program that serves ignores SIGPIPE, and
 * turns SIGINT and SIGTERM into a readable descriptor (signalfd or a pipe).
 */
#ifndef OBS_NET_SERVE_H
#define OBS_NET_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SERVE_IDLE = 20, SERVE_CONNECTIONS = 128 };

/* For a page that holds its own style and script, and needs nothing else. */
#define SERVE_PAGE_POLICY                                                      \
	"default-src 'none'; style-src 'unsafe-inline'; "                      \
	"script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "    \
	"frame-ancestors 'none'"

struct serve_route {
	const char *path;   /* decoded, from its slash on: "/a b.html" */
	const char *type;   /* Content-Type */
	const char *policy; /* Content-Security-Policy, or NULL */
	int fd; /* a regular file, sent whole; duplicated, stays the caller's */
};

struct server;

/*
 * Listen on host (a name or an address; "127.0.0.1" unless the user says
 * otherwise) and port, 0 for any that is free. The table is copied, the file
 * sizes are taken now. A port that somebody listens on is ERR_IO at once,
 * also when only a wildcard or one of host's addresses is taken. *server is
 * set on success only.
 */
int serve_open(struct server **server, const char *host, uint16_t port,
	       const struct serve_route *routes, size_t count, struct err *err);

/* "http://127.0.0.1:9999", as bound; lives as long as the server. */
const char *serve_url(const struct server *server);

/* Serve until stop_fd is readable; nothing is read from it. */
int serve_run(struct server *server, int stop_fd, struct err *err);

/* Connections are cut, the port is free again. NULL is allowed. */
void serve_close(struct server *server);

/* Of libmicrohttpd: "0.9.75". */
const char *serve_version(void);

#endif
