/*
 * When an engine stood still: intervals by which all its requests are late.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_STALLS_H
#define OBS_ROLLOUT_WHAT_IF_STALLS_H

#include "rollout/what_if/cuts.h"

/*
 * Add the stalls in the cuts. late: by index in the engine's requests, the
 * seconds not explained by its steps; what a stall explains is subtracted.
 * Returns 1 if there are more than before, 0, or ERR_MEMORY.
 */
int what_if_find_stalls(struct what_if_engine *engine, const struct cuts *cuts,
			double *late, double wall, struct err *err);

#endif
