#include "rollout/digest_part.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/json/json_text.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_text.h"
#include "rollout/sample_trace.h"
#include "rollout/span_attrs.h"

/* Without any part. */
static struct digest *new_digest(const struct digest_plan *plan,
				 const char *dump, struct err *err)
{
	struct digest *digest = calloc(1, sizeof(*digest));

	if (digest == NULL)
		return err_no_memory(err);
	digest->plan = plan;
	digest->dump = dump;
	digest->rollout_id = str_of("null");
	digest->rollout_name = str_of("");
	digest->arena = digest->list = arena_new(LIMIT_SAMPLE);
	digest->text = arena_new(LIMIT_KEPT);
	digest->names = span_names_new();
	digest->store = row_store_new();
	digest->workers = workers_new();
	if (plan->by != NULL)
		digest->by = group_by_of(plan->by);
	digest->there = group_by_names_new();
	digest->groups = intern_new(LIMIT_KEPT);
	digest->group_names = intern_new(LIMIT_KEPT);
	digest->scratch = buf_new(LIMIT_STRING);
	return digest;
}

struct digest *digest_new(const struct digest_plan *plan, const char *dump,
			  struct err *err)
{
	struct digest *digest = new_digest(plan, dump, err);

	if (digest == NULL || plan->by != NULL ||
	    digest_part_add(digest, err) == 0)
		return digest;
	digest_free(digest);
	return NULL;
}

void digest_free(struct digest *digest)
{
	if (digest == NULL)
		return;
	for (size_t i = 0; i < digest->count; i++)
		digest_part_free(&digest->parts[i]);
	free(digest->parts);
	group_by_names_free(&digest->there);
	intern_free(&digest->groups);
	intern_free(&digest->group_names);
	span_names_free(&digest->names);
	row_store_free(&digest->store);
	timed_row_free(&digest->timed);
	workers_free(&digest->workers);
	victims_free(&digest->victims);
	answers_free(&digest->answers);
	what_if_free(digest->what_if);
	clock_check_free(&digest->clock);
	buf_free(&digest->scratch);
	arena_free(&digest->arena);
	arena_free(&digest->list);
	arena_free(&digest->text);
	free(digest);
}

/* Store the row until all are known. */
static int add_row(struct digest *digest, struct digest_part *part,
		   const struct sample *sample, const struct row *row,
		   struct err *err)
{
	struct stored_row about = {.part = (uint32_t)(part - digest->parts),
				   .worker = ROW_NO_WORKER,
				   .tokens = (double)NAN,
				   .is_stray = sample->is_stray};
	int timed = timed_row_read(&digest->timed, row, &digest->names, err);

	if (timed <= 0)
		return timed;
	digest->negative_tokens += row_negative_tokens(row);
	if (part->breakdown != NULL &&
	    breakdown_add_phases(part->breakdown, row, &digest->arena, err) < 0)
		return err->code;
	if (part->stragglers != NULL)
		about.tokens = sample_tokens(sample, row);
	if ((part->stragglers != NULL || digest->plan->what_if != NULL) &&
	    workers_add(&digest->workers, sample, row, &about.worker, err) < 0)
		return err->code;
	if (digest->plan->what_if != NULL && !sample->is_stray &&
	    answers_add(&digest->answers, &digest->workers, sample, row,
			digest->store.count, err) < 0)
		return err->code;
	return row_store_add(&digest->store, row, &digest->timed, &about, err);
}

static bool needs_spans(const struct digest_plan *plan)
{
	return plan->breakdown || plan->stragglers > 0 || plan->what_if != NULL;
}

int digest_add(struct digest *digest, const struct sample *sample,
	       struct err *err)
{
	const struct digest_plan *plan = digest->plan;
	bool spans = needs_spans(plan);
	struct digest_part *part;
	struct sample_trace trace;
	struct row row;
	int rows = 0;

