#include "sink/perf/partial_json.h"

#include <stdlib.h>

#include "base/num.h"
#include "fmt/json/json_write.h"
#include "sink/perf/digest_parts.h"

static void put_uint(struct out *out, uint64_t n)
{
	char text[NUM_INT_MAX];

	out_put(out, text, num_put_uint(text, n));
}

/* Runs without empty bins. */
static void put_bins(struct json_writer *json, const char *key,
		     const struct sketch_bins *b)
{
	bool open = false, any = false;
	char first[NUM_INT_MAX];

	if (b->n == 0)
		return;
	json_key(json, key);
	json_begin_value(json);
	out_putc(json->out, '"');
	for (size_t i = 0; i < b->n; i++) {
		if (b->count[i] == 0) {
			open = false;
			continue;
		}
		if (!open) {
			if (any)
				out_putc(json->out, ';');
			out_put(json->out, first,
				num_put_int(first, b->first + (int64_t)i));
		}
		out_putc(json->out, open ? ',' : ':');
		put_uint(json->out, b->count[i]);
		open = any = true;
	}
	out_putc(json->out, '"');
}

static void put_sum(struct json_writer *json, const char *key, struct sum sum)
{
	sum = sum_settle(sum);
	json_add_begin(json, key, '[');
	json_double(json, sum.high);
	json_double(json, sum.low);
	if (sum.scaled)
		json_double(json, SUM_SCALE);
	json_end(json, ']');
}

static void put_few(struct json_writer *json, const struct stats *few)
{
	json_add_begin(json, "few", '[');
	for (size_t i = 0; i < few->n; i++)
		json_double(json, few->v[i]);
	json_end(json, ']');
}

/* After its key. */
static void put_sketch(struct json_writer *json, const struct sketch *s)
{
	json_begin(json, '{');
	json_add_uint(json, "n", s->n);
	if (s->n > 0) {
		put_sum(json, "sum", s->sum);
		json_add_double(json, "min", s->min);
		json_add_double(json, "max", s->max);
	}
	if (s->n > 0 && sketch_is_exact(s)) {
		put_few(json, &s->few);
	} else if (s->n > 0) {
		json_add_uint(json, "zeros", s->zeros);
		put_bins(json, "positive", &s->positive);
		put_bins(json, "negative", &s->negative);
	}
	json_end(json, '}');
}

static void add_sketch(struct json_writer *json, const char *key,
		       const struct sketch *s)
{
	json_key(json, key);
	put_sketch(json, s);
}

static void put_metrics(struct json_writer *json, const struct partial *p)
{
	json_add_begin(json, "metrics", '{');
	for (size_t m = 0; m < PERF_METRICS; m++)
		if (p->metrics[m].n > 0)
			add_sketch(json, perf_metrics[m].key, &p->metrics[m]);
	json_end(json, '}');
}

static void put_spans(struct json_writer *json,
		      const struct partial_breakdown *b)
{
	json_add_begin(json, "spans", '[');
	for (uint32_t i = 0; i < b->names.count; i++) {
		json_begin(json, '{');
		json_add_str(json, "name", intern_text(&b->names, i));
		put_sum(json, "self", b->spans[i].self);
		add_sketch(json, "durations", &b->spans[i].durations);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void put_phases(struct json_writer *json,
		       const struct partial_breakdown *b)
{
	json_add_begin(json, "pd", '{');
	for (size_t r = 0; r < PD_ROLES; r++) {
		json_add_begin(json, pd_roles[r].name, '{');
		add_sketch(json, "total", &b->phases[r]);
		json_add_begin(json, "segments", '{');
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			if (b->segments[r][s].n > 0)
				add_sketch(json, pd_roles[r].segments[s],
					   &b->segments[r][s]);
		json_end(json, '}');
		json_end(json, '}');
	}
	json_end(json, '}');
}

static void put_breakdown(struct json_writer *json,
			  const struct partial_breakdown *b)
{
	json_add_begin(json, "breakdown", '{');
	json_add_uint(json, "rows", b->rows);
	json_add_uint(json, "peak", b->peak);
	put_sum(json, "wall", b->wall);
	put_sum(json, "time", b->time);
	put_sum(json, "own", b->own);
	put_sum(json, "tail", b->tail);
	put_sum(json, "capacity", b->capacity);
	json_add_begin(json, "activities", '{');
	for (int a = 0; a < ACTIVITIES; a++)
		put_sum(json, activity_word((enum activity)a),
			b->activities[a]);
	json_end(json, '}');
	put_spans(json, b);
	put_phases(json, b);
	json_end(json, '}');
}

static int put_stragglers(struct json_writer *json,
			  const struct partial_stragglers *s, struct err *err)
{
	size_t n;
	struct straggler *all = straggler_ranks_join(&s->ranks, &n);

	if (all == NULL)
		return err_memory(err);
	json_add_begin(json, "stragglers", '{');
	json_add_uint(json, "most", s->ranks.most);
	add_sketch(json, "durations", &s->durations);
	add_sketch(json, "tokens", &s->tokens);
	add_sketch(json, "rates", &s->rates);
	json_add_begin(json, "samples", '[');
	for (size_t i = 0; i < n; i++)
		straggler_put_json(json, NULL, &all[i]);
	json_end(json, ']');
	json_end(json, '}');
	free(all);
	return 0;
}

int partial_put_json(struct out *out, const struct partial *p, struct err *err)
{
	struct json_writer json = json_writer_on(out);
	int code = 0;

	json_begin(&json, '{');
	json_add_uint(&json, "partial", PARTIAL_VERSION);
	json_add_uint(&json, "dumps", p->dumps);
	json_add_begin(&json, "counts", '{');
	json_add_uint(&json, "samples", p->counts.samples);
	json_add_uint(&json, "requests", p->counts.requests);
	json_add_uint(&json, "profiled", p->counts.profiled);
	json_end(&json, '}');
	put_metrics(&json, p);
	if (p->plan->breakdown)
		put_breakdown(&json, &p->breakdown);
	if (p->plan->stragglers > 0)
		code = put_stragglers(&json, &p->stragglers, err);
	json_end(&json, '}');
	json_end_line(&json);
	return code;
}
