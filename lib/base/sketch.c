#include "base/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The growth factor of bin bounds. */
static const double growth = (1 + SKETCH_ERROR) / (1 - SKETCH_ERROR);

/* Enough for all doubles, even from hostile input. */
enum { BIN_LEAST = -40000, BIN_MOST = 40000, BIN_ROOM = 64 };

void sketch_free(struct sketch *s)
{
	stats_free(&s->few);
	free(s->positive.count);
	free(s->negative.count);
	*s = (struct sketch){0};
}

bool sketch_is_exact(const struct sketch *s)
{
	return s->n == s->few.n;
}

/* Bins ----------------------------------------------------------------- */

static int bin_of(double size)
{
	return (int)ceil(log(size) / log(growth));
}

/* The middle of the bin, so that none of its numbers is off by more than the
 * error. Doubled last: twice the bound of one of the last bins is too large for
 * a double. */
static double size_of(int bin)
{
	return pow(growth, bin) / (growth + 1) * 2;
}

/* Extend the bins to cover first to last. */
static bool widen(struct sketch_bins *b, int first, int last)
{
	int low = b->n > 0 && b->first < first ? b->first : first;
	int end = b->first + (int)b->n - 1;
	int high = b->n > 0 && end > last ? end : last;
	size_t n = (size_t)(high - low) + 1;
	uint64_t *count = b->count;

	if (n > b->cap) {
		count = realloc(b->count, (n + BIN_ROOM) * sizeof(*count));
		if (count == NULL)
			return false;
		b->count = count;
		b->cap = n + BIN_ROOM;
	}
	if (b->n == 0)
		b->first = low;
	if (n > b->n) {
		size_t before = (size_t)(b->first - low);

		memmove(count + before, count, b->n * sizeof(*count));
		memset(count, 0, before * sizeof(*count));
		memset(count + before + b->n, 0,
		       (n - before - b->n) * sizeof(*count));
	}
	b->first = low;
	b->n = n;
	return true;
}

bool sketch_bin_exists(int64_t bin)
{
	return bin >= BIN_LEAST && bin <= BIN_MOST;
}

bool sketch_bins_add(struct sketch_bins *b, int bin, uint64_t count)
{
	if (b->n == 0 || bin < b->first || bin >= b->first + (int)b->n) {
		if (!widen(b, bin, bin))
			return false;
	}
	b->count[bin - b->first] += count;
	return true;
}

static bool merge_bins(struct sketch_bins *to, const struct sketch_bins *from)
{
	if (from->n == 0)
		return true;
	if (!widen(to, from->first, from->first + (int)from->n - 1))
		return false;
	for (size_t i = 0; i < from->n; i++)
		to->count[(size_t)(from->first - to->first) + i] +=
			from->count[i];
	return true;
}

static bool count_number(struct sketch *s, double v)
{
	if (v == 0) {
		s->zeros++;
		return true;
	}
	return sketch_bins_add(v > 0 ? &s->positive : &s->negative,
			       bin_of(fabs(v)), 1);
}

/* Switch from kept numbers to bins. */
static bool count_few(struct sketch *s)
{
	for (size_t i = 0; i < s->few.n; i++)
		if (!count_number(s, s->few.v[i]))
			return false;
	stats_free(&s->few);
	return true;
}

/* Adding --------------------------------------------------------------- */

static bool put_number(struct sketch *s, bool few, double v)
{
	return few ? stats_add(&s->few, v) : count_number(s, v);
}

/* Make room for n more; *few is set if they all still fit there. */
static bool make_room(struct sketch *s, uint64_t n, bool *few)
{
	*few = sketch_is_exact(s) && s->n + n <= SKETCH_FEW;
	return *few || !sketch_is_exact(s) || count_few(s);
}

bool sketch_add(struct sketch *s, double v)
{
	bool few;

	if (!make_room(s, 1, &few) || !put_number(s, few, v))
		return false;
	if (s->n == 0 || v < s->min)
		s->min = v;
	if (s->n == 0 || v > s->max)
		s->max = v;
	s->n++;
	sum_add(&s->sum, v);
	return true;
}

bool sketch_add_all(struct sketch *s, const struct stats *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (!sketch_add(s, values->v[i]))
			return false;
	return true;
}

bool sketch_merge(struct sketch *s, const struct sketch *other)
{
	bool few;

	if (other->n == 0)
		return true;
	if (!make_room(s, other->n, &few))
		return false;
	for (size_t i = 0; i < other->few.n; i++)
		if (!put_number(s, few, other->few.v[i]))
			return false;
	if (!merge_bins(&s->positive, &other->positive) ||
	    !merge_bins(&s->negative, &other->negative))
		return false;
	s->zeros += other->zeros;
	if (s->n == 0 || other->min < s->min)
		s->min = other->min;
	if (s->n == 0 || other->max > s->max)
		s->max = other->max;
	s->n += other->n;
	sum_merge(&s->sum, other->sum);
	return true;
}

/* Statistics ------------------------------------------------------------ */

double sketch_mean(const struct sketch *s)
{
	return sum_mean(s->sum, (double)s->n);
}

/* The number with this rank, counted from 0, from its bin. */
static double number_at(const struct sketch *s, double rank)
{
	double seen = 0, number = s->max;
	bool found = false;

	for (size_t i = s->negative.n; !found && i > 0; i--) {
		seen += (double)s->negative.count[i - 1];
		found = seen > rank;
		number = -size_of(s->negative.first + (int)i - 1);
	}
	seen += found ? 0 : (double)s->zeros;
	if (!found && seen > rank)
		return 0;
	for (size_t i = 0; !found && i < s->positive.n; i++) {
		seen += (double)s->positive.count[i];
		found = seen > rank;
		number = size_of(s->positive.first + (int)i);
	}
	return fmin(fmax(number, s->min), s->max);
}

double sketch_percentile(struct sketch *s, double percent)
{
	double rank = percent / 100 * (double)(s->n - 1);
	double below = floor(rank);

	if (sketch_is_exact(s)) {
		stats_sort(&s->few);
		return stats_percentile(&s->few, percent);
	}
	if (rank <= 0 || rank >= (double)(s->n - 1))
		return rank <= 0 ? s->min : s->max;
	return stats_between(number_at(s, below), number_at(s, ceil(rank)),
			     rank - below);
}
