#include "metrics/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/stats.h"
#include "metrics/formula.h"
#include "metrics/vitals.h"

/* One summary being computed. */
struct step {
	const struct step_plan *plan;
	struct step_summary *summary;
	struct formula formula;
	struct report *report;
	const char *done; /* keys that have a value, or must have none */
};

void step_summary_free(struct step_summary *s)
{
	arena_free(&s->text);
	free(s->scalars);
	*s = (struct step_summary){0};
}

int step_summary_put(struct step_summary *summary, struct metric_scalar scalar,
		     struct err *err)
{
	if (!ARRAY_GROW(summary->scalars, summary->n, summary->cap))
		return err_memory(err);
	summary->scalars[summary->n++] = scalar;
	return 0;
}

static bool is_of(const struct step_row *row, const char *summary)
{
	return summary == NULL ? row->vital != VITAL_NONE
			       : strcmp(row->summary, summary) == 0;
}

bool step_uses(const char *summary, const struct catalogue_row *row)
{
	int number = (int)catalogue_number(catalogue_now(row));

	for (const struct step_row *r = step_rows; r->summary != NULL; r++)
		if (is_of(r, summary) &&
		    (r->of.row == number || r->by.row == number))
			return true;
	return false;
}

bool *step_rows_used(const char *summary)
{
	bool *rows = calloc(catalogue_size(), sizeof(*rows));

	for (uint32_t i = 0; rows != NULL && i < catalogue_size(); i++)
		rows[i] = step_uses(summary, catalogue_at(i));
	return rows;
}

const char *step_guess(const struct names *names)
{
	const char *guess = NULL;
	uint32_t most = 0;

	for (size_t i = 0; step_summaries[i] != NULL; i++) {
		uint32_t n = 0;

		for (uint32_t k = 0; k < names->n_metrics; k++)
			n += names->metrics[k]->row != NULL &&
			     step_uses(step_summaries[i],
				       names->metrics[k]->row);
		if (n > most)
			guess = step_summaries[i];
		most = n > most ? n : most;
	}
	return guess;
}

/* PREFIX/KEY, and a suffix. */
static int put(struct step *s, const char *key, const char *behind,
	       double value, struct err *err)
{
	const char *prefix = s->plan->prefix;
	size_t n = strlen(prefix) + strlen(key) + strlen(behind) + 2;
	char *text = arena_alloc(&s->summary->text, n);

	if (text == NULL)
		return err_memory(err);
	snprintf(text, n, "%s/%s%s", prefix, key, behind);
	return step_summary_put(s->summary, (struct metric_scalar){text, value},
				err);
}

/* Spread -------------------------------------------------------------- */

/* The values of all workers, sorted. */
static int worker_values(struct step *s, struct stats *values, struct err *err)
{
	struct formula_workers w = {0};
	int code = formula_workers(&s->formula, &w, err);

	if (code >= 0)
		code = formula_split(&s->formula, &w, err);
	for (size_t i = 0; code >= 0 && i < w.n; i++) {
		struct formula part = formula_part(&s->formula, &w, i);
		double value;

		code = formula_value(&part, &w.v[i], &value, err);
		if (code == 1 && !stats_add(values, value))
			code = err_memory(err);
	}
	formula_workers_free(&w);
	stats_sort(values);
	return code < 0 ? code : 0;
}

static int put_spread(struct step *s, const struct step_row *row,
		      struct err *err)
{
	struct stats values = {0};
	int code = worker_values(s, &values, err);
	size_t n = values.n;

	if (code == 0 && n > 0)
		code = put(s, row->key, "_min", values.v[0], err);
	if (code == 0 && n > 0)
		code = put(s, row->key, "_median", stats_median(&values), err);
	if (code == 0 && n > 0)
		code = put(s, row->key, "_max", values.v[n - 1], err);
	stats_free(&values);
	return code;
}

/* Keys ---------------------------------------------------------------- */

/* Can each worker have its own value? */
static bool has_spread(const struct step_row *row)
{
	return row->how != STEP_RATIO_LEAST && row->how != STEP_RATIO_GREATEST;
}

static int put_row(struct step *s, const struct step_row *row, struct err *err)
{
	double value;
	int code = formula_read(&s->formula, row, 0, err);

	if (code != 1)
		return code;
	s->done = row->key;
	code = formula_value(&s->formula, NULL, &value, err);
	if (code == 1)
		code = put(s, row->key, "", value, err);
	if (code == 0 && s->plan->spread && has_spread(row))
		code = put_spread(s, row, err);
	return code;
}

/* One ratio per number, from 0; keys count from 1. */
static int put_each(struct step *s, const struct step_row *row, struct err *err)
{
	for (uint32_t i = 0;; i++) {
		char number[16];
		double value;
		int code = formula_read(&s->formula, row, i, err);

		if (code != 1)
			return code;
		snprintf(number, sizeof(number), "%u", i + 1);
		code = formula_value(&s->formula, NULL, &value, err);
		if (code == 1)
			code = put(s, row->key, number, value, err);
		if (code < 0)
			return code;
	}
}

static int count_stalled(const struct vitals *v, double *stalled)
{
	int known = 0;

	*stalled = 0;
	for (size_t i = 0; i < v->n; i++) {
		bool stale;
		enum truth truth = worker_is_stalled(&v->v[i], NULL, 0, &stale);

		known += !isnan(v->v[i].vital[VITAL_TOKENS]);
		*stalled += truth == TRUTH_YES;
	}
	return known;
}

static int put_stalled(struct step *s, const struct step_row *row,
		       struct err *err)
{
	struct vitals v = vitals_new();
	double stalled;
	int code = 0;

