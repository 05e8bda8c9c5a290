#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "fmt/prom/prom_check.h"
#include "metrics/merge.h"
#include "metrics/page_edge.h"
#include "metrics/regroup.h"
#include "metrics/strips.h"
#include "metrics/vitals.h"

/* Snapshots this far from the window are read, for differences: seconds. */
#define LOOK 120.0

enum { NOT_WANTED, FOR_VITALS, FOR_GLOBS };

/* The vital signs to draw; of those sharing a strip, the first known one. */
static const struct vital_strip {
	const char *key, *title;
	enum vital vital;
	bool per_second; /* draw its increase */
} vital_strips[] = {
	{"running", "running requests", VITAL_RUNNING, false},
	{"queue", "queued requests", VITAL_QUEUE, false},
	{"kv_usage", "KV cache use", VITAL_KV_USAGE, false},
	{"tokens", "decode tokens/s", VITAL_DECODE_RATE, false},
	{"tokens", "decode tokens/s", VITAL_THROUGHPUT, false},
	{"tokens", "decode tokens/s", VITAL_TOKENS, true},
	{"tokens", "decode tokens/s", VITAL_TOKENS_LATE, true},
	{"retracted", "retracted requests/s", VITAL_RETRACTED, true},
};

enum { VITAL_STRIPS = ARRAY_SIZE(vital_strips) };

static const struct naming as_they_are;

static const char *unit_of_vital(const struct vital_strip *kind)
{
	for (const struct step_row *r = step_rows; r->summary != NULL; r++)
		if (r->vital == kind->vital && kind->vital != VITAL_TOKENS &&
		    kind->vital != VITAL_TOKENS_LATE &&
		    strcmp(r->unit, "-") != 0 && r->unit[0] != '\0')
			return kind->per_second ? "requests/s" : r->unit;
	return "tokens/s";
}

static int add_vital_strips(struct strips *s, struct err *err)
{
	for (size_t i = 0; i < VITAL_STRIPS; i++) {
		const struct vital_strip *kind = &vital_strips[i];

		if (strips_find(s, str_of(kind->key)) == NULL &&
		    strips_add(s, str_of(kind->key), str_of(kind->title),
			       str_of(unit_of_vital(kind))) == NULL)
			return err_memory(err);
	}
	return 0;
}

/* Which metrics are read -------------------------------------------------- */

/* The vital sign of a strip that a metric is needed for. */
static bool is_vital(const struct catalogue_row *row)
{
	int number;

	if (row == NULL || row->type == PROM_HISTOGRAM ||
	    row->type == PROM_SUMMARY)
		return false;
	number = (int)catalogue_number(catalogue_now(row));
	for (const struct step_row *r = step_rows; r->summary != NULL; r++)
		for (size_t i = 0; r->of.row == number && i < VITAL_STRIPS; i++)
			if (r->vital == vital_strips[i].vital)
				return true;
	return false;
}

/* Does a glob match, with or without the engine's prefix? */
static bool glob_matches(const char *glob, struct str name)
{
	const struct catalogue_row *row = catalogue_find(name);
	const char *colon = strchr(name.p, ':');

	return fnmatch(glob, name.p, 0) == 0 ||
	       (colon != NULL && fnmatch(glob, colon + 1, 0) == 0) ||
	       (row != NULL && fnmatch(glob, catalogue_bare(row), 0) == 0);
}

static bool any_glob_matches(const struct strips *s, struct str name)
{
	for (size_t i = 0; i < s->n_globs; i++)
		if (glob_matches(s->globs[i], name))
			return true;
	return false;
}

/* The purpose of a metric; less than 0: out of memory. */
static int wanted_for(struct strips *s, struct str name)
{
	uint64_t hash = hash_bytes(name.p, name.n, 5);
	struct str suffix, copy;
	uint32_t what;

	if (map_find(&s->wanted, hash, &what))
		return (int)what;
	copy = arena_str(&s->text, name);
	if (copy.p == NULL)
		return ERR_MEMORY;
	what = any_glob_matches(s, copy) ? FOR_GLOBS
	       : is_vital(catalogue_find_sample(copy, &suffix)) && suffix.n == 0
		       ? FOR_VITALS
		       : NOT_WANTED;
	return map_add(&s->wanted, hash, &what) < 0 ? ERR_MEMORY : (int)what;
}

