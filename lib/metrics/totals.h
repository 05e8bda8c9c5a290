/*
 * Totals and their parts: in a metric that has a total, the series with an
 * empty label is the sum of the others. Only one of both counts: the parts if a
 * group has that label, else the total. Series whose use is undecided are held
 * until the snapshot ends.
 */
#ifndef OBS_METRICS_TOTALS_H
#define OBS_METRICS_TOTALS_H

#include <stddef.h>

#include "base/map.h"
#include "metrics/fold.h"

struct group; /* metrics/reduce.h */

struct split {
	uint64_t key;	     /* of the total's series */
	struct group *group; /* where it counts; NULL: nothing is held */
	struct fold held;
	bool other; /* what is held does not count */
};

struct totals {
	struct map by_key;
	struct split **v;
	uint32_t n;
	size_t cap;
};

struct totals totals_new(void);
void totals_free(struct totals *t);
void totals_clear(struct totals *t);

/* The split with that key, created if needed; NULL if out of memory. */
struct split *totals_open(struct totals *t, uint64_t key);

/* The same; NULL if there is none. */
struct split *totals_find(const struct totals *t, uint64_t key);

#endif
