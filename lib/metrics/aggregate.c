#include "metrics/aggregate.h"

#include <math.h>

#include "base/digits.h"
#include "fmt/prom/prom_text.h"
#include "metrics/aggregate_watch.h"
#include "metrics/regroup.h"

enum { OLD_SECONDS = 86400 /* a state this old is likely a mistake */ };
bool aggregate_differs(const struct aggregate_how *how)
{
	return how->delta || how->rate || how->step.summary != NULL ||
	       how->watch.alarms != NULL;
}

/* Can samples go straight to the reduction? */
static bool reduces_at_once(const struct aggregate_how *how)
{
	return how->reduce && !aggregate_differs(how);
}

/* Begin a snapshot in the current table. */
static void begin_snapshot(struct aggregate *a)
{
	bool at_once = reduces_at_once(a->how);

	merge_free(&a->merge);
	a->merge = merge_new(a->now, at_once ? &a->reduce : NULL);
	a->merge.rows = a->how->step.rows;
	a->merge.matchers = a->how->matchers;
	a->merge.n_matchers = a->how->n_matchers;
	a->merge.keeps_all = a->how->remembers;
	a->merge.asked = &a->asked;
}

static void ask_globs(struct asked *asked, const char *option,
		      const char *const *globs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		asked_add(asked, ASKED_METRIC, option, str_of(globs[i]), NULL);
}

static void ask(struct asked *asked, const struct aggregate_how *how)
{
	const struct reduce_how *reduction = &how->reduction;
	const char *option = reduction->without ? "--without" : "--by";

	ask_globs(asked, "--select", how->naming.select, how->naming.n_select);
	ask_globs(asked, "--drop", how->naming.drop, how->naming.n_drop);
	ask_globs(asked, "--mean", reduction->mean, reduction->n_mean);
	ask_globs(asked, "--max", reduction->max, reduction->n_max);
	if (how->naming.strip_prefix != NULL)
		asked_add(asked, ASKED_PREFIX, "--strip-prefix",
			  str_of(how->naming.strip_prefix), NULL);
	if (reduction->n_quantiles > 0)
		asked_add(asked, ASKED_HISTOGRAM, "--quantile", str_of(""),
			  NULL);
	for (size_t i = 0; i < how->n_matchers; i++)
		asked_add(asked, ASKED_MATCH, "--match",
			  str_of(how->matchers[i].text), &how->matchers[i]);
	for (size_t i = 0; i < reduction->n_labels; i++)
		asked_add(asked, ASKED_LABEL, option, reduction->labels[i],
			  NULL);
}

void aggregate_init(struct aggregate *a, const struct aggregate_how *how,
		    struct report *report)
{
	*a = (struct aggregate){.how = how, .report = report};
	for (size_t i = 0; i < 2; i++)
		series_table_init(&a->tables[i], &how->naming, report);
	a->now = &a->tables[0];
	a->asked = asked_new();
	ask(&a->asked, how);
	a->reduce = reduce_new(&how->reduction, &a->now->names);
	begin_snapshot(a);
}

void aggregate_free(struct aggregate *a)
{
	merge_free(&a->merge);
	asked_free(&a->asked);
	reduce_free(&a->reduce);
	series_table_free(&a->tables[0]);
	series_table_free(&a->tables[1]);
}

int aggregate_begin_part(struct aggregate *a, const char *source,
			 const struct label_set *added, struct err *err)
{
	if (merge_settle(&a->merge, err) < 0)
		return err->code;
	a->merge.added = added;
	return names_begin_part(&a->now->names, source, err);
}

int aggregate_end_part(struct aggregate *a, struct err *err)
{
	int code = merge_settle(&a->merge, err);

	names_end_part(&a->now->names);
	return code;
}

int aggregate_begin_state(struct aggregate *a, const char *source,
			  struct err *err)
{
	a->naming = (struct naming){.select = a->how->naming.select,
				    .n_select = a->how->naming.n_select,
				    .drop = a->how->naming.drop,
				    .n_drop = a->how->naming.n_drop};
	a->now->names.naming = &a->naming;
	a->merge.asked = NULL;
	return aggregate_begin_part(a, source, NULL, err);
}

