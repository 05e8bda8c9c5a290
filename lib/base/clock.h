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

/* Ticks that keep their cadence, however long what is done at each takes. */
struct ticker {
	int64_t next; /* monotonic */
	int64_t period;
};

/* The first tick is now. */
struct ticker ticker_new(int64_t period);

/* Sleep until the next tick that is still to come; returns how many passed
 * unused before this call. Signals do not wake. */
int64_t ticker_wait(struct ticker *ticker);

#endif
