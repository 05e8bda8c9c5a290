/*
 * An interval of time, both ends included, in Unix seconds; empty if start >
 * end.
 */
#ifndef OBS_BASE_INTERVAL_H
#define OBS_BASE_INTERVAL_H

#include <math.h>

struct interval {
	double start, end;
};

#define INTERVAL_NONE ((struct interval){INFINITY, -INFINITY})

/* Extend the interval to include a time; one that is not finite is ignored. */
static inline void interval_add(struct interval *interval, double moment)
{
	if (!isfinite(moment))
		return;
	interval->start = fmin(interval->start, moment);
	interval->end = fmax(interval->end, moment);
}

#endif
