/*
 * The estimate for each remedy, with its interval.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_PRICE_H
#define OBS_ROLLOUT_WHAT_IF_PRICE_H

#include "rollout/what_if/priced.h"

/* Estimate the remedies that are not rejected, by the replay, whose unchanged
 * run took `unchanged` seconds; stack them, and find the luck of the routing. 0
 * or ERR_MEMORY. */
int what_if_price(struct what_if *what_if, struct what_if_replay *replay,
		  double unchanged, struct err *err);

#endif
