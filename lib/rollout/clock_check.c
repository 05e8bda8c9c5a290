#include "rollout/clock_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static const double week = 7 * 24 * 3600.0;

/* A row's first and last time, and one from its middle, which stands for it. */
struct clock_row {
	uint64_t sample;
	double start, end, middle;
};

int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err)
{
	double middle = row->items[row->item_count / 2].start;

	if (!isfinite(row->start) || !isfinite(row->end) || !isfinite(middle))
		return 0;
	check->rows = array_room(check->rows, &check->cap, check->n,
				 sizeof(*check->rows));
	if (check->n == check->cap)
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

/* How far a row is off, 0 when it is not. */
static double distance(const struct clock_row *row, double middle)
{
	if (row->start < middle - week)
		return row->start - middle;
	return row->end > middle + week ? row->end - middle : 0;
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
