#include "rollout/sample_trace.h"

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fmt/value/value_make.h"
#include "fmt/value/value_python.h"
#include "fmt/value/value_records.h"
#include "fmt/value/value_text.h"

enum { TEXT_MAX = 64 * 1024 };

void sample_trace_skip(struct sample_trace *t, uint32_t event, const char *what)
{
	if (t->skipped++ == 0)
		snprintf(t->what, sizeof(t->what), "sample %llu: event %u: %s",
			 (unsigned long long)t->position, event, what);
}

struct value sample_trace_shown_text(struct sample_trace *t, struct value v)
{
	struct buf text;
	struct str kept;

	if (v.kind == VALUE_STR)
		return v;
	text = buf_new(TEXT_MAX);
	value_put_str(&text, v);
	if (text.failed)
		sample_trace_skip(t, t->at,
				  "a text of more than 64 KiB, which is cut");
	kept = arena_str(t->arena, buf_str(&text));
	buf_free(&text);
	if (kept.p == NULL)
		return value_str(str_make("", 0));
	return value_str(kept);
}

struct value sample_trace_shown(struct sample_trace *t, struct value v)
{
	if (v.kind == VALUE_ABSENT)
		return value_none();
	if (v.kind <= VALUE_STR || v.kind == VALUE_LIST ||
	    v.kind == VALUE_TUPLE || v.kind == VALUE_DICT)
		return v;
	return sample_trace_shown_text(t, v);
}

/* A comparable span id: a container is compared by its text. */
static struct value id_value(struct sample_trace *t, uint32_t at,
			     struct value v)
{
	if (!value_truth(v))
		return sample_trace_shown(t, v); /* not an id, but shown */
	v = sample_trace_shown(t, v);
	if (v.kind <= VALUE_STR)
		return v;
	sample_trace_skip(t, at, "a span id that is a container");
	return sample_trace_shown_text(t, v);
}

static int32_t id_number(struct sample_trace *t, struct value v)
{
	return value_truth(v) ? span_ids_number(&t->ids, v) : SPAN_ID_NONE;
}

/* The members of an event; VALUE_ABSENT if missing. */
struct members {
	struct value type, name, ts, attempt, span_id, parent_id, attrs,
		request;
};

/* In the order of sample_event_members. */
static const size_t offsets[SAMPLE_EVENT_MEMBERS] = {
	offsetof(struct members, type),	   offsetof(struct members, name),
	offsetof(struct members, ts),	   offsetof(struct members, attempt),
	offsetof(struct members, span_id), offsetof(struct members, parent_id),
	offsetof(struct members, attrs),   offsetof(struct members, request),
};

/*
 * One pass over the pairs: the hot loop for a dump of traces. In a pickle the
 * keys of all events are the same few strings in memory, so comparing with the
 * last pointer seen for a member is usually enough.
 */
static void take_members(struct sample_trace *t, struct members *m,
			 const struct value_items *event)
{
	memset(m, 0, sizeof(*m));
	for (uint32_t i = 0; i < event->n; i += 2) {
		struct value key = event->v[i];

		for (size_t k = 0; k < SAMPLE_EVENT_MEMBERS; k++) {
			struct str name = sample_event_members[k];

			if (key.kind != VALUE_STR || key.n != name.n ||
			    (key.p != t->keys[k] &&
			     memcmp(key.p, name.p, name.n) != 0))
				continue;
			t->keys[k] = key.p;
			memcpy((char *)m + offsets[k], &event->v[i + 1],
			       sizeof(event->v[i + 1]));
			break;
		}
	}
}

static struct value attempt_of(struct sample_trace *t, uint32_t at,
			       struct value v)
{
	struct value attempt = value_int(0);

	if (v.kind == VALUE_ABSENT)
		v = t->attempt;
	if (value_truth(v) && !value_to_int(t->arena, v, &attempt))
		sample_trace_skip(t, at, "an attempt that is not an integer");
	return attempt;
}

