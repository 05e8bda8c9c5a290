/*
 * OpenTelemetry's spans as JSON: ExportTraceServiceRequest, one per line or
 * one object.
 *
 * Sources: the OTLP specification (opentelemetry-proto, trace.proto and its
 * JSON mapping); the collector's file exporter, Python's and JavaScript's
 * exporters and ROLL's receiver (roll/utils/otel_receiver.py) differ in
 * spelling, and all are accepted. Read in 2026-08.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "rollout/foreign/otlp_attrs.h"

/* What is read of a record -------------------------------------------------- */

enum { CODE, MESSAGE, STATUS_MEMBERS };

static const struct json_member status_members[STATUS_MEMBERS] = {
	[CODE] = {.key = JSON_KEY("code")},
	[MESSAGE] = {.key = JSON_KEY("message")},
};
static const struct json_form status_form = JSON_FORM(status_members);

/* In the order of most writers, then the second spelling of some. */
enum {
	TRACE_ID,
	SPAN_ID,
	PARENT_SPAN_ID,
	NAME,
	START_TIME,
	END_TIME,
	ATTRIBUTES,
	EVENTS,
	STATUS,
	SNAKE_TRACE_ID,
	SNAKE_SPAN_ID,
	SNAKE_PARENT_SPAN_ID,
	SNAKE_START_TIME,
	SNAKE_END_TIME,
	SPAN_MEMBERS
};

static const struct json_member span_members[SPAN_MEMBERS] = {
	[TRACE_ID] = {.key = JSON_KEY("traceId")},
	[SPAN_ID] = {.key = JSON_KEY("spanId")},
	[PARENT_SPAN_ID] = {.key = JSON_KEY("parentSpanId")},
	[NAME] = {.key = JSON_KEY("name")},
	[START_TIME] = {.key = JSON_KEY("startTimeUnixNano")},
	[END_TIME] = {.key = JSON_KEY("endTimeUnixNano")},
	[ATTRIBUTES] = {.key = JSON_KEY("attributes"), .form = &otlp_attr_form},
	[EVENTS] = {.key = JSON_KEY("events"), .raw = true},
	[STATUS] = {.key = JSON_KEY("status"), .form = &status_form},
	[SNAKE_TRACE_ID] = {.key = JSON_KEY("trace_id")},
	[SNAKE_SPAN_ID] = {.key = JSON_KEY("span_id")},
	[SNAKE_PARENT_SPAN_ID] = {.key = JSON_KEY("parent_span_id")},
	[SNAKE_START_TIME] = {.key = JSON_KEY("start_time_unix_nano")},
	[SNAKE_END_TIME] = {.key = JSON_KEY("end_time_unix_nano")},
};
static const struct json_form span_form = JSON_FORM(span_members);

static const struct json_member scope_members[] = {
	[0] = {.key = JSON_KEY("name")}};
static const struct json_form scope_form = JSON_FORM(scope_members);

enum { SCOPE, SPANS, SCOPE_SPANS_MEMBERS };

static const struct json_member scope_spans_members[SCOPE_SPANS_MEMBERS] = {
	[SCOPE] = {.key = JSON_KEY("scope"), .form = &scope_form},
	[SPANS] = {.key = JSON_KEY("spans"), .form = &span_form},
};
static const struct json_form scope_spans_form = JSON_FORM(scope_spans_members);

static const struct json_member resource_members[] = {
	[0] = {.key = JSON_KEY("attributes"), .form = &otlp_attr_form}};
static const struct json_form resource_form = JSON_FORM(resource_members);

enum { RESOURCE, SCOPE_SPANS, SNAKE_SCOPE_SPANS, RESOURCE_SPANS_MEMBERS };

static const struct json_member resource_spans_members[] = {
	[RESOURCE] = {.key = JSON_KEY("resource"), .form = &resource_form},
	[SCOPE_SPANS] = {.key = JSON_KEY("scopeSpans"),
			 .form = &scope_spans_form},
	[SNAKE_SCOPE_SPANS] = {.key = JSON_KEY("scope_spans"),
			       .form = &scope_spans_form},
};
static const struct json_form resource_spans_form =
	JSON_FORM(resource_spans_members);

/* Metrics and logs are valid and contain no spans. */
enum {
	RESOURCE_SPANS,
	SNAKE_RESOURCE_SPANS,
	OTHERS,
	RECORD_MEMBERS = OTHERS + 4
};

