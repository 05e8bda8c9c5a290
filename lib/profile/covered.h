/*
 * Which time of each thread is covered by some of its events: disjoint
 * intervals [start, end), joined where they overlap or touch, by thread.
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
	size_t *first; /* by thread: its first interval; once joined */
	uint32_t threads;
};

struct covered covered_new(struct spill *spill);

int covered_add(struct covered *c, uint32_t thread, int64_t start, int64_t end,
		struct err *err);

/* After the last one; threads are numbered from 0 below that. */
int covered_join(struct covered *c, uint32_t threads, struct err *err);

/* How much of [start, end) is covered. */
int64_t covered_in(const struct covered *c, uint32_t thread, int64_t start,
		   int64_t end);

/* Is the time in an interval, its end included? */
bool covered_holds(const struct covered *c, uint32_t thread, int64_t time);

void covered_free(struct covered *c);

#endif
