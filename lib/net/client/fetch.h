/*
 * Fetch from many servers at once, on one thread:
 *
 *	fetch_add(fetcher, &request) for each; then
 *	while (fetch_next(fetcher)) look at the reply
 *
 * Whatever a server does, a request ends by its own deadline and does not delay
 * others. One in flight for longer than a quarter of a second no longer counts
 * against the concurrency, and descriptors are budgeted so that `ulimit -n` is
 * never reached. A body larger than max_bytes, once decoded, is an error, as is
 * an incomplete one.
 *
 * A key goes to the origin (scheme, host, port) of the request's own URL and
 * nowhere else. Redirects of GET are followed within that origin; to another
 * one only when allowed, and then without key and credentials. Proxies from the
 * environment are opt-in.
 *
 * A failed attempt is retried, up to `retries` times with growing delays, if
 * that may help: after a network failure, a timeout, 429 or 5xx. A POST may
 * already have taken effect: it is retried only if it was never sent, or after
 * 429 and 503.
 *
 * Ownership: requests are the caller's and outlive their reply; a reply and
 * its body live until the next call of fetch_next. Times are nanoseconds.
 */
#ifndef OBS_NET_CLIENT_FETCH_H
#define OBS_NET_CLIENT_FETCH_H

#include <signal.h>

#include "net/client/http.h"

struct fetcher;

struct fetch_options {
	struct http_options http; /* `kept` is set here */
	int64_t timeout;	  /* of one attempt, redirects included */
	int64_t concurrency;	  /* peak concurrency */
	int64_t retries;
	size_t max_bytes;   /* limit on a body, and its name for messages */
	const char *limit;  /* as in buf_limited */
	bool other_origins; /* follow cross-origin redirects, without the key */
	/* May be NULL. Once a signal handler sets it, fetch_next returns NULL:
	 * requests in flight continue at the next call, or end in
	 * fetch_close. */
	const volatile sig_atomic_t *interrupted;
};

struct fetch_reply {
	const struct http_request *request;
	/* code is 0 if a complete response arrived, with a status of 200 to 299
	 * but not 206; else text says what went wrong, without the URL. */
	struct err error;
	enum http_end end; /* of the last attempt */
	int status;	   /* of the last response; 0: none */
	const char *type;  /* its Content-Type, or "" */
	struct str body;   /* decoded; empty unless complete */
	bool end_known;	   /* it is certainly not truncated */
	int64_t sent;	   /* when it was sent, monotonic; 0: not sent */
	int64_t duration;  /* of the last attempt */
	int attempts;
};

/* Keep it for all rounds of a program: it holds the connections. NULL on
 * error. */
struct fetcher *fetch_open(const struct fetch_options *options,
			   struct err *err);
void fetch_close(struct fetcher *fetcher);

/* Queue a request. Nothing is sent before fetch_next. */
int fetch_add(struct fetcher *fetcher, const struct http_request *request,
	      struct err *err);

/* Wait for the next request to end, in any order; NULL: none are left. */
const struct fetch_reply *fetch_next(struct fetcher *fetcher);

#endif
