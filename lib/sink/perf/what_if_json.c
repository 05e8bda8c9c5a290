#include <math.h>

#include "base/limits.h"
#include "rollout/what_if/advice.h"
#include "sink/perf/digest_parts.h"

static void put_texts(struct json_writer *json, const char *key,
		      const struct what_if_check *check)
{
	json_add_begin(json, key, '[');
	for (size_t i = 0; i < check->refused_count; i++)
		json_str(json, str_of(check->refused[i]));
	json_end(json, ']');
}

static void put_check(struct json_writer *json,
		      const struct what_if_check *check)
{
	json_add_begin(json, "check", '{');
	json_add_double(json, "wall_error", check->wall_error);
	json_add_double(json, "end_error_median", check->end_error_median);
	json_add_double(json, "end_error_p95", check->end_error_p95);
	json_add_double(json, "fit_error", check->fit_error);
	json_add_bool(json, "ok", check->ok);
	put_texts(json, "refused", check);
	json_end(json, '}');
}

static void put_numbers(struct json_writer *json, const char *key,
			const double *v, size_t n)
{
	json_add_begin(json, key, '[');
	for (size_t i = 0; i < n; i++)
		json_double(json, v[i]);
	json_end(json, ']');
}

static void put_engine(struct json_writer *json, struct str name,
		       const struct what_if_engine *e)
{
	const double step[] = {e->step.a, e->step.b, e->step.c, e->step.d};
	const double floor[] = {e->floor, e->floor_a_token};
	const double seen[] = {e->batch_least, e->batch_most};

	json_begin(json, '{');
	json_add_str(json, "name", name);
	json_add_uint(json, "requests", e->request_count);
	json_add_double(json, "tokens", e->tokens);
	json_add_double(json, "ends", e->ends);
	put_numbers(json, "step", step, 4);
	put_numbers(json, "prefill_floor", floor, 2);
	json_add_double(json, "fit_error", e->error);
	json_key(json, "slots");
	if (e->slots > 0)
		json_uint(json, e->slots);
	else
		json_null(json);
	put_numbers(json, "batch_seen", seen, 2);
	json_add_begin(json, "stalls", '[');
	for (size_t i = 0; i < e->stall_count; i++) {
		json_begin(json, '[');
		json_double(json, e->stalls[i].at);
		json_double(json, e->stalls[i].length);
		json_end(json, ']');
	}
	json_end(json, ']');
	json_add_bool(json, "slow", e->slow);
	json_end(json, '}');
}

static void put_engines(struct json_writer *json, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;

	json_add_begin(json, "engines", '[');
	for (size_t i = 0; i < w->fit.engine_count; i++)
		put_engine(json,
			   intern_text(&digest->workers.texts,
				       w->model.engines[i]),
			   &w->fit.engines[i]);
	json_end(json, ']');
}

static void put_bill(struct json_writer *json, const struct digest *digest)
{
	const struct what_if_bill *bill = &digest->what_if->bill;
	const struct row_store *store = &digest->store;
	const struct stored_row *row = &store->rows[bill->place];

	json_add_begin(json, "bill", '{');
	json_add_verbatim(json, "sample", stored_row_sample(store, row));
	json_add_verbatim(json, "group", stored_row_group(store, row));
	json_add_begin(json, "seconds", '{');
	for (size_t i = 0; i < CAUSES; i++) {
		enum what_if_cause cause = (enum what_if_cause)i;

		if (bill->seconds[i] != 0)
			json_add_double(json, what_if_cause_key(cause),
					bill->seconds[i]);
	}
	json_end(json, '}');
	json_end(json, '}');
}

