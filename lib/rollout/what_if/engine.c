/*
 * An engine of a replay. Its state is for one time; changing it first brings it
 * up to the present, and finally schedules its next event.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "rollout/what_if/replay_parts.h"

static const double thousand = 1000;

/* Like fmax and fmin, without NaN; these are called very often. */
static double later(double a, double b)
{
	return a > b ? a : b;
}

static double sooner(double a, double b)
{
	return a < b ? a : b;
}

void replay_engines_free(struct what_if_replay *replay)
{
	for (size_t i = 0; i < replay->engine_cap; i++)
		free(replay->engines[i].running);
	free(replay->engines);
}

/* Seconds of a step now, with the current caches. */
static double step_time(const struct replay_engine *e)
{
	double batch = (double)e->running_count;
	double cache = (e->cache + batch * e->steps_done) / thousand;
	double above = later(batch - e->top, 0);

	return e->step.a + e->step.b * (batch - above) + e->step.c * cache +
	       above * e->top_slope;
}

/* How much longer each step is than the one before. */
static double growth(const struct replay_engine *e)
{
	return e->step.c * (double)e->running_count / thousand;
}

/* The number of steps in a time, or the time of a number of steps. */
static double steps_in(const struct replay_engine *e, double time)
{
	double first = step_time(e), more = growth(e);

	if (!(first > 0))
		return 0;
	if (!(more > 0))
		return time / first;
	return 2 * time / (first + sqrt(first * first + 2 * more * time));
}

static double time_of(const struct replay_engine *e, double steps)
{
	return steps * (step_time(e) + growth(e) * steps / 2);
}

/* Bring the engine up to now. */
static void advance(struct replay_engine *e, double now)
{
	double time = now - later(e->at, sooner(e->still_until, now));

	e->at = later(e->at, now);
	if (!(time > 0))
		return;
	if (e->prefilling != WHAT_IF_NONE)
		e->prefill_rest -= time;
	else if (e->running_count > 0)
		e->steps_done += steps_in(e, time);
}

/* Schedule the next event. */
static int plan(struct what_if_replay *replay, uint32_t engine, double now,
		struct err *err)
{
	struct replay_engine *e = &replay->engines[engine];
	double at = later(now, e->still_until);

	e->version++;
	if (e->prefilling != WHAT_IF_NONE)
		at += later(e->prefill_rest, 0);
	else if (e->running_count > 0)
		at += time_of(e, later(e->running[0].goal - e->steps_done, 0));
	else
		return 0;
	return heap_push(&replay->heap,
			 (struct heap_event){.at = at,
					     .of = engine,
					     .version = e->version,
					     .kind = EVENT_ENGINE},
			 err);
}

/* The request has its last token. */
static int finish(struct what_if_replay *replay, uint32_t request, double now,
		  struct err *err)
{
	return heap_push(
		&replay->heap,
		(struct heap_event){.at = now + replay->requests[request].lag,
				    .of = request,
				    .kind = EVENT_OUT},
		err);
}

/* The prefilled request begins to decode. */
static int join(struct what_if_replay *replay, struct replay_engine *e,
		double now, struct err *err)
{
	uint32_t request = e->prefilling;
	double steps = replay->requests[request].steps;

	e->prefilling = WHAT_IF_NONE;
	if (!(steps > 0))
		return finish(replay, request, now, err);
	if (!ARRAY_GROW(e->running, e->running_count, e->running_cap))
		return err_memory(err);
	if (e->running_count == 0)
		e->steps_done = e->cache = 0;
	heap_add_goal(e->running, e->running_count,
		      (struct heap_goal){e->steps_done + steps, request});
	e->running_count++;
	e->cache += replay->model->requests[request].prompt + 1 - e->steps_done;
	return 0;
}

/* Requests that have made their last step leave. */
static int leave(struct what_if_replay *replay, struct replay_engine *e,
		 double now, struct err *err)
{
	e->steps_done = e->running[0].goal;
	while (e->running_count > 0 && e->running[0].goal <= e->steps_done) {
		uint32_t request = e->running[0].of;
		double joined =
			e->running[0].goal - replay->requests[request].steps;

		e->cache -=
			replay->model->requests[request].prompt + 1 - joined;
		heap_drop_goal(e->running, e->running_count--);
		if (finish(replay, request, now, err) < 0)
			return err->code;
	}
	return 0;
}

/* Waiting requests are prefilled one after the other while there are slots. */
static int admit(struct what_if_replay *replay, struct replay_engine *e,
		 double now, struct err *err)
{
	while (e->prefilling == WHAT_IF_NONE && e->head != WHAT_IF_NONE &&
	       (e->slots == 0 || e->running_count < e->slots)) {
		struct replay_request *r = &replay->requests[e->head];

		e->prefilling = e->head;
		e->prefill_rest = r->prefill;
		e->head = r->next;
		if (e->head == WHAT_IF_NONE)
			e->tail = WHAT_IF_NONE;
		if (r->prefill > 0 && r->steps >= 0)
			return 0;
		if (join(replay, e, now, err) < 0)
			return err->code;
	}
	return 0;
}

int replay_arrive(struct what_if_replay *replay, uint32_t request, double now,
		  struct err *err)
{
	uint32_t engine = replay->requests[request].engine;
	struct replay_engine *e = &replay->engines[engine];

	replay->requests[request].next = WHAT_IF_NONE;
	if (e->tail == WHAT_IF_NONE)
		e->head = request;
	else
		replay->requests[e->tail].next = request;
	e->tail = request;
	if (e->prefilling != WHAT_IF_NONE ||
	    (e->slots > 0 && e->running_count >= e->slots))
		return 0; /* nothing changes for running requests */
	advance(e, now);
	if (admit(replay, e, now, err) < 0)
		return err->code;
	return plan(replay, engine, now, err);
}

int replay_engine_event(struct what_if_replay *replay, uint32_t engine,
			double now, struct err *err)
{
	struct replay_engine *e = &replay->engines[engine];
	int code = 0;

	advance(e, now);
	if (e->prefilling != WHAT_IF_NONE)
		code = join(replay, e, now, err);
	else if (e->running_count > 0)
		code = leave(replay, e, now, err);
	if (code < 0 || admit(replay, e, now, err) < 0)
		return err->code;
	return plan(replay, engine, now, err);
}

int replay_stall(struct what_if_replay *replay, uint32_t engine, double until,
		 double now, struct err *err)
{
	struct replay_engine *e = &replay->engines[engine];

	advance(e, now);
	e->still_until = later(e->still_until, until);
	return plan(replay, engine, now, err);
}
