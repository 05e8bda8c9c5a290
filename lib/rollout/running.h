/*
 * How many samples run concurrently, from the begin and end of each one's runs.
 * A run includes its start and excludes its end; runs of one sample do not
 * overlap. If no run takes any time, those with the same time run concurrently.
 */
#ifndef OBS_ROLLOUT_RUNNING_H
#define OBS_ROLLOUT_RUNNING_H

#include "base/stats.h"

struct running {
	size_t peak;
	double tail; /* how long fewer than 10% of the samples ran */
};

/* Sorts both, which have one value per run. The tail is measured between the
 * first start and the last end. */
struct running running_of(struct stats *starts, struct stats *ends,
			  size_t samples);

#endif
