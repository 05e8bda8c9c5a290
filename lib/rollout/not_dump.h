/*
 * The kind of an input without samples: a phrase for a message, "a model
 * checkpoint". Detected from the content, never from the name.
 */
#ifndef OBS_ROLLOUT_NOT_DUMP_H
#define OBS_ROLLOUT_NOT_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "fmt/value/value.h"

enum { NOT_DUMP_MAX = 192 };

/* From its value, or its first element. json: the format it was read from. */
void not_dump_by_value(struct value v, bool json, char text[NOT_DUMP_MAX]);

/* Another project's record of its rollouts, detected by its keys; NULL if it is
 * not one. Its fields may have the same names as ours. */
const char *not_dump_foreign(struct value v);

#endif
