/*
 * How many rows run side by side, from when each began and ended. A row runs
 * from its start until just before its end.
 */
#ifndef OBS_ROLLOUT_RUNNING_H
#define OBS_ROLLOUT_RUNNING_H

#include "base/stats.h"

struct running {
	size_t peak;
	double tail; /* how long fewer than a tenth of the rows ran */
};

/* Sorts both, which have a value a row. The tail counts between the first
 * start and the last end. */
struct running running_of(struct stats *starts, struct stats *ends);

#endif
