#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/input_kind.h"
#include "fmt/json/json_text.h"
#include "fmt/value/value_python.h"
#include "rollout/partial.h"

bool partial_detect(struct str head)
{
	head = input_text(head);
	if (!str_starts(head, "{"))
		return false;
	head = input_text(str_skip(head, 1));
	return str_starts(head, "\"partial\"");
}

/* Members of an object: false, with what is wrong, when it is not as it
 * should be. ------------------------------------------------------------ */

struct partial_reader {
	struct partial *p;
	struct buf text; /* JSON of a straggler's members */
	struct err *err;
};

static bool damaged(struct partial_reader *r, const char *key)
{
	if (r->err->code == 0)
		err_set(r->err, ERR_INPUT, "damaged partial: %s", key);
	return false;
}

static bool no_memory(struct partial_reader *r)
{
	err_memory(r->err);
	return false;
}

static bool read_uint(struct partial_reader *r, struct value object,
		      const char *key, uint64_t *n)
{
	struct value v = value_get(object, key);

	if (v.kind != VALUE_INT || v.i < 0)
		return damaged(r, key);
	*n = (uint64_t)v.i;
	return true;
}

static bool is_finite(struct value v, double *d)
{
	/* Other programs print floats beyond int64 without a point. */
	if (v.kind == VALUE_BIGINT)
		return value_to_float(v, d);
	return (v.kind == VALUE_INT || v.kind == VALUE_FLOAT) &&
	       value_number(v, d) && isfinite(*d);
}

static bool read_double(struct partial_reader *r, struct value object,
			const char *key, double *d)
{
	return is_finite(value_get(object, key), d) || damaged(r, key);
}

/* null or a missing value is NaN. */
static bool read_known(struct partial_reader *r, struct value object,
		       const char *key, double *d)
{
	struct value v = value_get(object, key);

	*d = (double)NAN;
	return v.kind == VALUE_NONE || v.kind == VALUE_ABSENT ||
	       is_finite(v, d) || damaged(r, key);
}

static bool read_sum(struct partial_reader *r, struct value object,
		     const char *key, struct sum *sum)
{
	struct value v = value_get(object, key);
	double scale;

	if (v.kind != VALUE_LIST || v.items->n < 2 || v.items->n > 3 ||
	    !is_finite(v.items->v[0], &sum->high) ||
	    !is_finite(v.items->v[1], &sum->low))
		return damaged(r, key);
	sum->scaled = v.items->n == 3;
	return !sum->scaled ||
	       (is_finite(v.items->v[2], &scale) && scale == SUM_SCALE) ||
	       damaged(r, key);
}

static bool read_dict(struct partial_reader *r, struct value object,
		      const char *key, struct value *v)
{
	*v = value_get(object, key);
	return v->kind == VALUE_DICT || damaged(r, key);
}

static bool read_list(struct partial_reader *r, struct value object,
		      const char *key, struct value *v)
{
	*v = value_get(object, key);
	return v->kind == VALUE_LIST || damaged(r, key);
}

/* Sketches -------------------------------------------------------------- */

/* "first:count,count,..." */
static bool read_stretch(struct partial_reader *r, const char *key,
			 struct sketch_bins *b, struct str text,
			 uint64_t *total)
{
	int64_t bin, count;

	if (!num_parse_int(str_cut(&text, ':'), &bin))
		return damaged(r, key);
	while (text.n > 0) {
		if (!num_parse_int(str_cut(&text, ','), &count) || count < 0 ||
		    *total + (uint64_t)count > INT64_MAX ||
		    !sketch_bin_exists(bin))
			return damaged(r, key);
		if (!sketch_bins_add(b, (int)bin++, (uint64_t)count))
			return no_memory(r);
		*total += (uint64_t)count;
	}
	return true;
}

static bool read_bins(struct partial_reader *r, struct value object,
		      const char *key, struct sketch_bins *b, uint64_t *total)
{
	struct value v = value_get(object, key);
	struct str rest;

	if (v.kind == VALUE_ABSENT)
		return true;
	if (v.kind != VALUE_STR)
		return damaged(r, key);
	rest = value_text(v);
	while (rest.n > 0)
		if (!read_stretch(r, key, b, str_cut(&rest, ';'), total))
			return false;
	return true;
}