static bool wants(void *strips, struct str name)
{
	return wanted_for(strips, name) != NOT_WANTED;
}

/* One stream -------------------------------------------------------------- */

struct strip_reading {
	struct strips *strips;
	struct series_table tables[2];
	struct series_table *now, *before;
	struct merge merge;
	struct report report;
	struct vitals vitals;
	double set_by; /* seconds the clock jumped since the last snapshot */
	struct page_edge edge;
	/* for metrics that globs match: */
	struct str labels[16];
	struct reduce_how how;
	struct metric_sink sink; /* receives their reduced values */
	struct metric_family family;
	struct label_set set;
	double time;
};

static void say_nothing(void *to, enum remark remark, const struct err *err)
{
	(void)to;
	(void)remark;
	(void)err;
}

static double per_second(const struct strip_reading *r, double increase)
{
	return r->vitals.seconds > 0 ? increase / r->vitals.seconds
				     : (double)NAN;
}

static int put_worker(struct strip_reading *r, const struct worker *w,
		      struct err *err)
{
	const char *done = "";
	int code = 0;

	for (size_t i = 0; code == 0 && i < VITAL_STRIPS; i++) {
		const struct vital_strip *kind = &vital_strips[i];
		double value = w->vital[kind->vital];

		if (strcmp(done, kind->key) == 0)
			continue;
		if (kind->per_second)
			value = w->restarted ? (double)NAN
					     : per_second(r, value);
		if (isnan(value))
			continue;
		done = kind->key;
		code = strips_put(r->strips,
				  strips_find(r->strips, str_of(kind->key)),
				  w->id, w->name,
				  (struct strip_point){r->time, value}, err);
	}
	return code;
}

static int put_vitals(struct strip_reading *r, double seconds, struct err *err)
{
	struct survey surveys[2] = {0};
	int code = survey_take(&surveys[1], r->now, err);

	if (code == 0 && r->before != NULL)
		code = survey_take(&surveys[0], r->before, err);
	if (code == 0)
		code = vitals_take(&r->vitals,
				   r->before == NULL ? NULL : &surveys[0],
				   &surveys[1], seconds, NULL, err);
	r->strips->infinite += r->vitals.infinite;
	for (size_t i = 0; code == 0 && i < r->vitals.n; i++)
		code = put_worker(r, &r->vitals.v[i], err);
	survey_free(&surveys[0]);
	survey_free(&surveys[1]);
	return code;
}

/* Metrics that globs match ------------------------------------------------- */

static int take_family(struct metric_sink *sink,
		       const struct metric_family *family, struct err *err)
{
	struct strip_reading *r =
		(struct strip_reading *)((char *)sink -
					 offsetof(struct strip_reading, sink));

	(void)err;
	r->family = *family;
	return 0;
}

static struct strip *strip_of_metric(struct strip_reading *r, struct str name)
{
	struct strips *s = r->strips;
	struct strip *strip = strips_find(s, name);
	const struct catalogue_row *row = catalogue_find(name);
	const char *unit = row == NULL ? "" : catalogue_str(row->unit);
	char text[64];

	if (strip != NULL)
		return strip;
	snprintf(text, sizeof(text), "%s%s", unit, r->family.grows ? "/s" : "");
	return strips_add(s, name, name, str_of(text));
}

