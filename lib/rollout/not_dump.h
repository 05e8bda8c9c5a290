/*
 * What an input is that holds no samples: a phrase for a message, "a model
 * checkpoint". It is detected from the content, never from the name.
 */
#ifndef OBS_ROLLOUT_NOT_DUMP_H
#define OBS_ROLLOUT_NOT_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "fmt/value/value.h"

enum { NOT_DUMP_MAX = 192 };

/* By its value, or that of its first element. json: where it was read. */
void not_dump_by_value(struct value v, bool json, char text[NOT_DUMP_MAX]);

/* Another project's record of its rollouts, by its keys; NULL: it is none. Its
 * fields may have the names that ours have. */
const char *not_dump_foreign(struct value v);

#endif
