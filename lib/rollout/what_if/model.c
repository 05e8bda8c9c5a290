#include "rollout/what_if/model.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/num.h"
#include "base/search.h"
#include "rollout/waits.h"
#include "rollout/what_if/cover.h"
#include "rollout/what_if/engine_names.h"
#include "rollout/what_if/extent.h"
#include "rollout/what_if/limit.h"

static const double second = 1e6; /* us */

/* A request waits for one that ended at most this long after it started. */
static const int64_t slack = 100; /* us */

/* The engine's time for a request may exceed its span by this factor. */
static const double latency_ratio = 1.02;
static const double latency_extra = 0.005;

/* Search this many earlier samples for copies. */
enum { COPIES_MAX = 64, WALK_MAX = 1000 };

/* A request of the current row. */
struct turn {
	int64_t in, out;
	uint32_t index; /* index in the model's requests */
	bool copied;	/* belongs to another row, which has it as well */
	const struct answer_attrs *answer;
};

struct builder {
	struct rows_visitor base; /* first: add_row casts back */
	struct what_if_model *model;
	const struct row_store *store;
	const struct span_names *names;
	const struct answers *answers;
	size_t *first;	     /* by position: of its requests in answers */
	uint32_t *rows;	     /* by text of a group: number of rows in it */
	uint32_t *engines;   /* by worker: its engine */
	uint32_t last_group; /* the previous row's */
	int64_t zero;
	struct cover cover;
	struct turn *turns; /* by start */
	struct turn **by_out;
	size_t turn_count, turn_cap, by_out_cap, group_cap;
};

void what_if_model_free(struct what_if_model *model)
{
	free(model->requests);
	free(model->samples);
	free(model->groups);
	free(model->engines);
	*model = (struct what_if_model){0};
}

/* Requests ------------------------------------------------------------- */

static double or_zero(double v)
{
	return v > 0 ? v : 0;
}

/* Its decode time, out of `rest` seconds after its queue. */
static double decode_time(const struct answer_attrs *answer, double rest)
{
	double steps = answer->completion - 1;

	if (!isnan(answer->pd_forward))
		return fmin(or_zero(answer->pd_forward), rest);
	if (isnan(answer->completion))
		return rest; /* as its activity is decode */
	if (!(steps > 0))
		return 0;
	if (answer->throughput > 0)
		return fmin(steps / answer->throughput, rest);
	return rest;
}

static struct what_if_request make_request(const struct builder *b,
					   const struct turn *turn)
{
	const struct answer_attrs *answer = turn->answer;
	double span = (double)(turn->out - turn->in) / second;
	double life = answer->latency, queue = answer->queue, decode;
	struct what_if_request r = {.engine = WHAT_IF_NONE};

	if (!(life > 0 && life <= latency_ratio * span + latency_extra))
		life = span;
	r.queue_known = queue >= 0 && queue <= life;
	if (!r.queue_known)
		queue = 0;
	decode = decode_time(answer, life - queue);
	if (!isnan(answer->pd_forward))
		queue = r.lead = life - decode;
	/* Without the segments of prefill, all of the lead may be prefill. */
	r.prefill = answer->pd_prefill > 0 ? fmin(answer->pd_prefill, r.lead)
					   : r.lead;
	r.in = (double)(turn->in - b->zero) / second;
	r.out = (double)(turn->out - b->zero) / second;
	r.start = r.in + queue;
	r.end = r.in + life;
	r.first_token = fmax(r.end - decode, r.start);
	r.prompt = or_zero(answer->prompt);
	r.fresh = or_zero(r.prompt - or_zero(answer->cached));
	r.tokens = or_zero(answer->completion);
	r.steps = or_zero(r.tokens - 1);
	if (answer->worker != WORKER_UNKNOWN)
		r.engine = b->engines[answer->worker];
	return r;
}

