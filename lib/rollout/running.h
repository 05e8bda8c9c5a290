/*
 * How many samples run side by side, from when each run of one began and
 * ended. It runs from its start until just before its end; runs of one sample
 * do not overlap.
 */
#ifndef OBS_ROLLOUT_RUNNING_H
#define OBS_ROLLOUT_RUNNING_H

#include "base/stats.h"

struct running {
	size_t peak;
	double tail; /* how long fewer than a tenth of the samples ran */
};

/* Sorts both, which have one value per run. The tail counts between the first
 * start and the last end. */
struct running running_of(struct stats *starts, struct stats *ends,
			  size_t samples);

#endif
