/*
 * The dashboard's files of miles: trajectories (an event of a sample per
 * line) and phases (a phase of a process per line). Private to miles_*.c.
 *
 * Source: miles/dashboard/hooks.py and store.py, read in 2026-08.
 */
#ifndef OBS_ROLLOUT_FOREIGN_MILES_PARTS_H
#define OBS_ROLLOUT_FOREIGN_MILES_PARTS_H

#include "base/intern.h"
#include "rollout/foreign/foreign.h"
#include "rollout/foreign/held.h"

/* Rows by a key made of members, as both files have them. */
struct miles_rows {
	struct foreign base; /* first: the format's functions cast back */
	struct intern keys;
	struct intern phases; /* of the phases alone: NODE RANK NAME T0 */
	struct held held;
	uint8_t *closed; /* of the phases, by number: one has an end */
	struct buf key;
	bool open;
};

struct miles_rows *miles_rows_of(struct foreign *f);
void miles_close(struct foreign *f);

/* The number that the values of these members have in a table, or
 * INTERN_FAILED with err filled. */
uint32_t miles_number(struct miles_rows *rows, struct intern *table,
		      struct value record, const char *const *members, size_t n,
		      struct err *err);

#endif
