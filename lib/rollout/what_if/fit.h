/*
 * The step times of all engines, fitted to the requests that they served.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_FIT_H
#define OBS_ROLLOUT_WHAT_IF_FIT_H

#include "base/err.h"
#include "rollout/what_if/draw.h"
#include "rollout/what_if/engine_fit.h"

/* Fit all engines of a model whose requests name them. 0 or ERR_MEMORY. */
int what_if_fit_make(struct what_if_fit *fit, const struct what_if_model *model,
		     struct err *err);
void what_if_fit_free(struct what_if_fit *fit);

/* Refit the steps of the engines, each to a sample of its requests drawn with
 * replacement. 0 or ERR_MEMORY. */
int what_if_fit_again(const struct what_if_fit *fit,
		      const struct what_if_model *model, struct draw *draw,
		      struct what_if_step *steps, struct err *err);

/* Seconds of an engine's decode step with the batch and the caches of the
 * median request, by which slow engines are found. */
double what_if_usual_step(const struct what_if_fit *fit, size_t engine);

/* The same, divided by that of the reference. */
double what_if_slowness(const struct what_if_fit *fit, size_t engine);

/* Seconds that an engine stood still. */
double what_if_stalled_time(const struct what_if_engine *engine);

/* The worst over the engines. */
double what_if_fit_error(const struct what_if_fit *fit);

/* The largest fraction of the wall that an engine stood still. */
double what_if_stalled_part(const struct what_if_fit *fit, double wall);

#endif
