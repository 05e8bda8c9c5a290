#include "rollout/foreign/carrier.h"

#include "base/num.h"

static const struct value absent = {.kind = VALUE_ABSENT};

static void put(struct carrier *c, struct value dict, const char *key,
		struct value v)
{
	if (v.kind == VALUE_ABSENT || dict.kind != VALUE_DICT)
		return;
	c->failed |= !value_push(c->arena, dict, value_literal(key)) ||
		     !value_push(c->arena, dict, v);
}

struct carrier carrier_new(struct arena *arena)
{
	struct carrier c = {.arena = arena,
			    .sample = value_new(arena, VALUE_DICT, 32),
			    .trace = value_new(arena, VALUE_DICT, 8),
			    .events = value_new(arena, VALUE_LIST, 16)};

	c.failed = c.sample.kind == VALUE_ABSENT ||
		   c.trace.kind == VALUE_ABSENT ||
		   c.events.kind == VALUE_ABSENT;
	return c;
}

void carrier_set(struct carrier *c, const char *key, struct value v)
{
	put(c, c->sample, key, v);
}

void carrier_set_trace(struct carrier *c, const char *key, struct value v)
{
	put(c, c->trace, key, v);
}

void carrier_attr(struct carrier *c, struct value attrs, const char *key,
		  struct value v)
{
	put(c, attrs, key, v);
}

struct value carrier_attrs(struct carrier *c)
{
	struct value attrs = value_new(c->arena, VALUE_DICT, 16);

	c->failed |= attrs.kind == VALUE_ABSENT;
	return attrs;
}

/* An event of the type at that time, its attributes with it. */
static void add_event(struct carrier *c, const char *type,
		      const struct carrier_span *span, struct value id,
		      double time)
{
	struct value event = value_new(c->arena, VALUE_DICT, 16);

	if (c->failed || event.kind == VALUE_ABSENT) {
		c->failed = true;
		return;
	}
	put(c, event, "type", value_literal(type));
	put(c, event, "name", span->name);
	put(c, event, "ts", value_float(time));
	put(c, event, "span_id", id);
	put(c, event, "parent_span_id", span->parent);
	put(c, event, "attempt", value_int(span->attempt));
	c->failed |= !value_push(c->arena, c->events, event);
	c->events_n++;
}

/* A member of the event that was added last. */
static void add_member(struct carrier *c, const char *key, struct value v)
{
	if (!c->failed)
		put(c, c->events.items->v[c->events.items->n - 1], key, v);
}

/* Attributes of the event that was added last. */
static void add_attrs(struct carrier *c, const struct carrier_span *span)
{
	struct value attrs = span->attrs;

	if (attrs.kind == VALUE_ABSENT && span->request.kind == VALUE_DICT)
		attrs = carrier_attrs(c);
	add_member(c, "attrs", attrs);
}

struct value carrier_span(struct carrier *c, const struct carrier_span *span)
{
	struct value id = span->id;
	double tokens;

	if (id.kind == VALUE_ABSENT)
		id = value_int(++c->last_id);
	add_event(c, "span_start", span, id, span->start);
	add_member(c, "request", span->request);
	if (isnan(span->end)) {
		add_member(c, "attrs", span->attrs);
		return id;
	}
	add_event(c, "span_end", span, id, span->end);
	add_attrs(c, span);
	add_member(c, "request", span->request);
	if (span->request.kind == VALUE_DICT &&
	    member_number(span->attrs, "completion_tokens", &tokens)) {
		c->tokens += tokens;
		c->has_tokens = true;
	}
	return id;
}

void carrier_point(struct carrier *c, const struct carrier_span *point)
{
	add_event(c, "event", point, absent, point->start);
	add_attrs(c, point);
}

void carrier_orphan(struct carrier *c, const struct carrier_span *orphan)
{
	add_event(c, "span_end", orphan, absent, orphan->end);
	add_attrs(c, orphan);
}

static struct value length_of(const struct carrier *c)
{
	if (!c->has_tokens)
		return value_none();
	if (fabs(c->tokens) < 9e15 && c->tokens == floor(c->tokens))
		return value_int((int64_t)c->tokens);
	return value_float(c->tokens);
}

struct value carrier_sample(struct carrier *c)
{
	put(c, c->trace, "events", c->events);
	put(c, c->trace, "names_parents", value_bool(true));
	put(c, c->sample, "trace", c->trace);
	if (value_get(c->sample, "response_length").kind == VALUE_ABSENT)
		put(c, c->sample, "response_length", length_of(c));
	return c->sample;
}

bool finite_number(struct value v, double *number)
{
	if (v.kind == VALUE_FLOAT)
		*number = v.f;
	else if (v.kind == VALUE_INT)
		*number = (double)v.i;
	else if (v.kind != VALUE_BIGINT ||
		 !num_parse_double(value_text(v), number))
		return false;
	return isfinite(*number);
}

struct value member_finish_reason(struct value record)
{
	struct value reason = value_get(record, "finish_reason");

	return reason.kind == VALUE_DICT ? member_text(reason, "type")
					 : member_text(record, "finish_reason");
}
