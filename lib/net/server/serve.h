/*
 * A small HTTP server for a fixed table of paths.
 *
 * Only the paths of the table exist; none is mapped to the file system, and
 * there is no listing. A path is a file, or a handler that answers now or
 * later. Only GET and HEAD are answered, for hosts allowed by serve_host.h. One
 * thread serves all clients, see httpd.h; at most SERVE_CONNECTIONS
 * connections, or the options' number, are open at once.
 *
 * The library sets no signals: a program that serves ignores SIGPIPE, and
 * turns SIGINT and SIGTERM into a readable descriptor (signalfd or a pipe).
 */
#ifndef OBS_NET_SERVER_SERVE_H
#define OBS_NET_SERVER_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/server/httpd.h"
#include "net/server/listen.h"

enum { SERVE_CONNECTIONS = 128 };

/* For a page with inline style and script that needs nothing else. */
#define SERVE_PAGE_POLICY                                                      \
	"default-src 'none'; style-src 'unsafe-inline'; "                      \
	"script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "    \
	"frame-ancestors 'none'"

/* Produces a path's answer like httpd_hooks do: by httpd_answer. */
struct serve_handler {
	void (*ask)(void *owner, struct httpd_request *request);
	void (*gone)(void *owner, struct httpd_request *request);
	void *owner;
};

struct serve_route {
	const char *path;   /* decoded, from its slash on: "/a b.html" */
	const char *type;   /* Content-Type */
	const char *policy; /* Content-Security-Policy, or NULL */
	int fd; /* a regular file, sent whole; duplicated, stays the caller's */
	const struct serve_handler *handler; /* replaces all but path */
};

struct serve_options {
	/* Further ones are answered 503 and closed. 0: beyond SERVE_CONNECTIONS
	 * they wait in the kernel. */
	unsigned connections;
	int64_t client_time; /* see httpd_options */
};

struct server;

/*
 * Serve on a socket, which becomes the server's, even on failure. The table is
 * copied, handlers are borrowed, file sizes are read now. *server is set on
 * success only.
 */
int serve_start(struct server **server, struct listener *listener,
		const struct serve_options *options,
		const struct serve_route *routes, size_t count,
		struct err *err);

/* The same on a host (a name or an address; use "127.0.0.1" unless the user
 * chose another) and port, see listen_tcp, with the defaults. */
int serve_open(struct server **server, const char *host, uint16_t port,
	       const struct serve_route *routes, size_t count, struct err *err);

/* "http://127.0.0.1:9999", as bound; lives as long as the server. */
const char *serve_url(const struct server *server);

/* Serve until stop_fd is readable, without reading from it. */
int serve_run(struct server *server, int stop_fd, struct err *err);

/* For the caller's own loop: httpd_fd, httpd_wait and httpd_step of this
 * one. */
struct httpd *serve_httpd(struct server *server);

/* Accept no more connections, and no requests on open ones. */
void serve_drain(struct server *server);

/* Closes connections and frees the port. NULL is a no-op. */
void serve_close(struct server *server);

/* Add the headers of every answer: its type, and no caching. */
bool serve_describe(struct httpd_content *content, const char *type);

#endif
