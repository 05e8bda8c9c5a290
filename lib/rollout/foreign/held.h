/*
 * Records that wait for the end of the file, because the parts of a row stand
 * anywhere in it: each with the number of its row, then row by row.
 */
#ifndef OBS_ROLLOUT_FOREIGN_HELD_H
#define OBS_ROLLOUT_FOREIGN_HELD_H

#include "base/err.h"
#include "rollout/foreign/carrier.h"

/* What a record begins with. */
struct held_record {
	double time; /* within the row; records of one time keep their order */
	uint32_t row;
};

/* Owns its arrays. */
struct held {
	char *v; /* records of one size, in the order of the file */
	size_t size, n, cap;
	/* After held_sort: the places of a row's records stand in order from
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

/* Record i of a row, and how many there are. */
static inline void *held_get(const struct held *held, uint64_t row, uint32_t i)
{
	return held_at(held, held->order[held->begin[row] + i]);
}

static inline uint32_t held_count(const struct held *held, uint64_t row)
{
	return held->begin[row + 1] - held->begin[row];
}

/* Put the records in order by row, time and place. 0 or an error. */
int held_sort(struct held *held, uint32_t rows, struct err *err);

/* Add spans to a row that nest where one contains another. Those that overlap
 * are siblings. ends may be NAN: open. Sorts spans. False: no memory. */
void held_nest(struct carrier *c, struct carrier_span *spans, size_t n);

#endif
