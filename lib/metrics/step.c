#include "metrics/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/prom/prom_text.h"
#include "metrics/quantile.h"

/* What one replica contributes to a scalar. */
struct part {
	uint64_t replica;
	double value;
	bool whole; /* it may count */
};

/* What all replicas do. */
struct parts {
	struct part *v;
	uint32_t n;
	size_t cap;
	struct map by_replica;
};

/* Label values that choose some of a metric's series. */
struct slice {
	const char *label; /* no part of the replica's name; NULL: none */
	const char *value; /* that it must have; NULL: any */
};

static const struct slice all_series = {NULL, NULL};

/* One summary being made. */
struct step {
	const struct engine *engine;
	const struct series_table *before; /* NULL: gauges only */
	const struct series_table *now;
	double seconds;
	const char *prefix;
	struct step_summary *summary;
	struct parts of; /* numerators */
	struct parts by; /* denominators */
	struct label_set labels;
	/* of the walk over a metric's series: */
	struct parts *parts; /* what it adds to */
	uint32_t known;	     /* parts that an earlier spelling has filled */
	struct buckets buckets;
	struct map had; /* their bounds */
};

/* A series met on a walk. */
struct met {
	const struct series *series;
	uint64_t replica;
	struct str le;
};

void step_summary_free(struct step_summary *s)
{
	arena_free(&s->text);
	free(s->scalars);
	*s = (struct step_summary){0};
}

static void parts_clear(struct parts *p)
{
	p->n = 0;
	map_clear(&p->by_replica);
}

static void parts_free(struct parts *p)
{
	free(p->v);
	map_free(&p->by_replica);
}

static int parts_add(struct parts *p, uint64_t replica)
{
	p->v = array_room(p->v, &p->cap, p->n, sizeof(*p->v));
	if (p->n == p->cap)
		return ERR_MEMORY;
	p->v[p->n++] = (struct part){.replica = replica, .whole = true};
	return 0;
}

/* The part of a replica, a new one when *fresh; NULL when memory ran out. */
static struct part *parts_get(struct parts *p, uint64_t replica, bool *fresh)
{
	uint32_t i = p->n;
	int code = map_add(&p->by_replica, replica, &i);

	*fresh = code == 1;
	if (code < 0 || (*fresh && parts_add(p, replica) < 0))
		return NULL;
	return &p->v[i];
}

int step_summary_put(struct step_summary *summary, struct metric_scalar scalar,
		     struct err *err)
{
	summary->scalars = array_room(summary->scalars, &summary->cap,
				      summary->n, sizeof(*summary->scalars));
	if (summary->n == summary->cap)
		return err_memory(err);
	summary->scalars[summary->n++] = scalar;
	return 0;
}

/* PREFIX/KEY, and a number behind it unless that is 0. */
static int put(struct step *s, const char *key, int number, double value,
	       struct err *err)
{
	char digits[16] = "";
	size_t n = strlen(s->prefix) + strlen(key) + sizeof(digits) + 2;
	char *text = arena_alloc(&s->summary->text, n);

	if (text == NULL)
		return err_memory(err);
	if (number > 0)
		snprintf(digits, sizeof(digits), "%d", number);
	snprintf(text, n, "%s/%s%s", s->prefix, key, digits);
	return step_summary_put(s->summary, (struct metric_scalar){text, value},
				err);
}

/* Walking over series ------------------------------------------------- */

/* Is m the engine's metric of that name, with that suffix? */
static bool is_metric(const struct step *s, const struct metric *m,
		      const char *name, const char *suffix)
{
	size_t prefix = engine_has(s->engine, m->name);
	struct str rest = str_make(m->name.p + prefix, m->name.n - prefix);
	size_t n = strlen(name);

	return prefix > 0 && rest.n == n + strlen(suffix) &&
	       memcmp(rest.p, name, n) == 0 && str_ends(rest, suffix);
}

/* What replica a series belongs to: 1; 0 when the slice leaves it out. */
static int meet(struct step *s, const struct slice *slice, struct met *met,
		struct err *err)
{
	bool in = slice->value == NULL;

	if (label_set_read(&s->labels, series_labels(met->series), err) < 0)
		return err->code;
	met->replica = 0;
	for (size_t i = 0; i < s->labels.n; i++) {
		const struct prom_label *label = &s->labels.v[i];

		if (str_is(label->name, "le"))
			met->le = label->value;
		else if (slice->label == NULL ||
			 !str_is(label->name, slice->label))
			met->replica += prom_label_hash(label);
		else
			in |= slice->value != NULL &&
			      str_is(label->value, slice->value);
	}
	return in;
}

