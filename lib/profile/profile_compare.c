#include "profile/profile_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bootstrap.h"
#include "base/limits.h"
#include "base/num.h"

enum { PREFIX_MAX = 64, KEY_MAX = 128, NS = 1000000000 };

const char *const profile_change_words[CHANGE_VERDICTS] = {
	[CHANGE_WORSE] = "worse",     [CHANGE_BETTER] = "better",
	[CHANGE_CHANGED] = "changed", [CHANGE_NOISE] = "noise",
	[CHANGE_SAME] = "same",	      [CHANGE_GONE] = "gone",
	[CHANGE_NEW] = "new",
};

/* Figures of a side ----------------------------------------------------- */

/* Below this part of the GPUs' time on both sides a change is noise. */
static const double weight_least = 0.01;

/* A key, its value, what part of the GPUs' time it is (NAN: does not apply),
 * and the per-step values behind the statistic. */
struct side_figure {
	struct str key;
	double value;
	double weight;
	const struct stats *values; /* NULL: none */
};

struct side_figures {
	struct side_figure *v;
	size_t n, cap;
	struct arena *text;
	struct err *err;
	int code;
};

/* The key's text is copied. */
static void put_figure(struct side_figures *f, struct side_figure figure)
{
	if (f->code < 0 || isnan(figure.value))
		return;
	figure.key = arena_str(f->text, figure.key);
	if (!ARRAY_GROW(f->v, f->n, f->cap) || figure.key.p == NULL)
		f->code = err_memory(f->err);
	else
		f->v[f->n++] = figure;
}

static void put_keyed(struct side_figures *f, const char *prefix,
		      const char *key, struct side_figure figure)
{
	char text[KEY_MAX];

	snprintf(text, sizeof(text), "%s%s", prefix, key);
	figure.key = str_of(text);
	put_figure(f, figure);
}

static void put_of(struct side_figures *f, const char *prefix, const char *key,
		   double value, const struct stats *values)
{
	put_keyed(f, prefix, key,
		  (struct side_figure){
			  .value = value, .weight = NAN, .values = values});
}

static void put(struct side_figures *f, const char *prefix, const char *key,
		double value)
{
	put_of(f, prefix, key, value, NULL);
}

/* A share of the GPUs' time is its own weight. */
static void put_share(struct side_figures *f, const char *prefix,
		      const char *key, double part, double span)
{
	double value = num_ratio(part, span);

	put_keyed(f, prefix, key,
		  (struct side_figure){.value = value, .weight = value});
}

/* Sums over the devices, divided by the sum of their spans. */
static void put_devices(struct side_figures *f, const struct profile_totals *t)
{
	put_share(f, "", "utilisation", t->busy, t->span);
	put_share(f, "", "idle", t->span - t->busy, t->span);
	put_share(f, "", "compute", t->compute, t->span);
	put_share(f, "", "communication", t->communication, t->span);
	put_share(f, "", "exposed_communication", t->exposed_communication,
		  t->span);
	put_share(f, "", "copy", t->copy, t->span);
	put_share(f, "", "exposed_copy", t->exposed_copy, t->span);
	for (int c = 0; c < GAP_CAUSES; c++)
		put_share(f, "idle/", gap_cause_names[c], t->causes[c],
			  t->span);
	put_share(f, "", "waited", t->waited, t->group_span);
}

/* The kernels of one category: their time per step. */
static void put_category(struct side_figures *f, const char *prefix,
			 const struct step_totals *sum, int c)
{
	double time = (double)sum->categories[c].time;

	put_keyed(f, prefix, kernel_category_names[c],
		  (struct side_figure){
			  .value = time / (double)sum->count / NS,
			  .weight = num_ratio(time, (double)sum->gpu_total)});
}

/* The steps of one kind in all traces. */
static void put_steps(struct side_figures *f, const struct step_totals *sum,
		      const char *kind)
{
	double n = (double)sum->count;
	char prefix[PREFIX_MAX];

	if (sum->count == 0)
		return;
	snprintf(prefix, sizeof(prefix), "step/%s/", kind);
	put(f, prefix, "count", n);
	put(f, prefix, "batch",
	    sum->batch == STEP_UNKNOWN ? (double)NAN : (double)sum->batch / n);
	put_of(f, prefix, "host", (double)sum->host_total / n / NS, &sum->host);
	put_of(f, prefix, "gpu", (double)sum->gpu_total / n / NS, &sum->gpu);
	put(f, prefix, "kernels", (double)sum->kernels / n);
	put(f, prefix, "launches", (double)sum->launches / n);
	if (sum->period.n > 0)
		put_of(f, prefix, "period", stats_median(&sum->period) / NS,
		       &sum->period);
	snprintf(prefix, sizeof(prefix), "step/%s/category/", kind);
	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		if (sum->categories[c].count > 0)
			put_category(f, prefix, sum, c);
}

