/*
 * How far a difference of two samples could be chance: percentile bootstrap
 * (Efron, "Bootstrap methods: another look at the jackknife", 1979).
 *
 * Both samples are drawn anew from themselves, with replacement and as often
 * as they have values, BOOTSTRAP_RESAMPLES times; of the differences between
 * each draw's statistics the middle 95% are the interval. The generator is
 * seeded with a constant, so that the same values give the same interval.
 * Values are taken as independent of each other.
 *
 * A draw is kept as how often each value was drawn: of sorted values that
 * gives every statistic in one walk, without sorting the draw.
 */
#ifndef OBS_BASE_BOOTSTRAP_H
#define OBS_BASE_BOOTSTRAP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/stats.h"

enum {
	BOOTSTRAP_RESAMPLES = 1000,
	BOOTSTRAP_LEAST = 5, /* values a side; fewer tell nothing of noise */
};

/* What is compared: the mean, or a percentile (50 is the median). */
struct statistic {
	bool mean;
	double percent;
};

/* The interval of `to` less `from`. */
struct confidence {
	double low;
	double high;
};

/*
 * Fill an interval for each of the n statistics. The values must be sorted
 * and at least BOOTSTRAP_LEAST a side. Returns 0 or ERR_MEMORY.
 */
int bootstrap(const struct stats *from, const struct stats *to,
	      const struct statistic *statistics, size_t n,
	      struct confidence *intervals, struct err *err);

#endif
