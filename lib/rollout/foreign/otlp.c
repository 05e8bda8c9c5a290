/*
 * OpenTelemetry's spans as JSON: ExportTraceServiceRequest, one per line or
 * one object.
 *
 * Sources: the OTLP specification (opentelemetry-proto, trace.proto and its
 * JSON mapping); the collector's file exporter, Python's and JavaScript's
 * exporters and ROLL's receiver (roll/utils/otel_receiver.py) spell it
 * differently, and all of it is read. Read in 2026-08.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "rollout/foreign/otlp_parts.h"

static const struct value absent = {.kind = VALUE_ABSENT};

/* Spans ----------------------------------------------------------------- */

static struct otlp *otlp_of(struct foreign *f)
{
	struct otlp *o = (struct otlp *)f;

	if (!o->open) {
		o->traces = intern_new(LIMIT_KEPT);
		o->ids = intern_new(LIMIT_KEPT);
		o->sides = intern_new(LIMIT_KEPT);
		o->key = buf_new(LIMIT_STRING);
		o->open = true;
	}
	return o;
}

static void close_otlp(struct foreign *f)
{
	struct otlp *o = (struct otlp *)f;

	if (!o->open)
		return;
	intern_free(&o->traces);
	intern_free(&o->ids);
	intern_free(&o->sides);
	free(o->side_places);
	buf_free(&o->key);
	free(o->spans);
	free(o->rows);
	free(o->order);
	free(o->members);
}

/* An id in lower case: hex in either case is one id. Absent for none. */
static struct value id_of(struct arena *a, struct value span, const char *camel,
			  const char *snake)
{
	struct value v = otlp_member(span, camel, snake);
	char *text;

	if (v.kind != VALUE_STR || v.n == 0)
		return absent;
	text = arena_alloc(a, v.n);
	if (text == NULL)
		return v;
	for (uint32_t i = 0; i < v.n; i++)
		text[i] = v.p[i] >= 'A' && v.p[i] <= 'F'
				  ? (char)(v.p[i] + ('a' - 'A'))
				  : v.p[i];
	return value_str(str_make(text, v.n));
}

/* "prefill Req 1a2b" of a request id is "prefill Req"; "Scheduler [TP 0]
 * (host:...)" is "Scheduler [TP 0]". */
static struct value name_of(struct value span, struct value attrs)
{
	struct value name = member_text(span, "name");
	struct str text;
	const char *at;

	if (name.kind != VALUE_STR)
		return value_literal("");
	text = value_text(name);
	at = memmem(text.p, text.n, "(host:", 6);
	if (at != NULL)
		text.n = (size_t)(at - text.p);
	at = memmem(text.p, text.n, "Req ", 4);
	if (at != NULL && value_get(attrs, "rid").kind != VALUE_ABSENT &&
	    (at == text.p || at[-1] == ' '))
		text.n = (size_t)(at + 3 - text.p);
	return value_str(str_trim(text));
}

/* The number of "TRACE ID" among the ids; what has no id is none of them. */
static uint32_t number_of_id(struct otlp *o, uint32_t trace, struct value id,
			     bool add)
{
	buf_clear(&o->key);
	buf_put(&o->key, &trace, sizeof(trace));
	buf_put(&o->key, id.p, id.n);
	if (o->key.failed)
		return INTERN_FAILED;
	return add ? intern_add(&o->ids, buf_str(&o->key))
		   : intern_find(&o->ids, buf_str(&o->key));
}

/* Is it a span that was sent before? Exporters send again after a timeout. */
static int is_repeated(struct otlp *o, struct otlp_span *span, struct err *err)
{
	uint32_t known = o->ids.count;

	if (span->id.kind != VALUE_STR)
		return 0;
	span->number = number_of_id(o, span->trace, span->id, true);
	if (span->number == INTERN_FAILED)
		return o->key.failed ? buf_error(&o->key, err)
				     : intern_error(&o->ids, err);
	return span->number < known;
}

