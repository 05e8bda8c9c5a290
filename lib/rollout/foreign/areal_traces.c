/*
 * AReaL's performance tracer: traces-rN.jsonl, one Chrome trace event per line.
 *
 * Source: areal/utils/perf_tracer.py, read in 2026-08. Times are relative to
 * the tracer's start, not wall-clock times.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "fmt/value/value_text.h"
#include "rollout/foreign/held.h"
#include "rollout/foreign/keep.h"

enum { NAME, PH, TS, DUR, PID, TID, CAT, ARGS, EVENT_MEMBERS };

static const struct json_member event_members[EVENT_MEMBERS] = {
	[NAME] = {.name = STR("name")},
	[PH] = {.name = STR("ph")},
	[TS] = {.name = STR("ts")},
	[DUR] = {.name = STR("dur")},
	[PID] = {.name = STR("pid")},
	[TID] = {.name = STR("tid")},
	[CAT] = {.name = STR("cat")},
	[ARGS] = {.name = STR("args"), .raw = true},
};

static const struct json_form event_form = JSON_FORM(event_members);

/* A span or a point; its texts are kept. */
struct trace_event {
	struct held_record base; /* first: the row of its thread */
	double start, duration;	 /* us */
	struct value name;
	struct value args; /* JSON, or absent */
	struct value cat;
	bool is_span;
};

/* A thread or a process, possibly named by a metadata event. */
struct named {
	struct intern keys; /* "PID TID" or "PID" */
	struct value *names;
	size_t cap;
};

struct traces {
	struct foreign base; /* first: the format's functions cast back */
	struct intern rows;  /* "PID TID" of threads that have events */
	struct intern pids;  /* of those threads */
	struct intern texts;
	struct held events;
	uint32_t *processes_of; /* by row: the number of its pid */
	size_t row_cap;
	struct named processes, threads;
	struct buf key;
	int64_t last_pid, last_tid; /* the previous event's, if has_last */
	uint32_t last_row;
	struct value last_args; /* as kept */
	bool has_last;
	bool open;
};

static struct traces *traces_of(struct foreign *f)
{
	struct traces *t = (struct traces *)f;

	if (!t->open) {
		t->rows = intern_new(LIMIT_KEPT);
		t->pids = intern_new(LIMIT_KEPT);
		t->texts = intern_new(LIMIT_KEPT);
		t->processes.keys = intern_new(LIMIT_KEPT);
		t->threads.keys = intern_new(LIMIT_KEPT);
		t->events = held_new(sizeof(struct trace_event));
		t->key = buf_new(LIMIT_STRING);
		t->open = true;
	}
	return t;
}

static void close_traces(struct foreign *f)
{
	struct traces *t = (struct traces *)f;

	if (!t->open)
		return;
	intern_free(&t->rows);
	intern_free(&t->pids);
	intern_free(&t->texts);
	intern_free(&t->processes.keys);
	intern_free(&t->threads.keys);
	free(t->processes.names);
	free(t->threads.names);
	free(t->processes_of);
	held_free(&t->events);
	buf_free(&t->key);
}

/* The number in a table of "PID TID", or of "PID"; INTERN_FAILED with err
 * filled. */
static uint32_t number_of(struct traces *t, struct intern *table,
			  const struct value *event, bool thread,
			  struct err *err)
{
	uint32_t number;

	buf_clear(&t->key);
	value_put_str(&t->key, event[PID]);
	if (thread) {
		buf_putc(&t->key, ' ');
		value_put_str(&t->key, event[TID]);
	}
	if (t->key.failed) {
		buf_error(&t->key, err);
		return INTERN_FAILED;
	}
	number = intern_add(table, buf_str(&t->key));
	if (number == INTERN_FAILED)
		intern_error(table, err);
	return number;
}

/* A value that outlives its record; a container is dropped. */
static bool keep(struct traces *t, struct value v, struct value *kept)
{
	return foreign_keep(&t->base, &t->texts, v, kept);
}

