/*
 * What the user does not want to see: --fail-if and --threshold. Each broken
 * condition is a line on standard error and makes the status 5.
 */
#ifndef OBS_CMD_PERF_LIMITS_H
#define OBS_CMD_PERF_LIMITS_H

#include "options.h"
#include "rollout/compare.h"
#include "sink/perf/compare_sink.h"

/* Of --fail-if and --threshold. */
opt_take take_condition;
opt_take take_threshold;

/* Is there a condition that needs a baseline, or a threshold? Their option's
 * name, else NULL. */
const char *limits_need_baseline(void);

/* Is there any condition? */
bool limits_given(void);

/* Call wanted for each percentile that a condition names. */
void limits_each_percentile(void (*wanted)(double percent));

/* Judge the figures of one rollout, by its name; baseline as in
 * condition_judge. */
void limits_judge(const char *name, const struct figures *baseline,
		  const struct figures *figures);

/* Judge a comparison by the threshold. One without a metric to compare, or
 * to judge, is a failure. */
void limits_judge_changes(const struct compare_about *about,
			  const struct comparison *comparison);

#endif
