#include "profile/profile_totals.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

static void add_device(struct profile_totals *t, const struct device_summary *d)
{
	t->span += (double)device_span(d);
	t->busy += (double)d->busy;
	t->compute += (double)d->compute;
	t->communication += (double)d->communication;
	t->exposed_communication += (double)d->exposed_communication;
	t->copy += (double)d->copy;
	t->exposed_copy += (double)d->exposed_copy;
	for (int c = 0; c < GAP_CAUSES; c++)
		t->causes[c] += (double)d->causes[c].time;
}

int profile_totals_add_kernel(struct profile_totals *t, struct str name,
			      uint64_t count, int64_t time, struct err *err)
{
	uint32_t known = t->names.count, at;
	struct kernel_total *kernel;

	if (t->names.text.max == 0)
		t->names = intern_new(LIMIT_KEPT);
	at = intern_add(&t->names, name);
	if (at == INTERN_FAILED)
		return intern_error(&t->names, err);
	if (!ARRAY_GROW(t->kernels, at, t->kernel_cap))
		return err_memory(err);
	kernel = &t->kernels[at];
	if (at == known)
		*kernel = (struct kernel_total){
			.name = intern_text(&t->names, at)};
	kernel->of.count += count;
	kernel->of.time += time;
	return 0;
}

static int add_kernels(struct profile_totals *t,
		       const struct profile_summary *s,
		       const struct device_summary *d, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < d->top.n; i++)
		code = profile_totals_add_kernel(
			t, intern_text(&s->trace->names, d->top.v[i].name),
			d->top.v[i].of.count, d->top.v[i].of.time, err);
	return code;
}

static int add_values(struct stats *all, const struct stats *some,
		      struct err *err)
{
	for (size_t i = 0; i < some->n; i++)
		if (!stats_add(all, some->v[i]))
			return err_memory(err);
	return 0;
}

static int add_steps(struct step_totals *sum, const struct engine_step_sums *k,
		     struct err *err)
{
	sum->count += k->count;
	sum->kernels += k->kernels;
	sum->launches += k->launches;
	sum->host_total += k->host_total;
	sum->gpu_total += k->gpu_total;
	sum->batch = k->batch == STEP_UNKNOWN || sum->batch == STEP_UNKNOWN
			     ? STEP_UNKNOWN
			     : sum->batch + k->batch;
	for (int c = 0; c < KERNEL_CATEGORIES; c++) {
		sum->categories[c].count += k->categories[c].count;
		sum->categories[c].time += k->categories[c].time;
	}
	if (add_values(&sum->host, &k->host, err) < 0 ||
	    add_values(&sum->gpu, &k->gpu, err) < 0)
		return err->code;
	return add_values(&sum->period, &k->period, err);
}

static int add_trace(struct profile_totals *t, const struct profile_summary *s,
		     struct err *err)
{
	int code = 0;

	t->traces++;
	for (size_t i = 0; code == 0 && i < s->device_n; i++) {
		add_device(t, &s->devices[i]);
		code = add_kernels(t, s, &s->devices[i], err);
	}
	for (int k = 0; code == 0 && k < STEP_KINDS; k++)
		code = add_steps(&t->kinds[k], &s->kinds[k], err);
	return code;
}

static void add_group(struct profile_totals *t, const struct profile_group *g)
{
	for (size_t m = 0; g->match_n > 0 && m < g->n; m++) {
		t->waited += (double)g->members[m].waited;
		t->group_span += (double)device_span(g->members[m].device);
	}
}

void profile_totals_sort(struct profile_totals *t)
{
	for (int k = 0; k < STEP_KINDS; k++) {
		stats_sort(&t->kinds[k].host);
		stats_sort(&t->kinds[k].gpu);
		stats_sort(&t->kinds[k].period);
	}
}

int profile_totals_sum(struct profile_totals *t,
		       struct profile_summary *const *traces, size_t n,
		       const struct profile_groups *groups, struct err *err)
{
	int code = 0;

	*t = (struct profile_totals){0};
	for (size_t i = 0; code == 0 && i < n; i++)
		code = add_trace(t, traces[i], err);
	for (size_t i = 0; i < groups->n; i++)
		add_group(t, &groups->v[i]);
	profile_totals_sort(t);
	return code;
}

void profile_totals_free(struct profile_totals *t)
{
	for (int k = 0; k < STEP_KINDS; k++) {
		stats_free(&t->kinds[k].host);
		stats_free(&t->kinds[k].gpu);
		stats_free(&t->kinds[k].period);
	}
	intern_free(&t->names);
	free(t->kernels);
	*t = (struct profile_totals){0};
}
