/*
 * Where the time of a rollout went: the seconds of the sample that ended last,
 * traced back through its requests. They add up to the wall.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_BILL_H
#define OBS_ROLLOUT_WHAT_IF_BILL_H

#include "rollout/what_if/fit.h"

/* In display order. */
enum what_if_cause {
	CAUSE_BEFORE_START,
	CAUSE_CLIENT_LIMIT,
	CAUSE_QUEUE,
	CAUSE_IMBALANCE, /* queued while another engine had an empty queue */
	CAUSE_PREFILL,
	CAUSE_OTHERS_PREFILL,
	CAUSE_STALLED,
	CAUSE_SLOW_ENGINE,
	CAUSE_LONG_ANSWER,
	CAUSE_DECODE,
	CAUSE_NETWORK,
	CAUSE_TOOL,
	CAUSE_REWARD,
	CAUSE_OTHER,
	CAUSE_GROUP,
	CAUSES
};

struct what_if_bill {
	size_t place;	      /* of the sample in the row store */
	uint32_t idle_engine; /* with the empty queue; WHAT_IF_NONE */
	double seconds[CAUSES];
	double queue_stalled; /* seconds in the queue of a stalled engine */
};

/* "queue" and so on, as in JSON; and for display. */
const char *what_if_cause_key(enum what_if_cause cause);
const char *what_if_cause_word(enum what_if_cause cause);

/* The bill of a model with samples; fit is NULL if engines are not named. 0 or
 * ERR_MEMORY. */
int what_if_bill_make(struct what_if_bill *bill,
		      const struct what_if_model *model,
		      const struct what_if_fit *fit, struct err *err);

/* A lower bound for any routing and any order of the requests. */
struct what_if_bounds {
	double work;	/* seconds for all tokens; NaN: unknown */
	double longest; /* seconds of the longest sample, alone */
};

struct what_if_bounds what_if_bounds(const struct what_if_model *model,
				     const struct what_if_fit *fit);

/* The tokens that this percentage of the answers do not exceed: of n the
 * floor(n percent / 100)th from below. 0 or ERR_MEMORY. */
int what_if_tokens_at(const struct what_if_model *model, size_t percent,
		      double *tokens, struct err *err);

#endif