	arena_reset(&digest->arena);
	if (sample_trace_read_apart(&trace, sample, &digest->arena,
				    &digest->list, true, err) < 0)
		return err->code;
	digest->any_time |= trace.count + trace.omitted > 0;
	if (digest->skipped == 0 && trace.skipped > 0)
		memcpy(digest->what, trace.what, sizeof(digest->what));
	digest->skipped += trace.skipped;
	if (spans || (plan->by != NULL && !digest_splits(digest)))
		rows = span_build_read(sample, &trace, &row, err);
	if (rows < 0 || (rows > 0 && spans &&
			 clock_check_add(&digest->clock, &row, err) < 0))
		return err->code;
	part = digest_place(digest, sample, &trace, rows > 0 ? &row : NULL,
			    err);
	if (part == NULL || (!value_truth(sample->is_aside) &&
			     perf_add_sample(part->perf, sample, err) < 0))
		return err->code;
	if (plan->by != NULL && !digest->by_found)
		group_by_see_sample(&digest->there, sample);
	arena_free(&digest->list);
	return spans && rows > 0 && !row.is_aside
		       ? add_row(digest, part, sample, &row, err)
		       : 0;
}

bool digest_lacks_key(const struct digest *digest, struct buf *text)
{
	if (digest->plan->by == NULL || digest->by_found ||
	    digest->there.samples == 0)
		return false;
	group_by_explain(&digest->there, digest->plan->by, text);
	return true;
}

bool digest_needs_requests_only(const struct digest_plan *plan)
{
	return !needs_spans(plan) && plan->by == NULL;
}

void digest_want_fields(const struct digest_plan *plan, struct rollout *rollout)
{
	bool by_worker = plan->by != NULL && group_by_of(plan->by) == BY_WORKER;
	bool any = by_worker || plan->stragglers > 0 || plan->what_if != NULL;

	if (plan->by != NULL && !by_worker)
		rollout_want(rollout, str_of(plan->by));
	for (size_t i = 0; any && worker_keys[i] != NULL; i++)
		rollout_want(rollout, str_of(worker_keys[i]));
}

static int count_row(void *taker, const struct counted_row *row,
		     struct err *err)
{
	struct digest *digest = taker;
	const struct stored_row *stored = &row->store->rows[row->place];
	struct digest_part *part = &digest->parts[stored->part];

	if (part->breakdown != NULL &&
	    breakdown_add(part->breakdown, row, err) < 0)
		return err->code;
	return part->stragglers == NULL
		       ? 0
		       : stragglers_add(part->stragglers, row, err);
}

static int end_part(const struct digest *digest, struct digest_part *part,
		    struct err *err)
{
	const struct straggler_context context = {
		&digest->store, &digest->victims, &digest->workers};

	part->samples = perf_counts(part->perf).samples;
	if (perf_figures(part->perf, &digest->plan->perf, &part->figures, err) <
	    0)
		return err->code;
	if (digest->what_if != NULL &&
	    what_if_add_figures(digest->what_if, &part->figures, err) < 0)
		return err->code;
	if (part->stragglers != NULL) {
		part->late = stragglers_end(part->stragglers, &context,
					    &part->late_count, &part->medians,
					    err);
		if (part->late == NULL)
			return err->code;
	}
	if (part->breakdown == NULL)
		return 0;
	part->times = breakdown_end(part->breakdown, err);
	return part->times == NULL ? err->code : 0;
}

static int end_parts(struct digest *digest, struct err *err)
{
	int code = counted_each(&digest->store, &digest->names, count_row,
				digest, &digest->victims, err);

	if (code == 0 && digest->plan->what_if != NULL) {
		digest->what_if = what_if_make(digest->plan->what_if,
					       &digest->store, &digest->names,
					       &digest->answers,
					       &digest->workers, err);
		code = digest->what_if == NULL ? err->code : 0;
	}
	buf_free(&digest->store.packed); /* digests may be queued */
	if (code == 0)
		code = workers_judge(&digest->workers, err);
	if (code == 0 && digest->what_if != NULL)
		what_if_set_speeds(digest->what_if, &digest->workers);
	for (size_t i = 0; code == 0 && i < digest->count; i++)
		code = end_part(digest, &digest->parts[i], err);
	return code;
}

