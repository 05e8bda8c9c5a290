/*
 * The time of an engine's prefills: on average, and at their quickest.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_PREFILLS_H
#define OBS_ROLLOUT_WHAT_IF_PREFILLS_H

#include "base/err.h"
#include "rollout/what_if/engine_fit.h"

/* Set floor, floor_a_token and mean_prefill of an engine whose step is known;
 * if prefills are part of steps, also the time of each. 0 or ERR_MEMORY. */
int what_if_find_prefills(const struct what_if_fit *fit,
			  const struct what_if_model *model,
			  struct what_if_engine *engine, struct err *err);

#endif