/* The name in the arguments of a metadata event. The first one counts. */
static int take_name(struct traces *t, struct named *named,
		     const struct value *event, bool thread, struct err *err)
{
	uint32_t known = named->keys.count;
	uint32_t number = number_of(t, &named->keys, event, thread, err);
	struct value args = {.kind = VALUE_ABSENT};
	struct value name;

	if (number == INTERN_FAILED)
		return err->code;
	if (number < known)
		return 0;
	if (!ARRAY_GROW(named->names, number, named->cap))
		return err_memory(err);
	if (foreign_parse(&t->base, event[ARGS], NULL, &t->base.record, &args,
			  err) < 0)
		return err->code;
	name = member_text(args, "name");
	return keep(t, name, &named->names[number]) ? 0 : err_memory(err);
}

static int take_metadata(struct traces *t, const struct value *event,
			 struct err *err)
{
	if (value_is_str(event[NAME], "process_name"))
		return take_name(t, &t->processes, event, false, err);
	if (value_is_str(event[NAME], "thread_name"))
		return take_name(t, &t->threads, event, true, err);
	return 0;
}

/* The row of a thread; INTERN_FAILED with err filled. */
static uint32_t thread_row(struct traces *t, const struct value *event,
			   struct err *err)
{
	uint32_t known = t->rows.count;
	uint32_t process = number_of(t, &t->pids, event, false, err);
	uint32_t row;

	if (process == INTERN_FAILED)
		return process;
	t->base.several_clocks = t->pids.count > 1;
	row = number_of(t, &t->rows, event, true, err);
	if (row < known || row == INTERN_FAILED)
		return row;
	if (!ARRAY_GROW(t->processes_of, row, t->row_cap)) {
		err_memory(err);
		return INTERN_FAILED;
	}
	t->processes_of[row] = process;
	return row;
}

/* The row of an event, usually the previous one's. */
static uint32_t row_of(struct traces *t, const struct value *event,
		       struct err *err)
{
	bool numbers = event[PID].kind == VALUE_INT &&
		       event[TID].kind == VALUE_INT;

	if (numbers && t->has_last && event[PID].i == t->last_pid &&
	    event[TID].i == t->last_tid)
		return t->last_row;
	t->last_row = thread_row(t, event, err);
	t->has_last = numbers && t->last_row != INTERN_FAILED;
	if (numbers) {
		t->last_pid = event[PID].i;
		t->last_tid = event[TID].i;
	}
	return t->last_row;
}

/* Arguments, whose text often is the previous event's. */
static bool keep_args(struct traces *t, struct value args, struct value *kept)
{
	const struct value *last = &t->last_args;

	if (args.kind == VALUE_BYTES && last->kind == VALUE_BYTES &&
	    str_eq(value_text(args), value_text(*last))) {
		*kept = *last;
		return true;
	}
	if (!keep(t, args, kept))
		return false;
	t->last_args = *kept;
	return true;
}

static int take_event(struct foreign *f, struct value record, struct err *err)
{
	struct traces *t = traces_of(f);
	const struct value *event = record.items->v;
	struct value ph = event[PH];
	bool is_span = value_is_str(ph, "X");
	struct trace_event *kept;
	double ts;
	uint32_t row;

	if (ph.kind != VALUE_STR)
		return err_set(err, ERR_INPUT, "not a trace event");
	if (value_is_str(ph, "M"))
		return take_metadata(t, event, err);
	if (!is_span && !value_is_str(ph, "i") && !value_is_str(ph, "I"))
		return 0;
	if (!finite_number(event[TS], &ts)) {
		f->lost.of[LOST_EVENT]++;
		return 0;
	}
	row = row_of(t, event, err);
	kept = row == INTERN_FAILED ? NULL : held_add(&t->events, err);
	if (kept == NULL)
		return err->code;
	*kept = (struct trace_event){
		.base.row = row, .start = ts, .is_span = is_span};
	finite_number(event[DUR], &kept->duration);
	return keep(t, event[NAME], &kept->name) &&
			       keep(t, of_kind(event[CAT], VALUE_STR),
				    &kept->cat) &&
			       keep_args(t, event[ARGS], &kept->args)
		       ? 0
		       : arena_error(&f->kept, err);
}

static int64_t end_events(struct foreign *f, struct err *err)
{
	struct traces *t = traces_of(f);

	if (held_sort(&t->events, t->rows.count, err) < 0)
		return err->code;
	return t->rows.count;
}

