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
	[NAME] = {.key = JSON_KEY("name")},
	[PH] = {.key = JSON_KEY("ph")},
	[TS] = {.key = JSON_KEY("ts")},
	[DUR] = {.key = JSON_KEY("dur")},
	[PID] = {.key = JSON_KEY("pid")},
	[TID] = {.key = JSON_KEY("tid")},
	[CAT] = {.key = JSON_KEY("cat")},
	[ARGS] = {.key = JSON_KEY("args"), .raw = true},
};

static const struct json_form event_form = JSON_FORM(event_members);

/* A span or a point. */
struct trace_event {
	struct held_record base;  /* first: the row of its thread */
	double start, duration;	  /* us */
	uint32_t name, cat, args; /* numbers of kept values */
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
	struct kept_values values;  /* names and categories */
	struct kept_values args;    /* as JSON */
	int64_t last_pid, last_tid; /* the previous event's, if has_last */
	uint32_t last_row;
	uint32_t last_args;
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
		t->values = kept_values_new();
		t->args = kept_values_new();
		t->last_args = INTERN_FAILED;
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
	kept_values_free(&t->values);
	kept_values_free(&t->args);
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
	return foreign_keep(&t->base, &t->texts, name, &named->names[number])
		       ? 0
		       : err_memory(err);
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

/* The number of arguments, whose text often is the previous event's. */
static uint32_t args_number(struct traces *t, struct value args,
			    struct err *err)
{
	uint32_t last = t->last_args;

	if (args.kind == VALUE_BYTES && last != INTERN_FAILED &&
	    t->args.of[last].kind == VALUE_BYTES &&
	    str_eq(value_text(args), value_text(t->args.of[last])))
		return last;
	t->last_args = foreign_keep_number(&t->args, args, err);
	if (t->last_args != INTERN_FAILED)
		foreign_know(&t->base, 0, t->args.of[t->last_args]);
	return t->last_args;
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
		.base.row = row,
		.start = ts,
		.name = foreign_keep_number(&t->values, event[NAME], err),
		.cat = foreign_keep_number(&t->values,
					   of_kind(event[CAT], VALUE_STR), err),
		.args = args_number(t, event[ARGS], err),
		.is_span = is_span};
	finite_number(event[DUR], &kept->duration);
	return kept->name == INTERN_FAILED || kept->cat == INTERN_FAILED ||
			       kept->args == INTERN_FAILED
		       ? err->code
		       : 0;
}

static int64_t end_events(struct foreign *f, struct err *err)
{
	struct traces *t = traces_of(f);

	if (held_sort(&t->events, t->rows.count, err) < 0)
		return err->code;
	return t->rows.count;
}

/* Attributes made for a row's last events, which are often the same. */
enum { MADE = 16 };

struct made_attrs {
	uint32_t cat, args;
	struct value attrs; /* absent: not made yet */
};

struct row_attrs {
	struct traces *t;
	struct carrier *c;
	struct made_attrs made[MADE];
	int code; /* of the first error, which is in err */
	struct err *err;
};

static struct value parse_args(struct row_attrs *row, uint32_t args)
{
	struct value v = {.kind = VALUE_ABSENT};

	if (row->code == 0)
		row->code = foreign_parse(&row->t->base, row->t->args.of[args],
					  NULL, row->c->arena, &v, row->err);
	return v;
}

/* cat and args together. */
static struct value make_attrs(struct row_attrs *row,
			       const struct trace_event *event)
{
	struct carrier *c = row->c;
	struct value attrs = carrier_attrs(c);
	struct value args = parse_args(row, event->args);

	carrier_attr(c, attrs, "cat", row->t->values.of[event->cat]);
	if (args.kind == VALUE_DICT && attrs.kind == VALUE_DICT)
		c->failed |= !value_push_all(c->arena, attrs, args.items->v,
					     args.items->n);
	carrier_attr(c, attrs, "error_type", value_get(args, "exception"));
	return attrs;
}

static struct value event_attrs(struct row_attrs *row,
				const struct trace_event *event)
{
	struct made_attrs *made =
		&row->made[(event->cat + event->args * 5) % MADE];

	if (made->attrs.kind == VALUE_ABSENT || made->cat != event->cat ||
	    made->args != event->args)
		*made = (struct made_attrs){event->cat, event->args,
					    make_attrs(row, event)};
	return made->attrs;
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
static struct value first_of(struct row_attrs *row, uint64_t i, const char *key)
{
	const struct held *events = &row->t->events;
	uint32_t last = INTERN_FAILED;

	for (uint32_t k = 0; k < held_count(events, i); k++) {
		const struct trace_event *event = held_get(events, i, k);
		struct value v;

		if (event->args == last)
			continue;
		last = event->args;
		v = value_get(parse_args(row, last), key);
		if (v.kind == VALUE_INT || v.kind == VALUE_STR)
			return v;
	}
	return (struct value){.kind = VALUE_ABSENT};
}

static int trace_row(struct foreign *f, uint64_t i, struct carrier *c,
		     struct err *err)
{
	struct traces *t = traces_of(f);
	uint32_t n = held_count(&t->events, i);
	struct carrier_span *spans = arena_alloc(c->arena, n * sizeof(*spans));
	struct row_attrs row = {.t = t, .c = c, .err = err};
	size_t count = 0;

	if (spans == NULL)
		return arena_error(c->arena, err);
	CARRIER_SET(c, index, value_int((int64_t)i));
	CARRIER_SET(c, group_index, first_of(&row, i, "rank"));
	CARRIER_SET(c, source, first_of(&row, i, "role"));
	set_label(t, c, (uint32_t)i);
	for (uint32_t k = 0; k < n && row.code == 0; k++) {
		const struct trace_event *event = held_get(&t->events, i, k);
		struct carrier_span *span = &spans[count];
		struct value name = t->values.of[event->name];

		if (carrier_omits(c, name, event->is_span ? 2 : 1))
			continue;
		*span = (struct carrier_span){
			.name = name,
			.start = event->start / 1e6,
			.end = (event->start + event->duration) / 1e6,
			.attrs = event_attrs(&row, event)};
		if (event->is_span)
			count++;
		else
			carrier_point(c, span);
	}
	held_nest(c, spans, count);
	return row.code < 0 ? row.code : 1;
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
