#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMPY_BUFFER = 8192, PAIRWISE_BLOCK = 128, ACCUMULATORS = 8 };

bool stats_add(struct stats *s, double v)
{
	if (s->n == s->cap) {
		size_t cap = s->cap == 0 ? 64 : s->cap * 2;
		double *grown = realloc(s->v, cap * sizeof(*grown));

		if (grown == NULL)
			return false;
		s->v = grown;
		s->cap = cap;
	}
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

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(struct stats *s)
{
	if (s->n > 0)
		qsort(s->v, s->n, sizeof(*s->v), ascending);
}

double stats_percentile(const struct stats *s, double percent)
{
	double place = percent / 100 * (double)(s->n - 1);
	size_t below = (size_t)floor(place);
	double part = place - (double)below;
	double step;

	if (below + 1 >= s->n)
		return s->v[s->n - 1];
	step = s->v[below + 1] - s->v[below];
	/* From the nearer end, as numpy does: the same bits, and monotonic. */
	return part < 0.5 ? s->v[below] + part * step
			  : s->v[below + 1] - (1 - part) * step;
}

double stats_median(const struct stats *s)
{
	size_t half = s->n / 2;
	double sum;

	if (s->n % 2 == 1)
		return s->v[half];
	sum = s->v[half - 1] + s->v[half];
	/* Halves are not exact near zero, nor is a sum past the largest. */
	return isfinite(sum) ? sum / 2 : s->v[half - 1] / 2 + s->v[half] / 2;
}
