/*
 * HTTP/1.1 on one listening socket and one thread (libmicrohttpd stays behind
 * this header). What is answered is up to the hooks; net/server/serve.h, which
 * programs use, has the rules.
 *
 * A request is refused when its head is there, or asked for when all of it
 * is; the answer may come later. While it does, the client is watched: one
 * that leaves, or will send no more, is gone.
 *
 * Nobody waits for anybody: a connection that is idle for HTTPD_IDLE seconds
 * is closed, and so is one that takes longer than client_time to send a
 * request or to take an answer, however busy it looks. A connection for which
 * the system has no room waits for it.
 *
 * Ownership: hooks are borrowed. A request lives until it is answered or
 * gone. Content is counted: its maker drops it, whoever is being sent it
 * keeps it for longer.
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
	const void *route; /* the hooks' own */
	/* What follows is httpd's. */
	struct httpd *httpd;
	struct MHD_Connection *connection;
	struct httpd_content *content; /* the answer, once there is one */
	bool asked;		       /* the hook was called */
	bool waits; /* suspended, with its socket in the httpd's epoll */
	int fd;
};

/* None of these may call httpd_step or httpd_stop. */
struct httpd_hooks {
	/* The head of a request is there: NULL, or an answer after which the
	 * connection closes; the maker keeps it. */
	struct httpd_content *(*refuse)(void *owner,
					const struct httpd_request *request);
	/* All of it is: call httpd_answer, now or later. */
	void (*ask)(void *owner, struct httpd_request *request);
	/* The client left before that; forget the request. */
	void (*gone)(void *owner, struct httpd_request *request);
	void *owner;
};

struct httpd_options {
	unsigned connections; /* more wait in the kernel */
	unsigned places;      /* for those of them that are served; 0: all */
	int64_t client_time;  /* nanoseconds; 0: only idleness counts */
};

/* listen_fd becomes the httpd's on success. */
int httpd_start(struct httpd **httpd, int listen_fd,
		const struct httpd_options *options,
		const struct httpd_hooks *hooks, struct err *err);

/* When the descriptor is readable, or httpd_wait's milliseconds have passed
 * (-1: any time), take a step. */
int httpd_fd(const struct httpd *httpd);
int httpd_wait(const struct httpd *httpd);
int httpd_step(struct httpd *httpd, struct err *err);

/* Listen no more. */
void httpd_quiesce(struct httpd *httpd);

/* Has the request's connection a place? Who comes first has, until it goes. */
bool httpd_has_place(const struct httpd_request *request);

/* Open connections with a request under way. */
size_t httpd_busy(const struct httpd *httpd);

/* Cuts what is open, requests that wait are gone. NULL is allowed. */
void httpd_stop(struct httpd *httpd);

/* A header's value, or NULL. */
const char *httpd_header(const struct httpd_request *request, const char *name);

/* How many headers have that name. */
size_t httpd_count_header(const struct httpd_request *request,
			  const char *name);

void httpd_answer(struct httpd_request *request, struct httpd_content *content);

/*
 * What is sent. The first takes body's bytes and leaves it empty, the second
 * borrows the text for good, the third owns fd on success. NULL on failure.
 */
struct httpd_content *httpd_content_of(unsigned status, struct buf *body);
struct httpd_content *httpd_content_text(unsigned status, const char *text);
struct httpd_content *httpd_content_file(int fd, uint64_t size);

/* false when memory ran out; a NULL value adds nothing. */
bool httpd_content_header(struct httpd_content *content, const char *name,
			  const char *value);
void httpd_content_drop(struct httpd_content *content); /* NULL is allowed */

/* Of libmicrohttpd: "0.9.75". */
const char *httpd_version(void);

#endif
