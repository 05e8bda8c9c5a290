/*
 * Chooses the longest rows of a dump from notes taken in a first pass, so that
 * a second pass can keep them: rows themselves are never kept.
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
	double duration;
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

/*
 * Keep the longest rows until a limit is reached, earlier ones first if equal;
 * a row without a duration (NaN) is the shortest.
 */
void row_choice_keep(struct row_choice *c, const struct row_size *most);

/* Was the row kept? */
bool row_choice_has(const struct row_choice *c, uint64_t row_id);

void row_choice_free(struct row_choice *c);

#endif