static bool read_few(struct partial_reader *r, struct value list,
		     struct stats *few)
{
	double d;

	for (uint32_t i = 0; i < list.items->n; i++) {
		if (!is_finite(list.items->v[i], &d))
			return damaged(r, "few");
		if (!stats_add(few, d))
			return no_memory(r);
	}
	return true;
}

static bool read_numbers(struct partial_reader *r, struct value v,
			 struct sketch *s)
{
	struct value few = value_get(v, "few");
	uint64_t total = 0;

	if (few.kind == VALUE_LIST) {
		if (!read_few(r, few, &s->few))
			return false;
		total = s->few.n;
		if (total > SKETCH_FEW)
			return damaged(r, "few");
	} else {
		if (!read_uint(r, v, "zeros", &s->zeros))
			return false;
		total = s->zeros;
		if (!read_bins(r, v, "positive", &s->positive, &total) ||
		    !read_bins(r, v, "negative", &s->negative, &total))
			return false;
	}
	return total == s->n || damaged(r, "its counts do not add up");
}

/* An empty sketch is filled from v. */
static bool read_sketch(struct partial_reader *r, struct value v,
			struct sketch *s)
{
	if (v.kind != VALUE_DICT)
		return damaged(r, "a sketch is missing");
	if (!read_uint(r, v, "n", &s->n))
		return false;
	return s->n == 0 || (read_sum(r, v, "sum", &s->sum) &&
			     read_double(r, v, "min", &s->min) &&
			     read_double(r, v, "max", &s->max) &&
			     (s->min <= s->max || damaged(r, "min")) &&
			     read_numbers(r, v, s));
}

static bool read_metrics(struct partial_reader *r, struct value object)
{
	struct value metrics;

	if (!read_dict(r, object, "metrics", &metrics))
		return false;
	for (size_t m = 0; m < PERF_METRICS; m++) {
		struct value v = value_get(metrics, perf_metrics[m].key);

		if (v.kind != VALUE_ABSENT &&
		    !read_sketch(r, v, &r->p->metrics[m]))
			return false;
	}
	return true;
}

/* Breakdown ------------------------------------------------------------- */

static bool read_spans(struct partial_reader *r, struct value object,
		       struct partial_breakdown *b)
{
	struct value list;

	if (!read_list(r, object, "spans", &list))
		return false;
	for (uint32_t i = 0; i < list.items->n; i++) {
		struct value v = list.items->v[i];
		struct value name = value_get(v, "name");
		struct partial_span *span;

		if (name.kind != VALUE_STR)
			return damaged(r, "the name of a span");
		if (intern_find(&b->names, value_text(name)) != INTERN_FAILED)
			return damaged(r, "a span is listed twice");
		span = partial_span(b, value_text(name), r->err);
		if (span == NULL || !read_sum(r, v, "self", &span->self) ||
		    !read_sketch(r, value_get(v, "durations"),
				 &span->durations))
			return false;
	}
	return true;
}

static bool read_phases(struct partial_reader *r, struct value object,
			struct partial_breakdown *b)
{
	struct value pd, role, segments;

	if (!read_dict(r, object, "pd", &pd))
		return false;
	for (size_t i = 0; i < PD_ROLES; i++) {
		if (!read_dict(r, pd, pd_roles[i].name, &role) ||
		    !read_sketch(r, value_get(role, "total"), &b->phases[i]) ||
		    !read_dict(r, role, "segments", &segments))
			return false;
		for (size_t s = 0; s < PD_SEGMENTS; s++) {
			struct value v =
				value_get(segments, pd_roles[i].segments[s]);

			if (v.kind != VALUE_ABSENT &&
			    !read_sketch(r, v, &b->segments[i][s]))
				return false;
		}
	}
	return true;
}

