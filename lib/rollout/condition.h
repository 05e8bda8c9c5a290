/*
 * Conditions that a user sets on figures: "perf/request/e2e_latency/p95 >
 * +10%" is broken when the figure rose by more than a tenth, "perf/request/
 * queue_time/mean > 2" when it is above 2. What is named is what is unwanted.
 *
 * A condition is taken literally: noise does not excuse a figure. One that
 * cannot be judged, because the figure is not there, is broken: what is
 * watched must not vanish unnoticed.
 */
#ifndef OBS_ROLLOUT_CONDITION_H
#define OBS_ROLLOUT_CONDITION_H

#include <stdbool.h>

#include "base/limit_text.h"
#include "base/str.h"
#include "rollout/figures.h"
#include "rollout/perf_keys.h"

struct condition {
	const char *text; /* as given, borrowed */
	char key[PERF_KEY_MAX];
	struct limit_text limit;
};

/* Read KEY > LIMIT, KEY < LIMIT, or with >= or <=; LIMIT is a number, or a
 * number and % for the change since a baseline. The prefix perf/ is optional.
 * False if the text is not a condition. */
bool condition_read(struct condition *condition, const char *text);

/* What became of a condition. */
struct judgement {
	bool broken;
	const char *missing; /* where the figure is not: "baseline" or "" for
			      * the rollout itself; NULL: it is there */
	double value;	     /* the figure, or its relative change */
};

/* Judge the figures; a change is that since the baseline, which is NULL when
 * no condition asks for one. */
struct judgement condition_judge(const struct condition *condition,
				 const struct figures *baseline,
				 const struct figures *figures);

/* (to - from) / |from|: 0 from equal to equal, infinite from 0. */
double relative_change(double from, double to);

#endif