int aggregate_line(struct aggregate *a, const struct prom_line *line,
		   int64_t line_number, struct err *err)
{
	if (line->kind == PROM_CLOCK)
		a->set_by += line->value;
	return merge_line(&a->merge, line, line_number, err);
}

void aggregate_drop(struct aggregate *a)
{
	reduce_clear(&a->reduce);
	series_table_clear(a->now);
	a->now->names.naming = &a->how->naming;
	begin_snapshot(a);
}

/* Answers ------------------------------------------------------------- */

/* A key as a metric name: invalid characters become '_'. */
static struct str key_name(struct buf *b, const char *key)
{
	buf_clear(b);
	for (; *key != '\0'; key++) {
		char c = *key;

		buf_putc(b, prom_plain_name(str_make(&c, 1)) ||
					    (b->n > 0 && is_digit(c))
				    ? c
				    : '_');
	}
	return buf_str(b);
}

/* Repeat the scalars as gauges, for formats that lack scalars. */
static int put_scalars(const struct step_summary *summary, size_t n,
		       struct metric_sink *sink, struct err *err)
{
	struct buf name = buf_new(SIZE_MAX);
	int code = 0;

	for (size_t i = 0; code == 0 && i < n; i++) {
		struct metric_family f = {.type = PROM_GAUGE, .typed = true};
		struct metric_sample s = {.value = summary->scalars[i].value,
					  .time = (long double)NAN};

		f.name = s.name = key_name(&name, summary->scalars[i].name);
		if (name.failed)
			code = err_memory(err);
		if (code == 0)
			code = sink->family(sink, &f, err);
		if (code == 0)
			code = sink->sample(sink, &s, err);
	}
	buf_free(&name);
	return code;
}

/* Generation cannot take longer than the step (a tenth: clocks differ). */
static void report_window(const struct aggregate *a, const struct delta *d)
{
	double window = a->how->step.window;
	struct err err;

	if (isnan(d->before->newest) || isnan(d->now->newest) ||
	    !(window > 1.1 * d->seconds) ||
	    !report_count(a->report, REMARK_WINDOW))
		return;
	err_set(&err, ERR_INPUT,
		"--window=%.6g is longer than the %.6g s between the "
		"snapshots: rates are too low",
		window, d->seconds);
	report_say(a->report, REMARK_WINDOW, &err);
}

/* Report an odd interval between the snapshots. */
static void report_time(const struct aggregate *a, const struct delta *d)
{
	const struct aggregate_how *how = a->how;
	struct err err;

	if (d->before == NULL)
		return;
	if (isnan(d->seconds) &&
	    (d->rate || (how->step.summary != NULL && how->step.window <= 0)) &&
	    report_count(a->report, REMARK_NO_TIME)) {
		err_set(&err, ERR_INPUT,
			"the time between the snapshots is unknown; no rates");
		report_say(a->report, REMARK_NO_TIME, &err);
	}
	report_window(a, d);
	if (a->primed && d->seconds > OLD_SECONDS &&
	    report_count(a->report, REMARK_OLD_STATE)) {
		err_set(&err, ERR_INPUT,
			"the state is %.1f days older than the input; "
			"increases cover %.0f s",
			d->seconds / 86400, d->seconds);
		report_say(a->report, REMARK_OLD_STATE, &err);
	}
}

/* Is a metric used by the step? */
static bool is_own(const struct aggregate *a, const struct metric *m)
{
	return m->row != NULL &&
	       a->how->step.rows[catalogue_number(catalogue_now(m->row))];
}

/* Is the current snapshot later than the previous one? */
static bool is_later(const struct aggregate *a)
{
	return a->before == NULL || a->now->n == 0 ||
	       !isnan(delta_of(a->before, a->now).seconds);
}

/* Does the current snapshot have what differences need? */
static bool can_differ(const struct aggregate *a)
{
	const struct names *names = &a->now->names;

	if (a->how->watch.alarms != NULL)
		return a->now->n > 0 && is_later(a);
	if (a->how->step.summary == NULL)
		return aggregate_differs(a->how) && delta_has_counters(a->now);
	for (uint32_t i = 0; i < names->n_metrics; i++)
		if (names->metrics[i]->first != NO_NUMBER &&
		    is_own(a, names->metrics[i]))
			return true;
	return false;
}