/* Call visit for each series of the engine's metric that is in the slice. */
static int each_series(struct step *s, const char *name, const char *suffix,
		       const struct slice *slice,
		       int (*visit)(struct step *s, const struct met *met,
				    struct err *err),
		       struct err *err)
{
	const struct names *names = &s->now->names;

	for (uint32_t k = 0; k < names->n_metrics; k++) {
		const struct metric *m = names->metrics[k];
		uint32_t i = m->first;

		if (!is_metric(s, m, name, suffix))
			continue;
		for (; i != NO_NUMBER; i = series_at(s->now, i)->next) {
			struct met met = {.series = series_at(s->now, i)};
			int code = met.series->hidden
					   ? 0
					   : meet(s, slice, &met, err);

			if (code > 0)
				code = visit(s, &met, err);
			if (code < 0)
				return code;
		}
		s->known = s->parts->n;
	}
	return 0;
}

/* Take what a series did as its replica's; a replica that another spelling of
 * the metric has given already keeps that. */
static int add_increase(struct step *s, const struct met *met, struct err *err)
{
	double increase;
	bool fresh;
	struct part *part = parts_get(s->parts, met->replica, &fresh);

	if (part == NULL)
		return err_memory(err);
	if (part - s->parts->v < (ptrdiff_t)s->known)
		return 0;
	if (delta_fate(s->before, met->series, &increase) != DELTA_GREW ||
	    !isfinite(increase))
		part->whole = false;
	part->value += increase;
	return 0;
}

static int add_gauge(struct step *s, const struct met *met, struct err *err)
{
	bool fresh;
	struct part *part = parts_get(s->parts, met->replica, &fresh);

	if (part == NULL)
		return err_memory(err);
	if (!fresh)
		return 0;
	part->value = met->series->value;
	part->whole = !isnan(part->value);
	return 0;
}

/* Add the bucket of a replica that counts. */
static int add_bucket(struct step *s, const struct met *met, struct err *err)
{
	uint32_t part;
	double increase, bound;
	int code;

	if (!map_find(&s->of.by_replica, met->replica, &part) ||
	    !s->of.v[part].whole || !prom_bound(met->le, &bound))
		return 0;
	delta_fate(s->before, met->series, &increase);
	code = buckets_add_mixed(&s->buckets, &s->had, bound, increase,
				 met->replica);
	if (code < 0)
		code = buckets_refused(
			code, s->now->names.metrics[met->series->metric]->name,
			err);
	return code;
}

/* What vLLM called a metric before; some versions write both. */
static const char *older_name(const char *name)
{
	static const struct {
		const char *name, *older;
	} renamed[] = {
		{"kv_cache_usage_perc", "gpu_cache_usage_perc"},
		{"prefix_cache_hits", "gpu_prefix_cache_hits"},
		{"prefix_cache_queries", "gpu_prefix_cache_queries"},
		{"inter_token_latency_seconds_sum",
		 "time_per_output_token_seconds_sum"},
		{"inter_token_latency_seconds_count",
		 "time_per_output_token_seconds_count"},
	};

	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strcmp(renamed[i].name, name) == 0)
			return renamed[i].older;
	return NULL;
}

static void collect_into(struct step *s, struct parts *parts)
{
	parts_clear(parts);
	s->parts = parts;
	s->known = 0;
}

/* The increases of a counter, replica by replica. */
static int collect(struct step *s, const char *name, const struct slice *slice,
		   struct parts *parts, struct err *err)
{
	int code;

	collect_into(s, parts);
	do {
		code = each_series(s, name, "_total", slice, add_increase, err);
		if (code == 0)
			code = each_series(s, name, "", slice, add_increase,
					   err);
		name = older_name(name);
	} while (code == 0 && name != NULL);
	return code;
}

/* The sum of the parts that count, and how many do. */
static uint32_t sum_parts(const struct parts *parts, double *sum)
{
	uint32_t n = 0;

	*sum = 0;
	for (uint32_t i = 0; i < parts->n; i++) {
		if (!parts->v[i].whole)
			continue;
		*sum += parts->v[i].value;
		n++;
	}
	return n;
}

/* Parts of a count only where b has the replica, too. */
static void keep_common(struct parts *a, const struct parts *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t k;

		a->v[i].whole &=
			map_find(&b->by_replica, a->v[i].replica, &k) &&
			b->v[k].whole;
	}
}

/* Scalars ------------------------------------------------------------- */

static int put_gauge(struct step *s, const struct step_key *key,
		     struct err *err)
{
	const char *name = key->of;
	double sum;
	uint32_t n;
	int code;

