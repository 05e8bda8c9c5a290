/*
 * Records that wait for the end of the file, because the parts of a row stand
 * anywhere in it: each with the number of its row, then row by row.
 */
#ifndef OBS_ROLLOUT_FOREIGN_HELD_H
#define OBS_ROLLOUT_FOREIGN_HELD_H

#include "base/err.h"
#include "rollout/foreign/carrier.h"

struct held_record {
	struct value record;
	uint32_t row;
	uint32_t place; /* in the file */
	double time; /* within the row; records of one time keep their order */
};

/* Owns its arrays; zero-initialised it is empty. */
struct held {
	struct held_record *v;
	size_t n, cap;
	uint32_t *begin; /* of each row in v, and one past the last; after
			  * held_sort */
};

void held_free(struct held *held);

/* Keep a record of a row. 0 or an error. */
int held_add(struct held *held, uint32_t row, double time, struct value record,
	     struct err *err);

/* Put the records in order by row, time and place. 0 or an error. */
int held_sort(struct held *held, uint32_t rows, struct err *err);

/* Add spans to a row that nest where one contains another. Those that overlap
 * are siblings. ends may be NAN: open. Sorts spans. False: no memory. */
void held_nest(struct carrier *c, struct carrier_span *spans, size_t n);

#endif
