/*
 * The parts of a replay, private to replay.c, change.c and engine.c.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REPLAY_PARTS_H
#define OBS_ROLLOUT_WHAT_IF_REPLAY_PARTS_H

#include "rollout/what_if/heap.h"
#include "rollout/what_if/replay.h"

enum replay_event {
	EVENT_ARRIVE, /* a request, at its engine */
	EVENT_ENGINE, /* the next action of an engine */
	EVENT_STALL,  /* an engine stands still */
	EVENT_END,    /* of a request without a named engine */
	EVENT_OUT     /* of a request, at the trainer */
};

/* An engine in a replay. */
struct replay_engine {
	struct what_if_step step;
	double top;	  /* the largest observed batch */
	double top_slope; /* seconds of a step per request above it */
	uint32_t slots;

	/* Waiting requests, in order of arrival. */
	uint32_t head, tail; /* WHAT_IF_NONE: none */

	/* The one in prefill; WHAT_IF_NONE: none. */
	uint32_t prefilling;
	double prefill_rest;

	/* Decoding requests, by their last step. */
	struct heap_goal *running;
	size_t running_count, running_cap;
	double steps_done;
	double cache; /* tokens in caches, minus running_count * steps_done */

	double at;	    /* time of this state */
	double still_until; /* and it stands still until then */
	uint32_t version;   /* of its event; others are outdated */
};

struct replay_request {
	double steps, prefill, gap, lag;
	double ready;		       /* when it has arrived; NaN: not yet */
	double handed_at;	       /* when it gets its handed-on slot */
	uint32_t engine;	       /* WHAT_IF_NONE: not named */
	uint32_t next;		       /* in its engine's queue */
	uint32_t first_child, sibling; /* waiting for it */
};

struct replay_sample {
	uint32_t left;	/* requests */
	uint32_t first; /* waiting for the sample's start */
	double tail, end;
};

struct what_if_replay {
	const struct what_if_model *model;
	const struct what_if_fit *fit;
	struct replay_engine *engines;
	size_t engine_count, engine_cap;
	struct replay_request *requests;
	struct replay_sample *samples;
	uint32_t *order;       /* samples by start */
	uint32_t *handed_from; /* by request, or WHAT_IF_NONE; for its slot */
	uint32_t *handed_to;   /* slot passed to; this many seconds later */
	double *handed_after;
	uint32_t *turns; /* by engine, for each of its copies in turn */
	double *ends;	 /* by sample */
	struct heap heap;
	uint32_t generating; /* samples */
	size_t begun;	     /* samples of order */
	uint32_t *line;	     /* samples waiting for the trainer's limit */
	size_t line_head, line_tail;
};

/* Begin a replay; arguments as in what_if_replay_run. 0 or ERR_MEMORY. */
int replay_set_up(struct what_if_replay *replay,
		  const struct what_if_step *steps,
		  const struct what_if_change *change,
		  const struct what_if_noise *noise, struct err *err);

/* Schedule an event. 0 or ERR_MEMORY. */
int replay_push(struct what_if_replay *replay, enum replay_event kind,
		uint32_t of, double at, struct err *err);

/* The request joins its engine's queue. 0 or ERR_MEMORY. */
int replay_arrive(struct what_if_replay *replay, uint32_t request, double now,
		  struct err *err);

/* Handle the engine's event. */
int replay_engine_event(struct what_if_replay *replay, uint32_t engine,
			double now, struct err *err);

/* Handle an engine's stall, by its number: engine's copy times count. */
int replay_stall(struct what_if_replay *replay, uint32_t engine, double until,
		 double now, struct err *err);

/* Room for as many requests per engine as could run at once. */
void replay_engines_free(struct what_if_replay *replay);

#endif
