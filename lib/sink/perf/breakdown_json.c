#include <math.h>

#include "sink/perf/digest_parts.h"

static void put_double(struct json_writer *json, const char *key, double d)
{
	json_key(json, key);
	json_double(json, d);
}

static void put_uint(struct json_writer *json, const char *key, uint64_t n)
{
	json_key(json, key);
	json_uint(json, n);
}

static void put_bool(struct json_writer *json, const char *key, bool b)
{
	json_key(json, key);
	json_bool(json, b);
}

/* Text of a span's name; null for none. */
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
	put_uint(json, "count", f->count);
	put_double(json, "total", f->total);
	if (has_self)
		put_double(json, "self", f->self);
	put_double(json, "share", f->share);
	put_double(json, "concurrency", f->concurrency);
	put_double(json, "p50", f->p50);
	put_double(json, "p95", f->p95);
	put_double(json, "max", f->max);
}

static void put_activities(struct json_writer *json,
			   const struct breakdown_figures *f)
{
	json_key(json, "activities");
	json_begin(json, '{');
	for (int a = 0; a < ACTIVITIES; a++)
		put_double(json, activity_word((enum activity)a),
			   f->activities[a]);
	json_end(json, '}');
}

static void put_spans(struct json_writer *json,
		      const struct breakdown_figures *f)
{
	json_key(json, "spans");
	json_begin(json, '[');
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
	json_key(json, "segments");
	json_begin(json, '{');
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
	put_double(json, "seconds", last->seconds);
	put_double(json, "share", last->share);
	json_key(json, "sample");
	json_verbatim(json, last->sample);
	put_uint(json, "row", last->row);
	put_bool(json, "open", last->open);
	put_name(json, "name", last->name);
	put_double(json, "time", last->time);
	json_end(json, '}');
}

void breakdown_put_member(struct json_writer *json,
			  const struct breakdown_figures *f)
{
	json_key(json, "breakdown");
	json_begin(json, '{');
	put_uint(json, "samples", f->samples);
	put_double(json, "wall", f->wall);
	put_double(json, "sample_time", f->time);
	put_double(json, "own_time", f->own);
	put_uint(json, "peak", f->peak);
	put_double(json, "utilisation", f->utilisation);
	put_double(json, "bubble", f->bubble);
	put_double(json, "tail", f->tail);
	json_key(json, "waiting");
	json_begin(json, '{');
	put_double(json, "group", f->waiting_group);
	put_double(json, "client", f->waiting_client);
	put_double(json, "reward", f->waiting_reward);
	json_end(json, '}');
	put_activities(json, f);
	put_spans(json, f);
	json_key(json, "pd");
	json_begin(json, '{');
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

/* The indexes of those who waited for it. */
static void put_victims(struct json_writer *json, const struct digest *digest,
			const struct straggler *one)
{
	json_key(json, "victims");
	json_begin(json, '[');
	for (size_t i = 0; i < one->victim_count; i++)
		json_verbatim(json, victim_sample(digest, one, i));
	json_end(json, ']');
}

static void put_work(struct json_writer *json, const struct straggler *one)
{
	put_double(json, "start", one->start);
	put_double(json, "end", one->end);
	put_bool(json, "open", one->open);
	put_double(json, "duration", one->duration);
	put_double(json, "over_median", one->ratio);
	put_double(json, "tokens", one->tokens);
	put_double(json, "decode_rate", one->rate);
	put_name(json, "worker", one->worker);
	put_name(json, "span", one->held);
	put_double(json, "span_time", one->held_time);
	json_key(json, "activity");
	json_str(json, str_of(activity_word(one->most)));
	put_double(json, "activity_time", one->most_time);
}

static void put_straggler(struct json_writer *json, const struct digest *digest,
			  const struct straggler *one)
{
	json_begin(json, '{');
	json_key(json, "sample");
	json_verbatim(json, one->sample);
	put_uint(json, "row", one->row);
	json_key(json, "group");
	json_verbatim(json, one->group);
	put_rank(json, "last", one->last);
	put_rank(json, "longest", one->longest);
	put_work(json, one);
	put_double(json, "client_queue", one->client_queue);
	put_double(json, "waited", one->waited);
	put_double(json, "group_wait", one->group_wait);
	put_victims(json, digest, one);
	json_key(json, "cause");
	json_str(json, str_of(one->cause));
	json_end(json, '}');
}

void stragglers_put_members(struct json_writer *json,
			    const struct digest *digest,
			    const struct digest_part *part)
{
	json_key(json, "medians");
	json_begin(json, '{');
	put_double(json, "duration", part->medians.duration);
	put_double(json, "tokens", part->medians.tokens);
	put_double(json, "decode_rate", part->medians.rate);
	json_end(json, '}');
	json_key(json, "stragglers");
	json_begin(json, '[');
	for (size_t i = 0; i < part->late_count; i++)
		put_straggler(json, digest, &part->late[i]);
	json_end(json, ']');
}