static int by_in(const void *x, const void *y)
{
	const struct turn *a = x;
	const struct turn *b = y;

	if (a->in != b->in)
		return a->in < b->in ? -1 : 1;
	if (a->out != b->out)
		return a->out < b->out ? -1 : 1;
	return (a->answer > b->answer) - (a->answer < b->answer);
}

static int by_out(const void *x, const void *y)
{
	const struct turn *a = *(struct turn *const *)x;
	const struct turn *b = *(struct turn *const *)y;

	if (a->out != b->out)
		return a->out < b->out ? -1 : 1;
	return (a > b) - (a < b);
}

static int list_turns(struct builder *b, size_t place,
		      const struct timed_row *timed, struct err *err)
{
	b->turn_count = 0;
	for (size_t i = b->first[place]; i < b->first[place + 1]; i++) {
		const struct answer_attrs *answer = &b->answers->v[i];
		const struct timed_span *span = &timed->spans[answer->span];

		if (span->start < b->zero)
			continue;
		if (!ARRAY_GROW(b->turns, b->turn_count, b->turn_cap) ||
		    !ARRAY_GROW(b->by_out, b->turn_count, b->by_out_cap))
			return err_memory(err);
		b->turns[b->turn_count++] = (struct turn){
			.in = span->start,
			.out = span->end > span->start ? span->end
						       : span->start,
			.answer = answer};
	}
	if (b->turn_count > 1)
		qsort(b->turns, b->turn_count, sizeof(*b->turns), by_in);
	for (size_t i = 0; i < b->turn_count; i++)
		b->by_out[i] = &b->turns[i];
	if (b->turn_count > 1)
		qsort(b->by_out, b->turn_count, sizeof(*b->by_out), by_out);
	return 0;
}

/* The request that ended last before this one started; NULL if none. */
static const struct turn *turn_before(const struct builder *b,
				      const struct turn *turn)
{
	size_t end;

	SEARCH_FIRST(end, 0, b->turn_count,
		     b->by_out[end]->out > turn->in + slack);
	for (size_t i = end; i > 0 && end - i < WALK_MAX; i--)
		if (b->by_out[i - 1] < turn)
			return b->by_out[i - 1];
	return NULL;
}

/* The same request in an earlier copy of the sample, or WHAT_IF_NONE. */
static uint32_t find_copy(const struct builder *b, size_t place,
			  const struct what_if_request *request)
{
	const struct what_if_model *model = b->model;
	const struct stored_row *rows = b->store->rows;
	size_t n = model->sample_count;

	for (size_t i = 0; i < n && i < COPIES_MAX; i++) {
		const struct what_if_sample *sample =
			&model->samples[n - 1 - i];

		if (rows[sample->place].group != rows[place].group)
			break;
		if (rows[sample->place].sample != rows[place].sample)
			continue;
		for (uint32_t k = 0; k < sample->count; k++) {
			const struct what_if_request *other =
				&model->requests[sample->first + k];

			if (other->in == request->in &&
			    other->out == request->out &&
			    other->engine == request->engine)
				return sample->first + k;
		}
	}
	return WHAT_IF_NONE;
}

static int add_request(struct builder *b, struct turn *turn, size_t place,
		       struct err *err)
{
	struct what_if_model *model = b->model;
	struct what_if_request request = make_request(b, turn);
	const struct stored_row *row = &b->store->rows[place];

	turn->index = WHAT_IF_NONE;
	if (row->indexed && stored_row_repeats(b->store, row))
		turn->index = find_copy(b, place, &request);
	turn->copied = turn->index != WHAT_IF_NONE;
	if (turn->copied)
		return 0;
	if (!ARRAY_GROW(model->requests, model->request_count,
			model->request_cap))
		return err_memory(err);
	turn->index = (uint32_t)model->request_count;
	request.sample = (uint32_t)model->sample_count;
	model->all_named &= request.engine != WHAT_IF_NONE;
	model->pd |= !isnan(turn->answer->pd_forward);
	if (isnan(turn->answer->completion))
		model->without_tokens++;
	model->requests[model->request_count++] = request;
	return 0;
}

