/*
 * The engines of a rollout, sorted by name.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ENGINE_NAMES_H
#define OBS_ROLLOUT_WHAT_IF_ENGINE_NAMES_H

#include "rollout/what_if/answers.h"
#include "rollout/what_if/scene.h"

/* Set the model's engines to the workers of the requests. *by_worker becomes,
 * even on failure, an array to free: the engine number by worker. 0 or
 * ERR_MEMORY. */
int what_if_number_engines(struct what_if_model *model,
			   const struct answers *answers,
			   const struct workers *workers, uint32_t **by_worker,
			   struct err *err);

#endif
