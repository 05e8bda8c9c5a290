#include "profile/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/num.h"

const char *const profile_verdict_names[VERDICT_KINDS] = {
	[VERDICT_INCOMPLETE] = "incomplete",
	[VERDICT_NO_GPU] = "no-gpu",
	[VERDICT_SUSPECT_TIMES] = "suspect-times",
	[VERDICT_LAUNCH_BOUND] = "launch-bound",
	[VERDICT_HOST_BOUND] = "host-bound",
	[VERDICT_SYNC_BOUND] = "sync-bound",
	[VERDICT_HOST_COLLECTIVE_BOUND] = "host-collective-bound",
	[VERDICT_DEPENDENCY_BOUND] = "dependency-bound",
	[VERDICT_RANK_WAIT] = "rank-wait",
	[VERDICT_START_SKEW] = "start-skew",
	[VERDICT_COMMUNICATION_BOUND] = "communication-bound",
	[VERDICT_COPY_BOUND] = "copy-bound",
	[VERDICT_MEMORY_BOUND] = "memory-bound",
	[VERDICT_GPU_BOUND] = "gpu-bound",
	[VERDICT_NOTHING_STANDS_OUT] = "nothing-stands-out",
	[VERDICT_STRAGGLER] = "straggler",
	[VERDICT_RANK_SKEW] = "rank-skew",
	[VERDICT_UNEVEN_WORK] = "uneven-work",
};

/* Shares of the span, unless noted. */
static const double IDLE_LARGE = 0.30, IDLE_SMALL = 0.15, WAIT_LARGE = 0.20,
		    COPY_LARGE = 0.15, BUSY_LARGE = 0.70, EMPTY_GRAPHS = 0.10,
		    OVERLAP_LARGE = 0.05, EARLY_LARGE = 0.05, GROUP_WAIT = 0.05,
		    STRAGGLER_SHARE = 2.0 / 3, UNEVEN_RATIO = 1.2;
enum { MEMORY_BATCH = 64, OVERLAP_NS = 1000000 };

static int add(struct profile_verdicts *verdicts,
	       enum profile_verdict_kind kind,
	       const struct device_summary *device, double share,
	       struct err *err)
{
	if (!ARRAY_GROW(verdicts->v, verdicts->n, verdicts->cap))
		return err_memory(err);
	verdicts->v[verdicts->n++] = (struct trace_verdict){.kind = kind,
							    .device = device,
							    .share = share,
							    .batch = NAN,
							    .ratio = NAN,
							    .waited = NAN};
	return 0;
}

/* A GPU ----------------------------------------------------------------- */

static bool is_suspect(const struct device_summary *d)
{
	return (d->overlap > OVERLAP_NS &&
		(double)d->overlap > OVERLAP_LARGE * (double)d->kernel_time) ||
	       (double)d->early > EARLY_LARGE * (double)d->called;
}

/* The cause of most of the idle time, or GAP_UNKNOWN. */
static enum gap_cause idle_cause(const struct device_summary *d)
{
	const struct tally *c = d->causes;
	int64_t host = c[GAP_LAUNCH].time + c[GAP_HOST].time +
		       c[GAP_SYNC].time + c[GAP_COLLECTIVE].time;
	enum gap_cause most = GAP_LAUNCH;

	if (2 * host < device_idle(d))
		return 2 * c[GAP_DEVICE].time >= device_idle(d) ? GAP_DEVICE
								: GAP_UNKNOWN;
	for (int i = GAP_HOST; i <= GAP_COLLECTIVE; i++)
		if (c[i].time > c[most].time)
			most = (enum gap_cause)i;
	return most;
}

