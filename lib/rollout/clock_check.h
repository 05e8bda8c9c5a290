/*
 * Samples with impossible times: a single clock that was reset, or an event in
 * seconds since the start among others since 1970, stretches the wall time and
 * every axis to decades. No rollout takes a week: a sample further than that
 * from the middle of all is an outlier. A span that ends before it starts is
 * wrong, too, and 1e11 seconds after 1970 is the year 5138: such times are in
 * another unit.
 *
 * Memory does not grow with the rows. They are counted in cells, by their
 * times, and a cell keeps its first row. Up to CLOCK_CELLS rows have a cell
 * each. With more, rows with almost the same times share one: of a rollout of
 * hours, those within minutes. Then the middle is accurate to such a width,
 * and all rows of a cell are outliers if its first one is.
 */
#ifndef OBS_ROLLOUT_CLOCK_CHECK_H
#define OBS_ROLLOUT_CLOCK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "rollout/span.h"

enum { CLOCK_CELLS = 1024 };

struct clock_cell;

/* Zero-initialised, it is empty. */
struct clock_check {
	struct clock_cell *cells; /* owned; at most CLOCK_CELLS */
	size_t n, cap;
	struct map by_times;	 /* the index of a cell */
	double width;		 /* of a cell, seconds; 0: equal times only */
	uint64_t reversed;	 /* spans that end before they start */
	uint64_t first_reversed; /* position of the first such sample */
	uint64_t unusable;	 /* samples with a time that is not finite */
	uint64_t first_unusable;
	bool any_time; /* one of a sample is finite */
};

struct clock_outliers {
	uint64_t samples; /* number of outliers; 0: none */
	uint64_t first;	  /* position of the first one */
	double seconds;	  /* its offset: negative if it is before the others */
	double middle;	  /* the middle of all; NAN without rows */
};

/* Add a row, which has items. 0 or ERR_MEMORY. */
int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err);
void clock_check_free(struct clock_check *check);

struct clock_outliers clock_check_end(struct clock_check *check);

/* The likely unit of a time, "milliseconds" and so on; NULL: seconds. */
const char *clock_check_unit(double time);

#endif
