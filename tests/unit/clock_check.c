/* rollout/clock_check: samples whose times are impossible. */
#include "rollout/clock_check.h"

#include "check.h"

static const double begin = 1.7e9, day = 24 * 3600.0;

/* A row of one span. */
static void add(struct clock_check *check, uint64_t id, double start,
		double end)
{
	struct item item = {.state = ITEM_CLOSED, .start = start, .end = end};
	struct row row = {.row_id = id,
			  .start = start,
			  .end = end,
			  .items = &item,
			  .item_count = 1};
	struct err err = {0};

	CHECK_INT(clock_check_add(check, &row, &err), 0);
}

static void check_outliers(const struct clock_outliers *got, uint64_t samples,
			   uint64_t first, double days)
{
	CHECK_INT((int64_t)got->samples, (int64_t)samples);
	CHECK_INT((int64_t)got->first, (int64_t)first);
	CHECK(fabs(got->seconds - days * day) < 3600);
}

/* Rows of a minute, over ten hours. */
static void add_many(struct clock_check *check, uint64_t rows)
{
	for (uint64_t i = 0; i < rows; i++) {
		double start = begin +
			       (double)(i * 7919 % rows) / (double)rows * 36000;

		add(check, i, start, start + 60);
	}
}

static void few(void)
{
	struct clock_check check = {0};
	struct clock_outliers got;

	check_case("no rows have no middle and no outliers");
	got = clock_check_end(&check);
	CHECK_INT((int64_t)got.samples, 0);
	CHECK(isnan(got.middle));
	CHECK(clock_check_unit(got.middle) == NULL);

	check_case("few rows have their exact middle");
	add(&check, 0, begin + 8, begin + 9);
	add(&check, 1, begin + 1, begin + 9);
	add(&check, 2, begin + 3, begin + 9);
	add(&check, 3, begin + 3, begin + 9);
	add(&check, 4, begin + 2, begin + 9);
	got = clock_check_end(&check);
	CHECK_DOUBLE(got.middle, begin + 3);
	CHECK_INT((int64_t)got.samples, 0);
	clock_check_free(&check);

	check_case("the first outlier is given, however late it was added");
	for (uint64_t i = 10; i < 15; i++)
		add(&check, i, begin, begin + 1);
	add(&check, 9, begin - 30 * day, begin);
	add(&check, 7, begin, begin + 10 * day);
	add(&check, 8, begin + 8 * day, begin + 8 * day);
	got = clock_check_end(&check);
	check_outliers(&got, 3, 7, 10);
	clock_check_free(&check);
}

static void many(void)
{
	struct clock_check check = {0};
	struct clock_outliers got;

	check_case("many rows need no more memory than a thousand");
	add_many(&check, 200000);
	CHECK(check.n < CLOCK_CELLS && check.cap <= CLOCK_CELLS);
	CHECK(check.width > 0 && check.width < 3600);
	add(&check, 200000, begin - 20 * day, begin - 20 * day);
	add(&check, 200001, begin - 20 * day, begin - 20 * day);
	add(&check, 200002, begin, begin + 9 * day);
	got = clock_check_end(&check);
	CHECK(fabs(got.middle - (begin + 18000)) < 600);
	check_outliers(&got, 3, 200000, -20 - 5 / 24.0);
	clock_check_free(&check);

	check_case("an outlier among the first of many is found as well");
	add(&check, 0, 5, 6);
	for (uint64_t i = 1; i < 50000; i++)
		add(&check, i, begin + (double)i, begin + (double)i + 1);
	got = clock_check_end(&check);
	check_outliers(&got, 1, 0, (5 - begin - 25000) / day);
	clock_check_free(&check);

	check_case("times of any size end in few cells");
	for (uint64_t i = 0; i < 20000; i++) {
		double time = ldexp(1 + (double)i / 20000,
				    (int)(i * 31 % 2000) - 1000);

		add(&check, i, i % 2 == 0 ? time : -time, time);
	}
	CHECK(check.n < CLOCK_CELLS);
	clock_check_end(&check);
	clock_check_free(&check);
}

int main(void)
{
	struct clock_check check = {0};

	few();
	many();
	check_case("times that are not finite, and ends before starts, are "
		   "counted");
	add(&check, 3, begin, (double)INFINITY);
	add(&check, 4, (double)NAN, begin);
	add(&check, 5, begin, begin - 1);
	add(&check, 6, begin, begin - 1);
	CHECK_INT((int64_t)check.unusable, 2);
	CHECK_INT((int64_t)check.first_unusable, 3);
	CHECK_INT((int64_t)check.reversed, 2);
	CHECK_INT((int64_t)check.first_reversed, 5);
	clock_check_free(&check);
	check_case("a time names its likely unit");
	CHECK(clock_check_unit(1.7e9) == NULL);
	CHECK_TEXT(clock_check_unit(1.7e12), "milliseconds");
	CHECK_TEXT(clock_check_unit(1.7e15), "microseconds");
	CHECK_TEXT(clock_check_unit(1.7e18), "nanoseconds");
	return check_done();
}