/* Samples -------------------------------------------------------------- */

/* A span shared by the group is never a sample's own time; requests are. */
static bool is_own(const struct builder *b, size_t place,
		   const struct timed_row *timed, size_t i, bool is_request)
{
	const struct timed_span *span = &timed->spans[i];
	uint32_t group = b->store->rows[place].group;

	if (span->open || is_request)
		return is_request;
	if (span->is_group && group != ROW_NO_GROUP && b->rows[group] == 1)
		return false;
	return !span->is_shared;
}

/* The extent of its own spans; their activities go to cover. */
static int take_spans(struct builder *b, size_t place,
		      const struct timed_row *timed, int64_t *start,
		      int64_t *end, struct err *err)
{
	size_t next = b->first[place];

	cover_begin(&b->cover);
	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];
		bool is_request = next < b->first[place + 1] &&
				  b->answers->v[next].span == i;

		next += is_request;
		if (span->start < b->zero ||
		    !is_own(b, place, timed, i, is_request))
			continue;
		if (span->start < *start)
			*start = span->start;
		if (span->end > *end)
			*end = span->end;
		if (cover_add(&b->cover, span, b->names->activities[span->name],
			      err) < 0)
			return err->code;
	}
	return cover_end(&b->cover, err);
}

/* The group of the row, a new one if it differs from the previous row's. */
static int enter_group(struct builder *b, size_t place, struct err *err)
{
	uint32_t group = b->store->rows[place].group;
	struct what_if_model *model = b->model;

	if (model->group_count > 0 && group != ROW_NO_GROUP &&
	    group == b->last_group)
		return 0;
	b->last_group = group;
	if (!ARRAY_GROW(model->groups, model->group_count, b->group_cap))
		return err_memory(err);
	model->groups[model->group_count++] =
		(struct what_if_group){-INFINITY, -INFINITY};
	return 0;
}

static void take_extent(struct builder *b, const struct timed_row *timed,
			int64_t own_end)
{
	struct what_if_group *group =
		&b->model->groups[b->model->group_count - 1];

	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];

		if (span->start >= b->zero && !span->open)
			group->end =
				fmax(group->end,
				     (double)(span->end - b->zero) / second);
	}
	group->worked_until =
		fmax(group->worked_until, (double)(own_end - b->zero) / second);
}

/* Its requests in order, and the gaps between them. */
static int take_turns(struct builder *b, size_t place,
		      struct what_if_sample *sample, int64_t start, int64_t end,
		      struct err *err)
{
	struct what_if_model *model = b->model;
	int64_t last = start;

	sample->first = (uint32_t)model->request_count;
	for (size_t i = 0; i < b->turn_count; i++) {
		struct turn *turn = &b->turns[i];
		const struct turn *before = turn_before(b, turn);
		struct what_if_request *request;

		if (add_request(b, turn, place, err) < 0)
			return err->code;
		if (turn->copied)
			continue;
		request = &model->requests[turn->index];
		request->after = before == NULL ? WHAT_IF_NONE : before->index;
		request->gap = cover_between(
			&b->cover, before == NULL ? start : before->out,
			turn->in);
		if (turn->out > last)
			last = turn->out;
	}
	sample->count = (uint32_t)model->request_count - sample->first;
	sample->tail = cover_between(&b->cover, last, end);
	return 0;
}

static int add_row(struct rows_visitor *visitor, size_t place,
		   const struct timed_row *timed, const struct own_time *own,
		   struct err *err)
{
	struct builder *b = (struct builder *)visitor;
	struct what_if_model *model = b->model;
	struct what_if_sample sample = {.place = place};
	int64_t start = INT64_MAX, end = INT64_MIN;

