/*
 * --what-if and --set of obs-perfsum: which remedies are estimated.
 */
#ifndef OBS_CMD_PERF_WHAT_IF_H
#define OBS_CMD_PERF_WHAT_IF_H

#include "base/str.h"
#include "options.h"
#include "rollout/what_if/remedies.h"

opt_take take_what_if;
opt_take take_own_value;

/* The requested ones; NULL if none. --set alone is a usage error. */
const struct what_if_plan *what_if_plan(void);

/* Check KEY of --fail-if=text: if it is one of --what-if, which computes
 * perf/what_if/REMEDY/saves, is REMEDY requested? If not, usage error. */
void what_if_check_key(struct str key, const char *text);

#endif