/* The change, in the model's terms. */
static void put_set(struct json_writer *json,
		    const struct what_if_change *change)
{
	json_add_begin(json, "set", '{');
	if (change->cut > 0)
		json_add_double(json, "cut", change->cut);
	if (change->caps_tool)
		json_add_double(json, "tool", change->tool);
	if (change->caps_reward)
		json_add_double(json, "reward", change->reward);
	if (change->equal)
		json_add_int(json, "equal", 1);
	if (change->calm)
		json_add_int(json, "calm", 1);
	if (change->engines > 0)
		json_add_uint(json, "engines", change->engines);
	if (change->slots_ratio > 0)
		json_add_uint(json, "slots", change->slots_ratio);
	if (change->slots > 0)
		json_add_uint(json, "slots_each", change->slots);
	json_end(json, '}');
}

/* The same words as in the text for people. */
static void put_words(struct json_writer *json, const struct digest *digest,
		      const struct what_if_remedy *remedy, struct buf *text)
{
	const struct what_if *w = digest->what_if;

	what_if_put_change(text, w, remedy, &digest->workers);
	json_add_buf(json, "change", text);
	what_if_put_cost(text, w, remedy);
	json_add_buf(json, "cost", text);
}

static void put_remedy(struct json_writer *json, const struct digest *digest,
		       const struct what_if_remedy *remedy, struct buf *text)
{
	json_begin(json, '{');
	json_add_text(json, "id", remedy->id);
	if (remedy->refused[0] != '\0') {
		json_add_text(json, "refused", remedy->refused);
	} else if (remedy->recorded) {
		json_add_double(json, "wall", remedy->wall);
		json_add_bool(json, "recorded", true);
	} else {
		put_set(json, &remedy->change);
		json_add_double(json, "wall", remedy->wall);
		json_add_double(json, "low", remedy->low);
		json_add_double(json, "high", remedy->high);
		json_add_double(json, "saves", remedy->saves);
		json_add_bool(json, "sure", remedy->sure);
		json_add_bool(json, "range_only", remedy->range_only);
		json_add_double(json, "tokens_lost", remedy->tokens_lost);
	}
	if (remedy->refused[0] == '\0')
		put_words(json, digest, remedy, text);
	json_end(json, '}');
}

static void put_remedies(struct json_writer *json, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;
	struct buf text = buf_new(LIMIT_STRING);

	json_add_begin(json, "remedies", '[');
	for (size_t i = 0; i < w->remedy_count; i++)
		put_remedy(json, digest, &w->remedies[i], &text);
	json_end(json, ']');
	buf_free(&text);
	json_add_begin(json, "stack", '[');
	for (size_t i = 0; i < w->stack_count; i++) {
		json_begin(json, '{');
		json_add_text(json, "add", w->stack[i].remedy->id);
		json_add_double(json, "wall", w->stack[i].wall);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_bounds(struct json_writer *json, const struct what_if *w)
{
	json_add_begin(json, "bounds", '{');
	json_add_double(json, "work", w->bounds.work);
	json_add_double(json, "longest", w->bounds.longest);
	json_end(json, '}');
	if (!w->has_luck)
		return;
	json_add_begin(json, "routing_luck", '{');
	json_add_double(json, "p5", w->luck_p5);
	json_add_double(json, "p50", w->luck_p50);
	json_add_double(json, "p95", w->luck_p95);
	json_end(json, '}');
}

void what_if_put_members(struct json_writer *json, const struct digest *digest)
{
	const struct what_if *w = digest->what_if;

	json_add_double(json, "wall", w->model.wall);
	if (w->refused[0] != '\0') {
		json_add_text(json, "refused", w->refused);
		return;
	}
	json_add_uint(json, "samples", w->model.sample_count);
	json_add_uint(json, "requests", w->model.request_count);
	json_add_bool(json, "named", w->model.all_named);
	json_add_uint(json, "missing_groups", w->model.missing_groups);
	json_key(json, "client_limit");
	if (w->model.client_limit > 0)
		json_uint(json, w->model.client_limit);
	else
		json_null(json);
	put_check(json, &w->check);
	put_engines(json, digest);
	put_bill(json, digest);
	put_bounds(json, w);
	put_remedies(json, digest);
}
