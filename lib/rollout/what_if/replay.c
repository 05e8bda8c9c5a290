#include "rollout/what_if/replay.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "rollout/what_if/replay_parts.h"

/* A slot is handed on at most this long after it is taken, and by a request
 * that waits for longer than this many of its own steps. */
static const double handed_slack = 0.001;
static const double steps_under_way = 3;

void what_if_replay_free(struct what_if_replay *replay)
{
	if (replay == NULL)
		return;
	replay_engines_free(replay);
	free(replay->requests);
	free(replay->samples);
	free(replay->order);
	free(replay->handed_from);
	free(replay->handed_to);
	free(replay->handed_after);
	free(replay->turns);
	free(replay->ends);
	free(replay->line);
	free(replay->heap.v);
	free(replay);
}

const double *what_if_replay_ends(const struct what_if_replay *replay)
{
	return replay->ends;
}

/* What never changes ------------------------------------------------------ */

static double first_in(const struct what_if_model *model, uint32_t sample)
{
	const struct what_if_sample *s = &model->samples[sample];

	return s->count == 0 ? s->start : model->requests[s->first].in;
}

static int by_start(const void *x, const void *y, void *of)
{
	const struct what_if_model *model = of;
	uint32_t a = *(const uint32_t *)x;
	uint32_t b = *(const uint32_t *)y;
	double from = model->samples[a].start, to = model->samples[b].start;

	if (from != to)
		return from < to ? -1 : 1;
	from = first_in(model, a);
	to = first_in(model, b);
	if (from != to)
		return from < to ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_request_start(const void *x, const void *y, void *of)
{
	const struct what_if_request *requests = of;
	uint32_t a = *(const uint32_t *)x;
	uint32_t b = *(const uint32_t *)y;

	if (requests[a].start != requests[b].start)
		return requests[a].start < requests[b].start ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_request_end(const void *x, const void *y, void *of)
{
	const struct what_if_request *requests = of;
	uint32_t a = *(const uint32_t *)x;
	uint32_t b = *(const uint32_t *)y;

	if (requests[a].end != requests[b].end)
		return requests[a].end < requests[b].end ? -1 : 1;
	return (a > b) - (a < b);
}

/* Was the request queued for longer than the engine's current step? */
static bool was_queued(const struct what_if_request *r)
{
	double prefill = r->first_token - r->start;
	double step = r->steps > 0 ? (r->end - r->first_token) / r->steps : 0;

	return r->start - r->in - r->lead > prefill + steps_under_way * step;
}

/* If engines are not named: each request that queued gets the slot of the one
 * that ended last before it. Both lists are in order of time, so the unused
 * ends form a stack. */
static void hand_slots(struct what_if_replay *replay, const uint32_t *starts,
		       uint32_t *ends)
{
	const struct what_if_request *requests = replay->model->requests;
	uint32_t n = (uint32_t)replay->model->request_count;
	uint32_t free_count = 0, next = 0;

	/* ends[0 .. free_count): the unused ones; next <= n. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t request = starts[i], from;

		if (!was_queued(&requests[request]))
			continue;
		while (next < n &&
		       requests[ends[next]].end <=
			       requests[request].start + handed_slack)
			ends[free_count++] = ends[next++];
		if (free_count == 0)
			continue;
		from = ends[free_count - 1];
		if (requests[from].start >= requests[request].start)
			continue;
		free_count--;
		replay->handed_from[request] = from;
		replay->handed_to[from] = request;
		replay->handed_after[request] =
			requests[request].start - requests[from].end;
	}
}

static int find_handed(struct what_if_replay *replay, struct err *err)
{
	const struct what_if_model *model = replay->model;
	size_t n = model->request_count;
	uint32_t *starts = calloc(n + 1, sizeof(*starts));
	uint32_t *ends = calloc(n + 1, sizeof(*ends));

	if (starts == NULL || ends == NULL) {
		free(starts);
		free(ends);
		return err_memory(err);
	}
	for (uint32_t i = 0; i < n; i++)
		starts[i] = ends[i] = i;
	qsort_r(starts, n, sizeof(*starts), by_request_start, model->requests);
	qsort_r(ends, n, sizeof(*ends), by_request_end, model->requests);
	hand_slots(replay, starts, ends);
	free(starts);
	free(ends);
	return 0;
}

/* Who waits for whom. */
static void link_requests(struct what_if_replay *replay)
{
	const struct what_if_model *model = replay->model;

	for (size_t i = 0; i < model->sample_count; i++)
		replay->samples[i].first = WHAT_IF_NONE;
	for (size_t i = 0; i < model->request_count; i++)
		replay->requests[i].first_child = WHAT_IF_NONE;
	for (uint32_t i = (uint32_t)model->request_count; i-- > 0;) {
		const struct what_if_request *r = &model->requests[i];
		uint32_t *first =
			r->after == WHAT_IF_NONE
				? &replay->samples[r->sample].first
				: &replay->requests[r->after].first_child;

		replay->requests[i].sibling = *first;
		*first = i;
	}
}

static int prepare(struct what_if_replay *replay, struct err *err)
{
	const struct what_if_model *model = replay->model;

	link_requests(replay);
	for (uint32_t i = 0; i < model->sample_count; i++)
		replay->order[i] = i;
	qsort_r(replay->order, model->sample_count, sizeof(*replay->order),
		by_start, (void *)model);
	for (size_t i = 0; i < model->request_count; i++)
		replay->handed_from[i] = replay->handed_to[i] = WHAT_IF_NONE;
	return replay->fit == NULL ? find_handed(replay, err) : 0;
}

struct what_if_replay *what_if_replay_new(const struct what_if_model *model,
					  const struct what_if_fit *fit,
					  struct err *err)
{
	struct what_if_replay *r = calloc(1, sizeof(*r));
	size_t requests = model->request_count + 1;
	size_t samples = model->sample_count + 1;

	if (r == NULL)
		return err_no_memory(err);
	r->model = model;
	r->fit = fit;
	r->requests = calloc(requests, sizeof(*r->requests));
	r->samples = calloc(samples, sizeof(*r->samples));
	r->order = calloc(samples, sizeof(*r->order));
	r->line = calloc(samples, sizeof(*r->line));
	r->ends = calloc(samples, sizeof(*r->ends));
	r->handed_from = calloc(requests, sizeof(*r->handed_from));
	r->handed_to = calloc(requests, sizeof(*r->handed_to));
	r->handed_after = calloc(requests, sizeof(*r->handed_after));
	r->turns = calloc(model->engine_count + 1, sizeof(*r->turns));
	if (r->requests == NULL || r->samples == NULL || r->order == NULL ||
	    r->line == NULL || r->ends == NULL || r->handed_from == NULL ||
	    r->handed_to == NULL || r->handed_after == NULL || r->turns == NULL)
		err_memory(err);
	else if (prepare(r, err) == 0)
		return r;
	what_if_replay_free(r);
	return NULL;
}

/* Playing ------------------------------------------------------------------ */

/* Release requests that waited for this event. */
static int send(struct what_if_replay *replay, uint32_t request, double now,
		struct err *err)
{
	for (; request != WHAT_IF_NONE;
	     request = replay->requests[request].sibling) {
		const struct what_if_request *r =
			&replay->model->requests[request];
		double lead = r->lead;

		/* Without an engine its queueing time stays, unless it gets a
		 * slot. */
		if (replay->fit == NULL &&
		    replay->handed_from[request] == WHAT_IF_NONE)
			lead = r->start - r->in;
		if (replay_push(replay, EVENT_ARRIVE, request,
				now + replay->requests[request].gap + lead,
				err) < 0)
			return err->code;
	}
	return 0;
}

static int begin(struct what_if_replay *replay, uint32_t sample, double now,
		 struct err *err)
{
	uint32_t limit = replay->model->client_limit;
	struct replay_sample *s = &replay->samples[sample];

	if (s->left == 0) {
		replay->ends[sample] = now + s->tail;
		return 0;
	}
	if (limit > 0 && replay->generating >= limit) {
		replay->line[replay->line_tail++] = sample;
		return 0;
	}
	replay->generating++;
	return send(replay, s->first, now, err);
}

/* A request without a named engine starts once it has arrived and has its slot,
 * if it gets one from another. */
static int start(struct what_if_replay *replay, uint32_t request,
		 struct err *err)
{
	const struct what_if_request *r = &replay->model->requests[request];
	struct replay_request *now = &replay->requests[request];
	double at = now->ready;

	if (isnan(at) || (replay->handed_from[request] != WHAT_IF_NONE &&
			  isnan(now->handed_at)))
		return 0;
	if (!isnan(now->handed_at))
		at = fmax(at, now->handed_at);
	at += now->prefill;
	if (r->steps > 0)
		at += now->steps * (r->end - r->first_token) / r->steps;
	return replay_push(replay, EVENT_END, request, at, err);
}

static int arrive(struct what_if_replay *replay, uint32_t request, double now,
		  struct err *err)
{
	if (replay->fit != NULL)
		return replay_arrive(replay, request, now, err);
	replay->requests[request].ready = now;
	return start(replay, request, err);
}

static int end(struct what_if_replay *replay, uint32_t request, double now,
	       struct err *err)
{
	uint32_t to = replay->handed_to[request];

	if (to != WHAT_IF_NONE) {
		replay->requests[to].handed_at = now + replay->handed_after[to];
		if (start(replay, to, err) < 0)
			return err->code;
	}
	return replay_push(replay, EVENT_OUT, request,
			   now + replay->requests[request].lag, err);
}

static int out(struct what_if_replay *replay, uint32_t request, double now,
	       struct err *err)
{
	uint32_t sample = replay->model->requests[request].sample;
	struct replay_sample *s = &replay->samples[sample];

	if (send(replay, replay->requests[request].first_child, now, err) < 0)
		return err->code;
	if (--s->left > 0)
		return 0;
	replay->ends[sample] = now + s->tail;
	replay->generating--;
	if (replay->line_head == replay->line_tail)
		return 0;
	return begin(replay, replay->line[replay->line_head++], now, err);
}

static int handle(struct what_if_replay *replay, const struct heap_event *event,
		  struct err *err)
{
	uint32_t copies;

	switch ((enum replay_event)event->kind) {
	case EVENT_ARRIVE:
		return arrive(replay, event->of, event->at, err);
	case EVENT_ENGINE:
		if (event->version != replay->engines[event->of].version)
			return 0;
		return replay_engine_event(replay, event->of, event->at, err);
	case EVENT_STALL:
		copies = (uint32_t)(replay->engine_count /
				    replay->fit->engine_count);
		return replay_stall(
			replay, event->of,
			event->at + replay->fit->engines[event->of / copies]
					    .stalls[event->version]
					    .length,
			event->at, err);
	case EVENT_END:
		return end(replay, event->of, event->at, err);
	case EVENT_OUT:
		return out(replay, event->of, event->at, err);
	}
	return 0;
}

/* When the last group was done. */
static double last_end(const struct what_if_replay *replay)
{
	const struct what_if_model *model = replay->model;
	double wall = 0;

	for (size_t i = 0; i < model->sample_count; i++) {
		const struct what_if_group *group =
			&model->groups[model->samples[i].group];

		wall = fmax(wall,
			    replay->ends[i] + group->end - group->worked_until);
	}
	return wall;
}

/* Begin the next sample, unless an event comes before it. 1: it has begun, 0,
 * or ERR_MEMORY. */
static int begin_next(struct what_if_replay *replay, struct err *err)
{
	const struct what_if_model *model = replay->model;
	uint32_t sample;
	double at;

	if (replay->begun == model->sample_count)
		return 0;
	sample = replay->order[replay->begun];
	at = model->samples[sample].start;
	if (replay->heap.n > 0 && replay->heap.v[0].at < at)
		return 0;
	replay->begun++;
	return begin(replay, sample, at, err) < 0 ? err->code : 1;
}

int what_if_replay_run(struct what_if_replay *replay,
		       const struct what_if_step *steps,
		       const struct what_if_change *change,
		       const struct what_if_noise *noise, double *wall,
		       struct err *err)
{
	static const struct what_if_noise none = {0};
	struct heap_event event;
	int began;

	if (replay_set_up(replay, steps, change, noise == NULL ? &none : noise,
			  err) < 0)
		return err->code;
	do {
		began = begin_next(replay, err);
		if (began < 0 ||
		    (began == 0 && heap_pop(&replay->heap, &event) &&
		     handle(replay, &event, err) < 0))
			return err->code;
	} while (began > 0 || replay->heap.n > 0 ||
		 replay->begun < replay->model->sample_count);
	*wall = last_end(replay);
	return 0;
}
