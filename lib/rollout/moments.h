/*
 * Whose each moment of a row is. A moment belongs to the deepest span under
 * way then; among those of one depth to the one that started last, among
 * those to the one that ends last, then to the later one among the row's
 * items. What no span owns is idle. So the times that the spans own and the
 * idle time add up to the row's.
 *
 * Virtual lanes repeat their span and are no spans here; items whose times
 * are not finite are left out; a span that does not last owns nothing.
 *
 * Times are whole microseconds since 1970 (rollout/micros.h): sums are exact.
 * A closed generation span that says how long it was queued (queue_time) and
 * has no child spans counts that long at its start as queueing.
 * The memory, about 40 bytes an item, is kept from row to row.
 */
#ifndef OBS_ROLLOUT_MOMENTS_H
#define OBS_ROLLOUT_MOMENTS_H

#include "rollout/activity.h"
#include "rollout/span.h"

/* Owned by one item, or by none (-1), from..to. */
struct stretch {
	int64_t from, to;
	int32_t item;
};

/* What the spans of one name own in a row. */
struct owned {
	uint32_t name;
	int32_t first; /* the first item of that name that owns anything */
	double time;   /* us */
};

struct moments {
	int64_t start, end; /* of the row's items that have times */
	struct stretch *stretches;
	size_t count;
	struct owned *owned; /* a name once */
	size_t owned_count;
	const struct owned *held; /* the largest; NULL when there is none */
	double activities[ACTIVITIES]; /* us */
	uint32_t *names; /* of each item that is a span, by index */

	size_t cap;	  /* items that there is room for */
	uint32_t *starts; /* spans that last, by start */
	uint32_t *heap;	  /* those under way, the owner first */
	uint8_t *parents; /* by item: has child spans */
	uint32_t *places; /* in owned + 1, by name, 0: none */
	size_t place_cap;
};

void moments_free(struct moments *moments);

/* Find the moments of a row. Returns 1; 0 for a row without a time (none of
 * its items has any, or it ends before it starts); or an error. */
int moments_find(struct moments *moments, const struct row *row,
		 struct span_names *names, struct err *err);

/* Is the item a span that counts: no virtual lane, and with finite times? */
bool item_is_timed_span(const struct item *item);

/* The larger of 0 and how long it is shown, in us. */
int64_t item_duration(const struct item *item);

/* The activity that owns most of the row: the first among equals. */
enum activity moments_activity(const struct moments *moments);

#endif
