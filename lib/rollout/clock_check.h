/*
 * Samples whose times cannot be right: one clock that was reset, or one event
 * in seconds since the start among others since 1970, stretches the wall and
 * every axis to decades. No rollout takes a week: what lies further than that
 * from the middle of all samples is an outlier. Nor has any span ended before it
 * started, and 1e11 seconds after 1970 are the year 5138: such times are in
 * another unit.
 *
 * Memory: 32 bytes a row.
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
	uint64_t first_reversed; /* position of the sample of the first */
	uint64_t unusable;	 /* samples with a time that is not finite */
	uint64_t first_unusable;
};

struct clock_outliers {
	uint64_t samples; /* how many; 0: there is none */
	uint64_t first;	  /* position of the first one */
	double seconds;	  /* that it is off: before the others when negative */
};

/* Take a row in, which has items. 0 or ERR_MEMORY. */
int clock_check_add(struct clock_check *check, const struct row *row,
		    struct err *err);
void clock_check_free(struct clock_check *check);

/* The unit that the times seem to have, "milliseconds" and so on; NULL:
 * seconds. middle: one of the times. After clock_check_end. */
const char *clock_check_unit(const struct clock_check *check, double *middle);

struct clock_outliers clock_check_end(struct clock_check *check);

#endif
