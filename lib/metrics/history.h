/*
 * What two quantities were a while ago, in a fixed amount of memory: moments
 * far enough apart that those kept reach back over the time asked for.
 */
#ifndef OBS_METRICS_HISTORY_H
#define OBS_METRICS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { HISTORY_MOMENTS = 64 };

struct moment {
	double time; /* seconds */
	double a;
	double b;
};

struct history {
	struct moment v[HISTORY_MOMENTS]; /* a ring */
	uint32_t first;
	uint32_t n;
};

/* Remember a moment, unless one within a 48th of `span` is the last. Times do
 * not go back. */
void history_add(struct history *h, struct moment moment, double span);

/* The last moment that is `span` or more before `now`; NULL: none is known. */
const struct moment *history_before(const struct history *h, double now,
				    double span);

/* The same, or the first moment there is; NULL: there is none. */
const struct moment *history_within(const struct history *h, double now,
				    double span);

/* The median of a over the moments of the last `span`. NaN: there are none. */
double history_median(const struct history *h, double now, double span);

/* The median of n values, which are sorted; of an even number the mean of the
 * two in the middle. NaN: n is 0. */
double median_of(double *values, uint32_t n);

#endif
