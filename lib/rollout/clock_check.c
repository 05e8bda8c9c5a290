#include "rollout/clock_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const double week = 7 * 24 * 3600.0;

/* A row's first and last time, and one from its middle, which represents it. */
struct clock_row {
	uint64_t sample;
	double start, end, middle;
};

/* Rows with almost the same times, the first one in full. */
struct clock_cell {
	struct clock_row first;
	uint64_t rows;
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

/* A hash of where a time is among the cells. */
static uint64_t hash_time(const struct clock_check *check, double time,
			  uint64_t seed)
{
	double cell = check->width > 0 ? floor(time / check->width) : time;
	uint64_t bits;

	cell += 0.0; /* -0.0 is 0.0 */
	memcpy(&bits, &cell, sizeof(bits));
	return hash_mix(bits, seed);
}

/* Count the rows of a cell; there is room for one more. */
static int put_cell(struct clock_check *check, struct clock_cell cell,
		    struct err *err)
{
	uint64_t key = hash_time(check, cell.first.start, 0);
	uint32_t at = (uint32_t)check->n;
	struct clock_cell *same;

	key = hash_time(check, cell.first.middle, key);
	key = hash_time(check, cell.first.end, key);
	switch (map_add(&check->by_times, key, &at)) {
	case 0:
		same = &check->cells[at];
		same->rows += cell.rows;
		if (cell.first.sample < same->first.sample)
			same->first = cell.first;
		return 0;
	case 1:
		check->cells[check->n++] = cell;
		return 0;
	default:
		return err_memory(err);
	}
}

/* Double the width of all cells: some become one. */
static int widen(struct clock_check *check, struct err *err)
{
	size_t n = check->n;
	int code = 0;

	check->width = check->width > 0 ? 2 * check->width : 1;
	map_clear(&check->by_times);
	check->n = 0;
	for (size_t i = 0; code == 0 && i < n; i++)
		code = put_cell(check, check->cells[i], err);
	return code;
}

static int add_row(struct clock_check *check, struct clock_row row,
		   struct err *err)
{
	if (check->n == 0)
		check->by_times.valued = true;
	if (!ARRAY_GROW(check->cells, check->n, check->cap))
		return err_memory(err);
	if (put_cell(check, (struct clock_cell){row, 1}, err) < 0)
		return err->code;
	while (check->n == CLOCK_CELLS)
		if (widen(check, err) < 0)
			return err->code;
	return 0;
}

static bool has_time(const struct row *row)
{
	for (size_t i = 0; i < row->item_count; i++)
		if (isfinite(row->items[i].start) ||
		    isfinite(row->items[i].end))
			return true;
	return false;
}

int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err)
{
	double middle = row->items[row->item_count / 2].start;

	count_reversed(check, row);
	check->any_time = check->any_time || has_time(row);
	if (isfinite(row->start) && isfinite(row->end) && isfinite(middle))
		return add_row(check,
			       (struct clock_row){row->row_id, row->start,
						  row->end, middle},
			       err);
	if (check->unusable++ == 0)
		check->first_unusable = row->row_id;
	return 0;
}

void clock_check_free(struct clock_check *check)
{
	free(check->cells);
	map_free(&check->by_times);
	*check = (struct clock_check){0};
}

static int by_middle(const void *a, const void *b)
{
	const struct clock_cell *x = a;
	const struct clock_cell *y = b;

	return (x->first.middle > y->first.middle) -
	       (x->first.middle < y->first.middle);
}

/* The middle of the rows, from the sorted cells. */
static double middle_of(const struct clock_check *check)
{
	uint64_t rows = 0, before = 0;

	for (size_t i = 0; i < check->n; i++)
		rows += check->cells[i].rows;
	for (size_t i = 0; i < check->n; i++) {
		before += check->cells[i].rows;
		if (before > rows / 2)
			return check->cells[i].first.middle;
	}
	return (double)NAN;
}

/* How far a row is off, 0 if it is not. */
static double distance(const struct clock_row *row, double middle)
{
	if (row->start < middle - week)
		return row->start - middle;
	return row->end > middle + week ? row->end - middle : 0;
}

const char *clock_check_unit(double time)
{
	static const struct {
		double from;
		const char *name;
	} units[] = {
		{1e17, "nanoseconds"},
		{1e14, "microseconds"},
		{1e11, "milliseconds"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (time >= units[i].from)
			return units[i].name;
	return NULL;
}

struct clock_outliers clock_check_end(struct clock_check *check)
{
	struct clock_outliers found = {.middle = (double)NAN};

	if (check->n == 0)
		return found;
	qsort(check->cells, check->n, sizeof(*check->cells), by_middle);
	map_clear(&check->by_times); /* of the old order */
	found.middle = middle_of(check);
	for (size_t i = 0; i < check->n; i++) {
		const struct clock_cell *cell = &check->cells[i];
		double off = distance(&cell->first, found.middle);

		if (off == 0)
			continue;
		if (found.samples == 0 || cell->first.sample < found.first) {
			found.first = cell->first.sample;
			found.seconds = off;
		}
		found.samples += cell->rows;
	}
	return found;
}