/* The number of a trace: mostly that of the span before. */
static uint32_t number_of_trace(struct otlp *o, struct value id)
{
	struct str text = id.kind == VALUE_STR ? value_text(id)
					       : str_make("", 0);
	uint32_t last = o->n > 0 ? o->spans[o->n - 1].trace : 0;

	if (o->n > 0 && str_eq(text, intern_text(&o->traces, last)))
		return last;
	return intern_add(&o->traces, text);
}

static int add_span(struct otlp *o, struct value v, struct value scope,
		    struct value service, struct err *err)
{
	struct arena *a = &o->base.record;
	struct value trace = id_of(a, v, "traceId", "trace_id");
	struct otlp_span *span;
	int repeated;

	if (!ARRAY_GROW(o->spans, o->n, o->cap) || o->n == INT32_MAX)
		return err_memory(err);
	span = &o->spans[o->n];
	*span = (struct otlp_span){.span = v,
				   .scope = scope,
				   .service = service,
				   .parent = OTLP_NONE,
				   .prompt = OTLP_NONE,
				   .sample = OTLP_NONE,
				   .above = OTLP_NONE,
				   .row = OTLP_NONE};
	span->start = otlp_time(
		otlp_member(v, "startTimeUnixNano", "start_time_unix_nano"));
	span->end = otlp_time(
		otlp_member(v, "endTimeUnixNano", "end_time_unix_nano"));
	if (span->start <= 0)
		return 0;
	span->trace = number_of_trace(o, trace);
	if (span->trace == INTERN_FAILED)
		return intern_error(&o->traces, err);
	span->id = id_of(a, v, "spanId", "span_id");
	span->parent_id = id_of(a, v, "parentSpanId", "parent_span_id");
	repeated = is_repeated(o, span, err);
	if (repeated != 0)
		return repeated < 0 ? repeated : 0;
	span->attrs = otlp_attrs(a, v);
	if (span->attrs.kind == VALUE_ABSENT)
		return arena_error(a, err);
	span->name = name_of(v, span->attrs);
	for (int i = 0; i < STAGES; i++)
		span->first[i] = OTLP_NONE;
	o->n++;
	return 0;
}

/* The spans of one scope. */
static int add_scope(struct otlp *o, struct value scope_spans,
		     struct value service, struct err *err)
{
	struct value spans = member_of_kind(scope_spans, "spans", VALUE_LIST);
	struct value scope =
		member_text(value_get(scope_spans, "scope"), "name");
	int code = 0;

	for (uint32_t i = 0;
	     code == 0 && spans.kind == VALUE_LIST && i < spans.items->n; i++)
		if (spans.items->v[i].kind == VALUE_DICT)
			code = add_span(o, spans.items->v[i], scope, service,
					err);
	return code;
}

static int add_resource(struct otlp *o, struct value v, struct err *err)
{
	struct value scopes = otlp_member(v, "scopeSpans", "scope_spans");
	struct value resource =
		otlp_attrs(&o->base.record, value_get(v, "resource"));
	struct value service = member_text(resource, "service.name");
	int code = 0;

	for (uint32_t i = 0;
	     code == 0 && scopes.kind == VALUE_LIST && i < scopes.items->n; i++)
		code = add_scope(o, scopes.items->v[i], service, err);
	return code;
}

/* Metrics and logs are legal and hold no spans. */
static bool is_other(struct value record)
{
	return otlp_member(record, "resourceMetrics", "resource_metrics").kind !=
		       VALUE_ABSENT ||
	       otlp_member(record, "resourceLogs", "resource_logs").kind !=
		       VALUE_ABSENT;
}

static int take(struct foreign *f, struct value record, struct err *err)
{
	struct otlp *o = otlp_of(f);
	struct value list =
		otlp_member(record, "resourceSpans", "resource_spans");
	int code = 0;

	if (list.kind == VALUE_ABSENT && !is_other(record))
		return err_set(err, ERR_INPUT, "not an OTLP record");
	for (uint32_t i = 0;
	     code == 0 && list.kind == VALUE_LIST && i < list.items->n; i++)
		code = add_resource(o, list.items->v[i], err);
	return code;
}

