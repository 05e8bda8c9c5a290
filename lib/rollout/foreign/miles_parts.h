/*
 * The dashboard's files of miles: trajectories (one event of a sample per line)
 * and phases (one phase of a process per line). Private to miles_*.c.
 *
 * Source: miles/dashboard/hooks.py and store.py, read in 2026-08.
 */
#ifndef OBS_ROLLOUT_FOREIGN_MILES_PARTS_H
#define OBS_ROLLOUT_FOREIGN_MILES_PARTS_H

#include "base/intern.h"
#include "rollout/foreign/held.h"
#include "rollout/foreign/keep.h"

/* Rows by a key of members, common to both files. */
struct miles_rows {
	struct foreign base; /* first: the format's functions cast back */
	struct intern keys;  /* of rows; for phases: of processes */
	struct intern texts; /* of kept values */
	struct held held;
	struct buf key;
	bool open;
};

/* Before the first record: records of that size. */
void miles_open(struct miles_rows *rows, size_t record_size);
void miles_close(struct foreign *f);

/* A float that is a whole number as that integer; other values as they are. */
struct value miles_whole(struct value v);

/* The number in a table of these members of a record, or INTERN_FAILED with err
 * filled. */
uint32_t miles_number(struct miles_rows *rows, struct intern *table,
		      const struct value *record, const uint8_t *members,
		      size_t n, struct err *err);

/* The number of a text, usually the one before; 0 if it is empty or no text,
 * INTERN_FAILED: no memory. */
uint32_t miles_text(struct miles_rows *rows, struct value v, uint32_t before);

#endif
