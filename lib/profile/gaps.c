/* When a GPU had nothing to do, and what it was waiting for. */
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

/* Why nothing ran from `from` to `to`, when the call began work. The first
 * cause that holds. */
static enum gap_cause cause_of(const struct profile_summary *s, int64_t from,
			       int64_t to, const struct host_event *call)
{
	int64_t issued;

	if (call == NULL)
		return GAP_UNKNOWN;
	issued = call->start + call->dur;
	issued = issued < from ? from : issued > to ? to : issued;
	if (to - issued > issued - from)
		return GAP_DEVICE;
	if (mostly(&s->collective, 0, from, issued))
		return GAP_COLLECTIVE;
	if (mostly(&s->sync, call->thread, from, issued))
		return GAP_SYNC;
	return mostly(&s->busy, call->thread, from, issued) ? GAP_LAUNCH
							    : GAP_HOST;
}

static int add_gap(struct profile_summary *s, struct device_summary *d,
		   int64_t from, uint32_t before, uint32_t after,
		   struct err *err)
{
	const struct gpu_event *e = &s->trace->gpu_events[after];
	const struct host_event *call =
		e->call == PROFILE_NONE ? NULL : &s->trace->calls.v[e->call];
	struct gap gap = {.start = from,
			  .time = e->start - from,
			  .before = before,
			  .after = after,
			  .cause = cause_of(s, from, e->start, call)};

	tally_count(&d->causes[gap.cause], gap.time);
	if (call != NULL && covered_holds(&s->sync, call->thread, from))
		tally_count(&d->after_sync, gap.time);
	if (!ARRAY_GROW(d->gaps, d->gap_n, d->gap_cap))
		return err_memory(err);
	d->gaps[d->gap_n++] = gap;
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct gap *a = x;
	const struct gap *b = y;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

int device_find_gaps(struct profile_summary *s, struct device_summary *d,
		     struct err *err)
{
	const struct gpu_event *events = s->trace->gpu_events;
	int64_t end = events[d->begin].start;
	uint32_t before = (uint32_t)d->begin;

	for (size_t i = d->begin; i < d->begin + d->n; i++) {
		const struct gpu_event *e = &events[i];

		if (e->start > end &&
		    add_gap(s, d, end, before, (uint32_t)i, err) < 0)
			return err->code;
		if (e->start + e->dur > end || i == d->begin) {
			end = e->start + e->dur;
			before = (uint32_t)i;
		}
	}
	if (d->gap_n > 0)
		qsort(d->gaps, d->gap_n, sizeof(*d->gaps), compare);
	return 0;
}