/* cat and args together. */
static struct value event_attrs(struct carrier *c,
				const struct trace_event *event,
				struct value args)
{
	struct value attrs = carrier_attrs(c);

	carrier_attr(c, attrs, "cat", event->cat);
	if (args.kind == VALUE_DICT && attrs.kind == VALUE_DICT)
		c->failed |= !value_push_all(c->arena, attrs, args.items->v,
					     args.items->n);
	carrier_attr(c, attrs, "error_type", value_get(args, "exception"));
	return attrs;
}

/* The name for a process or a thread from a metadata event. */
static struct value name_in(const struct named *named, struct str key)
{
	uint32_t number = intern_find(&named->keys, key);

	return number == INTERN_FAILED ? (struct value){.kind = VALUE_ABSENT}
				       : named->names[number];
}

/* "Rank 0, Process, MainThread" */
static void set_label(struct traces *t, struct carrier *c, uint32_t row)
{
	struct value process = name_in(
		&t->processes, intern_text(&t->pids, t->processes_of[row]));
	struct value thread = name_in(&t->threads, intern_text(&t->rows, row));
	struct buf *text = &t->key;
	struct str label;

	buf_clear(text);
	if (process.kind == VALUE_STR)
		buf_put(text, process.p, process.n);
	if (process.kind == VALUE_STR && thread.kind == VALUE_STR)
		buf_puts(text, ", ");
	if (thread.kind == VALUE_STR)
		buf_put(text, thread.p, thread.n);
	label = arena_str(c->arena, buf_str(text));
	c->failed |= text->failed || label.p == NULL;
	if (label.n > 0 && !c->failed)
		CARRIER_SET(c, label, value_str(label));
}

/* The argument of the first of the row's events that has it with that kind. */
static struct value first_of(const struct value *args, uint32_t n,
			     const char *key)
{
	for (uint32_t i = 0; i < n; i++) {
		struct value v = value_get(args[i], key);

		if (v.kind == VALUE_INT || v.kind == VALUE_STR)
			return v;
	}
	return (struct value){.kind = VALUE_ABSENT};
}

static void add_events(struct traces *t, struct carrier *c, uint64_t row,
		       const struct value *args, struct carrier_span *spans)
{
	uint32_t n = held_count(&t->events, row);
	size_t count = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct trace_event *event = held_get(&t->events, row, k);
		struct carrier_span span = {
			.name = event->name,
			.start = event->start / 1e6,
			.end = (event->start + event->duration) / 1e6,
			.attrs = event_attrs(c, event, args[k])};

		if (event->is_span)
			spans[count++] = span;
		else
			carrier_point(c, &span);
	}
	held_nest(c, spans, count);
}

static int trace_row(struct foreign *f, uint64_t i, struct carrier *c,
		     struct err *err)
{
	struct traces *t = traces_of(f);
	uint32_t n = held_count(&t->events, i);
	struct carrier_span *spans = arena_array(c->arena, n, sizeof(*spans));
	struct value *args = arena_array(c->arena, n, sizeof(*args));
	const struct trace_event *last = NULL; /* of which args were read */

	if (spans == NULL || args == NULL)
		return arena_error(c->arena, err);
	for (uint32_t k = 0; k < n; k++) {
		const struct trace_event *event = held_get(&t->events, i, k);

		if (last != NULL && event->args.kind == VALUE_BYTES &&
		    event->args.p == last->args.p) {
			args[k] = args[k - 1];
			continue;
		}
		last = event;
		if (foreign_parse(f, event->args, NULL, c->arena, &args[k],
				  err) < 0)
			return err->code;
	}
	CARRIER_SET(c, index, value_int((int64_t)i));
	CARRIER_SET(c, group_index, first_of(args, n, "rank"));
	CARRIER_SET(c, source, first_of(args, n, "role"));
	set_label(t, c, (uint32_t)i);
	add_events(t, c, i, args, spans);
	return 1;
}

const struct foreign_format areal_traces_format = {
	.name = "AReaL's performance trace",
	.row_name = "thread",
	.rows = "threads",
	.form = &event_form,
	.clockless = true,
	.size = sizeof(struct traces),
	.take = take_event,
	.end = end_events,
	.row = trace_row,
	.close = close_traces,
};
