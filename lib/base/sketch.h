/*
 * Statistics of numbers pooled from several sources: a sketch of two sets is
 * the sketch of their union, whatever the order of merging.
 *
 * Count, smallest and largest are exact, and the sum is to some 100 bits. Up to
 * SKETCH_FEW numbers are stored, so quantiles are exact, too. Beyond that,
 * numbers are counted in bins whose bounds grow by a constant factor (DDSketch:
 * Masson, Rim, Lee, "DDSketch: a fast and fully-mergeable quantile sketch with
 * relative-error guarantees", VLDB 2019): a quantile is then within
 * SKETCH_ERROR of the number with this rank. A t-digest would be smaller, but
 * depends on the order and has no error bound.
 */
#ifndef OBS_BASE_SKETCH_H
#define OBS_BASE_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stats.h"
#include "base/sum.h"

enum { SKETCH_FEW = 100 };
#define SKETCH_ERROR 0.01 /* relative error */

/* Counts of numbers of one sign, by magnitude bin. */
struct sketch_bins {
	uint64_t *count;
	size_t n, cap;
	int first; /* bin of count[0] */
};

/* Owns all members; zero-initialised, it is empty. */
struct sketch {
	uint64_t n;
	double min, max;
	struct sum sum;
	struct stats few; /* while n <= SKETCH_FEW */
	struct sketch_bins positive, negative;
	uint64_t zeros;
};

void sketch_free(struct sketch *s);

bool sketch_bin_exists(int64_t bin);

/* Add count numbers to a bin, which must exist; false if out of memory. */
bool sketch_bins_add(struct sketch_bins *bins, int bin, uint64_t count);

/* Add a finite number, several, or another sketch; false if out of memory. */
bool sketch_add(struct sketch *s, double v);
bool sketch_add_all(struct sketch *s, const struct stats *values);
bool sketch_merge(struct sketch *s, const struct sketch *other);

/* Are quantiles exact? */
bool sketch_is_exact(const struct sketch *s);

double sketch_mean(const struct sketch *s); /* n > 0, also for the next */

/* Linear between order statistics while the numbers are stored, else from the
 * bins. Sorts the stored numbers. */
double sketch_percentile(struct sketch *s, double percent);

#endif
