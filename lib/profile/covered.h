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

struct covered_time {
	int64_t start, end;
	int64_t before; /* time covered before it, of its thread */
	uint32_t thread;
};

/* Owns v; zero-initialised it is empty. */
struct covered {
	struct covered_time *v;
	size_t n, cap;
};

int covered_add(struct covered *c, uint32_t thread, int64_t start, int64_t end,
		struct err *err);

/* After the last one. */
void covered_join(struct covered *c);

/* How much of [start, end) is covered. */
int64_t covered_in(const struct covered *c, uint32_t thread, int64_t start,
		   int64_t end);

/* Is the time in an interval, its end included? */
bool covered_holds(const struct covered *c, uint32_t thread, int64_t time);

void covered_free(struct covered *c);

#endif
