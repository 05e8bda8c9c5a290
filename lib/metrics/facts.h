/*
 * Selects the copy that counts of each fact, in one pass.
 *
 * A copy that no other can beat counts at once; only the key of its fact is
 * remembered, among the series. Others are held here, one per fact, until a
 * better one comes or the snapshot ends.
 */
#ifndef OBS_METRICS_FACTS_H
#define OBS_METRICS_FACTS_H

#include <stddef.h>

#include "base/map.h"
#include "fmt/prom/prom.h"
#include "metrics/copies.h"

struct fold;
struct group; /* metrics/reduce.h */

/* The best copy of a fact so far. */
struct fact {
	uint64_t key;
	uint64_t order; /* its rank, as in struct copy_rank */
	uint64_t pid;
	struct group *group; /* the group where it counts */
	union {
		struct fold *fold;   /* the same, of a value */
		struct group *apart; /* what was read of a histogram */
	};
	union {
		double value;
		uint64_t series; /* of the current histogram */
	};
	double time;   /* milliseconds; NaN: none */
	uint32_t part; /* of a value: the file it is in */
	bool is_histogram;
	bool settled; /* another copy counts */
};

struct facts {
	struct map by_key;
	struct fact *v;
	uint32_t n;
	size_t cap;
};

struct facts facts_new(void);
void facts_free(struct facts *f); /* does not own the groups */
void facts_clear(struct facts *f);

/* The open fact with that key, created if needed (then *fresh); NULL if out of
 * memory. */
struct fact *facts_open(struct facts *f, uint64_t key, bool *fresh);

/* The open fact with that key; NULL: none. */
struct fact *facts_find(const struct facts *f, uint64_t key);

#endif
