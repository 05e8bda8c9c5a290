/*
 * The trainer's limit on concurrently generating samples, as it shows.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_LIMIT_H
#define OBS_ROLLOUT_WHAT_IF_LIMIT_H

#include "base/err.h"
#include "rollout/what_if/scene.h"

/* Set the model's client_limit: the number generating for most of the time in
 * which some sample has started and not yet generated. 0 or ERR_MEMORY. */
int what_if_find_limit(struct what_if_model *model, struct err *err);

#endif