/* The rollout's id, as JSON and for display. */
static int name_rollout(struct digest *digest, struct value rollout_id,
			struct err *err)
{
	struct buf text = buf_new(LIMIT_STRING);
	int code = json_text(&text, rollout_id, err);

	digest->rollout_id = arena_str(&digest->text, buf_str(&text));
	buf_clear(&text);
	if (rollout_id.kind > VALUE_NONE)
		value_put_str(&text, rollout_id);
	digest->rollout_name = arena_str(&digest->text, buf_str(&text));
	if (text.failed || digest->rollout_id.p == NULL ||
	    digest->rollout_name.p == NULL)
		code = text.failed ? buf_error(&text, err)
				   : arena_error(&digest->text, err);
	buf_free(&text);
	return code;
}

int digest_end(struct digest *digest, struct value rollout_id, struct err *err)
{
	int code = name_rollout(digest, rollout_id, err);

	return code == 0 ? end_parts(digest, err) : code;
}

/* One part with only figures. */
static int give_part(struct digest *digest, struct figures *figures,
		     struct err *err)
{
	digest->parts = calloc(1, sizeof(*digest->parts));
	if (digest->parts == NULL)
		return err_memory(err);
	digest->count = digest->cap = 1;
	digest->parts[0].figures = *figures;
	*figures = (struct figures){0};
	return 0;
}

struct digest *digest_given(const struct digest_plan *plan, struct str dump,
			    struct value rollout_id, struct figures *figures,
			    struct err *err)
{
	struct digest *digest = new_digest(plan, "", err);

	if (digest != NULL && give_part(digest, figures, err) == 0) {
		digest->dump = arena_str(&digest->text, dump).p;
		if (digest->dump == NULL)
			arena_error(&digest->text, err);
		else if (name_rollout(digest, rollout_id, err) == 0)
			return digest;
	}
	figures_free(figures);
	digest_free(digest);
	return NULL;
}

struct str victim_sample(const struct digest *digest,
			 const struct straggler *one, size_t i)
{
	const struct row_store *store;

	if (one->victim_samples != NULL)
		return one->victim_samples[i];
	store = &digest->store;
	return stored_row_sample(store, &store->rows[one->victims[i].row]);
}

/* A count of 0, or a value given by the user. */
static bool says_nothing(const struct figure *figure)
{
	return (figure->count && figure->value == 0) ||
	       strcmp(figure->key, "perf/rollout_time") == 0;
}

bool digest_is_zero(const struct digest *digest)
{
	for (size_t i = 0; i < digest->count; i++) {
		const struct figures *figures = &digest->parts[i].figures;

		for (size_t k = 0; k < figures->n; k++)
			if (!says_nothing(&figures->v[k]))
				return false;
	}
	return true;
}

bool digest_is_eval(const struct digest *digest)
{
	return str_has_nocase(str_of(file_name(digest->dump)), "eval");
}

static void add_negatives(struct perf_negatives *to, struct perf_negatives one)
{
	to->queues += one.queues;
	to->others += one.others;
	to->unused += one.unused;
	if (to->other == NULL)
		to->other = one.other;
	if (to->unused_name == NULL)
		to->unused_name = one.unused_name;
}

struct perf_negatives digest_negatives(const struct digest *digest)
{
	struct perf_negatives all = {0};

	for (size_t i = 0; i < digest->count; i++)
		add_negatives(&all, perf_negatives(digest->parts[i].perf));
	add_negatives(&all, (struct perf_negatives){
				    .unused = digest->negative_tokens,
				    .unused_name = "completion_tokens"});
	return all;
}
