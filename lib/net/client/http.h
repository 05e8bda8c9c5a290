/*
 * HTTP exchanges, many in flight on one thread. libcurl does the work and
 * stays behind this header; when to send what is decided in net/client/fetch.h,
 * which programs use.
 *
 * An exchange is one request and one answer: no redirect is followed, nothing
 * is tried again. It ends by its deadline, which covers everything from
 * connecting to the last byte, and its decoded body stays within the ceiling
 * of its buffer. A truncated body is an error, never a shorter body, however
 * it is compressed.
 *
 * Ownership: the exchange and what its request points to are the caller's
 * and stay where they are from http_start until http_wait returns it or
 * http_stop. Connections are kept for later exchanges of the same pool.
 * Times are nanoseconds of the monotonic clock.
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
	const char *socket; /* a unix socket to speak through, or NULL */
	const char *key;    /* bearer token, or NULL */
	const char *user;   /* "name:password", percent-encoded, or NULL; is
			       sent instead of key */
	const char *accept; /* media types, or NULL */
	const char *header; /* one further line, or NULL */
	struct str body;    /* p is NULL: GET; else POST of JSON, or of nothing
			       when n is 0 */
	void *owner;	    /* the caller's */
};

/* How an exchange ended; by this it is known whether another may help. */
enum http_end {
	HTTP_WHOLE,   /* an answer came, of whatever status */
	HTTP_FAILED,  /* the network or the server failed */
	HTTP_TIMEOUT, /* the deadline passed */
	HTTP_REFUSED, /* too large, or not to be had: again would not help */
};

struct http_exchange {
	/* Set by the caller. */
	const struct http_request *request;
	const char *url; /* where to send it: a redirect's, or request->url */
	bool keyless;	 /* leave key and user out */
	int64_t deadline;
	struct buf body; /* cleared first; its max is the ceiling */
	void *owner;
	/* What came of it; text in error is without the URL. */
	enum http_end end;
	struct err error;
	int status;		/* 0: no answer */
	int64_t sent;		/* when the request went out; 0: it did not */
	char type[128];		/* Content-Type, or "" */
	char *location;		/* where a redirect leads, absolute, or NULL */
	bool end_known;		/* see http_body_end_known */
	struct http_wire *wire; /* libcurl's part; NULL when not in flight */
};

struct http_options {
	const char *cacert; /* certificates to trust; NULL: the system's */
	bool insecure;	    /* take any certificate */
	bool proxy_env;	    /* obey http_proxy and its kin */
	size_t kept;	    /* connections kept open */
};

struct http; /* a pool of connections */

/* NULL on error. options is copied. */
struct http *http_open(const struct http_options *options, struct err *err);

/* All its exchanges have ended or were stopped. NULL is a no-op. */
void http_close(struct http *pool);

/* Send it. Returns 0, or a negative code when it could not even begin. */
int http_start(struct http *pool, struct http_exchange *exchange,
	       struct err *err);

/* Forget an exchange, in flight or not: frees all but the body. */
void http_stop(struct http *pool, struct http_exchange *exchange);

/* An exchange that has ended, waiting up to ms for one; NULL: none yet. */
struct http_exchange *http_wait(struct http *pool, int ms);

/* Of libcurl, and what it was built with. */
const char *http_version(void);

#endif
