/*
 * What a remedy would have saved: a rollout is modelled (model.h), the steps
 * of its engines are fitted (fit.h), it is replayed unchanged, which must
 * reproduce what was recorded, and then with each remedy (replay.h).
 *
 * Results depend only on the dump: random numbers have fixed seeds.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_WHAT_IF_H
#define OBS_ROLLOUT_WHAT_IF_WHAT_IF_H

#include "rollout/figures.h"
#include "rollout/what_if/model.h"
#include "rollout/what_if/priced.h"

/* Estimate the remedies of a plan on the rows of a store. NULL with err filled:
 * no memory. */
struct what_if *what_if_make(const struct what_if_plan *plan,
			     const struct row_store *store,
			     const struct span_names *names,
			     const struct answers *answers,
			     const struct workers *workers, struct err *err);

/* The prefix of a remedy's figure: perf/what_if/cut_p95/saves is the fraction
 * of the wall time that the remedy saves. */
#define WHAT_IF_KEY "perf/what_if/"

/* Add such a figure for each remedy with an estimate. 0 or ERR_MEMORY. */
int what_if_add_figures(const struct what_if *what_if, struct figures *figures,
			struct err *err);

/* After workers_judge: if the engines' steps could be fitted, judge the workers
 * by them as well, so that one report has one figure for how slow each is. */
void what_if_set_speeds(const struct what_if *what_if, struct workers *workers);

void what_if_free(struct what_if *what_if);

#endif
