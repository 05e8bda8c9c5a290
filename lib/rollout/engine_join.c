/* Adds the engines' data on requests to the samples of a dump. */
#include <math.h>
#include <stdio.h>

#include "fmt/value/value_make.h"
#include "fmt/value/value_text.h"
#include "rollout/engine_parts.h"
#include "rollout/foreign/carrier.h"
#include "rollout/worker.h"

/* The records that join a request. */
struct joining {
	struct engine_logs *logs;
	const struct engine_record *main;  /* the one with the attributes */
	const struct engine_record *other; /* the prefill engine's, or NULL */
	struct value events;		   /* of the sample, to be added to */
	uint32_t made;			   /* spans */
};

static double offset_of(const struct engine_logs *logs,
			const struct engine_record *record)
{
	return logs->logs[record->log].offset;
}

static double overlap(const struct engine_logs *logs,
		      const struct engine_record *record,
		      struct part_times span)
{
	double offset = offset_of(logs, record);

	return fmin(span.end, record->end - offset) -
	       fmax(span.start, record->start - offset);
}

/* Of the records of an id, from one side or any, the one that overlaps the span
 * most, else the last; NULL if there are none. */
static struct engine_record *choose(struct engine_logs *logs,
				    const struct engine_id *id,
				    struct part_times span,
				    const enum engine_side *side)
{
	struct engine_record *chosen = NULL;
	int32_t at = id->first;
	double most = 0;

	for (int n = 0; n < SAME_ID_MAX && at != RECORD_NONE; n++) {
		struct engine_record *record = &logs->records[at];
		double common = overlap(logs, record, span);

		at = record->next;
		if (side != NULL && record->side != *side)
			continue;
		if (common > most)
			most = common;
		else if (most > 0)
			continue;
		chosen = record;
	}
	return chosen;
}

static void choose_records(struct joining *j, const struct engine_id *id,
			   struct part_times span)
{
	static const enum engine_side decode = SIDE_DECODE;
	static const enum engine_side prefill = SIDE_PREFILL;
	struct engine_record *main = choose(j->logs, id, span, &decode);
	struct engine_record *other = choose(j->logs, id, span, &prefill);

	if (main == NULL || other == NULL) {
		main = choose(j->logs, id, span, NULL);
		other = NULL;
	}
	j->main = main;
	j->other = other;
	main->used = true;
	if (other != NULL)
		other->used = true;
}

/* Dicts ------------------------------------------------------------------ */

static bool put(struct joining *j, struct value dict, const char *key,
		struct value v)
{
	struct arena *a = &j->logs->made;

	return value_push(a, dict, value_literal(key)) &&
	       value_push(a, dict, v);
}

static bool lacks(struct value dict, const char *key)
{
	return value_get(dict, key).kind <= VALUE_NONE;
}

/* A copy of a dict with room for more; VALUE_ABSENT if out of memory. */
static struct value copy_of(struct joining *j, struct value dict, uint32_t more)
{
	struct arena *a = &j->logs->made;
	uint32_t n = dict.kind == VALUE_DICT ? dict.items->n : 0;
	struct value copy = value_new(a, VALUE_DICT, n + 2 * more);

	if (copy.kind == VALUE_DICT && n > 0 &&
	    !value_push_all(a, copy, dict.items->v, n))
		copy.kind = VALUE_ABSENT;
	return copy;
}

/* Add to a dict the keys of another one that it lacks. */
static bool fill(struct joining *j, struct value dict, struct value from)
{
	bool good = true;

	for (uint32_t i = 0; good && i < from.items->n; i += 2) {
		const char *key = from.items->v[i].p; /* a literal */

		if (lacks(dict, key))
			good = put(j, dict, key, from.items->v[i + 1]);
	}
	return good;
}

static bool names_worker(struct value attrs, struct value start_attrs)
{
	for (size_t i = 0; strcmp(worker_keys[i], "dp_rank") != 0; i++)
		if (!lacks(attrs, worker_keys[i]) ||
		    !lacks(start_attrs, worker_keys[i]))
			return true;
	return false;
}

/* The attributes of the request, plus missing ones. */
static struct value merged(struct joining *j, struct value own,
			   struct value start_attrs)
{
	const char *worker = j->logs->logs[j->main->log].worker;
	bool named = names_worker(own, start_attrs);
	struct value attrs = copy_of(j, own, 16);

	if (attrs.kind != VALUE_DICT)
		return attrs;
	if (!fill(j, attrs, j->main->attrs) ||
	    (j->other != NULL && !fill(j, attrs, j->other->attrs)) ||
	    (worker != NULL && !named &&
	     !put(j, attrs, "worker_addr", value_literal(worker))))
		attrs.kind = VALUE_ABSENT;
	return attrs;
}

/* The input of the perf/ figures: the attributes, and the time of each side. */
static struct value figures_of(struct joining *j, struct value request,
			       struct value attrs)
{
	struct value figures =
		copy_of(j, request.kind == VALUE_DICT ? request : attrs, 24);

	if (figures.kind != VALUE_DICT)
		return figures;
	if ((request.kind == VALUE_DICT && !fill(j, figures, j->main->attrs)) ||
	    (j->other != NULL && (!fill(j, figures, j->other->attrs) ||
				  !fill(j, figures, j->main->sides) ||
				  !fill(j, figures, j->other->sides))))
		figures.kind = VALUE_ABSENT;
	return figures;
}

/* Spans ------------------------------------------------------------------ */