static bool read_breakdown(struct partial_reader *r, struct value object)
{
	struct partial_breakdown *b = &r->p->breakdown;
	struct value v, activities;

	if (value_get(object, "breakdown").kind == VALUE_ABSENT) {
		err_set(r->err, ERR_INPUT,
			"this partial has no breakdown; write it with "
			"--partial --breakdown");
		return false;
	}
	if (!read_dict(r, object, "breakdown", &v) ||
	    !read_uint(r, v, "rows", &b->rows) ||
	    !read_uint(r, v, "peak", &b->peak) ||
	    !read_sum(r, v, "wall", &b->wall) ||
	    !read_sum(r, v, "time", &b->time) ||
	    !read_sum(r, v, "own", &b->own) ||
	    !read_sum(r, v, "tail", &b->tail) ||
	    !read_sum(r, v, "capacity", &b->capacity) ||
	    !read_dict(r, v, "activities", &activities))
		return false;
	for (int a = 0; a < ACTIVITIES; a++)
		if (!read_sum(r, activities, activity_word((enum activity)a),
			      &b->activities[a]))
			return false;
	return read_spans(r, v, b) && read_phases(r, v, b);
}

/* Stragglers ------------------------------------------------------------ */

/* Text, or with json its JSON; null and missing values stay absent. */
static bool read_text(struct partial_reader *r, struct value object,
		      const char *key, struct str *text)
{
	struct value v = value_get(object, key);

	if (v.kind == VALUE_NONE || v.kind == VALUE_ABSENT)
		return true;
	if (v.kind != VALUE_STR)
		return damaged(r, key);
	*text = value_text(v);
	return true;
}

/* The JSON of a scalar, in the partial's own memory. */
static bool read_scalar(struct partial_reader *r, struct value v,
			struct str *text)
{
	buf_clear(&r->text);
	if (json_text(&r->text, v, r->err) < 0)
		return false;
	*text = arena_str(&r->p->stragglers.text, buf_str(&r->text));
	return text->p != NULL || no_memory(r);
}

static bool read_victims(struct partial_reader *r, struct value object,
			 struct straggler *one)
{
	struct value list;
	struct str *texts;

	if (!read_list(r, object, "victims", &list))
		return false;
	one->victim_count = list.items->n;
	texts = arena_array(&r->p->stragglers.text, one->victim_count + 1,
			    sizeof(*texts));
	if (texts == NULL)
		return no_memory(r);
	for (size_t i = 0; i < one->victim_count; i++)
		if (!read_scalar(r, list.items->v[i], &texts[i]))
			return false;
	one->victim_samples = texts;
	return true;
}

static bool read_activity(struct partial_reader *r, struct value object,
			  struct straggler *one)
{
	struct value v = value_get(object, "activity");

	for (int a = 0; a < ACTIVITIES; a++) {
		if (!value_is_str(v, activity_word((enum activity)a)))
			continue;
		one->most = (enum activity)a;
		return read_double(r, object, "activity_time", &one->most_time);
	}
	return damaged(r, "activity");
}

static bool read_work(struct partial_reader *r, struct value v,
		      struct straggler *one)
{
	return read_double(r, v, "start", &one->start) &&
	       read_double(r, v, "end", &one->end) &&
	       read_double(r, v, "duration", &one->duration) &&
	       read_known(r, v, "tokens", &one->tokens) &&
	       read_known(r, v, "decode_rate", &one->rate) &&
	       read_text(r, v, "worker", &one->worker) &&
	       read_text(r, v, "span", &one->held) &&
	       read_double(r, v, "span_time", &one->held_time) &&
	       read_activity(r, v, one) &&
	       read_double(r, v, "client_queue", &one->client_queue) &&
	       read_double(r, v, "waited", &one->waited) &&
	       read_double(r, v, "group_wait", &one->group_wait);
}

