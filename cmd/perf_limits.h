/*
 * The user's limits: --fail-if and --threshold. Each exceeded one is a line on
 * standard error and makes the status 5.
 */
#ifndef OBS_CMD_PERF_LIMITS_H
#define OBS_CMD_PERF_LIMITS_H

#include "options.h"
#include "rollout/compare.h"
#include "sink/perf/compare_sink.h"

/* For --fail-if and --threshold. */
opt_take take_condition;
extern double limits_threshold; /* percent; negative: none */

/* Is there a condition that needs a baseline, or a threshold? The name of its
 * option, else NULL. */
const char *limits_need_baseline(void);

/* Die if a condition names a remedy that --what-if does not price. */
void limits_check_remedies(void);

/* Is there any condition? */
bool limits_given(void);

/* Call wanted for each percentile in a condition. */
void limits_each_percentile(void (*wanted)(double percent));

/* Die if a condition names the wall time, which nothing computes. */
void limits_check_wall(void);

/* Add the wall time to the metrics, if a condition names it and it is known. */
void limits_add_wall(struct digest_part *part);

/* Check the figures of one rollout, by its name; baseline as in
 * condition_judge. */
void limits_judge(const char *name, const struct figures *baseline,
		  const struct figures *figures);

/* Check a comparison against the threshold. One without a metric to compare, or
 * to check, fails. */
void limits_judge_changes(const struct compare_about *about,
			  const struct comparison *comparison);

#endif
