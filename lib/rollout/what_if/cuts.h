/*
 * The time of one engine, cut where something begins or ends: between two cuts
 * the same requests decode, the same are prefilled, and the engine either
 * stands still or does not.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_CUTS_H
#define OBS_ROLLOUT_WHAT_IF_CUTS_H

#include "base/err.h"
#include "rollout/what_if/engine_fit.h"

/* What lies between one cut and the next, and sums of all before it. */
struct cut {
	double at, length;
	double batch;	 /* requests decoding */
	double cache;	 /* thousands of tokens in their caches, halfway */
	bool blocked;	 /* nobody decodes a step */
	double free;	 /* sums: time not blocked, */
	double steps;	 /* steps in that, */
	double batches;	 /* steps times batch, */
	double caches;	 /* steps times cache, */
	double prefills; /* time divided by the prefills under way, */
	double fresh;	 /* thousands of tokens prefilled */
};

/* Where in the cuts a request starts, has its first token, and ends. */
struct cut_span {
	uint32_t start, first_token, end;
};

struct cuts {
	struct cut *v;
	size_t n, cap;
	struct cut_span *spans; /* by place in the engine's requests */
	struct cut_mark *marks;
	size_t mark_cap;
};

/* Cut an engine's time. mixed: prefills do not block. 0 or ERR_MEMORY. */
int cuts_make(struct cuts *cuts, const struct what_if_model *model,
	      const struct what_if_engine *engine, bool mixed, struct err *err);
void cuts_free(struct cuts *cuts);

/* Set the sums of steps for that time of a step. */
void cuts_sum_steps(struct cuts *cuts, const struct what_if_step *step);

#endif
