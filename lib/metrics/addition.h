/*
 * Labels given on a command line, to be added to what is read:
 * NAME=VALUE[,NAME=VALUE]. A value is raw bytes up to the next comma, or
 * quoted as in the text format.
 */
#ifndef OBS_METRICS_ADDITION_H
#define OBS_METRICS_ADDITION_H

#include "metrics/labels.h"

/* Where the '@' of FILE@NAME=VALUE stands: the first that a NAME= follows.
 * NULL: there is none. */
const char *addition_find(const char *operand);

/* Add the labels of the text to the set; names and values live in the arena.
 * A name that is there already is an error. */
int addition_read(struct label_set *set, const char *text, struct arena *a,
		  struct err *err);

#endif
