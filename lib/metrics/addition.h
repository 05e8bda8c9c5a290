/*
 * Labels given on a command line, to be added to what is read: an option's,
 * NAME=VALUE, whose value is all that follows; or an operand's,
 * FILE@NAME=VALUE[,NAME=VALUE], whose values are raw bytes up to the next
 * comma, or quoted as in the text format.
 */
#ifndef OBS_METRICS_ADDITION_H
#define OBS_METRICS_ADDITION_H

#include "metrics/labels.h"

/* Add an option's label to the set, as plain text, which is borrowed. An error
 * when it is malformed or the set has its name. */
int addition_option(struct label_set *set, const char *text, struct err *err);

/* Where the '@' of FILE@NAME=VALUE stands: the first that a NAME= follows.
 * NULL: there is none. */
const char *addition_find(const char *operand);

/* Add the labels behind an operand's '@' to the set, in canonical escapes;
 * names and values live in the arena. Errors as above. */
int addition_read(struct label_set *set, const char *text, struct arena *a,
		  struct err *err);

#endif
