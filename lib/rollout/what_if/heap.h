/*
 * Events in order of time, then of creation.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_HEAP_H
#define OBS_ROLLOUT_WHAT_IF_HEAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct heap_event {
	double at;
	uint64_t number; /* of creation */
	uint32_t of;
	uint32_t version;
	uint8_t kind; /* these three are the caller's */
};

/* Zero-initialised, it is empty. */
struct heap {
	struct heap_event *v;
	size_t n, cap;
	uint64_t made;
};

/* 0 or ERR_MEMORY. */
int heap_push(struct heap *heap, struct heap_event event, struct err *err);

/* Remove the first one; false if it is empty. */
bool heap_pop(struct heap *heap, struct heap_event *event);

/* Numbers, the smallest first, each with its owner. */
struct heap_goal {
	double goal;
	uint32_t of;
};

/* For a heap of n, with room for one more. */
void heap_add_goal(struct heap_goal *v, size_t n, struct heap_goal goal);
void heap_drop_goal(struct heap_goal *v, size_t n);

#endif