static int judge_idle(struct profile_verdicts *verdicts,
		      const struct device_summary *d, double span,
		      struct err *err)
{
	static const enum profile_verdict_kind kinds[GAP_CAUSES] = {
		[GAP_LAUNCH] = VERDICT_LAUNCH_BOUND,
		[GAP_HOST] = VERDICT_HOST_BOUND,
		[GAP_SYNC] = VERDICT_SYNC_BOUND,
		[GAP_COLLECTIVE] = VERDICT_HOST_COLLECTIVE_BOUND,
		[GAP_DEVICE] = VERDICT_DEPENDENCY_BOUND,
	};
	enum gap_cause cause = idle_cause(d);

	if ((double)device_idle(d) < IDLE_LARGE * span || cause == GAP_UNKNOWN)
		return 0;
	return add(verdicts, kinds[cause], d,
		   (double)d->causes[cause].time / span, err);
}

/* The device's wait in its groups. */
static void waits_of(const struct profile_groups *groups,
		     const struct device_summary *d, int64_t *waited,
		     int64_t *start_wait)
{
	*waited = *start_wait = 0;
	for (size_t g = 0; g < groups->n; g++)
		for (size_t m = 0; m < groups->v[g].n; m++)
			if (groups->v[g].members[m].device == d) {
				*waited += groups->v[g].members[m].waited;
				*start_wait +=
					groups->v[g].members[m].start_wait;
			}
}

static int judge_communication(struct profile_verdicts *verdicts,
			       const struct device_summary *d,
			       const struct profile_groups *groups, double span,
			       struct err *err)
{
	int64_t waited, start_wait;
	double waits, starts, rest;
	int code = 0;

	waits_of(groups, d, &waited, &start_wait);
	waits = (double)waited / span;
	starts = (double)start_wait / span;
	rest = (double)(d->exposed_communication - waited - start_wait) / span;
	if (waits >= WAIT_LARGE)
		code = add(verdicts, VERDICT_RANK_WAIT, d, waits, err);
	if (code == 0 && starts >= WAIT_LARGE)
		code = add(verdicts, VERDICT_START_SKEW, d, starts, err);
	if (code == 0 && rest >= WAIT_LARGE)
		code = add(verdicts, VERDICT_COMMUNICATION_BOUND, d, rest, err);
	return code;
}

/* Weights and cache are read for few tokens: a larger batch is nearly free. */
static bool is_memory_bound(const struct profile_summary *s,
			    const struct device_summary *d, double span,
			    double *batch)
{
	const struct engine_step_sums *decode = &s->kinds[STEP_DECODE];
	int64_t all = 0, kernels = 0, large;

	for (int k = 0; k < STEP_KINDS; k++)
		all += s->kinds[k].gpu_total;
	for (int c = 0; c < KERNEL_CATEGORIES; c++)
		kernels += decode->categories[c].time;
	large = decode->categories[KERNEL_GEMM].time +
		decode->categories[KERNEL_ATTENTION].time +
		decode->categories[KERNEL_MOE].time;
	if (decode->count == 0 || decode->batch == STEP_UNKNOWN || all == 0)
		return false;
	*batch = (double)decode->batch / (double)decode->count;
	return (double)d->busy >= BUSY_LARGE * span &&
	       2 * decode->gpu_total >= all && *batch <= MEMORY_BATCH &&
	       2 * large >= kernels;
}

static int judge_device(struct profile_verdicts *verdicts,
			const struct profile_summary *s,
			const struct device_summary *d,
			const struct profile_groups *groups, struct err *err)
{
	double span = (double)device_span(d);
	size_t before;
	double batch;
	int code = 0;

	if (is_suspect(d))
		code = add(verdicts, VERDICT_SUSPECT_TIMES, d, NAN, err);
	before = verdicts->n;
	if (code == 0 && span > 0)
		code = judge_idle(verdicts, d, span, err);
	if (code == 0 && span > 0)
		code = judge_communication(verdicts, d, groups, span, err);
	if (code == 0 && span > 0 &&
	    (double)d->exposed_copy >= COPY_LARGE * span)
		code = add(verdicts, VERDICT_COPY_BOUND, d,
			   (double)d->exposed_copy / span, err);
	if (code == 0 && span > 0 && is_memory_bound(s, d, span, &batch)) {
		code = add(verdicts, VERDICT_MEMORY_BOUND, d, NAN, err);
		if (code == 0)
			verdicts->v[verdicts->n - 1].batch = batch;
	}
	if (code < 0 || verdicts->n > before)
		return code;
	return add(verdicts,
		   span > 0 && (double)device_idle(d) < IDLE_SMALL * span
			   ? VERDICT_GPU_BOUND
			   : VERDICT_NOTHING_STANDS_OUT,
		   d, num_ratio((double)d->busy, span), err);
}

