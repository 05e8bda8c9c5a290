#include <math.h>

#include "sink/perf/digest_parts.h"

/* The text of a span's name; null for none. */
static void put_name(struct json_writer *json, const char *key, struct str name)
{
	json_key(json, key);
	if (name.p == NULL)
		json_null(json);
	else
		json_str(json, name);
}

/* Spans have self times, phases have none. */
static void put_times(struct json_writer *json, const struct time_figures *f,
		      bool has_self)
{
	json_add_uint(json, "count", f->count);
	json_add_double(json, "total", f->total);
	if (has_self)
		json_add_double(json, "self", f->self);
	json_add_double(json, "share", f->share);
	json_add_double(json, "concurrency", f->concurrency);
	json_add_double(json, "p50", f->p50);
	json_add_double(json, "p95", f->p95);
	json_add_double(json, "max", f->max);
}

static void put_activities(struct json_writer *json,
			   const struct breakdown_figures *f)
{
	json_add_begin(json, "activities", '{');
	for (int a = 0; a < ACTIVITIES; a++)
		json_add_double(json, activity_word((enum activity)a),
				f->activities[a]);
	json_end(json, '}');
}

static void put_spans(struct json_writer *json,
		      const struct breakdown_figures *f)
{
	json_add_begin(json, "spans", '[');
	for (size_t i = 0; i < f->span_count; i++) {
		json_begin(json, '{');
		put_name(json, "name", f->spans[i].name);
		put_times(json, &f->spans[i], true);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_phase(struct json_writer *json,
		      const struct breakdown_figures *f, size_t r)
{
	json_key_str(json, f->phases[r].name);
	json_begin(json, '{');
	put_times(json, &f->phases[r], false);
	json_add_begin(json, "segments", '{');
	for (size_t s = 0; s < PD_SEGMENTS; s++) {
		if (f->segments[r][s].count == 0)
			continue;
		json_key_str(json, f->segments[r][s].name);
		json_begin(json, '{');
		put_times(json, &f->segments[r][s], false);
		json_end(json, '}');
	}
	json_end(json, '}');
	json_end(json, '}');
}

static void put_last(struct json_writer *json, const struct last_figures *last)
{
	json_key(json, "last");
	if (!last->any) {
		json_null(json);
		return;
	}
	json_begin(json, '{');
	json_add_double(json, "seconds", last->seconds);
	json_add_double(json, "share", last->share);
	json_add_verbatim(json, "sample", last->sample);
	json_add_uint(json, "row", last->row);
	json_add_bool(json, "open", last->open);
	put_name(json, "name", last->name);
	json_add_double(json, "time", last->time);
	json_end(json, '}');
}

void breakdown_put_member(struct json_writer *json,
			  const struct breakdown_figures *f)
{
	json_add_begin(json, "breakdown", '{');
	json_add_uint(json, "samples", f->samples);
	json_add_double(json, "wall", f->wall);
	json_add_double(json, "sample_time", f->time);
	json_add_double(json, "own_time", f->own);
	json_add_uint(json, "peak", f->peak);
	json_add_double(json, "utilisation", f->utilisation);
	json_add_double(json, "bubble", f->bubble);
	json_add_double(json, "tail", f->tail);
	json_add_begin(json, "waiting", '{');
	json_add_double(json, "group", f->waiting_group);
	json_add_double(json, "client", f->waiting_client);
	json_add_double(json, "reward", f->waiting_reward);
	json_end(json, '}');
	put_activities(json, f);
	put_spans(json, f);
	json_add_begin(json, "pd", '{');
	for (size_t r = 0; r < PD_ROLES; r++)
		if (f->phases[r].count > 0)
			put_phase(json, f, r);
	json_end(json, '}');
	put_last(json, &f->last);
	json_end(json, '}');
}

static void put_rank(struct json_writer *json, const char *key, double rank)
{
	json_key(json, key);
	if (isnan(rank))
		json_null(json);
	else
		json_int(json, (int64_t)rank);
}

/* The indexes of the samples that waited for it. */
static void put_victims(struct json_writer *json, const struct digest *digest,
			const struct straggler *one)
{
	json_add_begin(json, "victims", '[');
	for (size_t i = 0; i < one->victim_count; i++)
		json_verbatim(json, victim_sample(digest, one, i));
	json_end(json, ']');
}

static void put_work(struct json_writer *json, const struct straggler *one)
{
	json_add_double(json, "start", one->start);
	json_add_double(json, "end", one->end);
	json_add_bool(json, "open", one->open);
	json_add_double(json, "duration", one->duration);
	json_add_double(json, "over_median", one->ratio);
	json_add_double(json, "tokens", one->tokens);
	json_add_double(json, "decode_rate", one->rate);
	put_name(json, "worker", one->worker);
	put_name(json, "span", one->held);
	json_add_double(json, "span_time", one->held_time);
	json_add_str(json, "activity", str_of(activity_word(one->most)));
	json_add_double(json, "activity_time", one->most_time);
}

void straggler_put_json(struct json_writer *json, const struct digest *digest,
			const struct straggler *one)
{
	json_begin(json, '{');
	if (one->dump.p != NULL)
		json_add_str(json, "dump", one->dump);
	json_add_verbatim(json, "sample", one->sample);
	json_add_uint(json, "row", one->row);
	json_add_verbatim(json, "group", one->group);
	put_rank(json, "last", one->last);
	put_rank(json, "longest", one->longest);
	put_work(json, one);
	json_add_double(json, "client_queue", one->client_queue);
	json_add_double(json, "waited", one->waited);
	json_add_double(json, "group_wait", one->group_wait);
	put_victims(json, digest, one);
	json_add_str(json, "cause", str_of(one->cause));
	json_add_double(json, "cause_time", one->cause_time);
	json_end(json, '}');
}

void stragglers_put_members(struct json_writer *json,
			    const struct digest *digest,
			    const struct digest_part *part)
{
	json_add_begin(json, "medians", '{');
	json_add_double(json, "duration", part->medians.duration);
	json_add_double(json, "tokens", part->medians.tokens);
	json_add_double(json, "decode_rate", part->medians.rate);
	json_end(json, '}');
	json_add_begin(json, "stragglers", '[');
	for (size_t i = 0; i < part->late_count; i++)
		straggler_put_json(json, digest, &part->late[i]);
	json_end(json, ']');
}
