/*
 * Whether the difference of two samples could be chance: percentile bootstrap
 * (Efron, "Bootstrap methods: another look at the jackknife", 1979).
 *
 * Each sample is resampled with replacement, to its own size,
 * BOOTSTRAP_RESAMPLES times; the interval is the middle 95% of the differences
 * between the draws' statistics. The generator is seeded with a constant, so
 * that the same values give the same interval. Values are assumed independent.
 *
 * A draw is stored as a count per value: with sorted values, one pass gives
 * every statistic without sorting the draw.
 */
#ifndef OBS_BASE_BOOTSTRAP_H
#define OBS_BASE_BOOTSTRAP_H

#include <stdbool.h>

#include "base/err.h"
#include "base/stats.h"

enum {
	BOOTSTRAP_RESAMPLES = 1000,
	BOOTSTRAP_LEAST = 5, /* values per side; fewer show no noise */
};

/* The statistic compared: the mean, or a percentile (50 is the median). */
struct statistic {
	bool mean;
	double percent;
	bool relative; /* to / from - 1; all values of `from` are above 0 */
};

/* The interval of `to` minus `from`, or of the relative change. */
struct confidence {
	double low;
	double high;
};

/*
 * Fill an interval for each of the n statistics. The values must be sorted, at
 * least BOOTSTRAP_LEAST per side. Returns 0 or ERR_MEMORY.
 */
int bootstrap(const struct stats *from, const struct stats *to,
	      const struct statistic *statistics, size_t n,
	      struct confidence *intervals, struct err *err);

#endif
