/*
 * One command that answers a path of a server, one run at a time.
 *
 * A request starts a run, or joins the one that is under way; all who wait get
 * the answer of that run. A whole answer may be given again for max_age. A run
 * ends early when its time is up, when it prints too much, and when nobody
 * waits for it any more; its process group ends with it (see net/server/child.h),
 * and only then another begins.
 *
 *	200  the command succeeded; text/plain; version=0.0.4, or OpenMetrics
 *	     when its output ends in "# EOF"
 *	500  it failed, printed too much, or printed no metrics
 *	503  the system had no room to run it
 *	504  it took too long, or longer than the scraper said it would wait
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
	int64_t timeout;      /* of a run */
	int64_t max_age;      /* how long an answer is given again */
	size_t max_body;      /* bytes of output */
	bool allow_empty;     /* output without a sample is no failure */
	bool allow_partly;    /* exit status 1, partly done, is none either */
	/* Called after each run: why it failed, or what of its output is not
	 * valid, or NULL; and the end of its standard error. */
	void (*report)(const char *complaint, struct str errors);
};

struct flight;

/* NULL when memory ran out. To be freed after the server. */
struct flight *flight_new(const struct flight_options *options);
void flight_free(struct flight *f);

/* What answers the path. */
const struct serve_handler *flight_handler(struct flight *f);

/* Two descriptors to poll, and when to step at the latest (INT64_MAX: any
 * time). To be called after every poll, and when SIGCHLD came. */
void flight_poll(const struct flight *f, struct pollfd fds[2]);
int64_t flight_due(const struct flight *f);
void flight_step(struct flight *f, int64_t now);

/* Is there a run under way? */
bool flight_runs(const struct flight *f);

#endif
