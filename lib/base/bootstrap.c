#include "base/bootstrap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOW_PERMILLE = 25, HIGH_PERMILLE = 975 };

/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014). */
struct generator {
	uint64_t state;
};

static uint64_t draw_word(struct generator *g)
{
	uint64_t z = g->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* One of the two samples and its current draw. */
struct drawn {
	const struct stats *of;
	uint32_t *times; /* how often each value was drawn */
};

/* One word gives two indices: the upper half of 32 random bits times the number
 * of values (Lemire, 2019; the bias is below n / 2^32). */
static void draw(struct drawn *d, struct generator *g)
{
	uint64_t n = d->of->n;

	memset(d->times, 0, n * sizeof(*d->times));
	for (uint64_t i = 0; i + 1 < n; i += 2) {
		uint64_t word = draw_word(g);

		d->times[(word & UINT32_MAX) * n >> 32]++;
		d->times[(word >> 32) * n >> 32]++;
	}
	if (n % 2 == 1)
		d->times[(draw_word(g) >> 32) * n >> 32]++;
}

static double drawn_mean(const struct drawn *d)
{
	double sum = 0;

	for (size_t i = 0; i < d->of->n; i++)
		sum += d->times[i] * d->of->v[i];
	return sum / (double)d->of->n;
}

/* Like stats_percentile: between the two nearest order statistics. */
static double drawn_percentile(const struct drawn *d, double percent)
{
	double place = percent / 100 * (double)(d->of->n - 1);
	double below = floor(place);
	uint64_t seen = 0;
	size_t i = 0;
	double low;

	while (seen + d->times[i] <= (uint64_t)below)
		seen += d->times[i++];
	low = d->of->v[i];
	if (place == below || seen + d->times[i] > (uint64_t)below + 1)
		return low;
	do
		i++;
	while (d->times[i] == 0);
	return low + (place - below) * (d->of->v[i] - low);
}

static double statistic_of(const struct drawn *d, const struct statistic *s)
{
	return s->mean ? drawn_mean(d) : drawn_percentile(d, s->percent);
}

static double difference_of(double from, double to, bool relative)
{
	return relative ? to / from - 1 : to - from;
}

/* The differences of statistic k are contiguous. */
static void resample(struct drawn *from, struct drawn *to,
		     const struct statistic *statistics, size_t n,
		     struct stats *differences)
{
	struct generator g = {0};

	for (size_t r = 0; r < BOOTSTRAP_RESAMPLES; r++) {
		draw(from, &g);
		draw(to, &g);
		for (size_t k = 0; k < n; k++)
			differences[k].v[r] = difference_of(
				statistic_of(from, &statistics[k]),
				statistic_of(to, &statistics[k]),
				statistics[k].relative);
	}
}

int bootstrap(const struct stats *from, const struct stats *to,
	      const struct statistic *statistics, size_t n,
	      struct confidence *intervals, struct err *err)
{
	double *room = calloc(n * BOOTSTRAP_RESAMPLES + 1, sizeof(*room));
	struct stats *differences = calloc(n + 1, sizeof(*differences));
	uint32_t *times = calloc(from->n + to->n, sizeof(*times));
	int code = 0;

	if (room == NULL || differences == NULL || times == NULL) {
		code = err_memory(err);
		goto out;
	}
	for (size_t k = 0; k < n; k++)
		differences[k] = (struct stats){room + k * BOOTSTRAP_RESAMPLES,
						BOOTSTRAP_RESAMPLES,
						BOOTSTRAP_RESAMPLES};
	resample(&(struct drawn){from, times},
		 &(struct drawn){to, times + from->n}, statistics, n,
		 differences);
	for (size_t k = 0; k < n; k++) {
		stats_sort(&differences[k]);
		intervals[k].low =
			stats_percentile(&differences[k], LOW_PERMILLE / 10.0);
		intervals[k].high =
			stats_percentile(&differences[k], HIGH_PERMILLE / 10.0);
	}
out:
	free(room);
	free(differences);
	free(times);
	return code;
}
