/* metrics/stream/points: samples come back by time, then by series, and equal
 * ones in input order, from memory and from sorted runs in a file. */
#include "metrics/stream/points.h"

#include <stdlib.h>

#include "check.h"

static int64_t times; /* how many */

/* Sample i of a history: series by series, the later half out of order. The
 * value is its place. */
static struct point point_of(int64_t i, int64_t n)
{
	int64_t in_series = i % times;

	return (struct point){.time = 1000 * (i < n / 2 ? in_series
							: times - in_series),
			      .value = (double)i,
			      .series = (uint64_t)(i / times % 7)};
}

static bool comes_after(const struct point *a, const struct point *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	if (a->series != b->series)
		return a->series > b->series;
	return a->value > b->value;
}

static void test_order(int64_t n, bool in_file)
{
	struct points p = points_new();
	struct err err = {0};
	struct point last = {.time = INT64_MIN}, next = {0};
	double sum = 0;
	int64_t got = 0;
	bool ordered = true;

	times = n / 5 + 1;
	for (int64_t i = 0; i < n; i++)
		CHECK_INT(points_add(&p, point_of(i, n), &err), 0);
	CHECK_INT(points_sort(&p, &err), 0);
	CHECK((p.fd >= 0) == in_file);
	for (; points_next(&p, &next, &err) == 1; got++) {
		ordered &= comes_after(&next, &last);
		sum += next.value;
		last = next;
	}
	CHECK(ordered);
	CHECK_INT(got, n);
	CHECK_INT((int64_t)sum, n * (n - 1) / 2);
	CHECK_INT(points_next(&p, &next, &err), 0);
	points_free(&p);
}

static void test_no_file(void)
{
	struct points p = points_new();
	struct err err = {0};
	int code = 0;

	check_case("no file can be made");
	setenv("TMPDIR", "/nonexistent", 1);
	for (int64_t i = 0; code == 0 && i <= POINTS_HELD; i++)
		code = points_add(&p, point_of(i, POINTS_HELD), &err);
	CHECK_INT(code, ERR_IO);
	points_free(&p);
}

int main(void)
{
	check_case("none");
	test_order(0, false);
	check_case("in memory");
	test_order(1000, false);
	test_order(POINTS_HELD, false);
	check_case("in runs in a file");
	test_order(POINTS_HELD + 1, true);
	test_order(INT64_C(5) * POINTS_HELD / 2, true);
	test_no_file();
	return check_done();
}
