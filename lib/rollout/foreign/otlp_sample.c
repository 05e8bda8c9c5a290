/* A row of an OTLP file as a sample. */
#include "rollout/foreign/otlp_attrs.h"

static const struct value absent = {.kind = VALUE_ABSENT};

/* Events of spans, which are kept as JSON. */
enum {
	EVENT_TIME,
	EVENT_NAME,
	EVENT_ATTRIBUTES,
	SNAKE_EVENT_TIME,
	EVENT_MEMBERS
};

static const struct json_member event_members[EVENT_MEMBERS] = {
	[EVENT_TIME] = {.key = JSON_KEY("timeUnixNano")},
	[EVENT_NAME] = {.key = JSON_KEY("name")},
	[EVENT_ATTRIBUTES] = {.key = JSON_KEY("attributes"),
			      .form = &otlp_attr_form},
	[SNAKE_EVENT_TIME] = {.key = JSON_KEY("time_unix_nano")},
};
static const struct json_form event_form = JSON_FORM(event_members);

static int events_of(struct otlp *o, struct carrier *c,
		     const struct otlp_span *span, struct value *events,
		     struct err *err)
{
	*events = absent;
	return span->rare == NULL
		       ? 0
		       : foreign_parse(&o->base, span->rare->events,
				       &event_form, c->arena, events, err);
}

static void set_error(struct carrier *c, const struct otlp_span *span,
		      struct value events, struct value attrs)
{
	struct value type = value_literal("ERROR");

	if (!span->is_error)
		return;
	for (uint32_t i = 0; events.kind == VALUE_LIST && i < events.items->n;
	     i++) {
		struct value event = events.items->v[i];
		struct value given;

		if (!value_is_str(json_form_get(event, EVENT_NAME),
				  "exception"))
			continue;
		given = member_text(
			otlp_attrs(c->arena,
				   json_form_get(event, EVENT_ATTRIBUTES)),
			"exception.type");
		type = given.kind == VALUE_STR ? given : value_literal("ERROR");
	}
	carrier_attr(c, attrs, "error_type", type);
	if (span->rare != NULL)
		carrier_attr(c, attrs, "error_message", span->rare->message);
}

static void add_point(struct carrier *c, struct value event, struct value id)
{
	struct carrier_span point = {.parent = id};
	int64_t time;

	if (event.kind != VALUE_TUPLE)
		return;
	time = otlp_time(
		otlp_pick(event.items->v, EVENT_TIME, SNAKE_EVENT_TIME));
	if (time <= 0)
		return;
	point.name = of_kind(event.items->v[EVENT_NAME], VALUE_STR);
	point.start = (double)time / 1e9;
	point.attrs = otlp_attrs(c->arena, event.items->v[EVENT_ATTRIBUTES]);
	if (point.attrs.kind == VALUE_ABSENT)
		point.attrs = carrier_attrs(c);
	carrier_point(c, &point);
}

static struct value id_of(const struct otlp *o, struct carrier *c, uint32_t id)
{
	struct value v = otlp_id_value(o, id, c->arena);

	c->failed |= v.kind == VALUE_ABSENT && id != INTERN_FAILED;
	return v;
}

static int put_span(struct otlp *o, struct carrier *c, int32_t place,
		    struct err *err)
{
	const struct otlp_span *span = &o->spans[place];
	struct value events;
	struct carrier_span one = {.name = otlp_text_value(o, span->name),
				   .start = (double)span->start / 1e9,
				   .end = (double)span->end / 1e9};

