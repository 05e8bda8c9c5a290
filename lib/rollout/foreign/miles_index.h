/*
 * The rows of miles' trajectories, by the index of their sample. Most
 * are small numbers, which a plain array has: 10^6 keys would not fit into a
 * cache.
 */
#ifndef OBS_ROLLOUT_FOREIGN_MILES_INDEX_H
#define OBS_ROLLOUT_FOREIGN_MILES_INDEX_H

#include "rollout/foreign/miles_parts.h"

struct index_rows {
	struct value *indexes; /* by row; texts are kept */
	size_t cap;
	uint32_t n;	 /* rows */
	uint32_t *small; /* by index: its row + 1, 0: none yet */
	size_t small_cap;
	uint32_t *of_key; /* by the number of a key in miles_rows.keys */
	size_t key_cap;
	bool some_key;	    /* a number from 0 on has one */
	int64_t last_index; /* the previous one, if it is a number */
	uint32_t last_row;
};

struct index_rows index_rows_new(void);
void index_rows_free(struct index_rows *rows);

/* The row of an index, a new one for a new index; INTERN_FAILED with err
 * filled. A value that is not an index counts as -1. */
uint32_t index_rows_add(struct index_rows *rows, struct miles_rows *miles,
			struct value index, struct err *err);

#endif
