/*
 * How many requests an engine runs at once, inferred while others wait.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_SLOTS_H
#define OBS_ROLLOUT_WHAT_IF_SLOTS_H

#include "base/err.h"
#include "rollout/what_if/engine_fit.h"

/* Set slots and steady of an engine whose step is known. 0 or ERR_MEMORY. */
int what_if_find_slots(struct what_if_engine *engine,
		       const struct what_if_model *model, struct err *err);

#endif
