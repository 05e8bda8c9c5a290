/*
 * Self time of the spans of a row: which span each moment of it belongs to. A
 * moment belongs to the deepest span under way then; among those of one depth
 * to the one that started last, among those to the one that ends last, then to
 * the later one among the row's items. What belongs to no span is idle. So the
 * self times and the idle time add up to the row's.
 *
 * What the sample did in it is the activity of that span's name, or what it
 * waited for (rollout/own_time.h). A closed generation span that says how long
 * it was queued (queue_time) and has no child spans counts that long at its
 * start as queueing. A span that does not last has no self time.
 *
 * Times are whole microseconds since 1970: sums are exact. The memory, about
 * 60 bytes a span, is kept from row to row.
 */
#ifndef OBS_ROLLOUT_SELF_TIME_H
#define OBS_ROLLOUT_SELF_TIME_H

#include "rollout/own_time.h"

/* From..to, of one span or of none (-1), within one phase. */
struct self_interval {
	int64_t from, to;
	int32_t span;
	uint32_t phase;
};

/* Of all spans of one name in a row. */
struct self_time {
	uint32_t name;
	int32_t first;	/* the first span of that name that worked */
	double time;	/* us */
	double working; /* us of it that the sample worked, without waits */
};

struct self_times {
	struct self_interval *intervals;
	size_t count;
	struct self_time *by_name; /* a name once */
	size_t name_count;
	const struct self_time *most; /* the most work; NULL when there is none */
	double activities[ACTIVITIES]; /* us */
	double working[ACTIVITIES];    /* us of work, without waits */

	size_t cap;	  /* intervals that there is room for */
	size_t span_cap;  /* spans */
	uint32_t *starts; /* spans that last, by start */
	uint32_t *heap;	  /* those under way, the owner first */
	uint32_t *places; /* in by_name + 1, by name, 0: none */
	size_t place_cap;
};

void self_times_free(struct self_times *self);

/* Find the self times of a row. 0 or ERR_MEMORY. */
int self_times_find(struct self_times *self, const struct timed_row *timed,
		    const struct own_time *own, const struct span_names *names,
		    struct err *err);

/* Is it work, rather than time between runs or a wait? */
bool self_interval_is_work(const struct self_interval *interval,
			   const struct own_time *own);

/* The activity that most of the work was: the first among equals. */
enum activity self_times_activity(const struct self_times *self);

#endif