	collect_into(s, &s->of);
	code = each_series(s, name, "", &all_series, add_gauge, err);
	name = older_name(name);
	if (code == 0 && name != NULL)
		code = each_series(s, name, "", &all_series, add_gauge, err);
	n = sum_parts(&s->of, &sum);
	if (code < 0 || n == 0)
		return code;
	return put(s, key->key, 0, key->how == STEP_GAUGE_MEAN ? sum / n : sum,
		   err);
}

static int put_increase(struct step *s, const struct step_key *key,
			struct err *err)
{
	bool rate = key->how == STEP_RATE;
	double sum;
	int code = collect(s, key->of, &all_series, &s->of, err);

	if (code < 0 || sum_parts(&s->of, &sum) == 0 ||
	    (rate && isnan(s->seconds)))
		return code;
	return put(s, key->key, 0, rate ? sum / s->seconds : sum, err);
}

/* A ratio of what a slice of `of` did to what `by` did. */
static int put_slice(struct step *s, const struct step_key *key,
		     const struct slice *slice, int number, struct err *err)
{
	double above, below;
	int code = collect(s, key->of, slice, &s->of, err);

	if (code == 0)
		code = collect(s, key->by, &all_series, &s->by, err);
	if (code < 0)
		return code;
	keep_common(&s->of, &s->by);
	keep_common(&s->by, &s->of);
	if (sum_parts(&s->of, &above) == 0 || sum_parts(&s->by, &below) == 0 ||
	    below == 0)
		return 0;
	return put(s, key->key, number, key->plus + above / below, err);
}

static int put_ratio(struct step *s, const struct step_key *key,
		     struct err *err)
{
	return put_slice(s, key, &all_series, 0, err);
}

/* A ratio for each value of the label, from 0 on; keys count from 1. */
static int put_ratios(struct step *s, const struct step_key *key,
		      struct err *err)
{
	for (int i = 0;; i++) {
		char value[16];
		const struct slice slice = {key->label, value};
		int code;

		snprintf(value, sizeof(value), "%d", i);
		code = put_slice(s, key, &slice, i + 1, err);
		if (code < 0 || s->of.n == 0)
			return code;
	}
}

static int put_quantile(struct step *s, const struct step_key *key,
			struct err *err)
{
	double q = (double)NAN;
	double ignored;
	int code;

	collect_into(s, &s->of);
	map_clear(&s->had);
	code = each_series(s, key->of, "_bucket", &all_series, add_increase,
			   err);
	s->buckets.series = sum_parts(&s->of, &ignored);
	if (code == 0 && s->buckets.series > 0)
		code = each_series(s, key->of, "_bucket", &all_series,
				   add_bucket, err);
	if (code == 0 && s->buckets.n > 0) {
		buckets_settle(&s->buckets, (double)NAN);
		q = buckets_quantile(&s->buckets, key->plus);
	}
	buckets_free(&s->buckets);
	if (code < 0 || isnan(q))
		return code;
	return put(s, key->key, 0, q, err);
}

static const struct {
	int (*put)(struct step *s, const struct step_key *key, struct err *err);
	bool first; /* needs no snapshot before */
} ways[] = {
	[STEP_GAUGE_SUM] = {put_gauge, true},
	[STEP_GAUGE_MEAN] = {put_gauge, true},
	[STEP_RATE] = {put_increase, false},
	[STEP_INCREASE] = {put_increase, false},
	[STEP_RATIO] = {put_ratio, false},
	[STEP_RATIO_BY_LABEL] = {put_ratios, false},
	[STEP_QUANTILE] = {put_quantile, false},
};

int step_summarise(struct step_summary *summary, const struct engine *engine,
		   const char *prefix, const struct series_table *before,
		   const struct series_table *now, double seconds,
		   struct err *err)
{
	struct step s = {.engine = engine,
			 .before = before,
			 .now = now,
			 .seconds = seconds,
			 .prefix = prefix,
			 .summary = summary,
			 .of.by_replica = map_new(true),
			 .by.by_replica = map_new(true),
			 .had = map_new(false)};
	int code = 0;

	*summary = (struct step_summary){.text = arena_new(MIB)};
	for (size_t i = 0; code == 0 && i < engine->n_keys; i++) {
		const struct step_key *key = &engine->keys[i];

		if (before != NULL || ways[key->how].first)
			code = ways[key->how].put(&s, key, err);
	}
	parts_free(&s.of);
	parts_free(&s.by);
	map_free(&s.had);
	label_set_free(&s.labels);
	return code;
}
