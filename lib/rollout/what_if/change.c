/*
 * Sets up a replay with a change applied.
 */
#include <math.h>

#include "base/array.h"
#include "rollout/what_if/replay_parts.h"

static double gap_of(const struct what_if_gap *gap,
		     const struct what_if_change *change)
{
	double reward = gap->reward, tool = gap->tool;

	if (change->caps_reward)
		reward = fmin(reward, change->reward);
	if (change->caps_tool)
		tool = fmin(tool, change->tool);
	return reward + tool + gap->other;
}

static double factor(double f)
{
	return f > 0 ? f : 1;
}

/* Its prefill time there. */
static double prefill_of(const struct what_if_replay *replay, uint32_t request,
			 uint32_t routed, const struct what_if_change *change,
			 const struct what_if_noise *noise)
{
	const struct what_if_request *r = &replay->model->requests[request];
	const struct what_if_engine *engines = replay->fit->engines;
	const struct what_if_engine *own = &engines[r->engine];
	const struct what_if_engine *there = &engines[routed];
	double prefill = replay->fit->work[request].prefill;

	if (change->equal && there->slow)
		there = &engines[replay->fit->reference];
	if (change->calm)
		prefill = fmin(prefill, (there->floor +
					 there->floor_a_token * r->fresh) *
						factor(change->floor_ratio));
	else if (there != own && own->mean_prefill > 0)
		prefill *= there->mean_prefill / own->mean_prefill;
	return prefill * factor(noise->prefills);
}

/* A request with a named engine, or without one. */
static void set_request(struct what_if_replay *replay, uint32_t i,
			const struct what_if_change *change,
			const struct what_if_noise *noise)
{
	const struct what_if_request *r = &replay->model->requests[i];
	struct replay_request *to = &replay->requests[i];
	uint32_t copies = change->engines > 0 ? change->engines : 1;
	uint32_t routed;

	to->gap = gap_of(&r->gap, change);
	if (replay->model->client_limit > 0 && r->after == WHAT_IF_NONE)
		to->gap = 0;
	to->lag = r->out - r->end;
	to->steps = r->steps;
	if (change->cut > 0)
		to->steps = fmin(r->steps, fmax(change->cut - 1, 0));
	to->ready = to->handed_at = (double)NAN;
	to->engine = WHAT_IF_NONE;
	to->prefill = r->first_token - r->start;
	if (replay->fit == NULL)
		return;
	routed = change->routing == NULL ? r->engine : change->routing[i];
	to->prefill = prefill_of(replay, i, routed, change, noise);
	to->engine = routed * copies + replay->turns[routed];
	replay->turns[routed] = (replay->turns[routed] + 1) % copies;
}

static void set_sample(struct what_if_replay *replay, size_t i,
		       const struct what_if_change *change)
{
	const struct what_if_sample *sample = &replay->model->samples[i];

	replay->samples[i].left = sample->count;
	replay->samples[i].tail = gap_of(&sample->tail, change);
	replay->ends[i] = sample->end;
}

static void scale(struct what_if_step *step, double by)
{
	step->a *= by;
	step->b *= by;
	step->c *= by;
	step->d *= by;
}

static uint32_t slots_of(const struct what_if_engine *engine,
			 const struct what_if_change *change)
{
	if (engine->slots == 0)
		return 0;
	if (change->slots > 0)
		return change->slots;
	return engine->slots *
	       (change->slots_ratio > 0 ? change->slots_ratio : 1);
}

static void set_engine(struct what_if_replay *replay, uint32_t number,
		       const struct what_if_step *steps,
		       const struct what_if_change *change,
		       const struct what_if_noise *noise)
{
	uint32_t copies = change->engines > 0 ? change->engines : 1;
	uint32_t of = number / copies;
	const struct what_if_engine *engine = &replay->fit->engines[of];
	struct replay_engine *e = &replay->engines[number];
	struct heap_goal *running = e->running;
	size_t cap = e->running_cap;
	uint32_t like = change->equal && engine->slow ? replay->fit->reference
						      : of;

	*e = (struct replay_engine){.running = running,
				    .running_cap = cap,
				    .head = WHAT_IF_NONE,
				    .tail = WHAT_IF_NONE,
				    .prefilling = WHAT_IF_NONE};
	e->step = steps == NULL ? replay->fit->engines[like].step : steps[like];
	if (noise->steps != NULL)
		scale(&e->step, noise->steps[of]);
	e->slots = slots_of(engine, change);
	e->top = fmax(replay->fit->engines[like].batch_most, 1);
	if (change->top == WHAT_IF_TOP_LINE)
		e->top_slope = e->step.b;
	else if (change->top == WHAT_IF_TOP_FULL)
		e->top_slope = what_if_step_time(&e->step, e->top, 0) / e->top;
}

/* Stalls stay with the engine they were seen on, unless it is repaired. */
static int set_stalls(struct what_if_replay *replay, uint32_t number,
		      const struct what_if_change *change, struct err *err)
{
	uint32_t copies = change->engines > 0 ? change->engines : 1;
	const struct what_if_engine *engine =
		&replay->fit->engines[number / copies];

	if (change->calm || (change->equal && engine->slow))
		return 0;
	for (size_t i = 0; i < engine->stall_count; i++)
		if (heap_push(&replay->heap,
			      (struct heap_event){.at = engine->stalls[i].at,
						  .of = number,
						  .version = (uint32_t)i,
						  .kind = EVENT_STALL},
			      err) < 0)
			return err->code;
	return 0;
}

static int set_engines(struct what_if_replay *replay,
		       const struct what_if_step *steps,
		       const struct what_if_change *change,
		       const struct what_if_noise *noise, struct err *err)
{
	size_t copies = change->engines > 0 ? change->engines : 1;

	replay->engine_count = replay->fit->engine_count * copies;
	if (!ARRAY_GROW_ZEROED(replay->engines, replay->engine_count,
			       replay->engine_cap))
		return err_memory(err);
	for (uint32_t i = 0; i < replay->engine_count; i++) {
		set_engine(replay, i, steps, change, noise);
		if (set_stalls(replay, i, change, err) < 0)
			return err->code;
	}
	return 0;
}

int replay_push(struct what_if_replay *replay, enum replay_event kind,
		uint32_t of, double at, struct err *err)
{
	return heap_push(
		&replay->heap,
		(struct heap_event){.at = at, .of = of, .kind = (uint8_t)kind},
		err);
}

int replay_set_up(struct what_if_replay *replay,
		  const struct what_if_step *steps,
		  const struct what_if_change *change,
		  const struct what_if_noise *noise, struct err *err)
{
	const struct what_if_model *model = replay->model;

	replay->heap.n = 0;
	replay->generating = 0;
	replay->begun = 0;
	replay->line_head = replay->line_tail = 0;
	for (size_t i = 0; i < model->engine_count; i++)
		replay->turns[i] = 0;
	for (uint32_t i = 0; i < model->request_count; i++)
		set_request(replay, i, change, noise);
	for (size_t i = 0; i < model->sample_count; i++)
		set_sample(replay, i, change);
	if (replay->fit != NULL &&
	    set_engines(replay, steps, change, noise, err) < 0)
		return err->code;
	return 0;
}