/* Known parents become places. */
static void find_parents(struct otlp *o)
{
	int32_t *place = NULL;
	size_t n = o->ids.count;

	place = malloc((n + 1) * sizeof(*place));
	for (size_t i = 0; place != NULL && i < o->n; i++)
		if (o->spans[i].id.kind == VALUE_STR)
			place[o->spans[i].number] = (int32_t)i;
	for (size_t i = 0; place != NULL && i < o->n; i++) {
		struct otlp_span *span = &o->spans[i];
		uint32_t number;

		if (span->parent_id.kind != VALUE_STR)
			continue;
		number = number_of_id(o, span->trace, span->parent_id, false);
		if (number != INTERN_FAILED && place[number] != (int32_t)i)
			span->parent = place[number];
	}
	free(place);
}

static int64_t end(struct foreign *f, struct err *err)
{
	struct otlp *o = otlp_of(f);

	if (o->n == 0)
		return err_set(err, ERR_INPUT,
			       "OTLP telemetry without any spans");
	find_parents(o);
	if (otlp_find_rows(o, err) < 0)
		return err->code;
	return (int64_t)o->row_count;
}

/* Rows ------------------------------------------------------------------ */

static bool is_error(const struct otlp_span *span)
{
	struct value code = value_get(value_get(span->span, "status"), "code");

	return (code.kind == VALUE_INT && code.i == 2) ||
	       value_is_str(code, "STATUS_CODE_ERROR") ||
	       value_is_str(code, "2");
}

static void set_error(struct otlp *o, struct carrier *c,
		      const struct otlp_span *span, struct value attrs)
{
	struct value events = member_of_kind(span->span, "events", VALUE_LIST);
	struct value type = value_literal("ERROR");

	if (!is_error(span))
		return;
	for (uint32_t i = 0; events.kind == VALUE_LIST && i < events.items->n;
	     i++) {
		struct value event = events.items->v[i];
		struct value given;

		if (!value_is_str(value_get(event, "name"), "exception"))
			continue;
		given = member_text(otlp_attrs(&o->base.record, event),
				    "exception.type");
		type = given.kind == VALUE_STR ? given : value_literal("ERROR");
	}
	carrier_attr(c, attrs, "error_type", type);
	carrier_attr(c, attrs, "error_message",
		     member_text(value_get(span->span, "status"), "message"));
}

static void add_points(struct otlp *o, struct carrier *c,
		       const struct otlp_span *span)
{
	struct value events = member_of_kind(span->span, "events", VALUE_LIST);

	for (uint32_t i = 0; events.kind == VALUE_LIST && i < events.items->n;
	     i++) {
		struct value event = events.items->v[i];
		int64_t time = otlp_time(
			otlp_member(event, "timeUnixNano", "time_unix_nano"));

		if (time > 0)
			carrier_point(
				c, &(struct carrier_span){
					   .name = member_text(event, "name"),
					   .start = (double)time / 1e9,
					   .parent = span->id,
					   .attrs = otlp_attrs(&o->base.record,
							       event)});
	}
}

static void put_span(struct otlp *o, struct carrier *c, int32_t place)
{
	const struct otlp_span *span = &o->spans[place];
	struct carrier_span one = {.name = span->name,
				   .start = (double)span->start / 1e9,
				   .end = (double)span->end / 1e9,
				   .id = span->id,
				   .parent = span->parent_id};

	if (span->end <= 0)
		one.end = NAN;
	/* A copy: a shared span is put into several rows. */
	one.attrs = carrier_attrs(c);
	if (one.attrs.kind == VALUE_DICT)
		c->failed |= !value_push_all(c->arena, one.attrs,
					     span->attrs.items->v,
					     span->attrs.items->n);
	set_error(o, c, span, one.attrs);
	one.request = otlp_request(o, c, place, one.attrs);
	carrier_span(c, &one);
	add_points(o, c, span);
}

/* The span without a parent id that began first, else the first generation
 * span; OTLP_NONE while none has ended. */
