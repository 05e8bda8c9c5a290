/*
 * Collects the rows of a dump, for callers with no other use for them, until
 * remedies are estimated.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_GATHER_H
#define OBS_ROLLOUT_WHAT_IF_GATHER_H

#include "rollout/timed_row.h"
#include "rollout/what_if/what_if.h"

struct what_if_gather {
	struct row_store store; /* part of a row: its number for the caller */
	struct span_names names;
	struct answers answers;
	struct workers workers;
	struct timed_row timed;
};

struct what_if_gather what_if_gather_new(void);
void what_if_gather_free(struct what_if_gather *gather);

/* Add a row, with a number of the caller's, unless it is stray. 0 or an
 * error. */
int what_if_gather_add(struct what_if_gather *gather,
		       const struct sample *sample, const struct row *row,
		       uint32_t number, struct err *err);

/* Estimate all remedies. NULL with err filled: no memory. */
struct what_if *what_if_gather_price(const struct what_if_gather *gather,
				     struct err *err);

#endif