static const struct json_member record_members[RECORD_MEMBERS] = {
	[RESOURCE_SPANS] = {.key = JSON_KEY("resourceSpans"),
			    .form = &resource_spans_form},
	[SNAKE_RESOURCE_SPANS] = {.key = JSON_KEY("resource_spans"),
				  .form = &resource_spans_form},
	[OTHERS] = {.key = JSON_KEY("resourceMetrics"), .raw = true},
	[OTHERS + 1] = {.key = JSON_KEY("resource_metrics"), .raw = true},
	[OTHERS + 2] = {.key = JSON_KEY("resourceLogs"), .raw = true},
	[OTHERS + 3] = {.key = JSON_KEY("resource_logs"), .raw = true},
};
static const struct json_form record_form = JSON_FORM(record_members);

/* Spans ----------------------------------------------------------------- */

static const char *const known_texts[OTLP_TEXTS] = {
	[STAGE_PREFILL_WAITING] = "prefill_waiting",
	[STAGE_DECODE_WAITING] = "decode_waiting",
	[STAGE_PREFILL_BOOTSTRAP] = "prefill_bootstrap",
	[STAGE_PREFILL_FORWARD] = "prefill_forward",
	[STAGE_PREFILL_TRANSFER] = "prefill_transfer_kv_cache",
	[STAGE_DECODE_BOOTSTRAP] = "decode_bootstrap",
	[STAGE_DECODE_TRANSFERRED] = "decode_transferred",
	[STAGE_DECODE_FORWARD] = "decode_forward",
	[NAME_PREFILL] = "prefill Req",
	[NAME_DECODE] = "decode Req",
	[NAME_PROMPT] = "process_new_prompt",
	[NAME_RESPONSE] = "generate_and_reward",
	[NAME_GENERATE] = "generate",
	[NAME_ROLLOUT_GENERATE] = "rollout.generate",
	[SCOPE_ENV_MANAGER] = "env_manager",
};

static bool open_otlp(struct otlp *o)
{
	bool good = true;

	if (o->open)
		return true;
	o->texts = intern_new(LIMIT_KEPT);
	o->traces = otlp_ids_new(32);
	o->ids = otlp_ids_new(16);
	o->sides = intern_new(LIMIT_KEPT);
	o->key = buf_new(LIMIT_STRING);
	o->open = true;
	for (uint32_t i = 0; good && i < OTLP_TEXTS; i++)
		good = intern_add(&o->texts, str_of(known_texts[i])) == i;
	return good;
}

static void close_otlp(struct foreign *f)
{
	struct otlp *o = (struct otlp *)f;

	if (!o->open)
		return;
	intern_free(&o->texts);
	otlp_ids_free(&o->traces);
	otlp_ids_free(&o->ids);
	intern_free(&o->sides);
	free(o->side_places);
	buf_free(&o->key);
	free(o->spans);
	free(o->stages);
	free(o->rows);
	free(o->order);
	free(o->members);
}

uint32_t otlp_number(struct otlp *o, struct str text, uint32_t *last,
		     uint32_t position)
{
	uint32_t *guess = &last[position % OTLP_GUESSES];
	uint32_t number = *guess;

	if (str_eq(intern_text(&o->texts, number), text))
		return number;
	number = intern_add(&o->texts, text);
	if (number != INTERN_FAILED)
		*guess = number;
	return number;
}

struct value otlp_text_value(const struct otlp *o, uint32_t text)
{
	return text == INTERN_FAILED ? (struct value){.kind = VALUE_ABSENT}
				     : value_str(intern_text(&o->texts, text));
}

struct value otlp_id_value(const struct otlp *o, uint32_t id,
			   struct arena *arena)
{
	return id == INTERN_FAILED ? (struct value){.kind = VALUE_ABSENT}
				   : otlp_ids_text(&o->ids, id, arena);
}

/* The last span added. */
static const struct otlp_span *last_span(const struct otlp *o)
{
	static const struct otlp_span none = {
		.trace = INTERN_FAILED,
		.parent_id = INTERN_FAILED,
		.scope = INTERN_FAILED,
		.service = INTERN_FAILED,
	};

	return o->n > 0 ? &o->spans[o->n - 1] : &none;
}

/* The number of a trace; without an id, that of an empty one. */
static int take_trace(struct otlp *o, struct value id, uint32_t *trace,
		      struct err *err)
{
	struct str text = id.kind == VALUE_STR ? value_text(id)
					       : str_make("", 0);

	*trace = otlp_ids_add(&o->traces, text, 0, last_span(o)->trace);
	return *trace == INTERN_FAILED ? otlp_ids_error(&o->traces, err) : 0;
}