static enum event_kind kind_of(struct value type, int32_t id)
{
	if (value_is_str(type, "span_start"))
		return id == SPAN_ID_NONE ? EVENT_POINT : EVENT_START;
	return value_is_str(type, "span_end") ? EVENT_END : EVENT_POINT;
}

/* The time of an event; false if it has none and is dropped. */
static bool time_of(struct sample_trace *t, uint32_t at, struct value v,
		    double *ts)
{
	if (value_to_float(v, ts))
		return true;
	sample_trace_skip(t, at,
			  v.kind == VALUE_BIGINT   ? "a time past the largest "
						     "number"
			  : v.kind == VALUE_ABSENT ? "no time"
						   : "a time that is not a "
						     "number");
	return false;
}

/*
 * The open spans while events are read in order, innermost last. One that ends
 * below others is only marked and removed once it reaches the top, so the time
 * does not depend on how many are open.
 */
struct open_span {
	int32_t id;
	int32_t before; /* the open span of the same id below it, or -1 */
	bool ended;
	struct value value;
};

struct open_stack {
	struct open_span *spans;
	uint32_t cap;
	int32_t *last; /* by id number: its uppermost span, or -1 */
	uint32_t ids;  /* of last */
	uint32_t n;
};

/* Have a place in last for every id there may be. */
static bool widen_last(struct open_stack *open, const struct span_ids *ids)
{
	size_t had = open->ids, n = span_ids_room(ids);
	int32_t *last = open->last;

	if (n <= had)
		return true;
	last = arena_widen(ids->arena, last, had * sizeof(*last),
			   n * sizeof(*last));
	if (last == NULL)
		return false;
	memset(last + had, 0xff, (n - had) * sizeof(*last));
	open->last = last;
	open->ids = (uint32_t)n;
	return true;
}

static bool widen_spans(struct open_stack *open, struct arena *a)
{
	size_t had = open->cap, n = had == 0 ? 16 : had * 2;
	struct open_span *spans = arena_widen(
		a, open->spans, had * sizeof(*spans), n * sizeof(*spans));

	if (spans == NULL)
		return false;
	open->spans = spans;
	open->cap = (uint32_t)n;
	return true;
}

static void stack_push(struct open_stack *open, const struct event *e)
{
	open->spans[open->n] = (struct open_span){
		.id = e->id, .before = open->last[e->id], .value = e->span_id};
	open->last[e->id] = (int32_t)open->n++;
}

static void stack_remove(struct open_stack *open, int32_t id)
{
	int32_t at = open->last[id];

	if (at < 0)
		return;
	open->spans[at].ended = true;
	open->last[id] = open->spans[at].before;
	while (open->n > 0 && open->spans[open->n - 1].ended)
		open->n--;
}

/* An unnamed parent is the innermost open span. */
static void infer_parent(struct event *e, const struct open_stack *open)
{
	if (e->parent != SPAN_ID_NONE)
		return;
	e->parent_id = value_none();
	if (open->n > 0) {
		e->parent = open->spans[open->n - 1].id;
		e->parent_id = open->spans[open->n - 1].value;
	}
}

static void take_event(struct sample_trace *t, uint32_t at, struct value v,
		       struct open_stack *open)
{
	struct event *e = &t->events[t->count];
	struct members m;

	t->at = at;
	take_members(t, &m, v.items);
	if (!time_of(t, at, m.ts, &e->ts))
		return;
	t->count++;
	e->place = at;
	e->name = sample_trace_shown(t, m.name);
	e->attempt = attempt_of(t, at, m.attempt);
	e->span_id = id_value(t, at, m.span_id);
	e->parent_id = id_value(t, at, m.parent_id);
	e->id = id_number(t, e->span_id);
	e->parent = id_number(t, e->parent_id);
	e->attrs = value_truth(m.attrs) ? sample_trace_shown(t, m.attrs)
					: t->no_attrs;
	e->has_attrs = m.attrs.kind == VALUE_DICT;
	e->kind = (uint8_t)kind_of(m.type, e->id);
	if (e->attrs.kind != VALUE_DICT && e->kind != EVENT_START)
		sample_trace_skip(t, at, "attributes that are not an object");
	e->request = (struct value){.kind = VALUE_ABSENT};
	if (t->marks_requests)
		e->request = m.request;
	if (!t->names_parents)
		infer_parent(e, open);
	else if (e->parent == SPAN_ID_NONE)
		e->parent_id = value_none();
	if (!widen_last(open, &t->ids) ||
	    (e->kind == EVENT_START && open->n == open->cap &&
	     !widen_spans(open, t->list)))
		return;
	if (e->kind == EVENT_START) {
		stack_push(open, e);
	} else if (e->kind == EVENT_END && e->id != SPAN_ID_NONE) {
		stack_remove(open, e->id);
	}
}