static int take_sample(struct metric_sink *sink,
		       const struct metric_sample *sample, struct err *err)
{
	struct strip_reading *r =
		(struct strip_reading *)((char *)sink -
					 offsetof(struct strip_reading, sink));
	const struct prom_label *worker;
	struct strip *strip;

	if (r->family.type == PROM_HISTOGRAM ||
	    r->family.type == PROM_SUMMARY ||
	    wanted_for(r->strips, sample->name) != FOR_GLOBS)
		return 0;
	strip = strip_of_metric(r, sample->name);
	if (strip == NULL || label_set_read(&r->set, sample->labels, err) < 0)
		return err_memory(err);
	worker = term_worker_label(r->set.v, r->set.n);
	for (size_t i = 0; i < r->strips->n_globs; i++)
		r->strips->matched[i] |=
			glob_matches(r->strips->globs[i], strip->key);
	return strips_put(r->strips, strip,
			  worker == NULL ? 1 : prom_label_hash(worker),
			  worker == NULL ? str_make("", 0) : worker->value,
			  (struct strip_point){r->time, sample->value}, err);
}

static int put_matched(struct strip_reading *r, struct err *err)
{
	struct delta d = delta_of(r->before, r->now);
	struct reduce reduce = reduce_new(&r->how, &r->now->names);
	int code;

	d.rate = true;
	code = delta_find_restarts(&d, err);
	if (code == 0)
		code = regroup_reduce(r->now, &d, &reduce, err);
	if (code == 0)
		code = reduce_walk(&reduce, &r->sink, err);
	reduce_free(&reduce);
	delta_free(&d);
	return code;
}

/* Snapshots --------------------------------------------------------------- */

/* Begin the next snapshot in a table. */
static int begin_snapshot(struct strip_reading *r, struct series_table *t,
			  struct err *err)
{
	r->now = t;
	r->merge.table = t;
	r->edge.begun = false;
	series_table_clear(t);
	return names_begin_part(&t->names, "", err);
}

/* The snapshot is complete. */
static int end_snapshot(struct strip_reading *r, struct err *err)
{
	double seconds = (double)NAN;
	int code = merge_settle(&r->merge, err);

	if (code < 0 || r->now->n == 0)
		return code;
	r->time = (double)(r->now->newest / 1000);
	if (isnan(r->time)) {
		r->strips->unstamped++;
		return begin_snapshot(r, r->now, err);
	}
	if (r->before != NULL) {
		r->before->newest += (long double)r->set_by * 1000;
		seconds = r->time - (double)(r->before->newest / 1000);
	}
	r->set_by = 0;
	if (!(seconds > 0))
		seconds = (double)NAN;
	r->strips->snapshots += r->time >= r->strips->from &&
				r->time <= r->strips->to;
	code = put_vitals(r, seconds, err);
	if (code == 0 && r->strips->n_globs > 0)
		code = put_matched(r, err);
	r->before = r->now;
	if (code < 0)
		return code;
	return begin_snapshot(
		r, r->now == &r->tables[0] ? &r->tables[1] : &r->tables[0],
		err);
}

static void begin_reading(struct strip_reading *r, struct strips *s)
{
	size_t n = 0;

	*r = (struct strip_reading){.strips = s,
				    .report = report_new(say_nothing, NULL),
				    .vitals = vitals_new(),
				    .sink = {.family = take_family,
					     .sample = take_sample}};
	for (; n < sizeof(r->labels) / sizeof(*r->labels) &&
	       catalogue_worker_labels[n] != NULL;
	     n++)
		r->labels[n] = str_of(catalogue_worker_labels[n]);
	r->how = (struct reduce_how){
		.labels = r->labels, .n_labels = n, .differences = true};
	for (size_t i = 0; i < 2; i++)
		series_table_init(&r->tables[i], &as_they_are, &r->report);
	r->now = &r->tables[0];
	r->merge = merge_new(r->now, NULL);
}

static void end_reading(struct strip_reading *r)
{
	merge_free(&r->merge);
	vitals_free(&r->vitals);
	label_set_free(&r->set);
	for (size_t i = 0; i < 2; i++)
		series_table_free(&r->tables[i]);
}

static int take_sample_line(struct strip_reading *r,
			    const struct prom_line *line, int64_t number,
			    struct err *err)
{
	bool next = page_edge_sample(&r->edge, line);
	int code = next ? end_snapshot(r, err) : 0;

