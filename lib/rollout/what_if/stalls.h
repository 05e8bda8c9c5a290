/*
 * When an engine stood still: times across which all its requests are late.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_STALLS_H
#define OBS_ROLLOUT_WHAT_IF_STALLS_H

#include "rollout/what_if/cuts.h"

/*
 * Add the stalls that the cuts show. late: by place in the engine's requests,
 * the seconds that its steps do not account for; what a stall accounts for is
 * taken off. Returns 1 if there are more than before, 0, or ERR_MEMORY.
 */
int what_if_find_stalls(struct what_if_engine *engine, const struct cuts *cuts,
			double *late, double wall, struct err *err);

#endif