	if (s->formula.before != NULL)
		code = vitals_take(&v, s->formula.before, s->formula.now,
				   s->formula.seconds, row->summary, err);
	if (code == 0 && count_stalled(&v, &stalled) > 0)
		code = put(s, row->key, "", stalled, err);
	vitals_free(&v);
	return code;
}

/* Shares within a bound ------------------------------------------------ */

/* The row of the quantile KEY_p50, whose buckets are used for KEY=BOUND. */
static const struct step_row *bound_row(const char *summary, struct str key)
{
	for (const struct step_row *r = step_rows; r->summary != NULL; r++)
		if (r->how == STEP_QUANTILE && is_of(r, summary) &&
		    strlen(r->key) == key.n + 4 &&
		    memcmp(r->key, key.p, key.n) == 0)
			return r;
	return NULL;
}

bool step_bound_read(const char *summary, const char *text, struct str *key,
		     double *bound)
{
	const char *equals = strrchr(text, '=');

	if (equals == NULL)
		return false;
	*key = str_make(text, (size_t)(equals - text));
	return num_parse_double(str_of(equals + 1), bound) && *bound >= 0 &&
	       isfinite(*bound) && bound_row(summary, *key) != NULL;
}

/* Count of observations up to a bound. */
static double sum_within(const struct term_items *items, double bound)
{
	double sum = 0;

	for (size_t i = 0; i < items->n; i++)
		if (items->v[i].good && items->v[i].bound == bound)
			sum += items->v[i].value;
	return sum;
}

/* Does a series have that bound? Else *below and *above are the adjacent ones,
 * or infinite. */
static bool find_bound(const struct term_items *items, double bound,
		       double *below, double *above)
{
	*below = -(double)INFINITY;
	*above = (double)INFINITY;
	for (size_t i = 0; i < items->n; i++) {
		double b = items->v[i].bound;

		if (b == bound)
			return true;
		if (b < bound && b > *below)
			*below = b;
		if (b > bound && b < *above)
			*above = b;
	}
	return false;
}

/* items: of the histogram, none if it is not in the input. */
static void report_no_bound(const struct step *s, const char *text,
			    const struct term_items *items, double bound)
{
	double below, above;
	struct err err;

	if (find_bound(items, bound, &below, &above) ||
	    !report_count(s->report, REMARK_BOUND))
		return;
	if (items->n == 0)
		err_set(&err, ERR_INPUT,
			"--within=%s: the input has no histogram of it", text);
	else if (isinf(below) || isinf(above))
		err_set(&err, ERR_INPUT,
			"--within=%s: no bucket ends there; the nearest bound "
			"is %g",
			text, isinf(below) ? above : below);
	else
		err_set(&err, ERR_INPUT,
			"--within=%s: no bucket ends there; the nearest bounds "
			"are %g and %g",
			text, below, above);
	report_say(s->report, REMARK_BOUND, &err);
}

static int put_within(struct step *s, const char *text, struct err *err)
{
	const struct term_items *items = &s->formula.of;
	const struct step_row *row;
	struct str key;
	char number[NUM_DOUBLE_MAX + 16] = "_within_";
	double bound, within, all, below, above;
	int code;

	if (!step_bound_read(s->plan->summary, text, &key, &bound))
		return 0; /* in no plan */
	row = bound_row(s->plan->summary, key);
	code = formula_read(&s->formula, row, 0, err);
	if (code < 0 || s->formula.before == NULL)
		return code;
	report_no_bound(s, text, items, bound);
	all = sum_within(items, (double)INFINITY);
	within = sum_within(items, bound);
	if (all == 0 || !find_bound(items, bound, &below, &above))
		return 0;
	text = arena_str(&s->summary->text, key).p;
	if (text == NULL)
		return err_memory(err);
	number[8 + num_put_short(number + 8, bound)] = '\0';
	return put(s, text, number, within / all, err);
}

/* All ----------------------------------------------------------------- */

static int put_key(struct step *s, const struct step_row *row, struct err *err)
{
	if (row->set == STEP_VITAL || row->set == STEP_PERF ||
	    (row->set == STEP_ALL && !s->plan->all_keys) ||
	    (s->done != NULL && strcmp(s->done, row->key) == 0))
		return 0;
	if (row->how == STEP_RATIO_BY)
		return put_each(s, row, err);
	if (row->how == STEP_STALLED)
		return put_stalled(s, row, err);
	return put_row(s, row, err);
}

static int put_keys(struct step *s, struct err *err)
{
	const struct step_row *row = step_rows;
	int code = 0;

	for (; code == 0 && row->summary != NULL; row++)
		if (is_of(row, s->plan->summary))
			code = put_key(s, row, err);
	for (size_t i = 0; code == 0 && i < s->plan->n_bounds; i++)
		code = put_within(s, s->plan->bounds[i], err);
	return code;
}

int step_summarise(struct step_summary *summary, const struct step_plan *plan,
		   const struct series_table *before,
		   const struct series_table *now, double seconds,
		   struct err *err)
{
	struct step s = {
		.plan = plan, .summary = summary, .report = now->names.report};
	struct survey surveys[2] = {0};
	int code = survey_take(&surveys[1], now, err);

	*summary = (struct step_summary){.text = arena_new(MIB)};
	if (code == 0 && before != NULL)
		code = survey_take(&surveys[0], before, err);
	s.formula =
		formula_new(before == NULL ? NULL : &surveys[0], &surveys[1]);
	s.formula.seconds = seconds;
	s.formula.peak = plan->peak;
	if (code == 0)
		code = put_keys(&s, err);
	formula_free(&s.formula);
	survey_free(&surveys[0]);
	survey_free(&surveys[1]);
	return code;
}
