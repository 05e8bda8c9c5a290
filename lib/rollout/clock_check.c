#include "rollout/clock_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static const double week = 7 * 24 * 3600.0;

/* A row's first and last time, and one from its middle, which represents it. */
struct clock_row {
	uint64_t sample;
	double start, end, middle;
};

static void count_reversed(struct clock_check *check, const struct row *row)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (item->state != ITEM_CLOSED || item->role != ROLE_NONE ||
		    !isfinite(item->start) || !isfinite(item->end) ||
		    item->end >= item->start)
			continue;
		if (check->reversed++ == 0)
			check->first_reversed = row->row_id;
	}
}

int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err)
{
	double middle = row->items[row->item_count / 2].start;

	count_reversed(check, row);
	if (!isfinite(row->start) || !isfinite(row->end) || !isfinite(middle)) {
		if (check->unusable++ == 0)
			check->first_unusable = row->row_id;
		return 0;
	}
	if (!ARRAY_GROW(check->rows, check->n, check->cap))
		return err_memory(err);
	check->rows[check->n++] =
		(struct clock_row){row->row_id, row->start, row->end, middle};
	return 0;
}

void clock_check_free(struct clock_check *check)
{
	free(check->rows);
	*check = (struct clock_check){0};
}

static int by_middle(const void *a, const void *b)
{
	const struct clock_row *x = a;
	const struct clock_row *y = b;

	return (x->middle > y->middle) - (x->middle < y->middle);
}

/* How far a row is off, 0 if it is not. */
static double distance(const struct clock_row *row, double middle)
{
	if (row->start < middle - week)
		return row->start - middle;
	return row->end > middle + week ? row->end - middle : 0;
}

const char *clock_check_unit(const struct clock_check *check, double *middle)
{
	static const struct {
		double from;
		const char *name;
	} units[] = {
		{1e17, "nanoseconds"},
		{1e14, "microseconds"},
		{1e11, "milliseconds"},
	};

	if (check->n == 0)
		return NULL;
	*middle = check->rows[check->n / 2].middle;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (*middle >= units[i].from)
			return units[i].name;
	return NULL;
}

struct clock_outliers clock_check_end(struct clock_check *check)
{
	struct clock_outliers found = {0};
	double middle;

	if (check->n == 0)
		return found;
	qsort(check->rows, check->n, sizeof(*check->rows), by_middle);
	middle = check->rows[check->n / 2].middle;
	for (size_t i = 0; i < check->n; i++) {
		const struct clock_row *row = &check->rows[i];
		double off = distance(row, middle);

		if (off == 0)
			continue;
		if (found.samples++ == 0 || row->sample < found.first) {
			found.first = row->sample;
			found.seconds = off;
		}
	}
	return found;
}
