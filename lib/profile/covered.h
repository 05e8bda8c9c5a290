/*
 * The time of each thread covered by some of its events: disjoint intervals
 * [start, end), joined if they overlap or touch, by thread.
 */
#ifndef OBS_PROFILE_COVERED_H
#define OBS_PROFILE_COVERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/spill_list.h"

struct covered {
	struct spill_list times; /* struct covered_time */
	size_t *first; /* by thread: its first interval, after joining */
	uint32_t threads;
};

struct covered covered_new(struct spill *spill);

int covered_add(struct covered *c, uint32_t thread, int64_t start, int64_t end,
		struct err *err);

/* After the last one; thread numbers are from 0 to below that. */
int covered_join(struct covered *c, uint32_t threads, struct err *err);

/* The covered part of [start, end). */
int64_t covered_in(const struct covered *c, uint32_t thread, int64_t start,
		   int64_t end);

/* Is the time in an interval, its end included? */
bool covered_holds(const struct covered *c, uint32_t thread, int64_t time);

void covered_free(struct covered *c);

#endif
