/*
 * Self time of the spans of a row: assigns each instant to one span. It belongs
 * to the deepest open span; at equal depth to the one that started last, then
 * to the one that ends last, then to the later one among the row's items.
 * Without an open span it is idle. So self times and idle time add up to the
 * row's time.
 *
 * The sample's activity is that of the span's name, or what it waited for
 * (rollout/own_time.h). A closed generation span with a queue_time and no child
 * spans counts that long at its start as queueing. A span of zero length has no
 * self time.
 *
 * Times are whole microseconds since 1970: sums are exact. The memory, about 60
 * bytes per span, is reused for each row.
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

/* Totals over all spans of one name in a row. */
struct self_time {
	uint32_t name;
	int32_t first;	/* the first span of that name that worked */
	double time;	/* us */
	double working; /* us of it that the sample worked, excluding waits */
};

struct self_times {
	struct self_interval *intervals;
	size_t count;
	struct self_time *by_name; /* each name once */
	size_t name_count;
	const struct self_time *most; /* the most work; NULL if there is none */
	double activities[ACTIVITIES]; /* us */
	double working[ACTIVITIES];    /* us of work, excluding waits */

	size_t cap;	  /* capacity for intervals */
	size_t span_cap;  /* spans */
	uint32_t *starts; /* spans of nonzero length, by start */
	uint32_t *heap;	  /* open spans, the owner first */
	uint32_t *places; /* index in by_name + 1, by name, 0: none */
	size_t place_cap;
};

void self_times_free(struct self_times *self);

/* Compute the self times of a row. 0 or ERR_MEMORY. */
int self_times_find(struct self_times *self, const struct timed_row *timed,
		    const struct own_time *own, const struct span_names *names,
		    struct err *err);

/* Is it work, rather than time between runs or a wait? */
bool self_interval_is_work(const struct self_interval *interval,
			   const struct own_time *own);

/* The activity of most of the work: the first if equal. */
enum activity self_times_activity(const struct self_times *self);

#endif
