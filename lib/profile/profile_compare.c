#include "profile/profile_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"

enum { KEY_MAX = 128, NS = 1000000000 };

/* Figures of a side ----------------------------------------------------- */

/* A key's value; while they are summed, a sum and what to divide it by. */
struct side_figure {
	struct str key;
	double value;
};

struct side_figures {
	struct side_figure *v;
	size_t n, cap;
	struct arena *text;
	struct err *err;
	int code;
};

static void put_str(struct side_figures *f, struct str key, double value)
{
	if (f->code < 0 || isnan(value))
		return;
	key = arena_str(f->text, key);
	if (!ARRAY_GROW(f->v, f->n, f->cap) || key.p == NULL)
		f->code = err_memory(f->err);
	else
		f->v[f->n++] = (struct side_figure){key, value};
}

static void put(struct side_figures *f, const char *prefix, const char *key,
		double value)
{
	char text[KEY_MAX];

	snprintf(text, sizeof(text), "%s%s", prefix, key);
	put_str(f, str_of(text), value);
}

static double share(int64_t part, int64_t span)
{
	return span > 0 ? (double)part / (double)span : (double)NAN;
}

/* Sums over the devices, by the sum of their spans. */
static void put_devices(struct side_figures *f, const struct profile_side *side)
{
	struct device_summary sum = {0};
	int64_t span = 0;

	for (size_t i = 0; i < side->n; i++)
		for (size_t k = 0; k < side->traces[i]->device_n; k++) {
			const struct device_summary *d =
				&side->traces[i]->devices[k];

			span += device_span(d);
			sum.busy += d->busy;
			sum.compute += d->compute;
			sum.communication += d->communication;
			sum.exposed_communication += d->exposed_communication;
			sum.copy += d->copy;
			sum.exposed_copy += d->exposed_copy;
			for (int c = 0; c < GAP_CAUSES; c++)
				sum.causes[c].time += d->causes[c].time;
		}
	put(f, "", "utilisation", share(sum.busy, span));
	put(f, "", "idle", share(span - sum.busy, span));
	put(f, "", "compute", share(sum.compute, span));
	put(f, "", "communication", share(sum.communication, span));
	put(f, "", "exposed_communication",
	    share(sum.exposed_communication, span));
	put(f, "", "copy", share(sum.copy, span));
	put(f, "", "exposed_copy", share(sum.exposed_copy, span));
	for (int c = 0; c < GAP_CAUSES; c++)
		put(f, "idle/", gap_cause_names[c],
		    share(sum.causes[c].time, span));
}

static void put_waits(struct side_figures *f, const struct profile_side *side)
{
	int64_t waited = 0, span = 0;

	for (size_t g = 0; g < side->groups->n; g++) {
		const struct profile_group *group = &side->groups->v[g];

		for (size_t m = 0; group->match_n > 0 && m < group->n; m++) {
			waited += group->members[m].waited;
			span += device_span(group->members[m].device);
		}
	}
	put(f, "", "waited", share(waited, span));
}

/* The steps of a kind of all traces. */
static void put_steps(struct side_figures *f, const struct profile_side *side,
		      int kind)
{
	struct engine_step_sums sum = {0};
	struct stats periods = {0};
	char prefix[KEY_MAX];
	double n;

	for (size_t i = 0; i < side->n; i++) {
		const struct engine_step_sums *k =
			&side->traces[i]->kinds[kind];

		sum.count += k->count;
		sum.kernels += k->kernels;
		sum.launches += k->launches;
		sum.host_total += k->host_total;
		sum.gpu_total += k->gpu_total;
		if (k->batch == STEP_UNKNOWN || sum.batch == STEP_UNKNOWN)
			sum.batch = STEP_UNKNOWN;
		else
			sum.batch += k->batch;
		for (int c = 0; c < KERNEL_CATEGORIES; c++) {
			sum.categories[c].count += k->categories[c].count;
			sum.categories[c].time += k->categories[c].time;
		}
		for (size_t p = 0; p < k->period.n; p++)
			if (!stats_add(&periods, k->period.v[p]))
				f->code = err_memory(f->err);
	}
	if (sum.count == 0)
		return;
	n = (double)sum.count;
	snprintf(prefix, sizeof(prefix), "step/%s/", step_kind_names[kind]);
	put(f, prefix, "count", n);
	put(f, prefix, "batch",
	    sum.batch == STEP_UNKNOWN ? (double)NAN : (double)sum.batch / n);
	put(f, prefix, "host", (double)sum.host_total / n / NS);
	put(f, prefix, "gpu", (double)sum.gpu_total / n / NS);
	put(f, prefix, "kernels", (double)sum.kernels / n);
	put(f, prefix, "launches", (double)sum.launches / n);
	stats_sort(&periods);
	if (periods.n > 0)
		put(f, prefix, "period", stats_median(&periods) / NS);
	stats_free(&periods);
	snprintf(prefix, sizeof(prefix), "step/%s/category/",
		 step_kind_names[kind]);
	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		if (sum.categories[c].count > 0)
			put(f, prefix, kernel_category_names[c],
			    (double)sum.categories[c].time / n / NS);
}

/* Kernels --------------------------------------------------------------- */

struct kernel {
	struct str name;
	struct tally of;
};

struct kernels {
	struct kernel *v;
	size_t n;
	struct intern names;
};

