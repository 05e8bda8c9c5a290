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

/* Die with a usage error if KEY of --fail-if=text is
 * perf/what_if/REMEDY/saves and --what-if does not price REMEDY. False: it has
 * another form, which no key of --what-if has. */
bool what_if_check_key(struct str key, const char *text);

#endif
