/*
 * AReaL's session tracer (sessions-rN.jsonl, a line per session) and its
 * performance tracer (traces-rN.jsonl, a Chrome trace event per line).
 *
 * Source: areal/utils/perf_tracer.py, read in 2026-08. The performance
 * tracer's times count from its own start: they are on no wall clock.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "base/limits.h"
#include "fmt/value/value_text.h"
#include "rollout/foreign/foreign.h"
#include "rollout/foreign/held.h"

/* Sessions ------------------------------------------------------------- */

struct sessions {
	struct foreign base; /* first: the format's functions cast back */
	struct value record;
};

static int take_session(struct foreign *f, struct value record, struct err *err)
{
	if (value_get(record, "session_id").kind == VALUE_ABSENT ||
	    value_get(record, "submit_ts").kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not a session of AReaL");
	((struct sessions *)f)->record = record;
	return 1;
}

static struct value session_attrs(struct carrier *c, struct value record)
{
	struct value attrs = carrier_attrs(c);

	carrier_attr(c, attrs, "rank", member_value(record, "rank"));
	carrier_attr(c, attrs, "reason", member_text(record, "reason"));
	carrier_attr(c, attrs, "counters",
		     member_of_kind(record, "counters", VALUE_DICT));
	if (value_is_str(value_get(record, "status"), "failed"))
		carrier_attr(c, attrs, "error_type",
			     member_text(record, "reason"));
	return attrs;
}

static void add_phase(struct carrier *c, struct value session,
		      struct value name, struct value phase)
{
	struct carrier_span span = {
		.name = name, .end = NAN, .parent = session};

	if (!member_number(phase, "start_ts", &span.start))
		return;
	if (!member_number(phase, "end_ts", &span.end))
		span.end = NAN;
	if (value_is_str(name, "generate")) {
		struct value latency = value_float(span.end - span.start);

		span.request = carrier_attrs(c);
		span.attrs = carrier_attrs(c);
		if (latency.f > 0) {
			carrier_attr(c, span.request, "e2e_latency", latency);
			carrier_attr(c, span.attrs, "e2e_latency", latency);
		}
	}
	carrier_span(c, &span);
}

static void add_phases(struct carrier *c, struct value session,
		       struct value phases)
{
	for (uint32_t i = 0; i < phases.items->n; i += 2) {
		struct value list = phases.items->v[i + 1];

		for (uint32_t k = 0;
		     list.kind == VALUE_LIST && k < list.items->n; k++)
			add_phase(c, session, phases.items->v[i],
				  list.items->v[k]);
	}
}

static int session_row(struct foreign *f, uint64_t i, struct carrier *c,
		       struct err *err)
{
	struct value record = ((struct sessions *)f)->record;
	struct value phases = member_of_kind(record, "phases", VALUE_DICT);
	struct carrier_span span = {.name = value_literal("session"),
				    .end = NAN};
	struct value id = {.kind = VALUE_ABSENT};

	(void)i, (void)err;
	carrier_set(c, "index", member_id(record, "session_id"));
	carrier_set(c, "group_index", member_id(record, "task_id"));
	carrier_set(c, "status", member_text(record, "status"));
	carrier_set(c, "source", member_text(record, "role"));
	span.attrs = session_attrs(c, record);
	if (!member_number(record, "finalized_ts", &span.end))
		span.end = NAN;
	if (member_number(record, "submit_ts", &span.start))
		id = carrier_span(c, &span);
	if (phases.kind == VALUE_DICT)
		add_phases(c, id, phases);
	return 1;
}

const struct foreign_format areal_sessions_format = {
	.name = "AReaL's session trace",
	.rows = "sessions",
	.size = sizeof(struct sessions),
	.take = take_session,
	.row = session_row,
};

/* Performance traces ---------------------------------------------------- */

struct traces {
	struct foreign base; /* first: the format's functions cast back */
	struct intern rows;  /* "PID TID" of threads that have events */
	struct held events;
	struct held names;	 /* metadata events: of rows, the processes' */
	struct intern processes; /* their pids */
	struct intern threads;	 /* "PID TID" of named ones */
	struct held thread_names;
	struct intern pids; /* of threads that have events */
	struct buf key;
	bool open;
};

static struct traces *traces_of(struct foreign *f)
{
	struct traces *t = (struct traces *)f;

	if (!t->open) {
		t->rows = intern_new(LIMIT_KEPT);
		t->pids = intern_new(LIMIT_KEPT);
		t->processes = intern_new(LIMIT_KEPT);
		t->threads = intern_new(LIMIT_KEPT);
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
	intern_free(&t->processes);
	intern_free(&t->threads);
	held_free(&t->events);
	held_free(&t->names);
	held_free(&t->thread_names);
	buf_free(&t->key);
}

/* "PID TID", or "PID" alone. */
static struct str key_of(struct traces *t, struct value record, bool thread)
{
	buf_clear(&t->key);
	value_put_str(&t->key, value_get(record, "pid"));
	if (thread) {
		buf_putc(&t->key, ' ');
		value_put_str(&t->key, value_get(record, "tid"));
	}
	return buf_str(&t->key);
}

/* Keep a record under the number that its key has in a table. */
static int keep(struct traces *t, struct intern *table, struct held *held,
		struct value record, bool thread, double time, struct err *err)
{
	uint32_t number = intern_add(table, key_of(t, record, thread));

	if (t->key.failed)
		return buf_error(&t->key, err);
	if (number == INTERN_FAILED)
		return intern_error(table, err);
	return held_add(held, number, time, record, err);
}

static int take_event(struct foreign *f, struct value record, struct err *err)
{
	struct traces *t = traces_of(f);
	struct value ph = member_text(record, "ph");
	double ts;

	if (ph.kind != VALUE_STR)
		return err_set(err, ERR_INPUT, "not a trace event");
	if (value_is_str(ph, "M")) {
		if (value_is_str(value_get(record, "name"), "process_name"))
			return keep(t, &t->processes, &t->names, record, false,
				    0, err);
		if (value_is_str(value_get(record, "name"), "thread_name"))
			return keep(t, &t->threads, &t->thread_names, record,
				    true, 0, err);
		return 0;
	}
	if (!value_is_str(ph, "X") && !value_is_str(ph, "i") &&
	    !value_is_str(ph, "I"))
		return 0;
	if (!member_number(record, "ts", &ts))
		return 0;
	if (intern_add(&t->pids, key_of(t, record, false)) == INTERN_FAILED)
		return intern_error(&t->pids, err);
	f->several_clocks = t->pids.count > 1;
	return keep(t, &t->rows, &t->events, record, true, 0, err);
}

static int64_t end_events(struct foreign *f, struct err *err)
{
	struct traces *t = traces_of(f);

	if (held_sort(&t->events, t->rows.count, err) < 0 ||
	    held_sort(&t->names, t->processes.count, err) < 0 ||
	    held_sort(&t->thread_names, t->threads.count, err) < 0)
		return err->code;
	return t->rows.count;
}

/* cat and args together. */
static struct value event_attrs(struct carrier *c, struct value record)
{
	struct value attrs = carrier_attrs(c);
	struct value args = member_of_kind(record, "args", VALUE_DICT);

	carrier_attr(c, attrs, "cat", member_text(record, "cat"));
	if (args.kind == VALUE_DICT && attrs.kind == VALUE_DICT)
		c->failed |= !value_push_all(c->arena, attrs, args.items->v,
					     args.items->n);
	carrier_attr(c, attrs, "error_type", value_get(args, "exception"));
	return attrs;
}

/* The name that a metadata event gives the process or the thread. */
static struct value name_in(const struct intern *table, const struct held *held,
			    struct str key)
{
	uint32_t number = intern_find(table, key);

	if (number == INTERN_FAILED)
		return (struct value){.kind = VALUE_ABSENT};
	return member_text(
		value_get(held->v[held->begin[number]].record, "args"), "name");
}

/* "Rank 0, Process, MainThread" */
static void set_label(struct traces *t, struct carrier *c, struct value record)
{
	struct value process =
		name_in(&t->processes, &t->names, key_of(t, record, false));
	struct value thread =
		name_in(&t->threads, &t->thread_names, key_of(t, record, true));
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
		carrier_set(c, "label", value_str(label));
}

/* The first of the row's events that has this argument as that kind. */
static void set_from_args(struct carrier *c, const char *field, const char *arg,
			  const struct held_record *records, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct value v =
			value_get(value_get(records[i].record, "args"), arg);

		if (v.kind != VALUE_INT && v.kind != VALUE_STR)
			continue;
		carrier_set(c, field, v);
		return;
	}
}

static int trace_row(struct foreign *f, uint64_t i, struct carrier *c,
		     struct err *err)
{
	struct traces *t = traces_of(f);
	const struct held_record *records = t->events.v + t->events.begin[i];
	uint32_t n = t->events.begin[i + 1] - t->events.begin[i];
	struct carrier_span *spans = arena_array(c->arena, n, sizeof(*spans));
	size_t count = 0;

	if (spans == NULL)
		return arena_error(c->arena, err);
	carrier_set(c, "index", value_int((int64_t)i));
	set_from_args(c, "group_index", "rank", records, n);
	set_from_args(c, "source", "role", records, n);
	set_label(t, c, records[0].record);
	for (uint32_t k = 0; k < n; k++) {
		struct value record = records[k].record;
		struct carrier_span span = {.name = value_get(record, "name")};
		double dur = 0;

		member_number(record, "ts", &span.start);
		member_number(record, "dur", &dur);
		span.end = (span.start + dur) / 1e6;
		span.start /= 1e6;
		span.attrs = event_attrs(c, record);
		if (value_is_str(value_get(record, "ph"), "X"))
			spans[count++] = span;
		else
			carrier_point(c, &span);
	}
	held_nest(c, spans, count);
	return 1;
}

const struct foreign_format areal_traces_format = {
	.name = "AReaL's performance trace",
	.rows = "threads",
	.holds = true,
	.clockless = true,
	.size = sizeof(struct traces),
	.take = take_event,
	.end = end_events,
	.row = trace_row,
	.close = close_traces,
};
