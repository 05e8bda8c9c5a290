/*
 * Replays a rollout event by event, unchanged or with a change. Each engine
 * serves its queue in order: a request takes a slot, is prefilled while the
 * others wait, and steps together with all running ones.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REPLAY_H
#define OBS_ROLLOUT_WHAT_IF_REPLAY_H

#include "rollout/what_if/fit.h"

/* Step time for batches above the largest observed one. */
enum what_if_top {
	WHAT_IF_TOP_LINE, /* it continues as below */
	WHAT_IF_TOP_FLAT, /* nothing */
	WHAT_IF_TOP_FULL  /* no more tokens per second */
};

/* A change. Zero-initialised, it changes nothing. */
struct what_if_change {
	double cut;	     /* maximum tokens per answer; 0: all */
	double tool, reward; /* maximum seconds of each, if: */
	bool caps_tool, caps_reward;
	bool equal;	      /* slow engines are like the reference */
	bool calm;	      /* no stalls, and prefills at their floor, */
	double floor_ratio;   /* scaled by this; 0: 1 */
	uint32_t engines;     /* each engine becomes this many; 0: 1 */
	uint32_t slots_ratio; /* factor of slots; 0: 1 */
	uint32_t slots;	      /* slots of each engine; 0: unchanged */
	enum what_if_top top;
	const uint32_t *routing; /* by request: its engine; NULL: unchanged */
};

/* Uncertainty of the fit: factors; NULL or 0 for 1. */
struct what_if_noise {
	const double *steps; /* by engine */
	double prefills;
};

struct what_if_replay;

/* Room for replays of a rollout, with its fit, or NULL if requests do not name
 * engines. Both are borrowed. NULL: no memory. */
struct what_if_replay *what_if_replay_new(const struct what_if_model *model,
					  const struct what_if_fit *fit,
					  struct err *err);
void what_if_replay_free(struct what_if_replay *replay);

/*
 * Replay the rollout. steps: of the engines, NULL for those of the fit. *wall
 * becomes when its last group was done. 0 or ERR_MEMORY.
 */
int what_if_replay_run(struct what_if_replay *replay,
		       const struct what_if_step *steps,
		       const struct what_if_change *change,
		       const struct what_if_noise *noise, double *wall,
		       struct err *err);

/* When each sample ended in the last replay. */
const double *what_if_replay_ends(const struct what_if_replay *replay);

#endif