/* A trace --------------------------------------------------------------- */

static bool is_incomplete(const struct profile_summary *s)
{
	const struct host_summary *h = &s->host;

	return s->trace->truncated || s->trace->damaged > 0 ||
	       (h->graph_launches > 0 &&
		(double)h->graph_empty >=
			EMPTY_GRAPHS * (double)h->graph_launches);
}

int profile_verdicts_of_trace(struct profile_verdicts *verdicts,
			      const struct profile_summary *s,
			      const struct profile_groups *groups,
			      struct err *err)
{
	int code = 0;

	if (is_incomplete(s))
		code = add(verdicts, VERDICT_INCOMPLETE, NULL, NAN, err);
	if (code == 0 && s->device_n == 0)
		code = add(verdicts, VERDICT_NO_GPU, NULL, NAN, err);
	for (size_t i = 0; code == 0 && i < s->device_n; i++)
		code = judge_device(verdicts, s, &s->devices[i], groups, err);
	return code;
}

/* A group --------------------------------------------------------------- */

static int judge_waits(struct profile_verdicts *verdicts,
		       const struct profile_group *group, struct err *err)
{
	double waited = 0, span = 0, share;
	uint32_t most = 0;

	for (uint32_t m = 0; m < group->n; m++) {
		waited += (double)group->members[m].waited;
		span += (double)device_span(group->members[m].device);
		if (group->members[m].caused > group->members[most].caused)
			most = m;
	}
	if (waited == 0 || waited < GROUP_WAIT * span)
		return 0;
	share = (double)group->members[most].caused / waited;
	if (add(verdicts,
		share >= STRAGGLER_SHARE ? VERDICT_STRAGGLER
					 : VERDICT_RANK_SKEW,
		NULL, share, err) < 0)
		return err->code;
	verdicts->v[verdicts->n - 1].member = most;
	verdicts->v[verdicts->n - 1].waited = waited / span;
	return 0;
}

static int judge_work(struct profile_verdicts *verdicts,
		      const struct profile_group *group, struct err *err)
{
	uint32_t most = 0, least = 0;
	double ratio;

	for (uint32_t m = 0; m < group->n; m++) {
		int64_t compute = group->members[m].device->compute;

		if (compute > group->members[most].device->compute)
			most = m;
		if (compute < group->members[least].device->compute)
			least = m;
	}
	if (group->members[least].device->compute <= 0)
		return 0;
	ratio = (double)group->members[most].device->compute /
		(double)group->members[least].device->compute;
	if (ratio < UNEVEN_RATIO)
		return 0;
	if (add(verdicts, VERDICT_UNEVEN_WORK, NULL, NAN, err) < 0)
		return err->code;
	verdicts->v[verdicts->n - 1].member = most;
	verdicts->v[verdicts->n - 1].ratio = ratio;
	return 0;
}

int profile_verdicts_of_group(struct profile_verdicts *verdicts,
			      const struct profile_group *group,
			      struct err *err)
{
	int code = judge_waits(verdicts, group, err);

	return code < 0 ? code : judge_work(verdicts, group, err);
}

void profile_verdicts_free(struct profile_verdicts *verdicts)
{
	free(verdicts->v);
	*verdicts = (struct profile_verdicts){0};
}