static int find_kernels(struct kernels *kernels,
			const struct profile_side *side, struct err *err)
{
	size_t cap = 0;

	kernels->names = intern_new(LIMIT_KEPT);
	for (size_t i = 0; i < side->n; i++)
		for (size_t k = 0; k < side->traces[i]->device_n; k++) {
			const struct named_tallies *top =
				&side->traces[i]->devices[k].top;

			for (size_t j = 0; j < top->n; j++) {
				struct str name = intern_text(
					&side->traces[i]->trace->names,
					top->v[j].name);
				uint32_t at = intern_add(&kernels->names, name);

				if (at == INTERN_FAILED)
					return intern_error(&kernels->names,
							    err);
				if (!ARRAY_GROW_ZEROED(kernels->v, at, cap))
					return err_memory(err);
				kernels->n = kernels->names.count;
				kernels->v[at].name =
					intern_text(&kernels->names, at);
				kernels->v[at].of.count += top->v[j].of.count;
				kernels->v[at].of.time += top->v[j].of.time;
			}
		}
	return 0;
}

static int by_time(const void *x, const void *y)
{
	const struct kernel *a = *(const struct kernel *const *)x;
	const struct kernel *b = *(const struct kernel *const *)y;

	if (a->of.time != b->of.time)
		return a->of.time > b->of.time ? -1 : 1;
	return str_cmp(a->name, b->name);
}

/* Add the names of the side's top kernels. */
static int add_top(struct intern *wanted, const struct kernels *kernels,
		   size_t top, struct err *err)
{
	const struct kernel **order = malloc((kernels->n + 1) * sizeof(*order));
	int code = order == NULL ? err_memory(err) : 0;

	for (size_t i = 0; code == 0 && i < kernels->n; i++)
		order[i] = &kernels->v[i];
	if (code == 0)
		qsort(order, kernels->n, sizeof(*order), by_time);
	for (size_t i = 0; code == 0 && i < kernels->n && i < top; i++)
		if (intern_add(wanted, order[i]->name) == INTERN_FAILED)
			code = intern_error(wanted, err);
	free(order);
	return code;
}

static void put_kernels(struct side_figures *f, const struct kernels *kernels,
			const struct intern *wanted)
{
	struct buf key = buf_new(LIMIT_STRING);

	for (uint32_t i = 0; i < wanted->count; i++) {
		struct str name = intern_text(wanted, i);
		uint32_t at = intern_find(&kernels->names, name);

		if (at == INTERN_FAILED)
			continue;
		buf_clear(&key);
		buf_puts(&key, "kernel/");
		buf_put(&key, name.p, name.n);
		put_str(f, buf_str(&key),
			(double)kernels->v[at].of.time /
				(double)kernels->v[at].of.count / NS);
	}
	buf_free(&key);
}

static void free_kernels(struct kernels *kernels)
{
	free(kernels->v);
	intern_free(&kernels->names);
}

/* Both sides ------------------------------------------------------------ */

static int by_key(const void *x, const void *y)
{
	const struct side_figure *a = x;
	const struct side_figure *b = y;

	return str_cmp(a->key, b->key);
}

static bool has_no_better(struct str key)
{
	return str_is(key, "compute") || str_ends(key, "/count") ||
	       str_ends(key, "/batch");
}

static struct profile_change change_of(struct str key, double from, double to)
{
	struct profile_change c = {key, from, to, (double)NAN, "same"};
	bool more;

	if (isnan(from) || isnan(to)) {
		c.verdict = isnan(from) ? "new" : "gone";
		return c;
	}
	c.change = from == to  ? 0
		   : from == 0 ? (double)NAN
			       : (to - from) / fabs(from);
	if (from == to)
		return c;
	more = str_is(key, "utilisation");
	c.verdict = has_no_better(key)	  ? "changed"
		    : (to > from) == more ? "better"
					  : "worse";
	return c;
}

/* Keys of both, each once; both are sorted. */
static int pair(struct profile_changes *changes, const struct side_figures *a,
		const struct side_figures *b, struct err *err)
{
	size_t i = 0, k = 0;

	while (i < a->n || k < b->n) {
		int order = i == a->n	? 1
			    : k == b->n ? -1
					: str_cmp(a->v[i].key, b->v[k].key);

		if (!ARRAY_GROW(changes->v, changes->n, changes->cap))
			return err_memory(err);
		changes->v[changes->n++] =
			change_of(order <= 0 ? a->v[i].key : b->v[k].key,
				  order <= 0 ? a->v[i].value : (double)NAN,
				  order >= 0 ? b->v[k].value : (double)NAN);
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

static void put_side(struct side_figures *f, const struct profile_side *side,
		     const struct kernels *kernels, const struct intern *wanted)
{
	put_devices(f, side);
	put_waits(f, side);
	for (int k = 0; k < STEP_KINDS; k++)
		put_steps(f, side, k);
	put_kernels(f, kernels, wanted);
	if (f->n > 0)
		qsort(f->v, f->n, sizeof(*f->v), by_key);
}

int profile_compare(struct profile_changes *changes,
		    const struct profile_side *from,
		    const struct profile_side *to, size_t top, struct err *err)
{
	struct kernels a = {0}, b = {0};
	struct intern wanted = intern_new(LIMIT_KEPT);
	struct side_figures x, y;
	int code = find_kernels(&a, from, err);

	*changes = (struct profile_changes){.text = arena_new(LIMIT_KEPT)};
	x = y = (struct side_figures){.text = &changes->text, .err = err};
	if (code == 0)
		code = find_kernels(&b, to, err);
	if (code == 0)
		code = add_top(&wanted, &a, top, err);
	if (code == 0)
		code = add_top(&wanted, &b, top, err);
	if (code == 0) {
		put_side(&x, from, &a, &wanted);
		put_side(&y, to, &b, &wanted);
		code = x.code < 0 ? x.code : y.code;
	}
	if (code == 0)
		code = pair(changes, &x, &y, err);
	free(x.v);
	free(y.v);
	free_kernels(&a);
	free_kernels(&b);
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
	return strcmp(change->verdict, "worse") == 0 &&
	       (isnan(change->change) || fabs(change->change) > limit);
}
