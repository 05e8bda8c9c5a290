/*
 * The time of one engine, cut at every begin and end: between two cuts the same
 * requests decode, the same are in prefill, and the engine either stands still
 * or does not.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_CUTS_H
#define OBS_ROLLOUT_WHAT_IF_CUTS_H

#include "base/err.h"
#include "rollout/what_if/engine_fit.h"

/* The interval between one cut and the next, and sums of all before it. */
struct cut {
	double at, length;
	double batch;	 /* requests decoding */
	double cache;	 /* thousands of tokens in their caches, midway */
	bool blocked;	 /* no decode step runs */
	double free;	 /* sums: time not blocked, */
	double steps;	 /* steps in that, */
	double batches;	 /* steps times batch, */
	double caches;	 /* steps times cache, */
	double prefills; /* time divided by the number of running prefills, */
	double fresh;	 /* thousands of tokens prefilled */
};

/* The cuts at which a request starts, has its first token, and ends. */
struct cut_span {
	uint32_t start, first_token, end;
};

struct cuts {
	struct cut *v;
	size_t n, cap;
	struct cut_span *spans; /* by index in the engine's requests */
	struct cut_mark *marks;
	size_t mark_cap;
};

/* Cut an engine's time. mixed: prefills do not block. 0 or ERR_MEMORY. */
int cuts_make(struct cuts *cuts, const struct what_if_model *model,
	      const struct what_if_engine *engine, bool mixed, struct err *err);
void cuts_free(struct cuts *cuts);

/* Set the sums of steps, given the time of a step. */
void cuts_sum_steps(struct cuts *cuts, const struct what_if_step *step);

#endif
