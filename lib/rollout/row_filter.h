/*
 * Which rows: the terms of --sample, apart by blanks, all of which must hold.
 *
 *	term	[-] (text | key op value)
 *	op	: (holds, for text; is, for numbers)  =  <  <=  >  >=
 *
 * Quotes keep blanks and operators; case of ASCII letters does not matter.
 * Keys: status, source, label (text); index, group, tokens (numbers);
 * reward, or reward.KEY (any number in it); dur (seconds, or with us, ms, s,
 * m, h); name, attempt (of a span or a point). Bare text is looked for in
 * index (whole), label, source, status and names.
 *
 * Terms about spans (name, attempt, and dur beside one of these) must hold
 * for one and the same item, negated ones too. But -name, and negated ones
 * where all are, leave out the rows in which any item has it.
 *
 * This is the language of the page's search box (viewer/filter.js), less its
 * terms about attributes; tests hold the two equal.
 */
#ifndef OBS_ROLLOUT_ROW_FILTER_H
#define OBS_ROLLOUT_ROW_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "rollout/span.h"

struct row_filter;

/* Read a filter; NULL with err filled (ERR_INPUT: what is wrong in it, and at
 * which character) when it cannot be used. The text is copied. */
struct row_filter *row_filter_new(struct str text, struct err *err);
void row_filter_free(struct row_filter *f);

/* Do all terms hold for the row? The filter is scratch as well: not for two
 * threads at once. False also when row_filter_error says so. */
bool row_filter_accepts(struct row_filter *f, const struct row *row);

/* 0, or why a value could not be written as text to be compared. */
int row_filter_error(const struct row_filter *f, struct err *err);

#endif