/* A key's counterpart in a snapshot that lacks it. */
static int describe_metrics(const struct aggregate *a, const struct delta *d,
			    struct err *err)
{
	const char *step = a->how->step.summary;
	const struct names *names = &a->now->names;
	const struct metric *own = NULL;
	const char *other;
	uint32_t n = 0;

	for (uint32_t i = 0; i < names->n_metrics; i++) {
		const struct metric *m = names->metrics[i];

		n += is_own(a, m);
		own = own == NULL && is_own(a, m) ? m : own;
	}
	if (own != NULL && d != NULL && d->resets + d->fresh > 0)
		return err_set(err, ERR_INPUT,
			       "no keys: of the series of %s, %llu decreased "
			       "and %llu are new",
			       step, (unsigned long long)d->resets,
			       (unsigned long long)d->fresh);
	if (own != NULL)
		return err_set(
			err, ERR_INPUT,
			"no keys: the summary does not use the metrics of "
			"%s in the input (%u, such as %.*s)",
			step, n, STR_ARG(own->name));
	other = step_guess(names);
	if (other != NULL)
		return err_set(err, ERR_INPUT,
			       "no metrics of %s: these are %s's metrics; use "
			       "--step-summary %s",
			       step, other, other);
	return err_set(err, ERR_INPUT,
		       "no metrics of %s; found only others, such as %.*s",
		       step, STR_ARG(names->metrics[0]->name));
}

/* Is the reason for an empty summary reported elsewhere: no samples at all,
 * none selected, or no interval to divide by? */
static bool is_explained(const struct aggregate *a, bool can, double seconds)
{
	return asked_leaves_none(&a->asked) ||
	       (a->now->names.n_metrics == 0 && a->known == 0) ||
	       (can && a->before != NULL && isnan(seconds));
}

static void report_no_keys(const struct aggregate *a, const struct delta *d,
			   double seconds)
{
	bool can = can_differ(a);
	enum remark remark = can && a->before == NULL ? REMARK_FIRST
						      : REMARK_NO_KEYS;
	struct err err;

	if (is_explained(a, can, seconds) || !report_count(a->report, remark))
		return;
	if (a->now->names.n_metrics == 0)
		err_set(&err, ERR_INPUT, "no keys: a snapshot has no samples");
	else if (remark == REMARK_FIRST)
		err_set(&err, ERR_INPUT,
			"no keys yet: increases of counters are known from "
			"the second snapshot");
	else
		describe_metrics(a, d, &err);
	report_say(a->report, remark, &err);
}

/* After the keys: what happened to the series. */
static int add_counts(struct step_summary *summary, struct delta *d,
		      struct err *err)
{
	struct metric_scalar scalars[DELTA_SCALARS];
	int code = 0;

	d->skips_resets = true;
	delta_count_fates(d);
	delta_scalars(d, scalars);
	for (size_t i = 0; code == 0 && i < DELTA_SCALARS; i++)
		code = step_summary_put(summary, scalars[i], err);
	return code;
}

static int put_step(struct aggregate *a, struct delta *d, bool closed,
		    struct metric_sink *sink, struct err *err)
{
	const struct aggregate_how *how = a->how;
	struct step_summary summary = {0};
	struct metric_about about = {.time = series_table_time(a->now),
				     .closed = closed,
				     .flat = true};
	double window = how->step.window > 0 ? how->step.window
			: d == NULL	     ? (double)NAN
					     : d->seconds;
	size_t keys;
	int code;

	code = step_summarise(&summary, &how->step, a->before, a->now, window,
			      err);
	keys = summary.n;
	if (code == 0 && d != NULL) {
		report_time(a, d);
		code = add_counts(&summary, d, err);
	}
	if (code == 0 && keys == 0)
		report_no_keys(a, d, window);
	about.scalars = summary.scalars;
	about.n_scalars = summary.n;
	code = code < 0 ? code : sink->begin(sink, &about, err);
	if (code == 0)
		code = put_scalars(&summary, keys, sink, err);
	code = code < 0 ? code : sink->end(sink, err);
	step_summary_free(&summary);
	return code;
}