/* records: those of the events, given back once they are read; NULL: they are
 * kept. */
static int read_list(struct sample_trace *t, const struct value_items *list,
		     struct value_records *records, struct err *err)
{
	struct open_stack open = {0};

	t->events = arena_alloc(t->list, list->n * sizeof(*t->events));
	if (t->events == NULL)
		return arena_error(t->list, err);
	if (!span_ids_new(&t->ids, t->arena))
		return arena_error(t->arena, err);
	for (uint32_t i = 0; i < list->n; i++) {
		if (list->v[i].kind == VALUE_DICT)
			take_event(t, i, list->v[i], &open);
		else
			sample_trace_skip(t, i, "not an object");
		if (records != NULL && list->v[i].kind == VALUE_DICT)
			value_records_pass(records, list->v[i].items);
		if (t->arena->failed || t->list->failed)
			return arena_error(
				t->arena->failed ? t->arena : t->list, err);
	}
	t->at = 0; /* from here on the sample's own */
	return 0;
}

/* The prepared events, each with the numbers of its ids, which are counted from
 * 0 in order of appearance. */
struct id_numbers {
	struct sample_trace *t;
	int32_t *of; /* by id, if all are numbers from 1 */
};

static int32_t number_of(const struct id_numbers *numbers, struct value id)
{
	struct sample_trace *t = numbers->t;

	if (id.kind == VALUE_NONE)
		return SPAN_ID_NONE;
	if (numbers->of == NULL)
		return span_ids_number(&t->ids, id);
	if (numbers->of[id.i] == SPAN_ID_NONE)
		numbers->of[id.i] = (int32_t)t->ids.count++;
	return numbers->of[id.i];
}

static bool make_numbers(struct id_numbers *numbers,
			 const struct events *events)
{
	size_t size = ((size_t)events->last_id + 1) * sizeof(*numbers->of);

	if (events->given_ids)
		return span_ids_new(&numbers->t->ids, numbers->t->arena);
	numbers->of = arena_alloc(numbers->t->arena, size);
	if (numbers->of != NULL)
		memset(numbers->of, 0xff, size);
	return numbers->of != NULL;
}

/* Is it the same text in memory? The start and the end of a span often follow
 * each other. */
static bool same_text(struct value a, struct value b)
{
	return a.kind == VALUE_STR && b.kind == VALUE_STR && a.p == b.p &&
	       a.n == b.n;
}

/* They are used where they are: only the numbers of ids are set. */
static int use_events(struct sample_trace *t, const struct events *events,
		      struct err *err)
{
	struct id_numbers numbers = {.t = t};

	if (!make_numbers(&numbers, events))
		return arena_error(t->arena, err);
	t->events = events->v;
	t->count = events->n;
	for (uint32_t i = 0; i < events->n; i++) {
		struct event *e = &t->events[i];
		const struct event *last = i > 0 ? e - 1 : NULL;

		e->id = last != NULL && same_text(e->span_id, last->span_id)
				? last->id
				: number_of(&numbers, e->span_id);
		e->parent =
			last != NULL && same_text(e->parent_id, last->parent_id)
				? last->parent
				: number_of(&numbers, e->parent_id);
		e->closes = false;
		if (t->arena->failed)
			return arena_error(t->arena, err);
	}
	return 0;
}

static int too_many(const struct sample_trace *t, uint64_t events,
		    struct err *err)
{
	return err_set(err, ERR_LIMIT,
		       "sample %llu has %llu events, more than %zu" ERR_RAISE(
			       LIMIT_EVENTS),
		       (unsigned long long)t->position,
		       (unsigned long long)events, (size_t)LIMIT_EVENTS);
}

