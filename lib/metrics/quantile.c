#include "metrics/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/search.h"

void buckets_free(struct buckets *b)
{
	free(b->v);
	*b = (struct buckets){0};
}

/* The first bucket whose bound is not below the given one. */
static uint32_t lower_bound(const struct buckets *b, double bound)
{
	size_t i;

	SEARCH_FIRST(i, 0, b->n, b->v[i].bound >= bound);
	return (uint32_t)i;
}

static int insert(struct buckets *b, uint32_t at, double bound)
{
	if (b->n == b->cap) {
		uint32_t cap = b->cap == 0 ? 16 : b->cap * 2;
		struct bucket *v = realloc(b->v, cap * sizeof(*v));

		if (v == NULL)
			return ERR_MEMORY;
		b->v = v;
		b->cap = cap;
	}
	memmove(b->v + at + 1, b->v + at, (b->n - at) * sizeof(*b->v));
	b->v[at] = (struct bucket){.bound = bound};
	b->n++;
	return 0;
}

/* The bucket for a bound, created if needed. */
static int find_bucket(struct buckets *b, double bound, struct bucket **bucket)
{
	uint32_t i = lower_bound(b, bound);
	int code = 0;

	if (i == b->n || b->v[i].bound != bound)
		code = b->n == LIMIT_BUCKETS ? ERR_LIMIT : insert(b, i, bound);
	if (code < 0)
		return code;
	b->at = i;
	*bucket = &b->v[i];
	return 0;
}

int buckets_add_again(struct buckets *b, double bound, double count)
{
	struct bucket *bucket;
	int code = find_bucket(b, bound, &bucket);

	if (code == 0 && !isnan(count))
		bucket->count += count;
	return code;
}

int buckets_add_elsewhere(struct buckets *b, double bound, double count,
			  uint64_t series)
{
	struct bucket *bucket;
	int code = find_bucket(b, bound, &bucket);

	if (code == 0)
		bucket_add(bucket, count, series);
	return code;
}

uint64_t bucket_hash(uint64_t series, double bound)
{
	uint64_t bits;

	bound += 0; /* -0 is 0 */
	memcpy(&bits, &bound, sizeof(bits));
	return hash_mix(series, bits);
}

int buckets_add_mixed(struct buckets *b, struct map *had, double bound,
		      double count, uint64_t series)
{
	int code = map_add(had, bucket_hash(series, bound), NULL);

	if (code < 0)
		return code;
	return code == 0 ? buckets_add_again(b, bound, count)
			 : buckets_add(b, bound, count, series);
}

int buckets_error(int code, struct str name, struct err *err)
{
	if (code == ERR_LIMIT)
		return err_set(err, code,
			       "%.*s has more than %d buckets" ERR_RAISE(
				       LIMIT_BUCKETS),
			       STR_ARG(name), LIMIT_BUCKETS);
	return err_memory(err);
}

/* Do cumulative counts decrease? Sums of differently rounded rates may, in
 * their last digits. */
static bool falls(const struct buckets *b)
{
	for (uint32_t i = 1; i < b->n; i++)
		if (b->v[i].count < b->v[i - 1].count * (1 - 1e-9))
			return true;
	return false;
}

int buckets_settle(struct buckets *b, double total)
{
	const double inf = (double)INFINITY;
	int wrong = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->v[i].series >= b->series)
			b->v[kept++] = b->v[i];
		else if (b->v[i].bound != inf)
			wrong |= BUCKETS_DIFFER;
	b->n = kept;
	wrong |= falls(b) ? BUCKETS_FALL : 0;
	if (kept > 0 && b->v[kept - 1].bound == inf)
		return total < b->v[kept - 1].count * (1 - 1e-9)
			       ? wrong | BUCKETS_LAG
			       : wrong;
	if (isnan(total))
		return wrong | BUCKETS_NO_TOTAL;
	if (insert(b, kept, inf) < 0)
		return ERR_MEMORY;
	b->v[kept].count = total;
	return wrong | BUCKETS_NO_INF;
}

/* The total of observations; cumulative counts never decrease. */
static double most(const struct buckets *b)
{
	double count = 0;

	for (uint32_t i = 0; i < b->n; i++)
		count = i == 0 || b->v[i].count > count ? b->v[i].count : count;
	return count;
}

/* A point in bucket i, which holds the observations from before up to count:
 * the one at `rank`. */
static double interpolate(const struct buckets *b, uint32_t i, double before,
			  double count, double rank)
{
	double high = b->v[i].bound;
	double low = i == 0 ? 0 : b->v[i - 1].bound;

	if (i == 0 && high <= 0)
		return high;
	return low + (high - low) * ((rank - before) / (count - before));
}

bool buckets_quantile_is_open(const struct buckets *b, double q)
{
	double count = 0;

	if (!(q >= 0 && q <= 1) || b->n < 2 || !isinf(b->v[b->n - 1].bound))
		return false;
	for (uint32_t i = 0; i + 1 < b->n; i++)
		count = i == 0 || b->v[i].count > count ? b->v[i].count : count;
	return most(b) > 0 && !(count >= q * most(b));
}

double buckets_quantile(const struct buckets *b, double q)
{
	uint32_t last = b->n - 1;
	double total, rank, before = 0, count;
	uint32_t i = 0;

	if (q < 0)
		return -(double)INFINITY;
	if (q > 1)
		return (double)INFINITY;
	if (isnan(q) || b->n < 2 || !isinf(b->v[last].bound))
		return (double)NAN;
	total = most(b);
	if (total == 0)
		return (double)NAN;
	rank = q * total;
	count = b->v[0].count;
	while (i < last && !(count >= rank)) {
		before = count;
		i++;
		count = b->v[i].count > count ? b->v[i].count : count;
	}
	if (i == last)
		return b->v[last - 1].bound;
	return interpolate(b, i, before, count, rank);
}