/* Kernels --------------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
	const struct kernel_total *a = *(const struct kernel_total *const *)x;
	const struct kernel_total *b = *(const struct kernel_total *const *)y;

	if (a->of.time != b->of.time)
		return a->of.time > b->of.time ? -1 : 1;
	return str_cmp(a->name, b->name);
}

/* Add the names of the side's top kernels. */
static int add_top(struct intern *wanted, const struct profile_totals *t,
		   size_t top, struct err *err)
{
	size_t n = t->names.count;
	const struct kernel_total **order = malloc((n + 1) * sizeof(*order));
	int code = order == NULL ? err_memory(err) : 0;

	for (size_t i = 0; code == 0 && i < n; i++)
		order[i] = &t->kernels[i];
	if (code == 0 && n > 0)
		qsort(order, n, sizeof(*order), by_time);
	for (size_t i = 0; code == 0 && i < n && i < top; i++)
		if (intern_add(wanted, order[i]->name) == INTERN_FAILED)
			code = intern_error(wanted, err);
	free(order);
	return code;
}

/* The mean duration of a kernel that ran. */
static void put_kernel(struct side_figures *f, const struct profile_totals *t,
		       const struct kernel_total *kernel, struct buf *key)
{
	double time = (double)kernel->of.time;

	buf_clear(key);
	buf_puts(key, "kernel/");
	buf_put(key, kernel->name.p, kernel->name.n);
	put_figure(f, (struct side_figure){
			      .key = buf_str(key),
			      .value = time / (double)kernel->of.count / NS,
			      .weight = num_ratio(time, t->busy)});
}

/* The wanted kernels. Saved JSON does not list all: one that it lacks may have
 * run, so it is not compared. */
static void put_kernels(struct side_figures *f, const struct profile_totals *t,
			const struct profile_totals *other,
			const struct intern *wanted)
{
	struct buf key = buf_new(LIMIT_STRING);

	for (uint32_t i = 0; i < wanted->count; i++) {
		struct str name = intern_text(wanted, i);
		uint32_t at = intern_find(&t->names, name);

		if (at == INTERN_FAILED || t->kernels[at].of.count == 0 ||
		    (other->saved &&
		     intern_find(&other->names, name) == INTERN_FAILED))
			continue;
		put_kernel(f, t, &t->kernels[at], &key);
	}
	buf_free(&key);
}

/* Changes --------------------------------------------------------------- */

static int by_key(const void *x, const void *y)
{
	const struct side_figure *a = x;
	const struct side_figure *b = y;

	return str_cmp(a->key, b->key);
}

static bool has_no_better(struct str key)
{
	return str_is(key, "compute") ||
	       (str_starts(key, "step/") &&
		(str_ends(key, "/count") || str_ends(key, "/batch")));
}

static bool is_small(const struct side_figure *a, const struct side_figure *b)
{
	return a != NULL && b != NULL && a->weight < weight_least &&
	       b->weight < weight_least;
}

static enum profile_verdict_word judge(const struct profile_change *c,
				       bool small)
{
	bool more = str_is(c->key, "utilisation");

	if (isnan(c->from) || isnan(c->to))
		return isnan(c->from) ? CHANGE_NEW : CHANGE_GONE;
	if (c->from == c->to)
		return CHANGE_SAME;
	if (small || (c->low <= 0 && c->high >= 0))
		return CHANGE_NOISE;
	if (has_no_better(c->key))
		return CHANGE_CHANGED;
	return (c->to > c->from) == more ? CHANGE_BETTER : CHANGE_WORSE;
}

/* The 95% interval of a mean, or, for periods, of a median. */
static int find_interval(struct profile_change *c, const struct stats *from,
			 const struct stats *to, struct err *err)
{
	struct statistic statistic = {.mean = !str_ends(c->key, "/period"),
				      .percent = 50};
	struct confidence interval;

	if (from == NULL || to == NULL || from->n < BOOTSTRAP_LEAST ||
	    to->n < BOOTSTRAP_LEAST || c->from == 0)
		return 0;
	if (bootstrap(from, to, &statistic, 1, &interval, err) < 0)
		return err->code;
	c->low = interval.low / NS / fabs(c->from);
	c->high = interval.high / NS / fabs(c->from);
	return 0;
}

