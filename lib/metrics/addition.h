/*
 * Labels from a command line, added to what is read: NAME=VALUE from an option,
 * where the rest is the value; or FILE@NAME=VALUE[,NAME=VALUE] from an operand,
 * where values are raw bytes up to the next comma, or quoted as in the text
 * format.
 */
#ifndef OBS_METRICS_ADDITION_H
#define OBS_METRICS_ADDITION_H

#include "metrics/labels.h"

/* Add an option's label to the set, as borrowed plain text. An error if it is
 * malformed or the name is a duplicate. */
int addition_option(struct label_set *set, const char *text, struct err *err);

/* The position of '@' in FILE@NAME=VALUE: the first followed by NAME=. NULL:
 * there is none. */
const char *addition_find(const char *operand);

/* Add the labels after an operand's '@' to the set, in canonical escapes; names
 * and values live in the arena. Errors as above. */
int addition_read(struct label_set *set, const char *text, struct arena *a,
		  struct err *err);

#endif
