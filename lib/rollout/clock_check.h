/*
 * Samples with impossible times: a single clock that was reset, or an event in
 * seconds since the start among others since 1970, stretches the wall time and
 * every axis to decades. No rollout takes a week: a sample further than that
 * from the middle of all is an outlier. A span that ends before it starts is
 * wrong, too, and 1e11 seconds after 1970 is the year 5138: such times are in
 * another unit.
 *
 * Memory: 32 bytes per row.
 */
#ifndef OBS_ROLLOUT_CLOCK_CHECK_H
#define OBS_ROLLOUT_CLOCK_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "rollout/span.h"

struct clock_row;

struct clock_check {
	struct clock_row *rows;
	size_t n, cap;
	uint64_t reversed;	 /* spans that end before they start */
	uint64_t first_reversed; /* position of the first such sample */
	uint64_t unusable;	 /* samples with a time that is not finite */
	uint64_t first_unusable;
};

struct clock_outliers {
	uint64_t samples; /* number of outliers; 0: none */
	uint64_t first;	  /* position of the first one */
	double seconds;	  /* its offset: negative if it is before the others */
};

/* Add a row, which has items. 0 or ERR_MEMORY. */
int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err);
void clock_check_free(struct clock_check *check);

/* The likely unit of the times, "milliseconds" and so on; NULL: seconds.
 * middle: one of the times. Call it after clock_check_end. */
const char *clock_check_unit(const struct clock_check *check, double *middle);

struct clock_outliers clock_check_end(struct clock_check *check);

#endif
