/*
 * Doubles collected one by one, and exact statistics of them.
 */
#ifndef OBS_BASE_STATS_H
#define OBS_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Owns v; zero-initialised, it is empty. An array of the caller's can be sorted
 * and read, too: {.v = values, .n = n}. */
struct stats {
	double *v;
	size_t n;
	size_t cap;
};

/* Add one value, -0.0 as 0.0; false if out of memory. */
bool stats_add(struct stats *s, double v);
void stats_free(struct stats *s);

/* The sum as numpy computes it: pairwise within chunks of 8,192 (numpy's buffer
 * size), which are added in order. */
double stats_sum(const double *v, size_t n);

/* The sum divided by n > 0, or if only the sum is too large for a double, the
 * mean all the same. */
double stats_mean(const double *v, size_t n);

/* Sort ascending, required by those below; NaN is not allowed. Take the mean
 * first, in order of arrival. */
void stats_sort(struct stats *s);

/* The number `part` of the way, 0 to 1, from a to b. */
double stats_between(double a, double b, double part);

/* Of sorted values, n > 0: linear between order statistics, like numpy's
 * percentile. percent is 0 to 100. */
double stats_percentile(const struct stats *s, double percent);
double stats_median(const struct stats *s);

/* Of the times of sorted peers, what each is judged by: the median; of two the
 * shorter, as half of their median would be the slow one's own. */
double stats_usual(const struct stats *s);

#endif
