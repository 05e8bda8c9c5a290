/* Links a trace's records once all are read: the call of each GPU event. */
#include "base/search.h"
#include "profile/profile_trace.h"

/* Of a GPU event's possible calls the earliest comes first; for equal times,
 * the first in the file. */
static int compare_calls(const void *x, const void *y, const void *context)
{
	const struct host_call *a = x;
	const struct host_call *b = y;

	(void)context;
	if (a->correlation != b->correlation)
		return a->correlation < b->correlation ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* The first call in [low, high) with that correlation or a larger one. */
static size_t lower_call(const struct profile_trace *t, uint64_t correlation,
			 size_t low, size_t high)
{
	size_t i;

	SEARCH_FIRST(i, low, high,
		     trace_call(t, i)->correlation >= correlation);
	return i;
}

/* The same, searching near an index: GPU events are nearly in the order of
 * their calls. */
static size_t lower_call_near(const struct profile_trace *t,
			      uint64_t correlation, size_t near)
{
	size_t step = 1, low = near, high = near;

	while (low > 0 && trace_call(t, low - 1)->correlation >= correlation) {
		high = low - 1;
		low = low > step ? low - step : 0;
		step *= 2;
	}
	while (high < t->calls.n &&
	       trace_call(t, high)->correlation < correlation) {
		low = high + 1;
		high = t->calls.n - high > step ? high + step : t->calls.n;
		step *= 2;
	}
	return lower_call(t, correlation, low, high);
}

static int join_calls(struct profile_trace *t, struct err *err)
{
	size_t at = 0;

	if (spill_list_sort(&t->calls, compare_calls, NULL, err) < 0)
		return err->code;
	for (size_t i = 0; i < t->gpu_events.n; i++) {
		struct gpu_event *e = trace_gpu(t, i);

		profile_trace_pass(t, i);
		if (e->correlation == 0)
			continue;
		at = lower_call_near(t, e->correlation, at);
		if (at < t->calls.n &&
		    trace_call(t, at)->correlation == e->correlation)
			e->call = (int32_t)at;
	}
	return 0;
}

int profile_trace_join(struct profile_trace *t, struct err *err)
{
	uint32_t threads = t->threads.count;

	if (join_calls(t, err) < 0 ||
	    covered_join(&t->busy, threads, err) < 0 ||
	    covered_join(&t->sync, threads, err) < 0)
		return err->code;
	return covered_join(&t->collective, 1, err);
}

void profile_trace_pass(const struct profile_trace *t, size_t i)
{
	if (i % 1024 != 0 || t->spill.files == 0)
		return;
	spill_list_trim(&t->gpu_events);
	spill_list_trim(&t->calls);
	spill_list_trim(&t->ops);
	spill_list_trim(&t->python);
	spill_list_trim(&t->busy.times);
	spill_list_trim(&t->sync.times);
	spill_list_trim(&t->collective.times);
}

void profile_trace_drop(struct profile_trace *t)
{
	spill_list_free(&t->gpu_events);
	spill_list_free(&t->calls);
	spill_list_free(&t->ops);
	spill_list_free(&t->python);
	spill_list_free(&t->steps);
	covered_free(&t->busy);
	covered_free(&t->sync);
	covered_free(&t->collective);
}