	if (next && code == 0) {
		page_edge_sample(&r->edge, line);
		if (page_edge_type(&r->edge) != NULL)
			code = merge_line(&r->merge, page_edge_type(&r->edge),
					  number, err);
	}
	page_edge_pass(&r->edge);
	return code < 0 ? code : merge_line(&r->merge, line, number, err);
}

static int take_line(struct strip_reading *r, const struct prom_line *line,
		     int64_t number, struct err *err)
{
	int code;

	if (line->kind == PROM_SAMPLE)
		return take_sample_line(r, line, number, err);
	if (line->kind == PROM_TYPE)
		page_edge_keep_type(&r->edge, line);
	code = merge_line(&r->merge, line, number, err);
	if (code == 0 && line->kind == PROM_CLOCK) {
		code = end_snapshot(r, err);
		r->set_by += line->value;
	}
	if (code == 0 && line->kind == PROM_EOF)
		code = end_snapshot(r, err);
	return code;
}

/* The parts that are used, and the time they span. */
static void limit_stream(struct strips *s, struct metric_stream *stream)
{
	double margin = (s->to - s->from) * STRIP_MARGIN + LOOK;

	stream->wants = wants;
	stream->wants_what = s;
	stream->from = (s->from - margin) * 1000;
	stream->to = (s->to + margin) * 1000;
}

static void note_reach(struct strips *s, const struct metric_stream *stream)
{
	if (!(stream->first <= stream->last))
		return;
	if (!(s->first <= (double)stream->first / 1000))
		s->first = (double)stream->first / 1000;
	if (!(s->last >= (double)stream->last / 1000))
		s->last = (double)stream->last / 1000;
}

/* A bad line: the first ones are reported. Returns whether to read on. */
static bool report_bad(struct metric_stream *stream, uint64_t bad,
		       bool understood,
		       void (*say)(void *to, const struct err *err), void *to,
		       struct err *err)
{
	const char *other = NULL;

	if (!understood)
		other = prom_check_other(metric_stream_head(stream));
	if (other != NULL) {
		err_set(err, ERR_INPUT, "this is %s, not metrics", other);
		return false;
	}
	if (bad <= BAD_RECORDS_SAID)
		say(to, err);
	return true;
}

/* How many more bad lines there were. */
static void report_more_bad(uint64_t bad, bool understood,
			    void (*say)(void *to, const struct err *err),
			    void *to)
{
	uint64_t more = bad - BAD_RECORDS_SAID;
	struct err err;

	if (bad <= BAD_RECORDS_SAID)
		return;
	if (understood)
		err_set(&err, ERR_INPUT, "%llu more bad line%s",
			(unsigned long long)more, str_plural(more));
	else
		err_set(&err, ERR_INPUT,
			"none of %llu lines is valid; this is not metrics",
			(unsigned long long)bad);
	say(to, &err);
}

int strips_read(struct strips *s, struct metric_stream *stream,
		struct str source, void (*say)(void *to, const struct err *err),
		void *to, struct err *err)
{
	struct strip_reading r;
	struct prom_line line;
	uint64_t bad = 0;
	bool understood = false;
	int code;

	s->source = source;
	begin_reading(&r, s);
	limit_stream(s, stream);
	code = add_vital_strips(s, err);
	if (code == 0)
		code = begin_snapshot(&r, r.now, err) < 0 ? err->code : 1;
	while (code > 0) {
		code = metric_stream_next(stream, &line, err);
		if (code == 1 && take_line(&r, &line, stream->line, err) < 0)
			code = err->code;
		understood |= code == 1;
		if (code != ERR_INPUT && code != ERR_LIMIT)
			continue;
		bad++;
		if (!report_bad(stream, bad, understood, say, to, err))
			break;
		code = 1;
	}
	if (code == 0)
		code = end_snapshot(&r, err);
	if (code >= 0)
		report_more_bad(bad, understood, say, to);
	note_reach(s, stream);
	s->repeated += r.report.counts[REMARK_DUPLICATE];
	end_reading(&r);
	return code;
}

const char *strips_unmatched(const struct strips *s)
{
	for (size_t i = 0; i < s->n_globs; i++)
		if (!s->matched[i])
			return s->globs[i];
	return NULL;
}
