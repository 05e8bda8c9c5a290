#include "base/sketch.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { MANY = 20000 };

/* Repeatable numbers of all sizes and both signs, some of them 0. */
static double number(uint32_t i)
{
	uint32_t x = i * 2654435761u;
	double size = pow(10, (double)(x % 1200) / 100 - 6);

	if (x % 17 == 0)
		return 0;
	return x % 5 == 0 ? -size : size;
}

static void check_quantiles(struct sketch *s, struct stats *all)
{
	static const double percents[] = {0, 1, 10, 25, 50, 90, 99, 99.9, 100};

	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		double exact = stats_percentile(all, percents[i]);
		double said = sketch_percentile(s, percents[i]);

		CHECK(fabs(said - exact) <=
		      SKETCH_ERROR * fabs(exact) * (1 + 1e-9));
	}
}

static void check_few(void)
{
	struct sketch s = {0};

	check_case("few numbers are kept as they are");
	for (int i = 10; i > 0; i--)
		CHECK(sketch_add(&s, i));
	CHECK(sketch_is_exact(&s));
	CHECK_DOUBLE(sketch_percentile(&s, 50), 5.5);
	CHECK_DOUBLE(sketch_percentile(&s, 95), 9.549999999999999);
	CHECK_DOUBLE(sketch_mean(&s), 5.5);
	CHECK_DOUBLE(s.min, 1.0);
	CHECK_DOUBLE(s.max, 10.0);
	sketch_free(&s);
}

static void check_many(void)
{
	struct sketch s = {0};
	struct stats all = {0};

	check_case("quantiles of many are within the error");
	for (uint32_t i = 0; i < MANY; i++) {
		CHECK(sketch_add(&s, number(i)));
		CHECK(stats_add(&all, number(i)));
	}
	stats_sort(&all);
	CHECK(!sketch_is_exact(&s));
	CHECK_DOUBLE(s.min, all.v[0]);
	CHECK_DOUBLE(s.max, all.v[MANY - 1]);
	check_quantiles(&s, &all);
	sketch_free(&s);
	stats_free(&all);
}

/* Sketches of parts of unlike size, merged from the front or the back. */
static void merge_parts(struct sketch *to, bool backwards)
{
	enum { PARTS = 7 };
	struct sketch parts[PARTS] = {0};

	for (uint32_t i = 0; i < MANY; i++)
		CHECK(sketch_add(&parts[i < 90 ? i / 30 : 3 + i % 4],
				 number(i)));
	for (int i = 0; i < PARTS; i++)
		CHECK(sketch_merge(to, &parts[backwards ? PARTS - 1 - i : i]));
	for (int i = 0; i < PARTS; i++)
		sketch_free(&parts[i]);
}

static void check_merge(void)
{
	struct sketch one = {0}, front = {0}, back = {0};

	check_case("merging gives the same in any order");
	for (uint32_t i = 0; i < MANY; i++)
		CHECK(sketch_add(&one, number(i)));
	merge_parts(&front, false);
	merge_parts(&back, true);
	CHECK(front.n == MANY && back.n == MANY);
	for (int half = 0; half <= 200; half++) {
		double percent = half / 2.0;
		double said = sketch_percentile(&one, percent);

		CHECK_DOUBLE(sketch_percentile(&front, percent), said);
		CHECK_DOUBLE(sketch_percentile(&back, percent), said);
	}
	CHECK_DOUBLE(sketch_mean(&front), sketch_mean(&one));
	CHECK_DOUBLE(sketch_mean(&back), sketch_mean(&one));
	sketch_free(&one);
	sketch_free(&front);
	sketch_free(&back);
}

static void check_extremes(void)
{
	struct sketch s = {0};

	check_case("the largest and the smallest doubles have a bin");
	for (int i = 0; i <= SKETCH_FEW; i++)
		CHECK(sketch_add(&s, i % 2 == 0 ? 1.7e308 : 5e-324));
	CHECK_DOUBLE(sketch_percentile(&s, 0), 5e-324);
	CHECK(fabs(sketch_percentile(&s, 75) - 1.7e308) <= 0.01 * 1.7e308);
	sketch_free(&s);

	check_case("a bin near the largest double has its own middle");
	for (int i = 0; i <= SKETCH_FEW; i++)
		CHECK(sketch_add(&s, i % 2 == 0 ? 1e308 : 1.7e308));
	CHECK(fabs(sketch_percentile(&s, 25) - 1e308) <= 0.01 * 1e308);
	sketch_free(&s);
}

/* Of numbers whose sum is too large for a double, added one by one, or merged
 * from both ends. */
static void check_large_sums(void)
{
	static const double large[] = {1.5e308, 1.7e308, -1e308, 1.2e308, 0.5};
	enum { LARGE = sizeof(large) / sizeof(*large) };
	struct sketch one = {0}, front = {0}, back = {0};

	check_case("a mean survives a sum that overflows, in any order");
	for (int i = 0; i < LARGE; i++) {
		struct sketch first = {0}, last = {0};

		CHECK(sketch_add(&one, large[i]));
		CHECK(sketch_add(&first, large[i]));
		CHECK(sketch_add(&last, large[LARGE - 1 - i]));
		CHECK(sketch_merge(&front, &first));
		CHECK(sketch_merge(&back, &last));
		sketch_free(&first);
		sketch_free(&last);
	}
	/* Python: float(sum(map(fractions.Fraction, large)) / 5) */
	CHECK_DOUBLE(sketch_mean(&one), 6.8e+307);
	CHECK_DOUBLE(sketch_mean(&front), 6.8e+307);
	CHECK_DOUBLE(sketch_mean(&back), 6.8e+307);
	CHECK(isinf(sum_total(one.sum)));
	CHECK(sum_settle(one.sum).scaled);
	sketch_free(&one);
	sketch_free(&front);
	sketch_free(&back);

	check_case("a sum that is small in the end is as it would always be");
	for (int i = 0; i < 6; i++)
		CHECK(sketch_add(&one, i < 3 ? 1.5e308 : -1.5e308));
	CHECK(sketch_add(&one, 3.5));
	CHECK(one.sum.scaled);
	CHECK(!sum_settle(one.sum).scaled);
	CHECK_DOUBLE(sum_total(one.sum), 3.5);
	CHECK_DOUBLE(sum_total(sum_settle(one.sum)), 3.5);
	sketch_free(&one);
}

int main(void)
{
	check_few();
	check_many();
	check_merge();
	check_extremes();
	check_large_sums();
	return check_done();
}
