#include "rollout/what_if/bill.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

/* The batch at which engines are compared. */
static const double compared_batch = 8;

/* An answer is long above this quantile of all answers. */
enum { LONG_PERCENT = 95 };

static const struct {
	const char *key, *word;
} causes[CAUSES] = {
	[CAUSE_BEFORE_START] = {"before_start", "before it started"},
	[CAUSE_CLIENT_LIMIT] = {"client_limit", "client queue"},
	[CAUSE_QUEUE] = {"queue", "queue"},
	[CAUSE_IMBALANCE] = {"imbalance",
			     "queue while another engine had no queue"},
	[CAUSE_PREFILL] = {"prefill", "prefill"},
	[CAUSE_OTHERS_PREFILL] = {"others_prefill", "prefills of others"},
	[CAUSE_STALLED] = {"stalled", "stalled"},
	[CAUSE_SLOW_ENGINE] = {"slow_engine", "slow decode steps (batch 8)"},
	[CAUSE_LONG_ANSWER] = {"long_answer", "tokens above p95"},
	[CAUSE_DECODE] = {"decode", "decode"},
	[CAUSE_NETWORK] = {"network", "network"},
	[CAUSE_TOOL] = {"tool", "tools"},
	[CAUSE_REWARD] = {"reward", "reward"},
	[CAUSE_OTHER] = {"other", "other"},
	[CAUSE_GROUP] = {"group", "group"},
};

const char *what_if_cause_key(enum what_if_cause cause)
{
	return causes[cause].key;
}

const char *what_if_cause_word(enum what_if_cause cause)
{
	return causes[cause].word;
}

int what_if_tokens_at(const struct what_if_model *model, size_t percent,
		      double *tokens, struct err *err)
{
	struct stats all = {0};
	bool good = true;

	*tokens = 0;
	for (size_t i = 0; good && i < model->request_count; i++)
		good = stats_add(&all, model->requests[i].tokens);
	if (good && all.n > 0) {
		size_t below = all.n * percent / 100;

		stats_sort(&all);
		*tokens = all.v[below > 0 ? below - 1 : 0];
	}
	stats_free(&all);
	return good ? 0 : err_memory(err);
}

/* The sample that ended its group, and so the rollout. */
static uint32_t last_sample(const struct what_if_model *model)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < model->sample_count; i++) {
		const struct what_if_sample *a = &model->samples[i];
		const struct what_if_sample *b = &model->samples[last];
		double end = model->groups[a->group].end;
		double most = model->groups[b->group].end;

		if (end > most || (end == most && a->end > b->end))
			last = i;
	}
	return last;
}

static uint32_t last_request(const struct what_if_model *model,
			     const struct what_if_sample *sample)
{
	uint32_t last = WHAT_IF_NONE;

	for (uint32_t i = sample->first; i < sample->first + sample->count; i++)
		if (last == WHAT_IF_NONE ||
		    model->requests[i].out > model->requests[last].out)
			last = i;
	return last;
}

/* When some other engine had an empty queue for good. */
static double idle_from(const struct what_if_model *model,
			const struct what_if_fit *fit, uint32_t engine,
			uint32_t *which)
{
	double first = INFINITY;

	for (uint32_t i = 0; i < fit->engine_count; i++) {
		const struct what_if_engine *e = &fit->engines[i];
		double last = -INFINITY;

		for (size_t k = 0; i != engine && k < e->request_count; k++)
			last = fmax(last,
				    model->requests[e->requests[k]].start);
		if (i != engine && last < first) {
			first = last;
			*which = i;
		}
	}
	return first;
}

/* Seconds of stalls between two times. */
static double stalled_between(const struct what_if_engine *engine, double from,
			      double to)
{
	double sum = 0;

	for (size_t i = 0; i < engine->stall_count; i++) {
		const struct what_if_stall *stall = &engine->stalls[i];

		sum += fmax(fmin(to, stall->at + stall->length) -
				    fmax(from, stall->at),
			    0);
	}
	return sum;
}

/* Where its decode time went: stalls, prefills of others, a slow engine; the
 * rest. */
static double bill_engine(struct what_if_bill *bill,
			  const struct what_if_model *model,
			  const struct what_if_fit *fit, uint32_t request)
{
	const struct what_if_request *r = &model->requests[request];
	const struct what_if_engine *e = &fit->engines[r->engine];
	const struct what_if_work *work = &fit->work[request];
	double rest = r->end - r->first_token;
	double stalled = fmin(stalled_between(e, r->first_token, r->end), rest);
	double others = rest - stalled - work->free;

	if (fit->mixed)
		others = e->step.d * work->others * r->steps;
	others = fmax(fmin(others, rest - stalled), 0);
	rest -= stalled + others;
	bill->seconds[CAUSE_STALLED] += stalled;
	bill->seconds[CAUSE_OTHERS_PREFILL] += others;
	if (e->slow) {
		const struct what_if_step *quick =
			&fit->engines[fit->reference].step;
		double share = 1 - what_if_step_time(quick, compared_batch, 0) /
					   what_if_step_time(&e->step,
							     compared_batch, 0);

		share = fmax(share, 0);
		bill->seconds[CAUSE_SLOW_ENGINE] += share * rest;
		rest -= share * rest;
	}
	return rest;
}

