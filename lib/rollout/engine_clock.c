/* When the requests of a dump were, and the offsets of the engines' clocks. */
#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "rollout/engine_parts.h"
#include "rollout/span_attrs.h"

/* Of this many records outside of their spans, this many must have a common
 * offset. */
static const double same = 0.9;

bool engine_lies_within(const struct engine_record *record, double offset,
			struct part_times span)
{
	return record->start - offset >= span.start - CLOCK_SLACK &&
	       record->end - offset <= span.end + CLOCK_SLACK;
}

/* By id: when the span began, and whether it has children. */
static int note_spans(const struct sample_trace *trace, double **starts,
		      uint8_t **parents, struct err *err)
{
	uint32_t ids = trace->ids.count;

	*starts = arena_array(trace->arena, ids + 1, sizeof(**starts));
	*parents = arena_array(trace->arena, ids + 1, 1);
	if (*starts == NULL || *parents == NULL)
		return arena_error(trace->arena, err);
	for (uint32_t i = 0; i < ids; i++)
		(*starts)[i] = (double)NAN;
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];

		if (e->kind != EVENT_START)
			continue;
		(*starts)[e->id] = e->ts;
		if (e->parent != SPAN_ID_NONE)
			(*parents)[e->parent] = 1;
	}
	return 0;
}

int engine_requests(struct engine_logs *logs, const struct sample_trace *trace,
		    struct engine_request **requests, size_t *count,
		    struct err *err)
{
	double *starts;
	uint8_t *parents;

	*count = 0;
	if (trace->count == 0)
		return 0;
	*requests = arena_array(trace->arena, trace->count, sizeof(**requests));
	if (*requests == NULL)
		return arena_error(trace->arena, err);
	if (note_spans(trace, &starts, &parents, err) < 0)
		return err->code;
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *e = &trace->events[i];
		struct engine_request request = {.end = e,
						 .start = (double)NAN};

		if (!is_request_end(e))
			continue;
		request.id = engine_id_of(logs, e->attrs,
					  e->request.kind == VALUE_DICT);
		if (request.id == NULL)
			continue;
		if (e->id != SPAN_ID_NONE) {
			request.start = starts[e->id];
			request.parent = parents[e->id] != 0;
		}
		(*requests)[(*count)++] = request;
	}
	return 0;
}

/* Compare the span with the same-numbered record of each log. */
static void see_span(struct engine_logs *logs,
		     const struct engine_request *request)
{
	uint32_t ordinal = request->id->seen++;
	int32_t at = request->id->first;

	for (int n = 0; n < SAME_ID_MAX && at != RECORD_NONE; n++) {
		struct engine_record *record = &logs->records[at];

		if (record->ordinal == ordinal)
			record->seen = (struct part_times){request->start,
							   request->end->ts};
		at = record->next;
	}
}

int engine_logs_see(struct engine_logs *logs, const struct sample *sample,
		    struct err *err)
{
	struct engine_request *requests;
	struct sample_trace trace;
	size_t n;

	arena_reset(&logs->made);
	if (sample_trace_read(&trace, sample, &logs->made, err) < 0 ||
	    engine_requests(logs, &trace, &requests, &n, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		if (!isnan(requests[i].start))
			see_span(logs, &requests[i]);
	return 0;
}

/* If a log has another number of records for an id than the dump has spans, the
 * pairs are unknown: forget their times. */
static int forget_uneven(struct engine_logs *logs, struct err *err)
{
	uint32_t *counts =
		calloc((size_t)logs->texts.count + 1, sizeof(*counts));

	if (counts == NULL)
		return err_memory(err);
	for (size_t l = 0; l < logs->log_count; l++) {
		struct engine_record *records;
		size_t n = logs->logs[l].records;

		if (n == 0)
			continue;
		records = &logs->records[logs->logs[l].first];
		for (size_t i = 0; i < n; i++)
			counts[records[i].id]++;
		for (size_t i = 0; i < n; i++)
			if (counts[records[i].id] !=
			    logs->ids[records[i].id].seen)
				records[i].seen.start = (double)NAN;
		for (size_t i = 0; i < n; i++)
			counts[records[i].id] = 0;
	}
	free(counts);
	return 0;
}

/* How much later the middle of a record is than that of its span; NAN if one of
 * them is unknown. */
static double lateness(const struct engine_record *record)
{
	return (record->start + record->end - record->seen.start -
		record->seen.end) /
	       2;
}

/* The share of a log's records that fit their spans with an offset. */
static double share_that_fits(const struct engine_logs *logs,
			      const struct engine_log *log, double offset)
{
	size_t known = 0, fitting = 0;

	for (size_t i = 0; i < log->records; i++) {
		const struct engine_record *record =
			&logs->records[log->first + i];
		double late = lateness(record);

		if (isnan(late))
			continue;
		known++;
		fitting += engine_lies_within(record, offset, record->seen) ||
			   (offset != 0 && fabs(late - offset) <= CLOCK_SLACK);
	}
	return known == 0 ? 1 : (double)fitting / (double)known;
}

static int settle_log(struct engine_logs *logs, struct engine_log *log,
		      struct err *err)
{
	struct stats late = {0};
	double median;

	if (share_that_fits(logs, log, 0) >= same)
		return 0;
	for (size_t i = 0; i < log->records; i++) {
		double one = lateness(&logs->records[log->first + i]);

		if (!isnan(one) && !stats_add(&late, one)) {
			stats_free(&late);
			return err_memory(err);
		}
	}
	stats_sort(&late);
	median = stats_median(&late);
	stats_free(&late);
	if (share_that_fits(logs, log, median) >= same)
		log->offset = median;
	else
		log->unsure = true;
	return 0;
}

int engine_logs_settle(struct engine_logs *logs, struct err *err)
{
	if (forget_uneven(logs, err) < 0)
		return err->code;
	for (size_t i = 0; i < logs->log_count; i++)
		if (settle_log(logs, &logs->logs[i], err) < 0)
			return err->code;
	return 0;
}
