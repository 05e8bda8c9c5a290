/*
 * The parts of a replay, shared by replay.c, change.c and engine.c alone.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REPLAY_PARTS_H
#define OBS_ROLLOUT_WHAT_IF_REPLAY_PARTS_H

#include "rollout/what_if/heap.h"
#include "rollout/what_if/replay.h"

enum replay_event {
	EVENT_ARRIVE, /* a request, at its engine */
	EVENT_ENGINE, /* the next thing that an engine does */
	EVENT_STALL,  /* an engine stands still */
	EVENT_END,    /* of a request without a named engine */
	EVENT_OUT     /* of a request, at the trainer */
};

/* An engine under way. */
struct replay_engine {
	struct what_if_step step;
	double top;	  /* the largest batch that was seen */
	double top_slope; /* seconds of a step per request above it */
	uint32_t slots;

	/* Requests that wait, in the order in which they arrived. */
	uint32_t head, tail; /* WHAT_IF_NONE: nobody waits */

	/* The one that is prefilled; WHAT_IF_NONE: none is. */
	uint32_t prefilling;
	double prefill_rest;

	/* Those that decode, by the step that they end at. */
	struct heap_goal *running;
	size_t running_count, running_cap;
	double steps_done;
	double cache; /* tokens in caches, less running_count * steps_done */

	double at;	    /* it is described at this time */
	double still_until; /* and stands still until then */
	uint32_t version;   /* of its event; others are stale */
};

struct replay_request {
	double steps, prefill, gap, lag;
	double ready;	  /* when it has arrived; NaN: not yet */
	double handed_at; /* when it gets the slot that it is handed */
	uint32_t engine;  /* WHAT_IF_NONE: none is named */
	uint32_t next;	  /* in its engine's queue */
	uint32_t first_child, sibling; /* that wait for it */
};

struct replay_sample {
	uint32_t left;	/* requests */
	uint32_t first; /* of those that wait for the sample's start */
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
	uint32_t *handed_from; /* by request, or WHAT_IF_NONE; as its slot */
	uint32_t *handed_to;   /* passes; with this many seconds between */
	double *handed_after;
	uint32_t *turns; /* by engine, for each of its copies in turn */
	double *ends;	 /* by sample */
	struct heap heap;
	uint32_t generating; /* samples */
	size_t begun;	     /* samples of order */
	uint32_t *line;	     /* samples that wait for the trainer's limit */
	size_t line_head, line_tail;
};

/* Begin a replay: everything as in what_if_replay_run. 0 or ERR_MEMORY. */
int replay_set_up(struct what_if_replay *replay,
		  const struct what_if_step *steps,
		  const struct what_if_change *change,
		  const struct what_if_noise *noise, struct err *err);

/* Plan an event. 0 or ERR_MEMORY. */
int replay_push(struct what_if_replay *replay, enum replay_event kind,
		uint32_t of, double at, struct err *err);

/* The request takes its place in its engine's queue. 0 or ERR_MEMORY. */
int replay_arrive(struct what_if_replay *replay, uint32_t request, double now,
		  struct err *err);

/* The engine's event has come. */
int replay_engine_event(struct what_if_replay *replay, uint32_t engine,
			double now, struct err *err);

/* A stall of an engine has come, by its number: engine's copy times count. */
int replay_stall(struct what_if_replay *replay, uint32_t engine, double until,
		 double now, struct err *err);

/* Room for as many requests in each engine as could run at once. */
void replay_engines_free(struct what_if_replay *replay);

#endif
