/* What the host did: calls of the GPU's runtime, operators, Python. */
#include <stdlib.h>

#include "profile/summary.h"

static int count_calls(struct profile_summary *s, uint32_t *where,
		       struct err *err)
{
	struct host_summary *h = &s->host;
	const struct host_events *calls = &s->trace->calls;

	for (size_t i = 0; i < calls->n; i++) {
		tally_count(&h->classes[calls->v[i].class], calls->v[i].dur);
		if (tally_add(&h->calls, where, calls->v[i].name,
			      calls->v[i].dur, err) < 0)
			return err->code;
	}
	tally_sort(&h->calls, where, &s->trace->names, false);
	return 0;
}

/* From a launch to its kernel; and what graphs left on the GPU. */
static int join_kernels(struct profile_summary *s, struct err *err)
{
	struct host_summary *h = &s->host;
	const struct profile_trace *t = s->trace;
	uint8_t *has_event = calloc(t->calls.n + 1, 1);

	if (has_event == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->gpu_n; i++) {
		const struct gpu_event *e = &t->gpu_events[i];
		const struct host_event *call;

		if (e->call == PROFILE_NONE)
			continue;
		call = &t->calls.v[e->call];
		has_event[e->call] = 1;
		h->graph_events += call->class == CALL_GRAPH;
		if (e->kind == GPU_KERNEL && call->class == CALL_LAUNCH &&
		    !stats_add(&h->delays, (double)(e->start - call->start))) {
			free(has_event);
			return err_memory(err);
		}
	}
	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.v[i].class == CALL_GRAPH) {
			h->graph_launches++;
			h->graph_time += t->calls.v[i].dur;
			h->graph_empty += has_event[i] == 0;
		}
	free(has_event);
	stats_sort(&h->delays);
	return 0;
}

/* By thread and start, the longer first, then by place in the file. */
static int compare(const void *x, const void *y)
{
	const struct host_event *a = x;
	const struct host_event *b = y;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->dur != b->dur)
		return a->dur > b->dur ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* An event under way, and where the tally of its name stands. */
struct open_event {
	int64_t end;
	size_t tally;
};

/*
 * Tally events by name, with their self time: their duration less that of
 * what they called directly. What begins in another one and ends after it is
 * not in it.
 */
static int count_nested(struct profile_summary *s, struct host_events *events,
			struct named_tallies *list, uint32_t *where,
			struct err *err)
{
	struct open_event *open = malloc((events->n + 1) * sizeof(*open));
	size_t depth = 0;
	int code = open == NULL ? err_memory(err) : 0;

	if (events->n > 0)
		qsort(events->v, events->n, sizeof(*events->v), compare);
	for (size_t i = 0; code == 0 && i < events->n; i++) {
		const struct host_event *e = &events->v[i];
		int64_t end = e->start + e->dur;

		if (i > 0 && e->thread != e[-1].thread)
			depth = 0;
		while (depth > 0 && (e->start >= open[depth - 1].end ||
				     end > open[depth - 1].end))
			depth--;
		code = tally_add(list, where, e->name, e->dur, err);
		if (code < 0)
			break;
		if (depth > 0)
			list->v[open[depth - 1].tally].self -= e->dur;
		open[depth].tally = where[e->name] - 1;
		open[depth++].end = end;
		list->v[where[e->name] - 1].self += e->dur;
	}
	free(open);
	tally_sort(list, where, &s->trace->names, true);
	return code;
}

/* Keep Python functions of threads that launch work. */
static int keep_launching(struct profile_trace *t, struct err *err)
{
	uint8_t *launches = calloc(t->threads.count + 1, 1);
	size_t kept = 0;

	if (launches == NULL)
		return err_memory(err);
	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.v[i].class == CALL_LAUNCH ||
		    t->calls.v[i].class == CALL_GRAPH)
			launches[t->calls.v[i].thread] = 1;
	for (size_t i = 0; i < t->python.n; i++)
		if (launches[t->python.v[i].thread])
			t->python.v[kept++] = t->python.v[i];
	t->python.n = kept;
	free(launches);
	return 0;
}

int host_summarise(struct profile_summary *s, struct err *err)
{
	struct profile_trace *t = s->trace;
	uint32_t *where = calloc(t->names.count + 1, sizeof(*where));
	int code = where == NULL ? err_memory(err) : 0;

	if (code == 0)
		code = count_calls(s, where, err);
	if (code == 0)
		code = join_kernels(s, err);
	if (code == 0)
		code = count_nested(s, &t->ops, &s->host.ops, where, err);
	if (code == 0)
		code = keep_launching(t, err);
	if (code == 0)
		code = count_nested(s, &t->python, &s->host.python, where, err);
	free(where);
	return code;
}