static bool put_event(struct joining *j, const struct event *request,
		      const char *type, const char *name, struct value id,
		      double ts)
{
	struct arena *a = &j->logs->made;
	struct value event = value_new(a, VALUE_DICT, 16);

	return event.kind == VALUE_DICT &&
	       put(j, event, "type", value_literal(type)) &&
	       put(j, event, "name", value_literal(name)) &&
	       put(j, event, "ts", value_float(ts)) &&
	       put(j, event, "attempt", request->attempt) &&
	       put(j, event, "span_id", id) &&
	       put(j, event, "parent_span_id", request->span_id) &&
	       value_push(a, j->events, event);
}

static bool put_part(struct joining *j, const struct event *request,
		     const struct engine_record *record, enum engine_part part)
{
	static const char *const names[PARTS] = {
		"sglang_queue", "sglang_prefill", "sglang_decode"};
	struct part_times times = record->parts[part];
	double offset = offset_of(j->logs, record);
	char text[32];
	struct value id;
	struct str kept;

	if (isnan(times.start))
		return true;
	snprintf(text, sizeof(text), "engine:%u", ++j->made);
	kept = arena_str(&j->logs->made, str_of(text));
	if (kept.p == NULL)
		return false;
	id = value_str(kept);
	return put_event(j, request, "span_start", names[part], id,
			 times.start - offset) &&
	       put_event(j, request, "span_end", names[part], id,
			 times.end - offset);
}

/* Spans of the record's parts below the request, unless it is outside of it. */
static bool put_parts(struct joining *j, const struct engine_request *request,
		      const struct engine_record *record)
{
	const struct part_times span = {request->start, request->end->ts};
	bool good = true;
	bool any = false;

	for (int i = 0; i < PARTS; i++)
		any |= !isnan(record->parts[i].start);
	if (!any)
		return true;
	if (!engine_lies_within(record, offset_of(j->logs, record), span)) {
		j->logs->logs[record->log].outside++;
		return true;
	}
	for (int i = 0; good && i < PARTS; i++)
		good = put_part(j, request->end, record, (enum engine_part)i);
	return good;
}

/* Samples ---------------------------------------------------------------- */

/* The start attributes of a request's span. */
static struct value start_attrs_of(const struct sample_trace *trace,
				   const struct event *end)
{
	for (uint32_t i = 0; end->id != SPAN_ID_NONE && i < trace->count; i++)
		if (trace->events[i].kind == EVENT_START &&
		    trace->events[i].id == end->id)
			return trace->events[i].attrs;
	return (struct value){.kind = VALUE_ABSENT};
}

static int join_request(struct joining *j, const struct sample_trace *trace,
			const struct engine_request *request, struct err *err)
{
	const struct event *end = request->end;
	const struct part_times span = {request->start, end->ts};
	struct value *event = &j->events.items->v[end->place];
	struct value attrs, figures, copy;
	bool good;

	choose_records(j, request->id, span);
	attrs = merged(j, end->attrs, start_attrs_of(trace, end));
	figures = figures_of(j, end->request, attrs);
	copy = copy_of(j, *event, 2);
	good = attrs.kind == VALUE_DICT && figures.kind == VALUE_DICT &&
	       copy.kind == VALUE_DICT && put(j, copy, "attrs", attrs) &&
	       put(j, copy, "request", figures);
	if (good)
		*event = copy;
	if (good && !request->parent && end->id != SPAN_ID_NONE) {
		good = put_parts(j, request, j->main) &&
		       (j->other == NULL || put_parts(j, request, j->other));
	}
	return good ? 0 : arena_error(&j->logs->made, err);
}

/* A copy of the list of a sample's events. */
static struct value events_of(struct arena *a, struct value events)
{
	struct value list = value_new(a, VALUE_LIST, events.items->n + 8);

	if (list.kind == VALUE_LIST &&
	    !value_push_all(a, list, events.items->v, events.items->n))
		list.kind = VALUE_ABSENT;
	return list;
}

static int join_trace(struct joining *j, struct sample *sample, struct err *err)
{
	struct arena *a = &j->logs->made;
	struct engine_request *requests;
	struct sample_trace trace;
	struct value carrier;
	size_t n;

	if (sample_trace_read(&trace, sample, a, err) < 0 ||
	    engine_requests(j->logs, &trace, &requests, &n, err) < 0)
		return err->code;
	if (n == 0)
		return 0;
	if (sample_trace_write(sample, a, err) < 0)
		return err->code;
	j->events = events_of(a, value_get(sample->trace, "events"));
	if (j->events.kind != VALUE_LIST)
		return arena_error(a, err);
	for (size_t i = 0; i < n; i++)
		if (join_request(j, &trace, &requests[i], err) < 0)
			return err->code;
	carrier = copy_of(j, sample->trace, 2);
	if (carrier.kind != VALUE_DICT ||
	    !put(j, carrier, "events", j->events) ||
	    !put(j, carrier, "marks_requests", value_bool(true)))
		return arena_error(a, err);
	sample->trace = carrier;
	return 0;
}

/* A response of SGLang is one request, without a time. */
static int join_response(struct joining *j, struct sample *sample,
			 struct err *err)
{
	static const struct part_times unknown = {(double)NAN, (double)NAN};
	struct engine_id *id;

	if (sample->meta_info.kind != VALUE_DICT)
		return 0;
	id = engine_id_of(j->logs, sample->meta_info, true);
	if (id == NULL)
		return 0;
	choose_records(j, id, unknown);
	sample->meta_info = merged(j, sample->meta_info,
				   (struct value){.kind = VALUE_ABSENT});
	return sample->meta_info.kind == VALUE_DICT
		       ? 0
		       : arena_error(&j->logs->made, err);
}

int engine_logs_join(struct engine_logs *logs, struct sample *sample,
		     struct err *err)
{
	struct joining j = {.logs = logs};

	arena_reset(&logs->made);
	if (join_response(&j, sample, err) < 0)
		return err->code;
	return sample->trace.kind == VALUE_DICT ? join_trace(&j, sample, err)
						: 0;
}
