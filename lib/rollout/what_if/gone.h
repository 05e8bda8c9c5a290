/*
 * The parts of each sample's recorded time that a remedy would remove: for
 * display. The estimate comes from a replay, where others move up, too.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_GONE_H
#define OBS_ROLLOUT_WHAT_IF_GONE_H

#include "rollout/what_if/priced.h"

/* Call take for each such time, in seconds as in the model. */
void what_if_each_gone(const struct what_if *what_if,
		       const struct what_if_remedy *remedy,
		       void (*take)(void *taker, size_t place, double from,
				    double to),
		       void *taker);

#endif
