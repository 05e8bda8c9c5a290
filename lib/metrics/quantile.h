/*
 * Histograms: buckets merged over series, and their quantiles.
 *
 * A cumulative count is only known at a series' own bounds, so series are
 * merged on the bounds common to all. Quantiles match PromQL's
 * histogram_quantile.
 */
#ifndef OBS_METRICS_QUANTILE_H
#define OBS_METRICS_QUANTILE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

struct bucket {
	double bound;	 /* le */
	double count;	 /* cumulative, summed */
	uint64_t recent; /* the series added last */
	uint32_t series; /* number of series */
};

struct buckets {
	struct bucket *v; /* sorted by bound */
	uint32_t n;
	uint32_t cap;
	uint32_t at;	 /* where the last one was found */
	uint32_t series; /* distinct series that have buckets here */
};

void buckets_free(struct buckets *b);

static inline void bucket_add(struct bucket *bucket, double count,
			      uint64_t series)
{
	bucket->series += bucket->series == 0 || bucket->recent != series;
	bucket->recent = series;
	if (!isnan(count))
		bucket->count += count;
}

/* buckets_add, for any bound. */
int buckets_add_elsewhere(struct buckets *b, double bound, double count,
			  uint64_t series);

/* Add the count of one series at one bound; the series is identified by its
 * hash. Adding the same bound of a series again is summed, too. 0, ERR_MEMORY
 * or ERR_LIMIT. */
static inline int buckets_add(struct buckets *b, double bound, double count,
			      uint64_t series)
{
	/* Bounds usually come in order: look after the last one first. */
	uint32_t i = b->at + 1 < b->n ? b->at + 1 : 0;

	if (i >= b->n || b->v[i].bound != bound)
		return buckets_add_elsewhere(b, bound, count, series);
	b->at = i;
	bucket_add(&b->v[i], count, series);
	return 0;
}

/* Add to a bound that the series already has, even if others came between. */
int buckets_add_again(struct buckets *b, double bound, double count);

/* Either of the two: `had` is the set of bounds of each series. */
int buckets_add_mixed(struct buckets *b, struct map *had, double bound,
		      double count, uint64_t series);

/* The fingerprint of a series' bound, by its number. */
uint64_t bucket_hash(uint64_t series, double bound);

/* Explain why buckets_add failed for the metric. Returns code. */
int buckets_error(int code, struct str name, struct err *err);

/*
 * Keep the bounds that all series have. `total` (NaN: unknown) replaces a
 * missing +Inf bucket, for which there is room besides the maximum of bounds.
 * Returns defects, as bits; or ERR_MEMORY.
 */
enum {
	BUCKETS_DIFFER = 1,   /* bounds were dropped */
	BUCKETS_NO_INF = 2,   /* +Inf was missing, total was used */
	BUCKETS_NO_TOTAL = 4, /* +Inf was missing, and so was total */
	BUCKETS_FALL = 8,     /* a count is below that of a lower bound */
	BUCKETS_LAG = 16      /* total is below that of +Inf */
};
int buckets_settle(struct buckets *b, double total);

/* histogram_quantile(q); b must be settled. NaN without observations. */
double buckets_quantile(const struct buckets *b, double q);

/* Is that quantile in the +Inf bucket, so only a lower bound? */
bool buckets_quantile_is_open(const struct buckets *b, double q);

#endif
