/*
 * Which bytes of a line are trace records; under records.c.
 */
#ifndef OBS_ROLLOUT_RECORD_LINE_H
#define OBS_ROLLOUT_RECORD_LINE_H

#include "base/arena.h"
#include "base/err.h"
#include "fmt/value/value.h"

/* The record that text begins with, of *used bytes, when it ends where the
 * text or another object does: 0, or an error. */
int record_parse(struct str text, struct arena *a, struct value *v,
		 size_t *used, struct err *err);

/* The first whole record behind the first byte of a line; p is NULL when
 * there is none. What a record holds is followed by more of it, so that only a
 * record ends where the line or another one does. */
struct str record_next_whole(struct str line, struct arena *a, struct value *v);

/* Do these first bytes of an input begin a file of records? They hold its
 * first line, unless that is longer than they are. */
bool records_detect(struct str head);

#endif