static bool read_straggler(struct partial_reader *r, struct value v)
{
	struct straggler one = {.last = (double)NAN, .longest = (double)NAN};
	struct value open = value_get(v, "open");
	struct value dump = value_get(v, "dump");
	struct str cause = {0};

	if (dump.kind != VALUE_STR || open.kind != VALUE_BOOL)
		return damaged(r, "dump or open of a straggler");
	one.dump = value_text(dump);
	one.open = open.b;
	if (!read_uint(r, v, "row", &one.row) ||
	    !read_scalar(r, value_get(v, "sample"), &one.sample) ||
	    !read_scalar(r, value_get(v, "group"), &one.group) ||
	    !read_work(r, v, &one) || !read_victims(r, v, &one) ||
	    !read_text(r, v, "cause", &cause) ||
	    !read_known(r, v, "cause_time", &one.cause_time))
		return false;
	one.place = (size_t)one.row;
	snprintf(one.cause, sizeof(one.cause), "%.*s", STR_ARG(cause));
	return partial_keep_straggler(r->p, &one, r->err) == 0;
}

static bool read_stragglers(struct partial_reader *r, struct value object)
{
	struct partial_stragglers *s = &r->p->stragglers;
	uint64_t most = 0;
	struct value v = value_get(object, "stragglers"), list;

	if (v.kind == VALUE_DICT && !read_uint(r, v, "most", &most))
		return false;
	if (most < s->ranks.most) {
		err_set(r->err, ERR_INPUT,
			"this partial has %llu stragglers, not %zu; write it "
			"with --partial --stragglers %zu",
			(unsigned long long)most, s->ranks.most, s->ranks.most);
		return false;
	}
	if (!read_sketch(r, value_get(v, "durations"), &s->durations) ||
	    !read_sketch(r, value_get(v, "tokens"), &s->tokens) ||
	    !read_sketch(r, value_get(v, "rates"), &s->rates) ||
	    !read_list(r, v, "samples", &list))
		return false;
	for (uint32_t i = 0; i < list.items->n; i++)
		if (!read_straggler(r, list.items->v[i]))
			return false;
	return true;
}

/* All ------------------------------------------------------------------- */

static bool read_version(struct partial_reader *r, struct value object)
{
	uint64_t version;

	if (object.kind != VALUE_DICT ||
	    value_get(object, "partial").kind == VALUE_ABSENT) {
		err_set(r->err, ERR_INPUT,
			"not a partial of obs-perfsum --partial");
		return false;
	}
	if (!read_uint(r, object, "partial", &version))
		return false;
	if (version != PARTIAL_VERSION)
		err_set(r->err, ERR_INPUT,
			"a partial of version %llu; this obs-perfsum reads "
			"version %d: write partials and merge them with the "
			"same obstools",
			(unsigned long long)version, PARTIAL_VERSION);
	return version == PARTIAL_VERSION;
}

static bool read_counts(struct partial_reader *r, struct value object,
			struct perf_counts *counts)
{
	struct value v;

	return read_dict(r, object, "counts", &v) &&
	       read_uint(r, v, "samples", &counts->samples) &&
	       read_uint(r, v, "requests", &counts->requests) &&
	       read_uint(r, v, "profiled", &counts->profiled);
}

/* A request has at most one value of a plain metric; PD timings may occur below
 * it several times. */
static bool check_counts(struct partial_reader *r)
{
	const struct perf_counts *counts = &r->p->counts;

	if (r->p->dumps == 0)
		return damaged(r, "dumps");
	if (counts->profiled > counts->requests)
		return damaged(r, "profiled");
	for (size_t m = 0; m < PERF_METRICS; m++) {
		uint64_t n = r->p->metrics[m].n;

		if ((m < PERF_FIRST_PD && n > counts->profiled) ||
		    (n > 0 && counts->profiled == 0))
			return damaged(r, "more values than requests");
	}
	return true;
}

int partial_read(struct partial *p, struct value object, struct err *err)
{
	struct partial_reader r = {
		.p = p, .text = buf_new(LIMIT_STRING), .err = err};

	err->code = 0;
	(void)(read_version(&r, object) &&
	       read_uint(&r, object, "dumps", &p->dumps) &&
	       read_counts(&r, object, &p->counts) &&
	       read_metrics(&r, object) && check_counts(&r) &&
	       (!p->plan->breakdown || read_breakdown(&r, object)) &&
	       (p->plan->stragglers == 0 || read_stragglers(&r, object)));
	buf_free(&r.text);
	return err->code;
}