static void bill_queue(struct what_if_bill *bill,
		       const struct what_if_model *model,
		       const struct what_if_fit *fit,
		       const struct what_if_request *r)
{
	double queue = r->start - r->in - r->lead;
	double idle = 0;

	if (fit != NULL && queue > 0) {
		uint32_t which = WHAT_IF_NONE;
		double from = idle_from(model, fit, r->engine, &which);

		idle = fmax(r->start - fmax(from, r->in), 0);
		if (idle > 0 && bill->idle_engine == WHAT_IF_NONE)
			bill->idle_engine = which;
		bill->queue_stalled += stalled_between(&fit->engines[r->engine],
						       r->in, r->start - idle);
	}
	bill->seconds[CAUSE_QUEUE] += queue - idle;
	bill->seconds[CAUSE_IMBALANCE] += idle;
}

static void bill_request(struct what_if_bill *bill,
			 const struct what_if_model *model,
			 const struct what_if_fit *fit, uint32_t request,
			 double usual_tokens)
{
	const struct what_if_request *r = &model->requests[request];
	double rest = r->end - r->first_token, extra = 0;

	bill_queue(bill, model, fit, r);
	bill->seconds[CAUSE_PREFILL] += r->prefill + r->first_token - r->start;
	bill->seconds[CAUSE_NETWORK] += r->out - r->end;
	if (fit != NULL)
		rest = bill_engine(bill, model, fit, request);
	if (r->tokens > usual_tokens)
		extra = rest * (1 - usual_tokens / r->tokens);
	bill->seconds[CAUSE_LONG_ANSWER] += extra;
	bill->seconds[CAUSE_DECODE] += rest - extra;
}

static void bill_gap(struct what_if_bill *bill, const struct what_if_gap *gap,
		     enum what_if_cause other)
{
	bill->seconds[CAUSE_REWARD] += gap->reward;
	bill->seconds[CAUSE_TOOL] += gap->tool;
	bill->seconds[other] += gap->other;
}

/* Unix time as a double is coarse: less than this is nothing. */
static double without_rounding(double seconds)
{
	return fabs(seconds) < 1e-6 ? 0 : seconds;
}

int what_if_bill_make(struct what_if_bill *bill,
		      const struct what_if_model *model,
		      const struct what_if_fit *fit, struct err *err)
{
	uint32_t number = last_sample(model);
	const struct what_if_sample *sample = &model->samples[number];
	const struct what_if_group *group = &model->groups[sample->group];
	uint32_t request = last_request(model, sample);
	double usual, sum = 0;

	*bill = (struct what_if_bill){.place = sample->place,
				      .idle_engine = WHAT_IF_NONE};
	if (what_if_tokens_at(model, LONG_PERCENT, &usual, err) < 0)
		return err->code;
	bill->seconds[CAUSE_GROUP] = group->end - sample->end;
	bill_gap(bill, &sample->tail, CAUSE_OTHER);
	for (size_t i = 0; request != WHAT_IF_NONE && i < model->request_count;
	     i++) {
		const struct what_if_request *r = &model->requests[request];
		bool waits = r->after == WHAT_IF_NONE &&
			     model->client_limit > 0;

		bill_request(bill, model, fit, request, usual);
		bill_gap(bill, &r->gap,
			 waits ? CAUSE_CLIENT_LIMIT : CAUSE_OTHER);
		sample = &model->samples[r->sample];
		request = r->after;
	}
	bill->seconds[CAUSE_BEFORE_START] = sample->start;
	bill->seconds[CAUSE_OTHER] = 0;
	for (size_t i = 0; i < CAUSES; i++) {
		bill->seconds[i] = without_rounding(bill->seconds[i]);
		sum += bill->seconds[i];
	}
	bill->seconds[CAUSE_OTHER] = without_rounding(model->wall - sum);
	return 0;
}

/* Bounds ------------------------------------------------------------------ */

/* Seconds per token at best. */
static double best_token_time(const struct what_if_model *model,
			      const struct what_if_fit *fit)
{
	double best = INFINITY;

	for (size_t i = 0; fit != NULL && i < fit->engine_count; i++)
		best = fmin(best,
			    what_if_step_time(&fit->engines[i].step, 1, 0));
	for (size_t i = 0; fit == NULL && i < model->request_count; i++) {
		const struct what_if_request *r = &model->requests[i];

		if (r->steps > 0)
			best = fmin(best, (r->end - r->first_token) / r->steps);
	}
	return isfinite(best) ? best : 0;
}

static double longest_alone(const struct what_if_model *model, double a_token)
{
	double longest = 0;

	for (size_t i = 0; i < model->sample_count; i++) {
		const struct what_if_sample *s = &model->samples[i];
		double sum = what_if_gap_sum(&s->tail);

		for (uint32_t k = s->first; k < s->first + s->count; k++) {
			const struct what_if_request *r = &model->requests[k];

			sum += r->tokens * a_token;
			if (r->after != WHAT_IF_NONE ||
			    model->client_limit == 0)
				sum += what_if_gap_sum(&r->gap);
		}
		longest = fmax(longest, sum);
	}
	return longest;
}

struct what_if_bounds what_if_bounds(const struct what_if_model *model,
				     const struct what_if_fit *fit)
{
	struct what_if_bounds bounds = {.work = (double)NAN};
	double rate = 0, tokens = 0;

	bounds.longest = longest_alone(model, best_token_time(model, fit));
	if (fit == NULL)
		return bounds;
	for (size_t i = 0; i < fit->engine_count; i++) {
		const struct what_if_engine *e = &fit->engines[i];
		double batch = e->slots > 0 ? e->slots : e->batch_most;
		double time = what_if_step_time(&e->step, batch, 0);

		tokens += e->tokens;
		if (time > 0)
			rate += batch / time;
	}
	if (rate > 0)
		bounds.work = tokens / rate;
	return bounds;
}
