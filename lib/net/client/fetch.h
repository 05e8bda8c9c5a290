/*
 * Fetch from many servers at once, on one thread:
 *
 *	fetch_add(fetcher, &request) for each; then
 *	while (fetch_next(fetcher)) look at the reply
 *
 * What is promised, whatever a server does: a request ends by its own
 * deadline and holds no other up. One that is in flight for longer than a
 * quarter of a second no longer counts against the concurrency, and
 * descriptors are shared out so that `ulimit -n` is never reached. A body
 * larger than max_bytes, once decoded, is an error, as is one that did not
 * come whole.
 *
 * A key goes to the origin (scheme, host, port) of the request's own URL and
 * nowhere else. Redirects of GET are followed within that origin; to another
 * one only when allowed, and then without key and credentials. Proxies of the
 * environment are not used unless asked for.
 *
 * A failed attempt is repeated, up to `retries` times with growing pauses,
 * when that may help: after a failure of the network, a deadline, 429 or 5xx.
 * A POST may have done its work by then: it is repeated only when it was never
 * sent, or after 429 and 503.
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
	int64_t concurrency;	  /* requests that move at the same time */
	int64_t retries;
	size_t max_bytes;   /* of a body, and what that limit is called */
	const char *limit;  /* as buf_limited has it */
	bool other_origins; /* follow redirects to them, without the key */
	/* Once a signal's handler has set it, fetch_next returns NULL: what is
	 * in flight goes on at the next call, or ends by fetch_close. Or NULL.
	 */
	const volatile sig_atomic_t *interrupted;
};

struct fetch_reply {
	const struct http_request *request;
	/* code is 0 when a complete answer came, with a status of 200 to 299
	 * but not 206;
	 * else text says what went wrong, without the URL. */
	struct err error;
	enum http_end end; /* of the last attempt */
	int status;	   /* of the last answer; 0: there was none */
	const char *type;  /* its Content-Type, or "" */
	struct str body;   /* decoded; empty unless it came whole */
	bool end_known;	   /* nothing of it was cut off, for certain */
	int64_t sent;	   /* when it went out, monotonic; 0: it did not */
	int64_t duration;  /* of the last attempt */
	int attempts;
};

/* Keep it for all rounds of a program: connections are kept with it. NULL on
 * error. */
struct fetcher *fetch_open(const struct fetch_options *options,
			   struct err *err);
void fetch_close(struct fetcher *fetcher);

/* Queue a request. Nothing is sent before fetch_next. */
int fetch_add(struct fetcher *fetcher, const struct http_request *request,
	      struct err *err);

/* Wait for the next request to end, in whatever order; NULL: none is left. */
const struct fetch_reply *fetch_next(struct fetcher *fetcher);

#endif
