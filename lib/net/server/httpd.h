/*
 * HTTP/1.1 on one listening socket and one thread (libmicrohttpd is hidden
 * behind this header). The hooks produce the answers; net/server/serve.h, which
 * programs use, has the rules.
 *
 * A request is rejected once its head is complete, or passed on once all of it
 * is; the answer may come later. Meanwhile the client is watched: one that
 * disconnects, or shuts down its sending side, is gone.
 *
 * No client delays another: a connection that is idle for HTTPD_IDLE seconds is
 * closed, and so is one that takes longer than client_time to send a request or
 * receive an answer, however busy it is. With as many connections as the options
 * allow, the one that has been idle the longest is closed for one that waits. A
 * connection also waits if the system lacks resources for it.
 *
 * Ownership: hooks are borrowed. A request lives until it is answered or gone.
 * Content is reference-counted: its creator drops it, and responses being sent
 * keep it alive.
 */
#ifndef OBS_NET_SERVER_HTTPD_H
#define OBS_NET_SERVER_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { HTTPD_IDLE = 20 }; /* seconds */

struct httpd;
struct httpd_content;
struct MHD_Connection;

struct httpd_request {
	const char *method;
	const char *url;   /* still percent-encoded, without its query */
	const void *route; /* for the hooks */
	/* Private to httpd. */
	struct httpd *httpd;
	struct MHD_Connection *connection;
	struct httpd_content *content; /* the answer, once there is one */
	bool asked;		       /* the hook was called */
	bool waits; /* suspended, with its socket in the httpd's epoll */
	int fd;
};

/* None of these may call httpd_step or httpd_stop. */
struct httpd_hooks {
	/* The head of a request is complete: NULL, or an answer after which the
	 * connection closes; it stays the hook's. */
	struct httpd_content *(*reject)(void *owner,
					const struct httpd_request *request);
	/* The request is complete: call httpd_answer, now or later. */
	void (*ask)(void *owner, struct httpd_request *request);
	/* The client disconnected before that; forget the request. */
	void (*gone)(void *owner, struct httpd_request *request);
	void *owner;
};

struct httpd_options {
	unsigned connections; /* further ones wait in the kernel */
	unsigned places;      /* how many of them are served; 0: all */
	int64_t client_time;  /* nanoseconds; 0: no limit but HTTPD_IDLE */
};

/* listen_fd becomes the httpd's on success. */
int httpd_start(struct httpd **httpd, int listen_fd,
		const struct httpd_options *options,
		const struct httpd_hooks *hooks, struct err *err);

/* When the descriptor is readable, or httpd_wait's milliseconds have passed
 * (-1: no timeout), take a step. */
int httpd_fd(const struct httpd *httpd);
int httpd_wait(const struct httpd *httpd);
int httpd_step(struct httpd *httpd, struct err *err);

/* Stop listening. */
void httpd_quiesce(struct httpd *httpd);

/* Is the request's connection served? The first ones are, until they close. */
bool httpd_has_place(const struct httpd_request *request);

/* Open connections with a request in progress. */
size_t httpd_busy(const struct httpd *httpd);

/* Closes open connections; waiting requests are gone. NULL is a no-op. */
void httpd_stop(struct httpd *httpd);

/* A header's value, or NULL. */
const char *httpd_header(const struct httpd_request *request, const char *name);

/* How many headers have that name. */
size_t httpd_count_header(const struct httpd_request *request,
			  const char *name);

void httpd_answer(struct httpd_request *request, struct httpd_content *content);

/*
 * Response content. The first takes body's bytes and leaves it empty, the
 * second borrows the text for good, the third owns fd on success. NULL on
 * failure.
 */
struct httpd_content *httpd_content_of(unsigned status, struct buf *body);
struct httpd_content *httpd_content_text(unsigned status, const char *text);
struct httpd_content *httpd_content_file(int fd, uint64_t size);

/* false if out of memory; a NULL value adds nothing. */
bool httpd_content_header(struct httpd_content *content, const char *name,
			  const char *value);
void httpd_content_drop(struct httpd_content *content); /* NULL is a no-op */

/* libmicrohttpd's: "0.9.75". */
const char *httpd_version(void);

#endif
