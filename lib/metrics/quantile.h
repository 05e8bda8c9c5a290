/*
 * Histograms: buckets merged over series, and quantiles out of them.
 *
 * A cumulative count is known at a series' own bounds only, so series are
 * merged on the bounds that all of them have. The quantile is PromQL's
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
	double count;	 /* cumulative, added up */
	uint64_t recent; /* the series that was added last */
	uint32_t series; /* how many were */
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

/* buckets_add, at any bound. */
int buckets_add_elsewhere(struct buckets *b, double bound, double count,
			  uint64_t series);

/* Add the count of one series at one bound; the series is named by its hash.
 * The same bound of the same series is added up, too. 0, ERR_MEMORY
 * or ERR_LIMIT. */
static inline int buckets_add(struct buckets *b, double bound, double count,
			      uint64_t series)
{
	/* Bounds mostly come in order: look behind the last one first. */
	uint32_t i = b->at + 1 < b->n ? b->at + 1 : 0;

	if (i >= b->n || b->v[i].bound != bound)
		return buckets_add_elsewhere(b, bound, count, series);
	b->at = i;
	bucket_add(&b->v[i], count, series);
	return 0;
}

/* Add to a bound that the series has had, however others came between. */
int buckets_add_again(struct buckets *b, double bound, double count);

/* One of both: `had` is the set of the bounds that each series has had. */
int buckets_add_mixed(struct buckets *b, struct map *had, double bound,
		      double count, uint64_t series);

/* A fingerprint of a series' bound, by its number. */
uint64_t bucket_hash(uint64_t series, double bound);

/* Say why buckets_add failed for the metric of this name. Returns code. */
int buckets_error(int code, struct str name, struct err *err);

/*
 * Keep the bounds that all series have. `total` (NaN: unknown) takes the
 * place of a +Inf bucket that is missing, for which there is room beside as
 * many bounds as may be added. Returns what was wrong, as bits; or ERR_MEMORY.
 */
enum {
	BUCKETS_DIFFER = 1,   /* bounds were dropped */
	BUCKETS_NO_INF = 2,   /* +Inf was missing, total took its place */
	BUCKETS_NO_TOTAL = 4, /* +Inf was missing, and total, too */
	BUCKETS_FALL = 8,     /* a count is below that of a lower bound */
	BUCKETS_LAG = 16      /* total is below that of +Inf */
};
int buckets_settle(struct buckets *b, double total);

/* histogram_quantile(q); b is settled. NaN without observations. */
double buckets_quantile(const struct buckets *b, double q);

/* Is that quantile in the +Inf bucket, so that it is a lower bound only? */
bool buckets_quantile_is_open(const struct buckets *b, double q);

#endif