/* The number of an id within its trace; INTERN_FAILED if none. */
static int take_id(struct otlp *o, struct value id, uint32_t trace,
		   uint32_t *number, struct err *err)
{
	*number = INTERN_FAILED;
	if (id.kind != VALUE_STR || id.n == 0)
		return 0;
	*number = otlp_ids_add(&o->ids, value_text(id), trace,
			       last_span(o)->parent_id);
	return *number == INTERN_FAILED ? otlp_ids_error(&o->ids, err) : 0;
}

static bool is_error(struct value code)
{
	return (code.kind == VALUE_INT && code.i == 2) ||
	       value_is_str(code, "STATUS_CODE_ERROR") ||
	       value_is_str(code, "2");
}

/* Events, and the status. False: no memory. */
static bool take_rare(struct otlp *o, const struct value *members,
		      struct otlp_span *span)
{
	struct value message = json_form_get(members[STATUS], MESSAGE);
	struct value events = members[EVENTS];
	struct otlp_rare *rare;

	span->is_error = is_error(json_form_get(members[STATUS], CODE));
	if (events.kind == VALUE_BYTES && *events.p != '[')
		events.kind = VALUE_ABSENT;
	if (!span->is_error || message.kind != VALUE_STR)
		message.kind = VALUE_ABSENT;
	if (events.kind == VALUE_ABSENT && message.kind == VALUE_ABSENT)
		return true;
	rare = arena_array(&o->base.kept, 1, sizeof(*rare));
	span->rare = rare;
	return rare != NULL &&
	       foreign_keep(&o->base, &o->texts, events, &rare->events) &&
	       foreign_keep(&o->base, &o->texts, message, &rare->message);
}

/* The identity of a span: 1, 0 if it is a duplicate (exporters resend after a
 * timeout), or an error. */
static int take_identity(struct otlp *o, const struct value *members,
			 struct otlp_span *span, struct err *err)
{
	if (take_trace(o, otlp_pick(members, TRACE_ID, SNAKE_TRACE_ID),
		       &span->trace, err) < 0 ||
	    take_id(o, otlp_pick(members, SPAN_ID, SNAKE_SPAN_ID), span->trace,
		    &span->id, err) < 0)
		return err->code;
	if (span->id != INTERN_FAILED) {
		if (o->ids.v[span->id].place != OTLP_NONE)
			return 0;
		o->ids.v[span->id].place = (int32_t)o->n;
	}
	if (take_id(o, otlp_pick(members, PARENT_SPAN_ID, SNAKE_PARENT_SPAN_ID),
		    span->trace, &span->parent_id, err) < 0)
		return err->code;
	return 1;
}

static int take_span(struct otlp *o, const struct value *members,
		     uint32_t position, uint32_t scope, uint32_t service,
		     struct err *err)
{
	struct otlp_span *span;
	int got;

	if (!ARRAY_GROW_PAGES(o->spans, o->n, o->cap) || o->n == INT32_MAX)
		return err_memory(err);
	span = &o->spans[o->n];
	*span = (struct otlp_span){
		.start = otlp_time(
			otlp_pick(members, START_TIME, SNAKE_START_TIME)),
		.end = otlp_time(otlp_pick(members, END_TIME, SNAKE_END_TIME)),
		.scope = scope,
		.service = service,
		.parent = OTLP_NONE,
		.prompt = OTLP_NONE,
		.sample = OTLP_NONE,
		.above = OTLP_NONE,
		.row = OTLP_NONE,
		.stages = OTLP_NONE};
	if (span->start <= 0) {
		o->base.lost.of[span->end > 0 ? LOST_START : LOST_EVENT]++;
		return 0;
	}
	got = take_identity(o, members, span, err);
	if (got <= 0)
		return got;
	if (!otlp_keep_attrs(o, members[ATTRIBUTES], &span->attrs) ||
	    !take_rare(o, members, span))
		return arena_error(&o->base.kept, err);
	span->name = otlp_number(o, otlp_name(members[NAME], span->attrs),
				 o->last_names, position);
	if (span->name == INTERN_FAILED)
		return intern_error(&o->texts, err);
	o->some_prompt |= span->name == NAME_PROMPT;
	o->some_side |= span->name == NAME_PREFILL || span->name == NAME_DECODE;
	o->n++;
	return 0;
}

/* The number of a text, usually the previous span's; INTERN_FAILED: not a
 * text. */
static int take_text(struct otlp *o, struct value v, uint32_t before,
		     uint32_t *number, struct err *err)
{
	if (v.kind != VALUE_STR)
		before = INTERN_FAILED;
	*number = before;
	if (v.kind != VALUE_STR ||
	    (before != INTERN_FAILED &&
	     str_eq(intern_text(&o->texts, before), value_text(v))))
		return 0;
	*number = intern_add(&o->texts, value_text(v));
	return *number == INTERN_FAILED ? intern_error(&o->texts, err) : 0;
}