/* The change from one figure to another; NULL: missing on that side. */
static int add_change(struct profile_changes *changes,
		      const struct side_figure *a, const struct side_figure *b,
		      struct err *err)
{
	struct profile_change c = {.key = a != NULL ? a->key : b->key,
				   .from = a != NULL ? a->value : (double)NAN,
				   .to = b != NULL ? b->value : (double)NAN,
				   .change = NAN,
				   .low = NAN,
				   .high = NAN};

	if (c.from == c.to)
		c.change = 0;
	else if (c.from != 0)
		c.change = (c.to - c.from) / fabs(c.from);
	if (a != NULL && b != NULL &&
	    find_interval(&c, a->values, b->values, err) < 0)
		return err->code;
	c.verdict = judge(&c, is_small(a, b));
	changes->intervals |= !isnan(c.low);
	if (!ARRAY_GROW(changes->v, changes->n, changes->cap))
		return err_memory(err);
	changes->v[changes->n++] = c;
	return 0;
}

/* The union of both sides' keys; both are sorted. */
static int pair(struct profile_changes *changes, const struct side_figures *a,
		const struct side_figures *b, struct err *err)
{
	size_t i = 0, k = 0;
	int code = 0;

	while (code == 0 && (i < a->n || k < b->n)) {
		int order = i == a->n	? 1
			    : k == b->n ? -1
					: str_cmp(a->v[i].key, b->v[k].key);

		code = add_change(changes, order <= 0 ? &a->v[i] : NULL,
				  order >= 0 ? &b->v[k] : NULL, err);
		i += order <= 0;
		k += order >= 0;
	}
	return code;
}

/* By verdict, the largest change first. */
static int by_weight(const void *x, const void *y)
{
	const struct profile_change *a = x;
	const struct profile_change *b = y;
	double left = isnan(a->change) ? INFINITY : fabs(a->change);
	double right = isnan(b->change) ? INFINITY : fabs(b->change);

	if (a->verdict != b->verdict)
		return a->verdict < b->verdict ? -1 : 1;
	if (left != right)
		return left > right ? -1 : 1;
	return str_cmp(a->key, b->key);
}

static void put_side(struct side_figures *f, const struct profile_totals *t,
		     const struct profile_totals *other,
		     const struct intern *wanted)
{
	put_devices(f, t);
	for (int k = 0; k < STEP_KINDS; k++)
		put_steps(f, &t->kinds[k], step_kind_names[k]);
	put_kernels(f, t, other, wanted);
	if (f->n > 0)
		qsort(f->v, f->n, sizeof(*f->v), by_key);
}

int profile_compare(struct profile_changes *changes,
		    const struct profile_totals *from,
		    const struct profile_totals *to, size_t top,
		    struct err *err)
{
	struct intern wanted = intern_new(LIMIT_KEPT);
	struct side_figures x, y;
	int code;

	*changes = (struct profile_changes){.text = arena_new(LIMIT_KEPT)};
	x = y = (struct side_figures){.text = &changes->text, .err = err};
	code = add_top(&wanted, from, top, err);
	if (code == 0)
		code = add_top(&wanted, to, top, err);
	if (code == 0) {
		put_side(&x, from, to, &wanted);
		put_side(&y, to, from, &wanted);
		code = x.code < 0 ? x.code : y.code;
	}
	if (code == 0)
		code = pair(changes, &x, &y, err);
	if (changes->n > 0)
		qsort(changes->v, changes->n, sizeof(*changes->v), by_weight);
	free(x.v);
	free(y.v);
	intern_free(&wanted);
	return code;
}

void profile_changes_free(struct profile_changes *changes)
{
	free(changes->v);
	arena_free(&changes->text);
	*changes = (struct profile_changes){0};
}

bool profile_change_is_judged(const struct profile_change *change)
{
	return !isnan(change->from) && !isnan(change->to) &&
	       !has_no_better(change->key);
}

bool profile_change_exceeds(const struct profile_change *change, double limit)
{
	return change->verdict == CHANGE_WORSE &&
	       (isnan(change->change) || fabs(change->change) > limit);
}
