/*
 * Whose each moment of a row is. A moment belongs to the deepest span under
 * way then; among those of one depth to the one that started last, among
 * those to the one that ends last, then to the later one among the row's
 * items. What no span owns is idle. So the times that the spans own and the
 * idle time add up to the row's.
 *
 * What the sample did in it is the activity of its owner's name, or what it
 * waited for (rollout/own_time.h). A closed generation span that says how long
 * it was queued (queue_time) and has no child spans counts that long at its
 * start as queueing. A span that does not last owns nothing.
 *
 * Times are whole microseconds since 1970: sums are exact. The memory, about
 * 60 bytes a span, is kept from row to row.
 */
#ifndef OBS_ROLLOUT_MOMENTS_H
#define OBS_ROLLOUT_MOMENTS_H

#include "rollout/own_time.h"

/* Owned by one span, or by none (-1), from..to, within one phase. */
struct stretch {
	int64_t from, to;
	int32_t span;
	uint32_t phase;
};

/* What the spans of one name own in a row. */
struct owned {
	uint32_t name;
	int32_t first;	/* the first span of that name that worked */
	double time;	/* us */
	double working; /* us of it that the sample worked, without waits */
};

struct moments {
	struct stretch *stretches;
	size_t count;
	struct owned *owned; /* a name once */
	size_t owned_count;
	const struct owned *held; /* the most work; NULL when there is none */
	double activities[ACTIVITIES]; /* us */
	double working[ACTIVITIES];    /* us of work, without waits */

	size_t cap;	  /* stretches that there is room for */
	size_t span_cap;  /* spans */
	uint32_t *starts; /* spans that last, by start */
	uint32_t *heap;	  /* those under way, the owner first */
	uint32_t *places; /* in owned + 1, by name, 0: none */
	size_t place_cap;
};

void moments_free(struct moments *moments);

/* Find the moments of a row. 0 or ERR_MEMORY. */
int moments_find(struct moments *moments, const struct timed_row *timed,
		 const struct own_time *own, const struct span_names *names,
		 struct err *err);

/* Is it work, rather than time between runs or a wait? */
bool stretch_is_work(const struct stretch *stretch, const struct own_time *own);

/* The activity that most of the work was: the first among equals. */
enum activity moments_activity(const struct moments *moments);

#endif
