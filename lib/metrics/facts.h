/*
 * Of several copies of one fact the one that counts, while they stream by.
 *
 * A copy that no other can come before counts at once; only its fact is
 * remembered, by its key, among the series. Others are held here, one a fact,
 * until a better one comes or the snapshot ends.
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
	uint64_t order; /* of its rank, as in struct copy_rank */
	uint64_t pid;
	struct group *group; /* where it counts */
	union {
		struct fold *fold;   /* the same, of a value */
		struct group *apart; /* what was read of a histogram */
	};
	union {
		double value;
		uint64_t series; /* of the histogram that is read */
	};
	double time;   /* milliseconds; NaN: none */
	uint32_t part; /* of a value: the file that it is in */
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
void facts_free(struct facts *f); /* not the groups */
void facts_clear(struct facts *f);

/* The open fact of that key, made if need be (then *fresh); NULL when memory
 * ran out. */
struct fact *facts_open(struct facts *f, uint64_t key, bool *fresh);

/* The open fact of that key; NULL: there is none. */
struct fact *facts_find(const struct facts *f, uint64_t key);

#endif
