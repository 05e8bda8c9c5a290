/*
 * Past values of two quantities, in bounded memory: points spaced widely enough
 * that those kept span the requested time. All zero is an empty history.
 */
#ifndef OBS_METRICS_HISTORY_H
#define OBS_METRICS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTORY_MOMENTS = 64 /* at most */ };

struct moment {
	double time; /* seconds */
	double a;
	double b;
};

struct history {
	struct moment *v; /* a ring, once it has the most */
	size_t cap;
	uint32_t first;
	uint32_t n;
};

void history_free(struct history *h);

/* Add a point, unless the last one is within a 48th of `span`. Times never
 * decrease. False if out of memory. */
bool history_add(struct history *h, struct moment moment, double span);

/* All points are that many seconds later: the clock was set. */
void history_shift(struct history *h, double seconds);

/* The last point that is `span` or more before `now`; NULL: none. */
const struct moment *history_before(const struct history *h, double now,
				    double span);

/* The same, or the first point there is; NULL: none. */
const struct moment *history_within(const struct history *h, double now,
				    double span);

/* The median of a over the points of the last `span`. NaN: none. */
double history_median(const struct history *h, double now, double span);

#endif
