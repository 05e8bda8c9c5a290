#include "base/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { NUMPY_BUFFER = 8192, PAIRWISE_BLOCK = 128, ACCUMULATORS = 8 };

/* Radix sort: a double has eight one-byte digits; below RADIX_LEAST values
 * counting them costs more than comparing. */
enum { DIGITS = 8, DIGIT_VALUES = 256, RADIX_LEAST = 512 };

#define SIGN_BIT (UINT64_C(1) << 63)

bool stats_add(struct stats *s, double v)
{
	if (!ARRAY_GROW(s->v, s->n, s->cap))
		return false;
	s->v[s->n++] = v + 0.0;
	return true;
}

void stats_free(struct stats *s)
{
	free(s->v);
	*s = (struct stats){0};
}

/* Up to PAIRWISE_BLOCK values in eight interleaved sums. */
static double block_sum(const double *v, size_t n)
{
	double r[ACCUMULATORS];
	double sum;
	size_t i;

	if (n < ACCUMULATORS) {
		sum = 0;
		for (i = 0; i < n; i++)
			sum += v[i];
		return sum;
	}
	memcpy(r, v, sizeof(r));
	for (i = ACCUMULATORS; i + ACCUMULATORS <= n; i += ACCUMULATORS)
		for (size_t k = 0; k < ACCUMULATORS; k++)
			r[k] += v[i + k];
	sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
	for (; i < n; i++)
		sum += v[i];
	return sum;
}

static double pairwise_sum(const double *v, size_t n)
{
	size_t half = n / 2 - n / 2 % ACCUMULATORS;

	if (n <= PAIRWISE_BLOCK)
		return block_sum(v, n);
	return pairwise_sum(v, half) + pairwise_sum(v + half, n - half);
}

double stats_sum(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i += NUMPY_BUFFER)
		sum += pairwise_sum(v + i, n - i < NUMPY_BUFFER ? n - i
								: NUMPY_BUFFER);
	return sum;
}

double stats_mean(const double *v, size_t n)
{
	double sum = stats_sum(v, n);
	double mean = 0;

	if (isfinite(sum))
		return sum / (double)n;
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	return mean;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The bits of a double, mapped so that they compare like it; and back. */
static uint64_t ordered_bits(uint64_t bits)
{
	return bits >> 63 ? ~bits : bits | SIGN_BIT;
}

static uint64_t double_bits(uint64_t ordered)
{
	return ordered >> 63 ? ordered & ~SIGN_BIT : ~ordered;
}

/* Move n keys to `to`, ordered by one digit, stable. */
static void sort_by_digit(const uint64_t *keys, uint64_t *to, size_t n,
			  const size_t count[DIGIT_VALUES], unsigned shift)
{
	size_t next[DIGIT_VALUES];
	size_t at = 0;

	for (size_t d = 0; d < DIGIT_VALUES; d++) {
		next[d] = at;
		at += count[d];
	}
	for (size_t i = 0; i < n; i++)
		to[next[keys[i] >> shift & (DIGIT_VALUES - 1)]++] = keys[i];
}

/* From the last digit on, skipping digits that all keys share. `other` has room
 * for n. Returns the array that holds the sorted keys. */
static uint64_t *radix_sort(uint64_t *keys, uint64_t *other, size_t n)
{
	size_t counts[DIGITS][DIGIT_VALUES] = {0};

	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			counts[d][keys[i] >> (8 * d) & (DIGIT_VALUES - 1)]++;
	for (unsigned d = 0; d < DIGITS; d++) {
		uint64_t *from = keys;

		if (counts[d][keys[0] >> (8 * d) & (DIGIT_VALUES - 1)] == n)
			continue;
		sort_by_digit(from, other, n, counts[d], 8 * d);
		keys = other;
		other = from;
	}
	return keys;
}

void stats_sort(struct stats *s)
{
	uint64_t *room = s->n < RADIX_LEAST ? NULL
					    : calloc(s->n, 2 * sizeof(*room));
	uint64_t *sorted;

	if (room == NULL) {
		if (s->n > 0)
			qsort(s->v, s->n, sizeof(*s->v), ascending);
		return;
	}
	memcpy(room, s->v, s->n * sizeof(*room));
	for (size_t i = 0; i < s->n; i++)
		room[i] = ordered_bits(room[i]);
	sorted = radix_sort(room, room + s->n, s->n);
	for (size_t i = 0; i < s->n; i++)
		sorted[i] = double_bits(sorted[i]);
	memcpy(s->v, sorted, s->n * sizeof(*sorted));
	free(room);
}

double stats_between(double a, double b, double part)
{
	double half = b / 2 - a / 2, step = b - a;

	/* Between large numbers of both signs a step may overflow. */
	if (isinf(step))
		return part < 0.5 ? a + 2 * part * half
				  : b - 2 * (1 - part) * half;
	/* From the nearer end, like numpy: same bits, and monotonic. */
	return part < 0.5 ? a + part * step : b - (1 - part) * step;
}

double stats_percentile(const struct stats *s, double percent)
{
	double place = percent / 100 * (double)(s->n - 1);
	size_t below = (size_t)floor(place);

	if (below + 1 >= s->n)
		return s->v[s->n - 1];
	return stats_between(s->v[below], s->v[below + 1],
			     place - (double)below);
}

double stats_median(const struct stats *s)
{
	size_t half = s->n / 2;
	double sum;

	if (s->n % 2 == 1)
		return s->v[half];
	sum = s->v[half - 1] + s->v[half];
	/* Halves are inexact near zero, and a sum may overflow. */
	return isfinite(sum) ? sum / 2 : s->v[half - 1] / 2 + s->v[half] / 2;
}

double stats_usual(const struct stats *s)
{
	return s->n == 2 ? s->v[0] : stats_median(s);
}
