/*
 * The duration of each engine's steps, from the requests that it served:
 *
 *	seconds = A + B b + C k (+ D per thousand tokens prefilled in it)
 *
 * with b requests decoding and k thousands of tokens in their caches; plus the
 * duration of prefills, the number of slots, and the stalls.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_ENGINE_FIT_H
#define OBS_ROLLOUT_WHAT_IF_ENGINE_FIT_H

#include "rollout/what_if/scene.h"

struct what_if_step {
	double a, b, c, d;
};

/* An engine stands still from a time on, for so long. */
struct what_if_stall {
	double at, length;
};

struct what_if_engine {
	struct what_if_step step;
	uint32_t *requests; /* of the model, by start */
	size_t request_count;
	double tokens, ends;	     /* completed; when the last one was */
	double floor, floor_a_token; /* seconds of the quickest prefills */
	double mean_prefill;	     /* seconds */
	double error;		     /* error of the fit, a ratio */
	uint32_t slots;		     /* 0: unknown */
	bool steady;		     /* all slots are always in use */
	double batch_least, batch_most;
	struct what_if_stall *stalls; /* by time */
	size_t stall_count, stall_cap;
	bool slow;
};

/* The fit of one request. */
struct what_if_work {
	double prefill;		     /* seconds of its own */
	double free;		     /* seconds of decode without any delay */
	double batch, cache, others; /* per step: b, k, d */
};

struct what_if_fit {
	struct what_if_engine *engines;
	size_t engine_count;
	struct what_if_work *work; /* by request */
	bool mixed;		   /* prefills are part of steps */
	uint32_t reference; /* the median engine, the reference for slow ones */
	double batch, cache; /* of the median request: engines are compared so
			      */
};

static inline double what_if_step_time(const struct what_if_step *step,
				       double batch, double cache)
{
	return step->a + step->b * batch + step->c * cache;
}

#endif
