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