static int put_reduced(struct aggregate *a, struct delta *d,
		       struct metric_sink *sink, struct err *err)
{
	struct reduce r = reduce_new(&a->how->reduction, &a->now->names);
	int code = regroup_reduce(a->now, d, &r, err);

	code = code < 0 ? code : reduce_walk(&r, sink, err);
	reduce_free(&r);
	return code;
}

static int put_families(struct aggregate *a, struct delta *d,
			struct metric_sink *sink, struct err *err)
{
	if (reduces_at_once(a->how))
		return reduce_walk(&a->reduce, sink, err);
	if (a->how->reduce)
		return put_reduced(a, d, sink, err);
	return regroup_walk(a->now, d, a->how->pad, sink, err);
}

static int put_snapshot(struct aggregate *a, struct delta *d, bool closed,
			struct metric_sink *sink, struct err *err)
{
	struct metric_scalar scalars[DELTA_SCALARS];
	struct metric_about about = {.time = series_table_time(a->now),
				     .closed = closed,
				     .grouped = a->how->reduce,
				     .differs = d != NULL,
				     .rate = d != NULL && d->rate};
	int code;

	if (d != NULL) {
		if (delta_find_restarts(d, err) < 0)
			return err->code;
		delta_count_fates(d);
		report_time(a, d);
		delta_scalars(d, scalars);
		about.scalars = scalars;
		about.n_scalars = DELTA_SCALARS;
	}
	code = sink->begin(sink, &about, err);
	if (code == 0)
		code = put_families(a, d, sink, err);
	return code < 0 ? code : sink->end(sink, err);
}

/* A new snapshot begins; the current one becomes the previous. */
static void turn(struct aggregate *a, double arrived)
{
	a->now->arrived = arrived;
	a->samples += a->merge.samples;
	a->known += a->merge.known;
	if (can_differ(a)) {
		a->before = a->now;
		a->now = a->now == &a->tables[0] ? &a->tables[1]
						 : &a->tables[0];
		a->primed = false;
	}
	aggregate_drop(a);
}

bool aggregate_answers(const struct aggregate *a)
{
	const struct aggregate_how *how = a->how;

	if (how->watch.alarms != NULL)
		return true;
	return a->before != NULL || how->step.summary != NULL ||
	       how->remembers || !aggregate_differs(how);
}

/* Put what was read before the clock was set on the clock of what follows. */
static void set_clock(struct aggregate *a)
{
	if (a->before != NULL) {
		a->before->newest += (long double)a->set_by * 1000;
		a->before->arrived += a->set_by;
	}
	a->watched += a->judged > 0 ? a->set_by : 0;
	a->unseen += a->set_by;
}

int aggregate_end(struct aggregate *a, double arrived, bool closed,
		  struct metric_sink *sink, struct err *err)
{
	bool differs = aggregate_differs(a->how);
	struct delta d;
	int code = merge_settle(&a->merge, err);

	if (code < 0)
		return code;
	a->now->arrived = arrived;
	asked_families(&a->asked, &a->now->names);
	set_clock(a);
	d = delta_of(a->before, a->now);
	d.rate = a->how->rate;
	d.new_from_zero = a->how->new_from_zero;
	if (a->how->watch.alarms != NULL && is_later(a))
		code = aggregate_judge(a, d.seconds, err);
	else if (a->how->watch.alarms != NULL)
		a->late++;
	else if (a->how->step.summary != NULL)
		code = put_step(a, a->before == NULL ? NULL : &d, closed, sink,
				err);
	else if (aggregate_answers(a))
		code = put_snapshot(a, differs ? &d : NULL, closed, sink, err);
	delta_free(&d);
	a->set_by = 0;
	turn(a, arrived);
	return code;
}

bool aggregate_report_missing(struct aggregate *a)
{
	struct err err;
	int code = asked_next(&a->asked, &err);

	for (; code > 0; code = asked_next(&a->asked, &err))
		if (report_count(a->report, REMARK_MISSING))
			report_say(a->report, REMARK_MISSING, &err);
	return code == 0;
}

void aggregate_prime(struct aggregate *a, double arrived)
{
	turn(a, arrived);
	a->samples = a->known = 0;
	a->primed = a->before != NULL;
}
