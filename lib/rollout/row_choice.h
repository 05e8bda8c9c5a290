/*
 * Chooses the rows of a dump that end last from notes taken in a first pass, so
 * that a second pass can keep them: rows themselves are never kept.
 */
#ifndef OBS_ROLLOUT_ROW_CHOICE_H
#define OBS_ROLLOUT_ROW_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A row's usage of a page. */
struct row_size {
	uint64_t rows;
	uint64_t items;
	uint64_t bytes; /* of attributes */
};

struct row_note {
	uint64_t row_id;
	double own_end; /* us, of its own work; NaN: it has no time */
	double end;	/* of all of it, by which equal ones differ; or NaN */
	struct row_size size;
};

struct row_choice {
	struct row_note *v; /* in order of their ids until row_choice_keep */
	size_t n;
	size_t cap;
};

/* Is any limit reached? The row that reaches it is included. */
bool row_size_is_full(const struct row_size *sum, const struct row_size *most);
void row_size_add(struct row_size *sum, const struct row_size *more);

int row_choice_note(struct row_choice *c, const struct row_note *note,
		    struct err *err);

/* Set a noted row's own end; other rows are ignored. */
void row_choice_end(struct row_choice *c, uint64_t row_id, double own_end);

/*
 * Keep the rows that end last until a limit is reached, earlier ones first if
 * equal; those without a time come after all others.
 */
void row_choice_keep(struct row_choice *c, const struct row_size *most);

/* Was the row kept? */
bool row_choice_has(const struct row_choice *c, uint64_t row_id);

void row_choice_free(struct row_choice *c);

#endif
