#include "rollout/what_if/cuts.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

static const double thousand = 1000;

enum cut_kind { CUT_START, CUT_FIRST_TOKEN, CUT_END, CUT_STALL, CUT_STALL_END };

struct cut_mark {
	double at;
	uint32_t of;  /* index in the engine's requests, or among its stalls */
	uint8_t kind; /* enum cut_kind */
};

/* The current state. */
struct under_way {
	int64_t decoding, prefilling, stalls;
	double tokens, slope; /* in caches at time 0, and per second */
	double fresh;	      /* thousands of tokens per second */
};

void cuts_free(struct cuts *cuts)
{
	free(cuts->v);
	free(cuts->spans);
	free(cuts->marks);
	*cuts = (struct cuts){0};
}

static int by_time(const void *x, const void *y)
{
	const struct cut_mark *a = x;
	const struct cut_mark *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static size_t list_marks(struct cuts *cuts, const struct what_if_model *model,
			 const struct what_if_engine *engine)
{
	struct cut_mark *mark = cuts->marks;

	for (uint32_t i = 0; i < engine->request_count; i++) {
		const struct what_if_request *r =
			&model->requests[engine->requests[i]];

		*mark++ = (struct cut_mark){r->start, i, CUT_START};
		*mark++ = (struct cut_mark){r->first_token, i, CUT_FIRST_TOKEN};
		*mark++ = (struct cut_mark){r->end, i, CUT_END};
	}
	for (uint32_t i = 0; i < engine->stall_count; i++) {
		const struct what_if_stall *stall = &engine->stalls[i];

		*mark++ = (struct cut_mark){stall->at, i, CUT_STALL};
		*mark++ = (struct cut_mark){stall->at + stall->length, i,
					    CUT_STALL_END};
	}
	qsort(cuts->marks, (size_t)(mark - cuts->marks), sizeof(*mark),
	      by_time);
	return (size_t)(mark - cuts->marks);
}

/* A request begins (1) or ends (-1) decoding: its cache grows linearly. */
static void take_decode(struct under_way *now, const struct what_if_request *r,
			int sign)
{
	double time = r->end - r->first_token;
	double slope = time > 0 ? r->steps / time : 0;

	if (!(time > 0))
		return;
	now->decoding += sign;
	now->slope += sign * slope;
	now->tokens += sign * (r->prompt + 1 - slope * r->first_token);
	if (now->decoding == 0)
		now->slope = now->tokens = 0;
}

/* A request begins or ends prefill. One without a duration adds its tokens at
 * once. */
static void take_prefill(struct under_way *now, const struct what_if_request *r,
			 int sign, double *fresh)
{
	double time = r->first_token - r->start;

	if (!(time > 0)) {
		*fresh += sign > 0 ? r->fresh / thousand : 0;
		return;
	}
	now->prefilling += sign;
	now->fresh += sign * r->fresh / thousand / time;
	if (now->prefilling == 0)
		now->fresh = 0;
}

static void take_request(struct cuts *cuts, const struct cut_mark *mark,
			 const struct what_if_request *r, uint32_t cut,
			 struct under_way *now, double *fresh)
{
	switch (mark->kind) {
	case CUT_START:
		cuts->spans[mark->of].start = cut;
		take_prefill(now, r, 1, fresh);
		break;
	case CUT_FIRST_TOKEN:
		cuts->spans[mark->of].first_token = cut;
		take_prefill(now, r, -1, fresh);
		take_decode(now, r, 1);
		break;
	case CUT_END:
		cuts->spans[mark->of].end = cut;
		take_decode(now, r, -1);
		break;
	}
}

/* Describe the interval between the cut and the next one, at `next`. */
static void describe(struct cut *cut, const struct under_way *now, double next,
		     bool mixed)
{
	double middle = (cut->at + next) / 2;

	cut->length = next - cut->at;
	cut->batch = (double)now->decoding;
	cut->cache = fmax(now->tokens + now->slope * middle, 0) / thousand;
	cut->blocked = now->stalls > 0 || (!mixed && now->prefilling > 0);
}

static void add_sums(struct cut *next, const struct cut *cut,
		     const struct under_way *now)
{
	next->free = cut->free + (cut->blocked ? 0 : cut->length);
	next->prefills =
		cut->prefills + (now->prefilling > 0
					 ? cut->length / (double)now->prefilling
					 : 0);
	next->fresh = cut->fresh + now->fresh * cut->length;
}

static int make_room(struct cuts *cuts, const struct what_if_engine *engine,
		     struct err *err)
{
	size_t marks = 3 * engine->request_count + 2 * engine->stall_count;

	if (!ARRAY_GROW(cuts->marks, marks, cuts->mark_cap) ||
	    !ARRAY_GROW(cuts->v, marks, cuts->cap))
		return err_memory(err);
	if (cuts->spans == NULL)
		cuts->spans =
			calloc(engine->request_count + 1, sizeof(*cuts->spans));
	return cuts->spans == NULL ? err_memory(err) : 0;
}

int cuts_make(struct cuts *cuts, const struct what_if_model *model,
	      const struct what_if_engine *engine, bool mixed, struct err *err)
{
	struct under_way now = {0};
	size_t marks;

	if (make_room(cuts, engine, err) < 0)
		return err->code;
	marks = list_marks(cuts, model, engine);
	cuts->n = 0;
	for (size_t i = 0; i < marks;) {
		struct cut cut = {.at = cuts->marks[i].at};
		uint32_t number = (uint32_t)cuts->n;

		if (number > 0) {
			struct cut *last = &cuts->v[number - 1];

			describe(last, &now, cut.at, mixed);
			add_sums(&cut, last, &now);
		}
		for (; i < marks && cuts->marks[i].at == cut.at; i++) {
			const struct cut_mark *mark = &cuts->marks[i];

			if (mark->kind == CUT_STALL)
				now.stalls++;
			else if (mark->kind == CUT_STALL_END)
				now.stalls--;
			else
				take_request(
					cuts, mark,
					&model->requests
						 [engine->requests[mark->of]],
					number, &now, &cut.fresh);
		}
		cuts->v[cuts->n++] = cut;
	}
	return 0;
}

void cuts_sum_steps(struct cuts *cuts, const struct what_if_step *step)
{
	for (size_t i = 0; i + 1 < cuts->n; i++) {
		const struct cut *cut = &cuts->v[i];
		struct cut *next = &cuts->v[i + 1];
		double steps = 0;

		if (!cut->blocked && cut->batch > 0)
			steps = cut->length /
				what_if_step_time(step, cut->batch, cut->cache);
		next->steps = cut->steps + steps;
		next->batches = cut->batches + steps * cut->batch;
		next->caches = cut->caches + steps * cut->cache;
	}
}
