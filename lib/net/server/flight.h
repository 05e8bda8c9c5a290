/*
 * A command that produces the response for a path, one run at a time.
 *
 * A request starts a run, or joins the current one; all waiting requests get
 * the response of that run. A complete response may be reused for max_age. A
 * run is stopped if it times out, prints too much, or no request waits for it
 * any more; its process group ends with it (see net/server/child.h), and only
 * then can another begin.
 *
 *	200  the command succeeded; text/plain; version=0.0.4, or OpenMetrics
 *	     if its output ends in "# EOF"
 *	500  it failed, printed too much, or printed no metrics
 *	503  the system lacked resources to run it
 *	504  it took too long, or longer than the scraper's timeout
 *
 * Ownership: the options' command is borrowed, requests are the server's.
 * Times are nanoseconds of the monotonic clock.
 */
#ifndef OBS_NET_SERVER_FLIGHT_H
#define OBS_NET_SERVER_FLIGHT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/server/serve.h"

struct flight_options {
	char *const *command; /* argv, NULL at the end */
	int64_t timeout;      /* timeout of a run */
	int64_t max_age;      /* how long a response is reused */
	size_t max_body;      /* bytes of output */
	bool allow_empty;     /* output without a sample is not a failure */
	bool allow_partly;    /* neither is exit status 1, partly done */
	/* Called after each run: why it failed, or which output is not valid,
	 * or NULL; and the end of its standard error. */
	void (*report)(const char *complaint, struct str errors);
};

struct flight;

/* NULL if out of memory. Free it after the server. */
struct flight *flight_new(const struct flight_options *options);
void flight_free(struct flight *f);

/* Answers the path. */
const struct serve_handler *flight_handler(struct flight *f);

/* Two descriptors to poll, and the latest time of the next step (INT64_MAX: any
 * time). Call the step after every poll and on SIGCHLD. */
void flight_poll(const struct flight *f, struct pollfd fds[2]);
int64_t flight_due(const struct flight *f);
void flight_step(struct flight *f, int64_t now);

/* Is a run in progress? */
bool flight_runs(const struct flight *f);

#endif
