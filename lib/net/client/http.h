/*
 * HTTP exchanges, many in flight on one thread. libcurl does the work, hidden
 * behind this header; net/client/fetch.h, which programs use, decides what to
 * send when.
 *
 * An exchange is one request and one response: no redirects, no retries. It
 * ends by its deadline, which covers everything from connecting to the last
 * byte, and its decoded body stays within the ceiling of its buffer. A
 * truncated body is an error, never a shorter body, whatever the compression.
 *
 * Ownership: the exchange and everything its request points to are the caller's
 * and must not move from http_start until http_wait returns it or http_stop.
 * Connections are kept for later exchanges of the same pool. Times are
 * nanoseconds of the monotonic clock.
 */
#ifndef OBS_NET_CLIENT_HTTP_H
#define OBS_NET_CLIENT_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct http_request {
	const char *url;    /* http or https */
	const char *socket; /* a unix socket to connect to, or NULL */
	const char *key;    /* bearer token, or NULL */
	const char *user;   /* "name:password", percent-encoded, or NULL; sent
			     * instead of key */
	const char *accept; /* media types, or NULL */
	const char *header; /* one more header line, or NULL */
	struct str body;    /* p is NULL: GET; else POST of JSON, or of nothing
			       when n is 0 */
	void *owner;	    /* the caller's */
};

/* How an exchange ended, which decides whether to retry. */
enum http_end {
	HTTP_WHOLE,   /* a response arrived, of any status */
	HTTP_FAILED,  /* the network or the server failed */
	HTTP_TIMEOUT, /* the deadline passed */
	HTTP_REFUSED, /* too large, or impossible: a retry would not help */
};

struct http_exchange {
	/* Set by the caller. */
	const struct http_request *request;
	const char *url; /* where to send it: a redirect, or request->url */
	bool keyless;	 /* do not send key and user */
	int64_t deadline;
	struct buf body; /* cleared first; its max is the ceiling */
	void *owner;
	/* The result; text in error is without the URL. */
	enum http_end end;
	struct err error;
	int status;		/* 0: no response */
	int64_t sent;		/* when the request was sent; 0: it was not */
	char type[128];		/* Content-Type, or "" */
	char *location;		/* redirect target, absolute, or NULL */
	bool end_known;		/* see http_body_end_known */
	struct http_wire *wire; /* for libcurl; NULL when not in flight */
};

struct http_options {
	const char *cacert; /* certificates to trust; NULL: the system's */
	bool insecure;	    /* accept any certificate */
	bool proxy_env;	    /* honour http_proxy etc. */
	size_t kept;	    /* maximum of idle connections */
};

struct http; /* a pool of connections */

/* NULL on error. options is copied. */
struct http *http_open(const struct http_options *options, struct err *err);

/* All its exchanges must have ended or been stopped. NULL is a no-op. */
void http_close(struct http *pool);

/* Send it. Returns 0, or a negative code if it could not be started. */
int http_start(struct http *pool, struct http_exchange *exchange,
	       struct err *err);

/* Drop an exchange, in flight or not: frees all but the body. */
void http_stop(struct http *pool, struct http_exchange *exchange);

/* An exchange that has ended, waiting up to ms for one; NULL: none yet. */
struct http_exchange *http_wait(struct http *pool, int ms);

/* libcurl's version and build. */
const char *http_version(void);

#endif
