/*
 * Conditions that a user sets on figures: "perf/request/e2e_latency/p95 >
 * +10%" fails if the figure rose by more than 10%, "perf/request/
 * queue_time/mean > 2" if it is above 2. It states what is unwanted.
 *
 * A condition is taken literally: noise is not considered. It also fails if its
 * figure is missing: a watched figure must not vanish unnoticed.
 */
#ifndef OBS_ROLLOUT_CONDITION_H
#define OBS_ROLLOUT_CONDITION_H

#include <stdbool.h>

#include "base/limit_text.h"
#include "base/str.h"
#include "rollout/figures.h"
#include "rollout/perf_keys.h"

struct condition {
	const char *text; /* as written, borrowed */
	char key[PERF_KEY_MAX];
	struct limit_text limit;
};

/* Parse KEY > LIMIT, KEY < LIMIT, or with >= or <=; LIMIT is a number, or a
 * number and % for the change since a baseline. The prefix perf/ is optional.
 * False if the text is not a condition. */
bool condition_read(struct condition *condition, const char *text);

/* The result of a condition. */
struct judgement {
	bool broken;
	const char *missing; /* where the figure is missing: "baseline" or ""
			      * for the rollout itself; NULL: it exists */
	double value;	     /* the figure, or its relative change */
};

/* Evaluate the condition; a change is relative to the baseline, which is NULL
 * if no condition needs one. */
struct judgement condition_judge(const struct condition *condition,
				 const struct figures *baseline,
				 const struct figures *figures);

/* (to - from) / |from|: 0 from equal to equal, infinite from 0. */
double relative_change(double from, double to);

#endif
