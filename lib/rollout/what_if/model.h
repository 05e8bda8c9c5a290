/*
 * The model of a rollout, built from its closed spans; man/obs-perfsum.1 (WHAT
 * IF) explains it.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_MODEL_H
#define OBS_ROLLOUT_WHAT_IF_MODEL_H

#include "rollout/activity.h"
#include "rollout/row_store.h"
#include "rollout/what_if/answers.h"
#include "rollout/what_if/scene.h"

/* Build the model from the rows of a store. 0 or an error. */
int what_if_model_make(struct what_if_model *model,
		       const struct row_store *store,
		       const struct span_names *names,
		       const struct answers *answers,
		       const struct workers *workers, struct err *err);
void what_if_model_free(struct what_if_model *model);

#endif