/* The events in the trace itself. */
static int read_events(struct sample_trace *t, struct value trace,
		       struct value_records *records, struct err *err)
{
	struct value list = value_get(trace, "events");

	t->names_parents = value_truth(value_get(trace, "names_parents"));
	t->marks_requests = t->names_parents ||
			    value_truth(value_get(trace, "marks_requests"));
	if (list.kind != VALUE_LIST && list.kind != VALUE_TUPLE)
		return 0;
	return list.items->n > LIMIT_EVENTS
		       ? too_many(t, list.items->n, err)
		       : read_list(t, list.items, records, err);
}

int sample_trace_read(struct sample_trace *t, const struct sample *sample,
		      struct arena *a, struct err *err)
{
	return sample_trace_read_apart(t, sample, a, a, false, err);
}

int sample_trace_read_apart(struct sample_trace *t, const struct sample *sample,
			    struct arena *a, struct arena *list, bool last,
			    struct err *err)
{
	const struct events *events = sample->events;
	int code;

	memset(t, 0, sizeof(*t));
	t->position = sample->position;
	t->arena = a;
	t->list = list;
	t->attempt = value_get(sample->trace, "attempt");
	t->no_attrs = value_new(a, VALUE_DICT, 0);
	if (t->no_attrs.kind == VALUE_ABSENT)
		return arena_error(a, err);
	if (events == NULL) {
		code = read_events(t, sample->trace,
				   last ? sample->records : NULL, err);
		if (last)
			sample_release_events(sample);
		return code;
	}
	t->omitted = events->omitted;
	return events->n + t->omitted > LIMIT_EVENTS
		       ? too_many(t, events->n + t->omitted, err)
		       : use_events(t, events, err);
}

/* Writing ---------------------------------------------------------------- */

static bool put(struct arena *a, struct value dict, const char *key,
		struct value v)
{
	return v.kind <= VALUE_NONE ||
	       (value_push(a, dict, value_str(str_of(key))) &&
		value_push(a, dict, v));
}

static bool write_event(struct arena *a, struct value list,
			const struct event *e)
{
	static const char *const types[] = {[EVENT_POINT] = "event",
					    [EVENT_START] = "span_start",
					    [EVENT_END] = "span_end"};
	struct value dict = value_new(a, VALUE_DICT, 16);
	struct value attrs = e->attrs;

	if (!e->has_attrs)
		attrs = value_none();
	else if (attrs.items->n == 0) /* shared by the events without any */
		attrs = value_new(a, VALUE_DICT, 0);
	return dict.kind == VALUE_DICT &&
	       put(a, dict, "type", value_str(str_of(types[e->kind]))) &&
	       put(a, dict, "name", e->name) &&
	       put(a, dict, "ts", value_float(e->ts)) &&
	       put(a, dict, "span_id", e->span_id) &&
	       put(a, dict, "parent_span_id", e->parent_id) &&
	       put(a, dict, "attempt", e->attempt) &&
	       put(a, dict, "attrs", attrs) &&
	       put(a, dict, "request", e->request) && value_push(a, list, dict);
}

int sample_trace_write(struct sample *sample, struct arena *a, struct err *err)
{
	const struct events *events = sample->events;
	struct value list, trace;
	bool good;

	if (events == NULL)
		return 0;
	list = value_new(a, VALUE_LIST, events->n);
	trace = value_new(a, VALUE_DICT, 8);
	good = list.kind == VALUE_LIST && trace.kind == VALUE_DICT &&
	       value_push_all(a, trace, sample->trace.items->v,
			      sample->trace.items->n);
	for (uint32_t i = 0; good && i < events->n; i++)
		good = write_event(a, list, &events->v[i]);
	if (!good || !put(a, trace, "events", list) ||
	    !put(a, trace, "names_parents", value_bool(true)))
		return arena_error(a, err);
	sample->trace = trace;
	sample->events = NULL;
	return 0;
}