	(void)own;
	if (b->store->rows[place].is_stray)
		return 0;
	for (size_t i = 0; i < timed->count; i++)
		model->open_spans += timed->spans[i].open &&
				     timed->spans[i].start >= b->zero;
	if (take_spans(b, place, timed, &start, &end, err) < 0)
		return err->code;
	if (end < start)
		return 0;
	if (enter_group(b, place, err) < 0 ||
	    list_turns(b, place, timed, err) < 0 ||
	    !ARRAY_GROW(model->samples, model->sample_count, model->sample_cap))
		return err->code == 0 ? err_memory(err) : err->code;
	if (take_turns(b, place, &sample, start, end, err) < 0)
		return err->code;
	take_extent(b, timed, end);
	sample.group = (uint32_t)model->group_count - 1;
	sample.start = (double)(start - b->zero) / second;
	sample.end = (double)(end - b->zero) / second;
	model->samples[model->sample_count++] = sample;
	return 0;
}

/* The whole ------------------------------------------------------------ */

/* How many whole numbers between the smallest and the largest group have no
 * sample; 0 if one is not a number. */
static uint64_t count_missing(const struct row_store *store,
			      const uint32_t *rows)
{
	int64_t least = INT64_MAX, most = INT64_MIN, number;
	uint64_t groups = 0;

	for (uint32_t i = 0; i < store->texts.count; i++) {
		if (rows[i] == 0)
			continue;
		if (!num_parse_int(intern_text(&store->texts, i), &number))
			return 0;
		least = number < least ? number : least;
		most = number > most ? number : most;
		groups++;
	}
	return groups == 0 ? 0 : (uint64_t)most - (uint64_t)least + 1 - groups;
}

/* Which requests each row has, and how many rows each group has. */
static int index_rows(struct builder *b, struct err *err)
{
	const struct row_store *store = b->store;
	size_t at = 0;

	b->first = calloc(store->count + 1, sizeof(*b->first));
	b->rows = calloc(store->texts.count + 1, sizeof(*b->rows));
	if (b->first == NULL || b->rows == NULL)
		return err_memory(err);
	for (size_t i = 0; i < store->count; i++) {
		b->first[i] = at;
		while (at < b->answers->n && b->answers->v[at].place == i)
			at++;
		if (store->rows[i].group != ROW_NO_GROUP &&
		    !store->rows[i].is_stray)
			b->rows[store->rows[i].group]++;
	}
	b->first[store->count] = at;
	return 0;
}

static int build(struct builder *b, const struct workers *workers,
		 struct err *err)
{
	struct what_if_model *model = b->model;
	struct victims victims = {0};
	int code;

	if (index_rows(b, err) < 0 ||
	    what_if_number_engines(b->model, b->answers, workers, &b->engines,
				   err) < 0 ||
	    what_if_zero(b->store, &b->zero, err) < 0)
		return err->code;
	code = waits_each(b->store, b->names, &b->base, &victims, err);
	victims_free(&victims);
	if (code < 0)
		return code;
	model->zero = b->zero;
	model->missing_groups = count_missing(b->store, b->rows);
	model->all_named &= model->request_count > 0;
	model->named = model->all_named && !model->pd;
	for (size_t i = 0; i < model->group_count; i++)
		model->wall = fmax(model->wall, model->groups[i].end);
	return what_if_find_limit(model, err);
}

int what_if_model_make(struct what_if_model *model,
		       const struct row_store *store,
		       const struct span_names *names,
		       const struct answers *answers,
		       const struct workers *workers, struct err *err)
{
	struct builder b = {.base = {add_row},
			    .model = model,
			    .store = store,
			    .names = names,
			    .answers = answers};
	int code;

	*model = (struct what_if_model){.all_named = true};
	code = build(&b, workers, err);
	cover_free(&b.cover);
	free(b.first);
	free(b.rows);
	free(b.engines);
	free(b.turns);
	free(b.by_out);
	return code;
}
