#include "sink/timeline/page_perf.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/limits.h"
#include "fmt/value/value_python.h"
#include "rollout/perf.h"
#include "rollout/perf_keys.h"
#include "rollout/sample_trace.h"
#include "rollout/span_attrs.h"

void page_put_metrics(struct json_writer *w)
{
	char key[PERF_KEY_MAX];

	json_add_begin(w, "perf", '[');
	for (size_t m = 0; m < PERF_METRICS; m++) {
		snprintf(key, sizeof(key), PERF_KEY_PREFIX "%s/mean",
			 perf_metrics[m].key);
		json_begin(w, '[');
		json_str(w, str_of(perf_metrics[m].key));
		json_str(w, perf_metrics[m].attr);
		json_str(w, str_of(perf_metrics[m].unit));
		json_int(w, figure_good(key));
		json_end(w, ']');
	}
	json_end(w, ']');
}

static void put_values(struct json_writer *w, const struct perf *perf)
{
	struct perf_counts counts = perf_counts(perf);

	json_add_begin(w, "perf", '[');
	json_uint(w, counts.requests);
	json_uint(w, counts.profiled);
	for (size_t m = 0; m < PERF_METRICS; m++) {
		const struct stats *values = perf_metric_values(perf, m);

		if (values->n == 0)
			continue;
		json_begin(w, '[');
		json_uint(w, m);
		for (size_t i = 0; i < values->n; i++)
			json_double(w, values->v[i]);
		json_end(w, ']');
	}
	json_end(w, ']');
}

/* A request whose attributes are empty: a page keeps no text of them, so it
 * looks like a request without attributes, which does not count. */
static bool is_empty_request(const struct event *e)
{
	return e->kind == EVENT_END && e->has_attrs && e->attrs.items->n == 0 &&
	       is_generation(e->name);
}

/* Has an event figures that are not among the attributes, or is the sample a
 * response of an engine? */
static bool stands_apart(const struct sample *sample,
			 const struct sample_trace *trace)
{
	if (sample->meta_info.kind == VALUE_DICT)
		return true;
	for (uint32_t i = 0; i < trace->count; i++)
		if (trace->events[i].request.kind == VALUE_DICT ||
		    is_empty_request(&trace->events[i]))
			return true;
	return false;
}

static int put_requests(struct json_writer *w, const struct sample *sample,
			const struct sample_trace *trace, struct err *err)
{
	struct perf *perf;
	int code;

	if (!stands_apart(sample, trace))
		return 0;
	perf = perf_new();
	if (perf == NULL)
		return err_memory(err);
	code = perf_add_requests(perf, NULL, sample, trace, err);
	if (code == 0)
		put_values(w, perf);
	perf_free(perf);
	return code;
}

/* May the item be an empty request? It has the attributes of its end event,
 * an orphan has them at its start. */
static bool may_be_empty(const struct item *item)
{
	struct value attrs = item->state == ITEM_ORPHAN ? item->start_attrs
							: item->end_attrs;

	return item->is_request && item->role == ROLE_NONE &&
	       attrs.kind == VALUE_DICT && attrs.items->n == 0;
}

/* Can the sample have what stands_apart? */
static bool may_stand_apart(const struct sample *sample, const struct row *row)
{
	if (sample->meta_info.kind == VALUE_DICT ||
	    value_truth(value_get(sample->trace, "names_parents")) ||
	    value_truth(value_get(sample->trace, "marks_requests")))
		return true;
	for (uint32_t i = 0; i < row->item_count; i++)
		if (may_be_empty(&row->items[i]))
			return true;
	return false;
}

int page_put_perf(struct json_writer *w, const struct sample *sample,
		  const struct row *row, struct err *err)
{
	struct sample_trace trace;
	struct arena arena;
	int code;

	if (sample == NULL || !may_stand_apart(sample, row))
		return 0;
	arena = arena_new(LIMIT_SAMPLE);
	code = sample_trace_read(&trace, sample, &arena, err);
	if (code == 0)
		code = put_requests(w, sample, &trace, err);
	arena_free(&arena);
	return code;
}