enum { AHEAD = 16 }; /* spans whose ids' places in the table are fetched */

/* Fetch those of the next spans, which probably are of the first one's trace. */
static void fetch_ids(const struct otlp *o, const struct value *spans,
		      uint32_t n)
{
	struct value id;
	uint32_t trace;

	if (spans->kind != VALUE_TUPLE)
		return;
	id = otlp_pick(spans->items->v, TRACE_ID, SNAKE_TRACE_ID);
	if (id.kind != VALUE_STR)
		return;
	trace = otlp_ids_expect(&o->traces, value_text(id), 0,
				last_span(o)->trace);
	for (uint32_t i = 0; i < n && i < AHEAD; i++) {
		id = json_form_get(spans[i], SPAN_ID);
		if (id.kind == VALUE_STR)
			(void)otlp_ids_expect(&o->ids, value_text(id), trace,
					      INTERN_FAILED);
	}
}

/* The spans of one scope. */
static int take_scope(struct otlp *o, struct value scope_spans,
		      uint32_t service, struct err *err)
{
	struct value spans = json_form_get(scope_spans, SPANS);
	struct value name = json_form_get(json_form_get(scope_spans, SCOPE), 0);
	uint32_t scope;
	int code = take_text(o, name, last_span(o)->scope, &scope, err);

	for (uint32_t i = 0;
	     code == 0 && spans.kind == VALUE_LIST && i < spans.items->n; i++) {
		if (i % AHEAD == 0)
			fetch_ids(o, spans.items->v + i, spans.items->n - i);
		if (spans.items->v[i].kind == VALUE_TUPLE)
			code = take_span(o, spans.items->v[i].items->v, i,
					 scope, service, err);
	}
	return code;
}

static int take_resource(struct otlp *o, struct value v, struct err *err)
{
	struct value attrs, scopes;
	uint32_t service;
	int code;

	if (v.kind != VALUE_TUPLE)
		return 0;
	attrs = otlp_attrs(&o->base.record,
			   json_form_get(v.items->v[RESOURCE], 0));
	code = take_text(o, member_text(attrs, "service.name"),
			 last_span(o)->service, &service, err);
	scopes = otlp_pick(v.items->v, SCOPE_SPANS, SNAKE_SCOPE_SPANS);
	for (uint32_t i = 0;
	     code == 0 && scopes.kind == VALUE_LIST && i < scopes.items->n; i++)
		code = take_scope(o, scopes.items->v[i], service, err);
	return code;
}

static int take(struct foreign *f, struct value record, struct err *err)
{
	struct otlp *o = (struct otlp *)f;
	const struct value *members = record.items->v;
	struct value list =
		otlp_pick(members, RESOURCE_SPANS, SNAKE_RESOURCE_SPANS);
	bool known = list.kind != VALUE_ABSENT;
	int code = 0;

	for (int i = OTHERS; i < RECORD_MEMBERS; i++)
		known |= members[i].kind != VALUE_ABSENT;
	if (!known)
		return err_set(err, ERR_INPUT, "not an OTLP record");
	if (!open_otlp(o))
		return err_memory(err);
	for (uint32_t i = 0;
	     code == 0 && list.kind == VALUE_LIST && i < list.items->n; i++)
		code = take_resource(o, list.items->v[i], err);
	return code;
}

static int64_t end(struct foreign *f, struct err *err)
{
	struct otlp *o = (struct otlp *)f;

	if (o->n == 0)
		return err_set(err, ERR_INPUT,
			       f->lost.of[LOST_START] + f->lost.of[LOST_EVENT] >
					       0
				       ? "OTLP telemetry: none of its spans "
					 "has a start time"
				       : "OTLP telemetry without any spans");
	for (size_t i = 0; i < o->n; i++) {
		struct otlp_span *span = &o->spans[i];

		if (span->parent_id != INTERN_FAILED &&
		    span->parent_id != span->id)
			span->parent = o->ids.v[span->parent_id].place;
	}
	if (otlp_find_rows(o, err) < 0)
		return err->code;
	return (int64_t)o->row_count;
}

const struct foreign_format otlp_format = {
	.name = "OpenTelemetry spans (OTLP)",
	.row_name = "trace",
	.rows = "traces",
	.document = true,
	.spans_files = true,
	.form = &record_form,
	.size = sizeof(struct otlp),
	.take = take,
	.end = end,
	.row = otlp_sample,
	.close = close_otlp,
};
