/*
 * Finds trace records in the bytes of a line; used by records.c.
 */
#ifndef OBS_ROLLOUT_RECORD_LINE_H
#define OBS_ROLLOUT_RECORD_LINE_H

#include "base/arena.h"
#include "base/err.h"
#include "fmt/value/value.h"

/* The record at the start of text, of *used bytes, if it is followed by the end
 * of text or another object: 0, or an error. */
int record_parse(struct str text, struct arena *a, struct value *v,
		 size_t *used, struct err *err);

/* The first complete record after the first byte of a line; p is NULL if there
 * is none. An object inside a record is followed by more of it, so only a
 * record ends at the end of the line or at another one. */
struct str record_next_whole(struct str line, struct arena *a, struct value *v);

/* Do these first bytes of an input begin a file of records? They include its
 * first line, unless that is longer. */
bool records_detect(struct str head);

#endif