	if (!span->is_generation && span->rare == NULL &&
	    carrier_omits(c, one.name, span->end <= 0 ? 1 : 2))
		return 0;
	if (events_of(o, c, span, &events, err) < 0)
		return err->code;
	if (span->end <= 0)
		one.end = NAN;
	one.id = id_of(o, c, span->id);
	one.parent = id_of(o, c, span->parent_id);
	/* A copy: a shared span is added to several rows. */
	one.attrs = carrier_attrs(c);
	if (one.attrs.kind == VALUE_DICT && span->attrs.kind == VALUE_DICT)
		c->failed |= !value_push_all(c->arena, one.attrs,
					     span->attrs.items->v,
					     span->attrs.items->n);
	set_error(c, span, events, one.attrs);
	one.request = otlp_request(o, c, place, one.attrs);
	carrier_span(c, &one);
	for (uint32_t i = 0; events.kind == VALUE_LIST && i < events.items->n;
	     i++)
		add_point(c, events.items->v[i], one.id);
	return 0;
}

/* The span without a parent id that began first, else the first generation
 * span; OTLP_NONE if none has ended. */
static int32_t root_of(const struct otlp *o, const struct otlp_row *row)
{
	int32_t root = OTLP_NONE, generation = OTLP_NONE;

	if (row->sample != OTLP_NONE)
		return row->sample;
	for (uint32_t i = 0; i < row->n; i++) {
		int32_t place = (int32_t)o->members[row->begin + i];
		const struct otlp_span *span = &o->spans[place];

		if (span->parent_id == INTERN_FAILED &&
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
	if (o->spans[root].is_error)
		return value_literal("failed");
	reason = last_reason(o, c, row);
	if (value_is_str(reason, "length"))
		return value_literal("truncated");
	if (value_is_str(reason, "abort"))
		return value_literal("aborted");
	return value_literal("completed");
}

/* The spans between a sample span and its prompt, and the prompt. */
static int put_shared(struct otlp *o, struct carrier *c,
		      const struct otlp_row *row, struct err *err)
{
	int32_t at = row->sample;
	int code = 0;

	if (at == OTLP_NONE || o->spans[at].prompt == OTLP_NONE)
		return 0;
	while (code == 0 && at != o->spans[row->sample].prompt) {
		at = o->spans[at].parent;
		code = put_span(o, c, at, err);
	}
	return code;
}

static void set_fields(struct otlp *o, struct carrier *c,
		       const struct otlp_row *row)
{
	const struct otlp_span *sample =
		row->sample == OTLP_NONE ? NULL : &o->spans[row->sample];
	struct value trace = otlp_ids_text(&o->traces, row->trace, c->arena);

	c->failed |= trace.kind == VALUE_ABSENT;
	if (trace.n > 0)
		carrier_set_trace(c, "trace_id", trace);
	CARRIER_SET(c, source,
		    otlp_text_value(o, o->spans[row->first].service));
	CARRIER_SET(c, is_aside,
		    value_bool(row->is_rest ||
			       (sample == NULL && o->some_generation &&
				!row->has_generation)));
	if (sample == NULL)
		return;
	if (sample->prompt != OTLP_NONE)
		CARRIER_SET(c, group_index,
			    member_id(o->spans[sample->prompt].attrs,
				      "prompt_id"));
	else if (sample->is_prompt)
		CARRIER_SET(c, group_index,
			    member_id(sample->attrs, "prompt_id"));
	else
		CARRIER_SET(c, group_index,
			    member_id(sample->attrs, "traj_group_id"));
	CARRIER_SET(c, label, member_text(sample->attrs, "traj_id"));
}

int otlp_sample(struct foreign *f, uint64_t i, struct carrier *c,
		struct err *err)
{
	struct otlp *o = (struct otlp *)f;
	const struct otlp_row *row = &o->rows[i];
	int code;

	CARRIER_SET(c, index, value_int((int64_t)i));
	set_fields(o, c, row);
	CARRIER_SET(c, status, status_of(o, c, row));
	code = put_shared(o, c, row, err);
	for (uint32_t k = 0; code == 0 && k < row->n; k++)
		code = put_span(o, c, (int32_t)o->members[row->begin + k], err);
	return code < 0 ? code : 1;
}
