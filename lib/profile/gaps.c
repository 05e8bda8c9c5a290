/* When a GPU was idle, and what it was waiting for. */
#include <stdlib.h>

#include "base/array.h"
#include "profile/summary.h"

const char *const gap_cause_names[GAP_CAUSES] = {
	[GAP_LAUNCH] = "launch", [GAP_HOST] = "host",
	[GAP_SYNC] = "sync",	 [GAP_COLLECTIVE] = "collective",
	[GAP_DEVICE] = "device", [GAP_UNKNOWN] = "unknown",
};

/* Is at least half of [from, to) covered? */
static bool mostly(const struct covered *c, uint32_t thread, int64_t from,
		   int64_t to)
{
	return 2 * covered_in(c, thread, from, to) >= to - from;
}

/* Why nothing ran from `from` to `to`, given the call that began work. The
 * first applicable cause. */
static enum gap_cause cause_of(const struct profile_trace *t, int64_t from,
			       int64_t to, const struct host_call *call)
{
	int64_t issued;

	if (call == NULL)
		return GAP_UNKNOWN;
	issued = call->start + call->dur;
	issued = issued < from ? from : issued > to ? to : issued;
	if (to - issued > issued - from)
		return GAP_DEVICE;
	if (mostly(&t->collective, 0, from, issued))
		return GAP_COLLECTIVE;
	if (mostly(&t->sync, call->thread, from, issued))
		return GAP_SYNC;
	return mostly(&t->busy, call->thread, from, issued) ? GAP_LAUNCH
							    : GAP_HOST;
}

static int compare(const void *x, const void *y)
{
	const struct gap *a = x;
	const struct gap *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* Keep only the longest ones, in order. */
static void drop_short(struct device_summary *d, size_t keep)
{
	if (d->gap_n > 0)
		qsort(d->gaps, d->gap_n, sizeof(*d->gaps), compare);
	if (d->gap_n > keep)
		d->gap_n = keep;
}

static int keep_gap(struct profile_summary *s, struct device_summary *d,
		    const struct gap *gap, struct err *err)
{
	if (d->gap_n >= 2 * s->gaps + 64)
		drop_short(d, s->gaps);
	if (!ARRAY_GROW(d->gaps, d->gap_n, d->gap_cap))
		return err_memory(err);
	d->gaps[d->gap_n++] = *gap;
	return 0;
}

/* Between the latest end so far, of some work, and an event. */
static int add_gap(struct profile_summary *s, struct device_summary *d,
		   int64_t from, uint32_t before, const struct gpu_event *e,
		   struct err *err)
{
	const struct profile_trace *t = s->trace;
	const struct host_call *call = trace_call_of(t, e);
	int32_t step = call == NULL ? PROFILE_NONE
				    : engine_step_at(&s->steps, call->thread,
						     call->start);
	struct gap gap = {.start = from,
			  .time = e->start - from,
			  .before = before,
			  .after = e->work,
			  .cause = cause_of(t, from, e->start, call),
			  .call = call == NULL ? GAP_NO_CALL : call->name,
			  .step = step == PROFILE_NONE ? GAP_NO_STEP
						       : s->steps.v[step].name};

	d->gap_count++;
	tally_count(&d->causes[gap.cause], gap.time);
	if (call != NULL && covered_holds(&t->sync, call->thread, from))
		tally_count(&d->after_sync, gap.time);
	return keep_gap(s, d, &gap, err);
}

int device_find_gaps(struct profile_summary *s, struct device_summary *d,
		     struct err *err)
{
	const struct gpu_event *first = trace_gpu(s->trace, d->begin);
	int64_t end = first->start;
	uint32_t before = first->work;

	for (size_t i = d->begin; i < d->begin + d->n; i++) {
		const struct gpu_event *e = trace_gpu(s->trace, i);

		profile_trace_pass(s->trace, i);
		if (e->start > end && add_gap(s, d, end, before, e, err) < 0)
			return err->code;
		if (e->start + e->dur > end || i == d->begin) {
			end = e->start + e->dur;
			before = e->work;
		}
	}
	drop_short(d, s->gaps);
	return 0;
}
