#include "rollout/what_if/gone.h"

#include <math.h>

/* The batch at which engines are compared, as in the bill. */
static const double compared_batch = 8;

struct going {
	const struct what_if *what_if;
	const struct what_if_change *change;
	void (*take)(void *taker, size_t place, double from, double to);
	void *taker;
};

static void add(const struct going *g, uint32_t sample, double from, double to)
{
	if (from < to)
		g->take(g->taker, g->what_if->model.samples[sample].place, from,
			to);
}

/* The part of a gap beyond its limit, just before `end`. */
static void add_gap(const struct going *g, uint32_t sample,
		    const struct what_if_gap *gap, double end)
{
	double over = 0;

	if (g->change->caps_reward)
		over += fmax(gap->reward - g->change->reward, 0);
	if (g->change->caps_tool)
		over += fmax(gap->tool - g->change->tool, 0);
	add(g, sample, end - over, end);
}

static void add_slow(const struct going *g, const struct what_if_request *r)
{
	const struct what_if_fit *fit = &g->what_if->fit;
	const struct what_if_engine *e = &fit->engines[r->engine];
	double share;

	if (!e->slow)
		return;
	share = 1 - what_if_step_time(&fit->engines[fit->reference].step,
				      compared_batch, 0) /
			    what_if_step_time(&e->step, compared_batch, 0);
	add(g, r->sample, r->end - share * (r->end - r->first_token), r->end);
}

static void add_stalls(const struct going *g, const struct what_if_request *r)
{
	const struct what_if_engine *e = &g->what_if->fit.engines[r->engine];

	for (size_t i = 0; i < e->stall_count; i++) {
		const struct what_if_stall *stall = &e->stalls[i];

		add(g, r->sample, fmax(stall->at, r->start),
		    fmin(stall->at + stall->length, r->end));
	}
}

static void add_request(const struct going *g, const struct what_if_request *r)
{
	const struct what_if_change *change = g->change;

	add_gap(g, r->sample, &r->gap, r->in);
	if (change->cut > 0 && r->tokens > change->cut && r->steps > 0)
		add(g, r->sample,
		    r->end - (r->tokens - change->cut) / r->steps *
				     (r->end - r->first_token),
		    r->end);
	if (change->equal)
		add_slow(g, r);
	if (change->calm)
		add_stalls(g, r);
	if (change->engines > 0 || change->slots > 0 || change->slots_ratio > 0)
		add(g, r->sample, r->in, r->start);
}

void what_if_each_gone(const struct what_if *w,
		       const struct what_if_remedy *remedy,
		       void (*take)(void *taker, size_t place, double from,
				    double to),
		       void *taker)
{
	const struct what_if_model *model = &w->model;
	const struct going g = {w, &remedy->change, take, taker};

	for (size_t i = 0; !remedy->recorded && i < model->request_count; i++)
		add_request(&g, &model->requests[i]);
	for (uint32_t i = 0; i < model->sample_count; i++) {
		const struct what_if_sample *sample = &model->samples[i];

		if (remedy->recorded)
			add(&g, i, fmax(remedy->wall, sample->start),
			    sample->end);
		else
			add_gap(&g, i, &sample->tail, sample->end);
	}
}