static int32_t root_of(const struct otlp *o, const struct otlp_row *row)
{
	int32_t root = OTLP_NONE, generation = OTLP_NONE;

	if (row->sample != OTLP_NONE)
		return row->sample;
	for (uint32_t i = 0; i < row->n; i++) {
		int32_t place = (int32_t)o->members[row->begin + i];
		const struct otlp_span *span = &o->spans[place];

		if (span->parent_id.kind == VALUE_ABSENT &&
		    (root == OTLP_NONE || span->start < o->spans[root].start))
			root = place;
		if (span->is_generation &&
		    (generation == OTLP_NONE ||
		     span->start < o->spans[generation].start))
			generation = place;
	}
	return root != OTLP_NONE ? root : generation;
}

/* The finish reason of the request that ended last. */
static struct value last_reason(struct otlp *o, struct carrier *c,
				const struct otlp_row *row)
{
	const struct otlp_span *last = NULL;

	for (uint32_t i = 0; i < row->n; i++) {
		const struct otlp_span *span =
			&o->spans[o->members[row->begin + i]];

		if (span->is_generation && !span->has_below && span->end > 0 &&
		    (last == NULL || span->end > last->end))
			last = span;
	}
	return last == NULL ? absent : otlp_finish_reason(last, c);
}

static struct value status_of(struct otlp *o, struct carrier *c,
			      const struct otlp_row *row)
{
	int32_t root = root_of(o, row);
	struct value reason;

	if (root == OTLP_NONE)
		return value_none();
	if (is_error(&o->spans[root]))
		return value_literal("failed");
	reason = last_reason(o, c, row);
	if (value_is_str(reason, "length"))
		return value_literal("truncated");
	if (value_is_str(reason, "abort"))
		return value_literal("aborted");
	return value_literal("completed");
}

/* The spans between a sample span and its prompt, and the prompt. */
static void put_shared(struct otlp *o, struct carrier *c,
		       const struct otlp_row *row)
{
	int32_t at = row->sample;

	if (at == OTLP_NONE || o->spans[at].prompt == OTLP_NONE)
		return;
	while (at != o->spans[row->sample].prompt) {
		at = o->spans[at].parent;
		put_span(o, c, at);
	}
}

static void set_fields(struct otlp *o, struct carrier *c,
		       const struct otlp_row *row)
{
	const struct otlp_span *sample =
		row->sample == OTLP_NONE ? NULL : &o->spans[row->sample];
	struct str trace = intern_text(&o->traces, row->trace);

	if (trace.n > 0)
		carrier_set_trace(c, "trace_id", value_str(trace));
	carrier_set(c, "source", o->spans[row->first].service);
	carrier_set(c, "is_aside",
		    value_bool(row->is_rest ||
			       (sample == NULL && o->some_generation &&
				!row->has_generation)));
	if (sample == NULL)
		return;
	if (sample->prompt != OTLP_NONE)
		carrier_set(c, "group_index",
			    member_id(o->spans[sample->prompt].attrs,
				      "prompt_id"));
	else if (sample->is_prompt)
		carrier_set(c, "group_index",
			    member_id(sample->attrs, "prompt_id"));
	else
		carrier_set(c, "group_index",
			    member_id(sample->attrs, "traj_group_id"));
	carrier_set(c, "label", member_text(sample->attrs, "traj_id"));
}

static int row(struct foreign *f, uint64_t i, struct carrier *c,
	       struct err *err)
{
	struct otlp *o = otlp_of(f);
	const struct otlp_row *row = &o->rows[i];

	(void)err;
	carrier_set(c, "index", value_int((int64_t)i));
	set_fields(o, c, row);
	carrier_set(c, "status", status_of(o, c, row));
	put_shared(o, c, row);
	for (uint32_t k = 0; k < row->n; k++)
		put_span(o, c, (int32_t)o->members[row->begin + k]);
	return 1;
}

const struct foreign_format otlp_format = {
	.name = "OpenTelemetry spans (OTLP)",
	.rows = "traces",
	.document = true,
	.holds = true,
	.spans_files = true,
	.size = sizeof(struct otlp),
	.take = take,
	.end = end,
	.row = row,
	.close = close_otlp,
};
