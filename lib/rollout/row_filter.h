/*
 * Selects rows: the terms of --sample, separated by blanks, must all match.
 *
 *	term	[-] (text | key op value)
 *	op	: (holds, for text; is, for numbers)  =  <  <=  >  >=
 *
 * Quotes protect blanks and operators; the case of ASCII letters is ignored.
 * Keys: status, source, label, worker (text); index, group, tokens (numbers);
 * reward, or reward.KEY (any number in it); dur (seconds, or with us, ms, s, m,
 * h); name, attempt (of a span or a point). Bare text matches in index (exactly),
 * label, source, status and names.
 *
 * Span terms (name, attempt, and dur next to one of these) must all match the
 * same item, even negated ones. But -name, or negated ones if all are, exclude
 * rows in which any item matches.
 *
 * This is the language of the page's search box (viewer/filter.js), without its
 * terms on attributes; tests keep the two in sync.
 */
#ifndef OBS_ROLLOUT_ROW_FILTER_H
#define OBS_ROLLOUT_ROW_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "rollout/span.h"

struct row_filter;

/* Parse a filter; NULL with err filled (ERR_INPUT: the mistake and its
 * position) if it is not valid. The text is copied. */
struct row_filter *row_filter_new(struct str text, struct err *err);
void row_filter_free(struct row_filter *f);

/* Do all terms match the row of this sample? Without one (NULL), its requests
 * alone name its worker. The filter also holds scratch memory: not for two
 * threads at once. Also false if row_filter_error is set. */
bool row_filter_accepts(struct row_filter *f, const struct row *row,
			const struct sample *sample);

/* 0, or why a value could not be converted to text to be compared. */
int row_filter_error(const struct row_filter *f, struct err *err);

#endif
