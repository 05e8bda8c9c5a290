#include "rollout/foreign/carrier.h"

#include "rollout/span_attrs.h"

static const struct value none = {.kind = VALUE_NONE};
static const struct value absent = {.kind = VALUE_ABSENT};

enum { FIRST_EVENTS = 16 };

void carrier_put(struct carrier *c, struct value dict, struct str key,
		 struct value v)
{
	struct value_items *items;

	if (v.kind == VALUE_ABSENT || dict.kind != VALUE_DICT)
		return;
	items = dict.items;
	if (items->cap >= 2 && items->n <= items->cap - 2) {
		items->v[items->n++] = value_str(key);
		items->v[items->n++] = v;
		return;
	}
	c->failed |= !value_push(c->arena, dict, value_str(key)) ||
		     !value_push(c->arena, dict, v);
}

struct value carrier_figure(struct carrier *c, const char *key, struct value v)
{
	double number;

	if (!finite_number(v, &number) || number >= 0)
		return v;
	c->lost.of[LOST_FIGURE]++;
	if (c->lost.figure == NULL)
		c->lost.figure = key;
	return absent;
}

void carrier_begin(struct carrier *c, struct arena *arena)
{
	memset(c, 0, sizeof(*c));
	c->arena = arena;
	c->sample.whole = value_new(arena, VALUE_DICT, 24);
	c->sample.trace = value_new(arena, VALUE_DICT, 8);
	c->no_attrs = value_new(arena, VALUE_DICT, 0);
	c->failed = c->no_attrs.kind == VALUE_ABSENT ||
		    c->sample.whole.kind == VALUE_ABSENT ||
		    c->sample.trace.kind == VALUE_ABSENT;
}

struct value carrier_attrs(struct carrier *c)
{
	struct value attrs = value_new(c->arena, VALUE_DICT, 8);

	c->failed |= attrs.kind == VALUE_ABSENT;
	return attrs;
}

struct value carrier_span_attrs(struct carrier *c)
{
	return c->requests_only ? absent : carrier_attrs(c);
}

/* Room for so many events. */
static bool make_room(struct carrier *c, uint32_t cap)
{
	struct event *v =
		cap < c->cap ? NULL
			     : arena_alloc(c->arena, (size_t)cap * sizeof(*v));

	if (v == NULL)
		return false;
	if (c->events.n > 0)
		memcpy(v, c->events.v, c->events.n * sizeof(*v));
	c->events.v = v;
	c->cap = cap;
	return true;
}

void carrier_expect(struct carrier *c, size_t spans)
{
	size_t n = c->events.n + 2 * spans;

	if (n > c->cap && n <= UINT32_MAX / 2)
		c->failed |= !make_room(c, (uint32_t)n);
}

/* null is shown as none; missing values are omitted. */
static struct value shown(struct value v)
{
	return v.kind == VALUE_ABSENT ? none : v;
}

/* Add an event at that time; NULL: no memory. */
static struct event *add_event(struct carrier *c, enum event_kind kind,
			       const struct carrier_span *span, struct value id,
			       double time)
{
	struct event *e;

	if (c->events.n == c->cap &&
	    !make_room(c, c->cap == 0 ? FIRST_EVENTS : 2 * c->cap)) {
		c->failed = true;
		return NULL;
	}
	e = &c->events.v[c->events.n];
	*e = (struct event){.kind = (uint8_t)kind,
			    .ts = time,
			    .name = shown(span->name),
			    .attempt = value_int(span->attempt),
			    .span_id = shown(id),
			    .parent_id = shown(span->parent),
			    .id = SPAN_ID_NONE,
			    .parent = SPAN_ID_NONE,
			    .attrs = c->no_attrs,
			    .place = c->events.n++};
	return e;
}

static void set_attrs(struct event *e, struct value attrs)
{
	e->has_attrs = attrs.kind == VALUE_DICT;
	if (e->has_attrs && attrs.items->n > 0)
		e->attrs = attrs;
}

/* An event with the attributes of the span; a request always has some, even if
 * empty. */
static void add_last(struct carrier *c, enum event_kind kind,
		     const struct carrier_span *span, struct value id,
		     double time)
{
	struct event *e = add_event(c, kind, span, id, time);

	if (e == NULL)
		return;
	set_attrs(e, span->attrs);
	e->has_attrs |= span->request.kind == VALUE_DICT;
	if (kind == EVENT_END)
		e->request = span->request;
}

static struct value tokens_of(struct carrier *c,
			      const struct carrier_span *span)
{
	static const char key[] = "completion_tokens";

	return carrier_figure(c, key, value_get(span->attrs, key));
}

bool carrier_omits(struct carrier *c, struct value name, uint32_t events)
{
	if (!c->requests_only)
		return false;
	/* It may be a request itself, or belong to one above it. */
	if (is_generation(name) || is_pd_part(name)) {
		c->requests_only = false;
		c->incomplete = true;
		return false;
	}
	c->events.omitted += events;
	return true;
}

struct value carrier_span(struct carrier *c, const struct carrier_span *span)
{
	struct value id = span->id;
	struct event *start;
	double tokens;

	if (id.kind == VALUE_ABSENT)
		id = value_int(++c->events.last_id);
	if (span->request.kind != VALUE_DICT &&
	    carrier_omits(c, span->name, isnan(span->end) ? 1 : 2))
		return id;
	c->events.given_ids |= id.kind != VALUE_INT ||
			       span->parent.kind == VALUE_STR;
	start = add_event(c, EVENT_START, span, id, span->start);
	if (start != NULL)
		start->request = span->request;
	if (isnan(span->end)) {
		if (start != NULL)
			set_attrs(start, span->attrs);
		return id;
	}
	add_last(c, EVENT_END, span, id, span->end);
	if (span->request.kind == VALUE_DICT &&
	    finite_number(tokens_of(c, span), &tokens)) {
		c->tokens += tokens;
		c->has_tokens = true;
	}
	return id;
}

void carrier_set_latency(struct carrier *c, struct carrier_span *span)
{
	struct value latency = carrier_figure(
		c, "e2e_latency", value_float(span->end - span->start));

	if (latency.kind == VALUE_FLOAT && !(latency.f > 0))
		latency = absent;
	span->request = carrier_attrs(c);
	carrier_attr(c, span->request, "e2e_latency", latency);
	if (c->requests_only)
		return;
	if (span->attrs.kind == VALUE_ABSENT)
		span->attrs = carrier_attrs(c);
	carrier_attr(c, span->attrs, "e2e_latency", latency);
}

void carrier_point(struct carrier *c, const struct carrier_span *point)
{
	if (carrier_omits(c, point->name, 1))
		return;
	c->events.given_ids |= point->parent.kind == VALUE_STR;
	add_last(c, EVENT_POINT, point, absent, point->start);
}

void carrier_orphan(struct carrier *c, const struct carrier_span *orphan)
{
	c->lost.of[LOST_START]++;
	add_last(c, EVENT_END, orphan, absent, orphan->end);
}

static struct value length_of(const struct carrier *c)
{
	if (!c->has_tokens)
		return value_none();
	if (fabs(c->tokens) < 9e15 && c->tokens == floor(c->tokens))
		return value_int((int64_t)c->tokens);
	return value_float(c->tokens);
}

void carrier_end(struct carrier *c)
{
	c->sample.events = &c->events;
	carrier_put(c, c->sample.whole, (struct str)STR("trace"),
		    c->sample.trace);
	if (c->sample.response_length.kind == VALUE_ABSENT)
		CARRIER_SET(c, response_length, length_of(c));
}
