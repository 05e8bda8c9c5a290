#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* 1/1 + 1/2 + ..., whose sum depends on the order of adding. */
static double harmonic(size_t n)
{
	double *v = calloc(n + 1, sizeof(*v));
	double sum = 0;

	if (v == NULL)
		return sum;
	for (size_t i = 0; i < n; i++)
		v[i] = 1.0 / (double)(i + 1);
	sum = stats_sum(v, n);
	free(v);
	return sum;
}

static void check_sum(void)
{
	check_case("sums have the bits of numpy.add.reduce");
	/* numpy 1.24: numpy.sum(1 / numpy.arange(1, n + 1)) */
	CHECK_DOUBLE(harmonic(1), 1.0);
	CHECK_DOUBLE(harmonic(7), 2.5928571428571425);
	CHECK_DOUBLE(harmonic(8), 2.7178571428571425);
	CHECK_DOUBLE(harmonic(9), 2.8289682539682537);
	CHECK_DOUBLE(harmonic(127), 5.425334592589172);
	CHECK_DOUBLE(harmonic(128), 5.433147092589173);
	CHECK_DOUBLE(harmonic(129), 5.440899030573669);
	CHECK_DOUBLE(harmonic(1000), 7.485470860550345);
	CHECK_DOUBLE(harmonic(8191), 9.588067975782808);
	CHECK_DOUBLE(harmonic(8192), 9.58819004609531);
	CHECK_DOUBLE(harmonic(8193), 9.588312101508468);
	CHECK_DOUBLE(harmonic(20000), 10.480728217229329);
	CHECK_DOUBLE(harmonic(100000), 12.090146129863433);
	CHECK_DOUBLE(harmonic(0), 0.0);
}

static void check_order(void)
{
	static const double values[] = {4, -0.0, 2, 9};
	struct stats s = {0};

	check_case("medians and percentiles interpolate between values");
	for (size_t i = 0; i < 4; i++)
		CHECK(stats_add(&s, values[i]));
	stats_sort(&s);
	CHECK_DOUBLE(s.v[0], 0.0);
	CHECK_DOUBLE(stats_median(&s), 3.0);
	CHECK_DOUBLE(stats_percentile(&s, 0), 0.0);
	CHECK_DOUBLE(stats_percentile(&s, 12.5), 0.75);
	CHECK_DOUBLE(stats_percentile(&s, 50), 3.0);
	CHECK_DOUBLE(stats_percentile(&s, 99.9), 8.985000000000001);
	CHECK_DOUBLE(stats_percentile(&s, 100), 9.0);
	stats_free(&s);

	check_case("one value is all of its statistics");
	CHECK(stats_add(&s, 7));
	stats_sort(&s);
	CHECK_DOUBLE(stats_median(&s), 7.0);
	CHECK_DOUBLE(stats_percentile(&s, 99), 7.0);
	stats_free(&s);

	check_case("a median of two whose sum is too large is between them");
	CHECK(stats_add(&s, 0x1p1023) && stats_add(&s, 0x1.8p1023));
	stats_sort(&s);
	CHECK_DOUBLE(stats_median(&s), 0x1.4p1023);
	stats_free(&s);
}

/* The sum of the values' bits: equal when a sort kept them all. */
static uint64_t bits_of_all(const struct stats *s)
{
	uint64_t sum = 0;
	uint64_t bits;

	for (size_t i = 0; i < s->n; i++) {
		memcpy(&bits, &s->v[i], sizeof(bits));
		sum += bits;
	}
	return sum;
}

static void check_many(void)
{
	uint64_t bits = 1;
	struct stats s = {0};
	uint64_t before;
	size_t falls = 0;
	double v;

	check_case("many values of any size and sign are sorted, none lost");
	while (s.n < 20000) {
		bits = bits * UINT64_C(6364136223846793005) +
		       1442695040888963407U;
		memcpy(&v, &bits, sizeof(v));
		if (v == v)
			CHECK(stats_add(&s, v));
	}
	CHECK(stats_add(&s, -INFINITY) && stats_add(&s, INFINITY));
	CHECK(stats_add(&s, 0x1p-1074) && stats_add(&s, -0x1p-1074));
	before = bits_of_all(&s);
	stats_sort(&s);
	for (size_t i = 1; i < s.n; i++)
		falls += s.v[i - 1] > s.v[i];
	CHECK_INT((int64_t)falls, 0);
	CHECK(bits_of_all(&s) == before);
	CHECK_DOUBLE(s.v[0], -INFINITY);
	CHECK_DOUBLE(s.v[s.n - 1], INFINITY);
	stats_free(&s);
}

static void check_mean(void)
{
	static const double huge[] = {1e308, 1e308, 1e308, 1e308};
	static const double both[] = {1.5e308, 1.5e308, -1.5e308};

	check_case("a mean of finite numbers is finite");
	CHECK_DOUBLE(stats_mean((double[]){1, 2, 6}, 3), 3);
	CHECK_DOUBLE(stats_mean(huge, 4), 1e308);
	CHECK_DOUBLE(stats_mean(both, 3), 0.5e308);
	CHECK_DOUBLE(stats_mean((double[]){INFINITY, 1}, 2), INFINITY);
}

static double usual_of(const double *v, size_t n)
{
	struct stats s = {0};
	double usual;

	for (size_t i = 0; i < n; i++)
		CHECK(stats_add(&s, v[i]));
	stats_sort(&s);
	usual = stats_usual(&s);
	stats_free(&s);
	return usual;
}

static void check_usual(void)
{
	check_case("of two the shorter is usual, of more the middle");
	CHECK_DOUBLE(usual_of((double[]){3}, 1), 3);
	CHECK_DOUBLE(usual_of((double[]){5, 3}, 2), 3);
	CHECK_DOUBLE(usual_of((double[]){9, 1, 4}, 3), 4);
	CHECK_DOUBLE(usual_of((double[]){8, 1, 4, 2}, 4), 3);
}

int main(void)
{
	check_sum();
	check_order();
	check_many();
	check_mean();
	check_usual();
	return check_done();
}
