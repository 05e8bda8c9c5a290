/*
 * Records kept until the end of the file, because the parts of a row may be
 * anywhere in it: each with the number of its row, then sorted by row.
 */
#ifndef OBS_ROLLOUT_FOREIGN_HELD_H
#define OBS_ROLLOUT_FOREIGN_HELD_H

#include "base/err.h"
#include "rollout/foreign/carrier.h"

/* The common start of a record. */
struct held_record {
	double time; /* within the row; records with equal times keep their
		      * order */
	uint32_t row;
};

/* Owns its arrays. */
struct held {
	char *v; /* records of one size, in file order */
	size_t size, n, cap;
	/* After held_sort: the indices of a row's records are in order from
	 * begin[row] up to begin[row + 1]. */
	uint32_t *order;
	uint32_t *begin;
};

struct held held_new(size_t size);
void held_free(struct held *held);

/* Room for one more record; NULL with err filled. */
void *held_add(struct held *held, struct err *err);

static inline void *held_at(const struct held *held, size_t place)
{
	return held->v + place * held->size;
}

/* Record i of a row, and the number of them. */
static inline void *held_get(const struct held *held, uint64_t row, uint32_t i)
{
	return held_at(held, held->order[held->begin[row] + i]);
}

static inline uint32_t held_count(const struct held *held, uint64_t row)
{
	return held->begin[row + 1] - held->begin[row];
}

/* Sort the records by row, time and position. 0 or an error. */
int held_sort(struct held *held, uint32_t rows, struct err *err);

/* Add spans to a row, nested where one contains another. Overlapping ones are
 * siblings. ends may be NAN: open. Sets the spans' ids and parents. */
void held_nest(struct carrier *c, struct carrier_span *spans, size_t n);

#endif
