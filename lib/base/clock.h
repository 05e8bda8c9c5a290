/*
 * The two clocks, in nanoseconds: wall time for stamps, monotonic time for
 * durations and deadlines.
 */
#ifndef OBS_BASE_CLOCK_H
#define OBS_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

int64_t clock_wall(void); /* since the Unix epoch */
int64_t clock_monotonic(void);

/* Tells when the wall clock is set, beside one that also runs in suspend. */
struct clock_watch {
	int64_t ahead; /* of the wall clock when last looked at; 0: never */
};

/* By how many nanoseconds the wall clock was set since the last call; 0 for
 * less than a tenth of a second, and at first. */
int64_t clock_set_by(struct clock_watch *watch);

/* Ticks at a steady cadence, however long the work at each takes. */
struct ticker {
	int64_t next; /* monotonic */
	int64_t period;
};

/* The first tick is now. */
struct ticker ticker_new(int64_t period);

/* Sleep until the next future tick; returns how many ticks were missed since
 * the last call. Signals do not end the sleep. */
int64_t ticker_wait(struct ticker *ticker);

#endif
