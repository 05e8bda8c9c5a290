/* The host's activity: calls of the GPU's runtime, operators, Python. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/summary.h"

static int count_calls(struct profile_summary *s, uint32_t *where,
		       struct err *err)
{
	struct host_summary *h = &s->host;

	for (size_t i = 0; i < s->trace->calls.n; i++) {
		const struct host_call *call = trace_call(s->trace, i);

		profile_trace_pass(s->trace, i);
		tally_count(&h->classes[call->class], call->dur);
		if (tally_add(&h->calls, where, call->name, call->dur, err) < 0)
			return err->code;
	}
	tally_sort(&h->calls, where, &s->trace->names, false);
	return 0;
}

/* Delays ---------------------------------------------------------------- */

static int compare_delays(const void *x, const void *y, const void *context)
{
	const int64_t *a = x;
	const int64_t *b = y;

	(void)context;
	return (*a > *b) - (*a < *b);
}

/* Linear between order statistics, like stats_percentile. */
static double delay_at(const struct spill_list *delays, double share)
{
	double at = share * (double)(delays->n - 1);
	size_t i = (size_t)at;
	const int64_t *low = spill_list_at(delays, i);
	const int64_t *high =
		spill_list_at(delays, i + 1 < delays->n ? i + 1 : i);

	return (double)*low + (at - (double)i) * (double)(*high - *low);
}

static int sum_delays(struct host_summary *h, struct spill_list *delays,
		      struct err *err)
{
	int code = spill_list_sort(delays, compare_delays, NULL, err);

	h->delay.count = delays->n;
	h->delay.p50 = h->delay.p95 = h->delay.max = NAN;
	if (code == 0 && delays->n > 0) {
		h->delay.p50 = delay_at(delays, 0.5);
		h->delay.p95 = delay_at(delays, 0.95);
		h->delay.max = delay_at(delays, 1);
	}
	spill_list_free(delays);
	return code;
}

/* From a launch to its kernel; and count the GPU events of graphs. */
static int join_kernel(struct host_summary *h, const struct profile_trace *t,
		       const struct gpu_event *e, struct spill_list *delays,
		       struct err *err)
{
	const struct host_call *call = trace_call_of(t, e);
	int64_t *delay;

	if (call == NULL)
		return 0;
	h->graph_events += call->class == CALL_GRAPH;
	if (call->class != CALL_LAUNCH ||
	    trace_work(t, e->work)->kind != GPU_KERNEL)
		return 0;
	delay = spill_list_add(delays);
	if (delay == NULL)
		return err_memory(err);
	*delay = e->start - call->start;
	return 0;
}

static int join_kernels(struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t = s->trace;
	struct spill_list delays =
		spill_list_new(sizeof(int64_t), &s->trace->spill);
	int code = 0;

	for (size_t i = 0; code == 0 && i < t->gpu_events.n; i++) {
		code = join_kernel(&s->host, t, trace_gpu(t, i), &delays, err);
		profile_trace_pass(t, i);
	}
	if (code < 0) {
		spill_list_free(&delays);
		return code;
	}
	return sum_delays(&s->host, &delays, err);
}

/* Graphs ---------------------------------------------------------------- */

static void count_graph(struct host_summary *h, const struct host_call *call,
			bool has_event)
{
	if (call->class != CALL_GRAPH)
		return;
	h->graph_launches++;
	h->graph_time += call->dur;
	h->graph_empty += !has_event;
}

static int count_graphs(struct profile_summary *s, struct err *err)
{
	const struct profile_trace *t = s->trace;
	uint8_t *has_event = calloc(t->calls.n / 8 + 1, 1);

	if (has_event == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->gpu_events.n; i++) {
		int32_t call = trace_gpu(t, i)->call;

		profile_trace_pass(t, i);
		if (call != PROFILE_NONE)
			has_event[call / 8] |= (uint8_t)(1 << call % 8);
	}
	for (size_t i = 0; i < t->calls.n; i++) {
		count_graph(&s->host, trace_call(t, i),
			    (has_event[i / 8] >> i % 8 & 1) != 0);
		profile_trace_pass(t, i);
	}
	free(has_event);
	return 0;
}

/* Nested events --------------------------------------------------------- */

/* By thread and start, the longer first. */
static int compare(const void *x, const void *y, const void *context)
{
	const struct host_event *a = x;
	const struct host_event *b = y;

	(void)context;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->dur < b->dur) - (a->dur > b->dur);
}

/* An event in progress, and the tally of its name. */
struct open_event {
	int64_t end;
	size_t tally;
};

struct open_events {
	struct open_event *v;
	size_t n, cap;
	uint32_t thread;
};

static int count_event(struct open_events *open, const struct host_event *e,
		       struct named_tallies *list, uint32_t *where,
		       struct err *err)
{
	int64_t end = e->start + e->dur;

	if (e->thread != open->thread)
		open->n = 0;
	open->thread = e->thread;
	while (open->n > 0 && (e->start >= open->v[open->n - 1].end ||
			       end > open->v[open->n - 1].end))
		open->n--;
	if (tally_add(list, where, e->name, e->dur, err) < 0)
		return err->code;
	if (open->n > 0)
		list->v[open->v[open->n - 1].tally].self -= e->dur;
	if (!ARRAY_GROW(open->v, open->n, open->cap))
		return err_memory(err);
	open->v[open->n++] =
		(struct open_event){.end = end, .tally = where[e->name] - 1};
	list->v[where[e->name] - 1].self += e->dur;
	return 0;
}

/*
 * Tally events by name, with their self time: their duration minus that of
 * direct children. An event that outlasts the one it begins in is not its
 * child. Only for wanted threads, unless that is NULL.
 */
static int count_nested(struct profile_summary *s, struct spill_list *events,
			const uint8_t *wanted, struct named_tallies *list,
			uint32_t *where, struct err *err)
{
	struct open_events open = {0};
	int code = spill_list_sort(events, compare, NULL, err);

	for (size_t i = 0; code == 0 && i < events->n; i++) {
		const struct host_event *e = spill_list_at(events, i);

		profile_trace_pass(s->trace, i);
		if (wanted == NULL || wanted[e->thread] != 0)
			code = count_event(&open, e, list, where, err);
	}
	free(open.v);
	tally_sort(list, where, &s->trace->names, true);
	return code;
}

/* The threads that launch work; NULL if out of memory. */
static uint8_t *find_launching(const struct profile_trace *t)
{
	uint8_t *launches = calloc(t->threads.count + 1, 1);

	for (size_t i = 0; launches != NULL && i < t->calls.n; i++) {
		const struct host_call *call = trace_call(t, i);

		profile_trace_pass(t, i);
		if (call->class == CALL_LAUNCH || call->class == CALL_GRAPH)
			launches[call->thread] = 1;
	}
	return launches;
}

int host_summarise(struct profile_summary *s, struct err *err)
{
	struct profile_trace *t = s->trace;
	struct host_summary *h = &s->host;
	uint32_t *where = calloc(t->names.count + 1, sizeof(*where));
	uint8_t *launching = find_launching(t);
	int code = where == NULL || launching == NULL ? err_memory(err) : 0;

	if (code == 0)
		code = count_calls(s, where, err);
	if (code == 0)
		code = join_kernels(s, err);
	if (code == 0)
		code = count_graphs(s, err);
	if (code == 0)
		code = count_nested(s, &t->ops, NULL, &h->ops, where, err);
	if (code == 0)
		code = count_nested(s, &t->python, launching, &h->python, where,
				    err);
	free(where);
	free(launching);
	return code;
}
