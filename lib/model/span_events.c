#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fmt/value_python.h"
#include "fmt/value_text.h"
#include "model/span_build.h"

enum { TEXT_MAX = 64 * 1024 };

void span_skip(struct span_builder *b, uint32_t event, const char *what)
{
	if (b->row->skipped++ == 0)
		snprintf(b->row->what, sizeof(b->row->what),
			 "sample %llu: event %u: %s",
			 (unsigned long long)b->sample->position, event, what);
}

struct value span_shown_text(struct span_builder *b, struct value v)
{
	struct buf text;
	struct str kept;

	if (v.kind == VALUE_STR)
		return v;
	text = buf_new(TEXT_MAX);
	value_put_str(&text, v);
	kept = arena_str(b->arena, buf_str(&text));
	buf_free(&text);
	return value_str(kept.p == NULL ? str_make("", 0) : kept);
}

struct value span_shown(struct span_builder *b, struct value v)
{
	if (v.kind == VALUE_ABSENT)
		return value_none();
	if (v.kind <= VALUE_STR || v.kind == VALUE_LIST ||
	    v.kind == VALUE_TUPLE || v.kind == VALUE_DICT)
		return v;
	return span_shown_text(b, v);
}

/* A span id that can be compared: a container is compared by its text. */
static struct value id_value(struct span_builder *b, uint32_t at,
			     struct value v)
{
	if (!value_truth(v))
		return v.kind == VALUE_STR ? v : value_none();
	v = span_shown(b, v);
	if (v.kind <= VALUE_STR)
		return v;
	span_skip(b, at, "a span id that is a container");
	return span_shown_text(b, v);
}

static int32_t id_number(struct span_builder *b, struct value v)
{
	return value_truth(v) ? span_ids_number(&b->ids, v) : SPAN_ID_NONE;
}

static struct value attempt_of(struct span_builder *b, uint32_t at,
			       struct value event)
{
	struct value v = value_get(event, "attempt");
	struct value attempt = value_int(0);

	if (v.kind == VALUE_ABSENT)
		v = b->default_attempt;
	if (value_truth(v) && !value_to_int(b->arena, v, &attempt))
		span_skip(b, at, "an attempt that is no integer");
	return attempt;
}

static struct value attrs_of(struct span_builder *b, struct value event)
{
	struct value attrs = value_get(event, "attrs");

	return value_truth(attrs) ? span_shown(b, attrs) : b->no_attrs;
}

static enum event_kind kind_of(struct value event)
{
	struct value type = value_get(event, "type");

	if (value_is_str(type, "span_start"))
		return EVENT_START;
	return value_is_str(type, "span_end") ? EVENT_END : EVENT_POINT;
}

/* The time of an event; false when it has none and is dropped. */
static bool time_of(struct span_builder *b, uint32_t at, struct value event,
		    double *ts)
{
	struct value v = value_get(event, "ts");

	if (value_to_float(v, ts))
		return true;
	if (v.kind == VALUE_BIGINT)
		span_skip(b, at, "a time past the largest number");
	return false;
}

/* The spans that are open while events are read in order, innermost last. */
struct open_stack {
	int32_t *ids;
	struct value *values;
	uint32_t n;
};

static void stack_remove(struct open_stack *open, int32_t id)
{
	for (uint32_t i = open->n; i-- > 0;) {
		if (open->ids[i] != id)
			continue;
		open->n--;
		for (; i < open->n; i++) {
			open->ids[i] = open->ids[i + 1];
			open->values[i] = open->values[i + 1];
		}
		return;
	}
}

static void take_event(struct span_builder *b, uint32_t at, struct value v,
		       double ts, struct open_stack *open)
{
	struct event *e = &b->events[b->event_count++];

	e->kind = kind_of(v);
	e->ts = ts;
	e->name = span_shown(b, value_get(v, "name"));
	e->attempt = attempt_of(b, at, v);
	e->span_id = id_value(b, at, value_get(v, "span_id"));
	e->parent_id = id_value(b, at, value_get(v, "parent_span_id"));
	e->id = id_number(b, e->span_id);
	e->parent = id_number(b, e->parent_id);
	e->attrs = attrs_of(b, v);
	if (e->kind == EVENT_START && e->id == SPAN_ID_NONE)
		e->kind = EVENT_POINT;
	if (e->attrs.kind != VALUE_DICT && e->kind != EVENT_START)
		span_skip(b, at, "attributes that are no object");
	if (e->parent == SPAN_ID_NONE && open->n > 0) {
		e->parent = open->ids[open->n - 1];
		e->parent_id = open->values[open->n - 1];
	} else if (e->parent == SPAN_ID_NONE) {
		e->parent_id = value_none();
	}
	if (e->kind == EVENT_START) {
		open->ids[open->n] = e->id;
		open->values[open->n++] = e->span_id;
	} else if (e->kind == EVENT_END && e->id != SPAN_ID_NONE) {
		stack_remove(open, e->id);
	}
}

int span_read_events(struct span_builder *b, struct err *err)
{
	struct value list = value_get(b->sample->trace, "events");
	struct open_stack open = {0};
	uint32_t n;

	b->default_attempt = value_get(b->sample->trace, "attempt");
	if (list.kind != VALUE_LIST && list.kind != VALUE_TUPLE)
		return 0;
	n = list.items->n;
	if (n > LIMIT_EVENTS)
		return err_set(err, ERR_LIMIT,
			       "sample %llu has %u events, the limit is %zu",
			       (unsigned long long)b->sample->position, n,
			       LIMIT_EVENTS);
	b->events = arena_alloc(b->arena, n * sizeof(*b->events));
	open.ids = arena_alloc(b->arena, n * sizeof(*open.ids));
	open.values = arena_alloc(b->arena, n * sizeof(*open.values));
	if (b->events == NULL || open.ids == NULL || open.values == NULL ||
	    !span_ids_new(&b->ids, b->arena, n * 2))
		return err_memory(err);
	for (uint32_t i = 0; i < n; i++) {
		struct value v = list.items->v[i];
		double ts;

		if (v.kind == VALUE_DICT && time_of(b, i, v, &ts))
			take_event(b, i, v, ts, &open);
	}
	return 0;
}
