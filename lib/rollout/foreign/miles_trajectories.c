/* The events of samples, paired like in miles's own reader
 * (trajectory_lanes). */
#include "base/map.h"
#include "rollout/foreign/miles_index.h"

enum {
	TS,
	KIND,
	SAMPLE_INDEX,
	GROUP_INDEX,
	TURN,
	WEIGHT_VERSION,
	DETAIL,
	EVENT_MEMBERS
};

static const struct json_member event_members[EVENT_MEMBERS] = {
	[TS] = {.key = JSON_KEY("ts")},
	[KIND] = {.key = JSON_KEY("kind")},
	[SAMPLE_INDEX] = {.key = JSON_KEY("sample_index")},
	[GROUP_INDEX] = {.key = JSON_KEY("group_index")},
	[TURN] = {.key = JSON_KEY("turn")},
	[WEIGHT_VERSION] = {.key = JSON_KEY("weight_version")},
	[DETAIL] = {.key = JSON_KEY("detail")},
};

static const struct json_form event_form = JSON_FORM(event_members);

/* Kinds of events, by the numbers of their names among the texts. Any other is
 * a point. */
enum event_name {
	NO_TEXT, /* "" */
	ATTEMPT_START,
	ATTEMPT_END,
	GEN_START,
	GEN_END,
	TOOL_START,
	TOOL_END,
	EVENT_NAMES
};

static const char *const event_names[EVENT_NAMES] = {
	[NO_TEXT] = "",
	[ATTEMPT_START] = "attempt_start",
	[ATTEMPT_END] = "attempt_end",
	[GEN_START] = "gen_start",
	[GEN_END] = "gen_end",
	[TOOL_START] = "tool_start",
	[TOOL_END] = "tool_end",
};

enum { NOT_KNOWN = -1 }; /* a turn, a group */

struct miles_event {
	struct held_record base;       /* first: the row of its sample */
	uint32_t kind, weight, detail; /* numbers of texts */
	int64_t turn, group;
};

struct trajectories {
	struct miles_rows rows; /* first: the format's functions cast back */
	struct index_rows by_index;
	uint32_t last_weight, last_detail;
	uint32_t last_kind;
	uint32_t after[EVENT_NAMES]; /* by kind: the kind after it, last time */
	struct map numbers;	     /* of kinds and turns of a row */
};

static bool open_trajectories(struct trajectories *t)
{
	bool good = true;

	if (t->rows.open)
		return true;
	miles_open(&t->rows, sizeof(struct miles_event));
	t->numbers = map_new(true);
	t->by_index = index_rows_new();
	for (uint32_t i = 0; good && i < EVENT_NAMES; i++)
		good = intern_add(&t->rows.texts, str_of(event_names[i])) == i;
	return good;
}

static void close_trajectories(struct foreign *f)
{
	struct trajectories *t = (struct trajectories *)f;

	index_rows_free(&t->by_index);
	map_free(&t->numbers);
	miles_close(f);
}

static int64_t int_of(struct value v)
{
	return v.kind == VALUE_INT ? v.i : NOT_KNOWN;
}

static int take_trajectory(struct foreign *f, struct value record,
			   struct err *err)
{
	struct trajectories *t = (struct trajectories *)f;
	const struct value *event = record.items->v;
	struct miles_event *kept;
	uint32_t row;
	uint32_t *after;
	double ts;

	if (event[KIND].kind != VALUE_STR ||
	    event[SAMPLE_INDEX].kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not an event of a trajectory");
	if (!finite_number(event[TS], &ts)) {
		f->lost.of[LOST_EVENT]++;
		return 0;
	}
	if (!open_trajectories(t))
		return err_memory(err);
	row = index_rows_add(&t->by_index, &t->rows, event[SAMPLE_INDEX], err);
	kept = row == INTERN_FAILED ? NULL : held_add(&t->rows.held, err);
	if (kept == NULL)
		return err->code;
	after = &t->after[t->last_kind % EVENT_NAMES];
	*kept = (struct miles_event){
		.base = {.time = ts, .row = row},
		.kind = miles_text(&t->rows, event[KIND], *after),
		.weight = miles_text(&t->rows, event[WEIGHT_VERSION],
				     t->last_weight),
		.detail = miles_text(&t->rows, event[DETAIL], t->last_detail),
		.turn = int_of(event[TURN]),
		.group = int_of(event[GROUP_INDEX]),
	};
	if (kept->kind == INTERN_FAILED || kept->weight == INTERN_FAILED ||
	    kept->detail == INTERN_FAILED)
		return intern_error(&t->rows.texts, err);
	t->last_weight = kept->weight;
	if (kept->detail != NO_TEXT)
		t->last_detail = kept->detail;
	*after = t->last_kind = kept->kind;
	return 0;
}

static int64_t end_trajectories(struct foreign *f, struct err *err)
{
	struct trajectories *t = (struct trajectories *)f;

	if (t->rows.open && held_sort(&t->rows.held, t->by_index.n, err) < 0)
		return err->code;
	return t->by_index.n;
}

enum part_kind { PART_ATTEMPT, PART_GENERATE, PART_TOOL };

/* A span being built from its events. */
struct trajectory_part {
	enum part_kind kind;
	int64_t attempt;
	int64_t turn;
	double start, end; /* end is NAN while it is open */
	int32_t before;	   /* the open one of the same kind and turn, or -1 */
	const struct miles_event *first, *last; /* its events; NULL: none */
};

/* The state of a sample while its events are read in order. */
struct trajectory {
	struct carrier *c;
	const struct intern *texts;
	struct trajectory_part *parts; /* those of one attempt are contiguous */
	struct map *numbers;	       /* of kinds and turns */
	int32_t *last_open;	       /* by number: the latest part, or -1 */
	size_t n;
	int64_t attempt; /* number of the last one begun; -1: none yet */
	bool open;	 /* it has not ended */
	uint32_t status; /* a text */
};

static int64_t attempt_number(const struct trajectory *t)
{
	return t->attempt < 0 ? 0 : t->attempt;
}

static struct value text_value(const struct trajectory *t, uint32_t text)
{
	return value_str(intern_text(t->texts, text));
}

static struct value attrs_of(struct trajectory *t,
			     const struct miles_event *event)
{
	struct value attrs = carrier_span_attrs(t->c);

	if (event->turn >= 0)
		carrier_attr(t->c, attrs, "turn", value_int(event->turn));
	if (event->weight != NO_TEXT)
		carrier_attr(t->c, attrs, "weight_version",
			     text_value(t, event->weight));
	if (event->detail != NO_TEXT)
		carrier_attr(t->c, attrs, "detail",
			     text_value(t, event->detail));
	return attrs;
}

/* Where the latest open part of a kind and turn is stored; NULL: no memory. */
static int32_t *last_open(struct trajectory *t, enum part_kind kind,
			  int64_t turn)
{
	uint64_t key = hash_mix((uint64_t)kind + 1, (uint64_t)turn);
	uint32_t number = (uint32_t)t->numbers->n;
	int added = map_add(t->numbers, key, &number);

	if (added < 0) {
		t->c->failed = true;
		return NULL;
	}
	if (added > 0)
		t->last_open[number] = -1;
	return &t->last_open[number];
}

static void begin_part(struct trajectory *t, enum part_kind kind,
		       const struct miles_event *event)
{
	int32_t *last = last_open(t, kind, event->turn);

	if (last == NULL)
		return;
	t->parts[t->n] = (struct trajectory_part){.kind = kind,
						  .attempt = attempt_number(t),
						  .turn = event->turn,
						  .start = event->base.time,
						  .end = NAN,
						  .before = *last,
						  .first = event};
	*last = (int32_t)t->n++;
}

static const char *const part_names[] = {
	[PART_ATTEMPT] = "attempt",
	[PART_GENERATE] = "generate",
	[PART_TOOL] = "tool",
};

/* End the latest open one of the kind and turn, in this attempt. */
static void end_part(struct trajectory *t, enum part_kind kind,
		     const struct miles_event *event)
{
	int32_t *last = last_open(t, kind, event->turn);

	while (last != NULL && *last >= 0 &&
	       (!isnan(t->parts[*last].end) ||
		t->parts[*last].attempt != attempt_number(t)))
		*last = t->parts[*last].before;
	if (last != NULL && *last >= 0) {
		t->parts[*last].end = event->base.time;
		t->parts[*last].last = event;
		return;
	}
	carrier_orphan(t->c, &(struct carrier_span){
				     .name = value_literal(part_names[kind]),
				     .end = event->base.time,
				     .attempt = attempt_number(t)});
}

/* The end of an attempt ends everything open in it. */
static void end_attempt(struct trajectory *t, const struct miles_event *event)
{
	end_part(t, PART_ATTEMPT, event);
	for (size_t i = t->n; t->open && i > 0; i--) {
		if (t->parts[i - 1].attempt != attempt_number(t))
			break;
		if (isnan(t->parts[i - 1].end))
			t->parts[i - 1].end = event->base.time;
	}
	t->open = false;
	t->status = event->detail;
}

static void add_point(struct trajectory *t, const struct miles_event *event)
{
	carrier_point(t->c,
		      &(struct carrier_span){.name = text_value(t, event->kind),
					     .start = event->base.time,
					     .attempt = attempt_number(t),
					     .attrs = attrs_of(t, event)});
}

static void add_event(struct trajectory *t, const struct miles_event *event)
{
	switch (event->kind) {
	case ATTEMPT_START:
		t->attempt++;
		t->open = true;
		begin_part(t, PART_ATTEMPT, event);
		break;
	case ATTEMPT_END:
		end_attempt(t, event);
		break;
	case GEN_START:
		begin_part(t, PART_GENERATE, event);
		break;
	case GEN_END:
		end_part(t, PART_GENERATE, event);
		break;
	case TOOL_START:
		begin_part(t, PART_TOOL, event);
		break;
	case TOOL_END:
		end_part(t, PART_TOOL, event);
		break;
	default:
		add_point(t, event);
	}
}

/* Do these parts include generations of single turns, which the one of the
 * whole attempt would double-count? */
static bool have_turns(const struct trajectory_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].kind == PART_GENERATE && parts[i].turn > 0)
			return true;
	return false;
}

/* From the attempt's start to its first generation without a turn, or to its
 * end if it did nothing. */
static void add_queue(struct carrier *c, const struct trajectory_part *attempt,
		      const struct trajectory_part *parts, size_t n,
		      struct value id)
{
	struct carrier_span queue = {.name = value_literal("queue"),
				     .start = attempt->start,
				     .end = attempt->end,
				     .parent = id,
				     .attempt = attempt->attempt};

	for (size_t i = 0; i < n; i++)
		if (parts[i].kind == PART_GENERATE && parts[i].turn == -1) {
			queue.end = parts[i].start;
			carrier_span(c, &queue);
			return;
		}
	if (n == 0)
		carrier_span(c, &queue);
}

static void add_part(struct trajectory *t, const struct trajectory_part *part,
		     struct value parent)
{
	struct carrier_span span = {
		.name = value_literal(part_names[part->kind]),
		.start = part->start,
		.end = part->end,
		.parent = parent,
		.attempt = part->attempt,
		.attrs = attrs_of(t, part->last != NULL ? part->last
							: part->first)};

	if (part->kind == PART_GENERATE)
		carrier_set_latency(t->c, &span);
	carrier_span(t->c, &span);
}

/* An attempt, unless its start is missing, and its contents. */
static void add_attempt(struct trajectory *t,
			const struct trajectory_part *parts, size_t n)
{
	bool begins = parts[0].kind == PART_ATTEMPT;
	bool turns = have_turns(parts, n);
	struct value id = {.kind = VALUE_ABSENT};
	struct carrier_span span = {.name = value_literal("attempt"),
				    .start = parts[0].start,
				    .end = parts[0].end,
				    .attempt = parts[0].attempt};

	if (begins) {
		span.attrs = attrs_of(t, parts[0].last != NULL
						 ? parts[0].last
						 : parts[0].first);
		id = carrier_span(t->c, &span);
		add_queue(t->c, &parts[0], parts + 1, n - 1, id);
	}
	for (size_t i = begins; i < n; i++)
		if (!turns || parts[i].kind != PART_GENERATE ||
		    parts[i].turn != NOT_KNOWN)
			add_part(t, &parts[i], id);
}

static void add_attempts(struct trajectory *t)
{
	size_t begin = 0;

	for (size_t i = 1; i <= t->n; i++) {
		if (i < t->n && t->parts[i].kind != PART_ATTEMPT)
			continue;
		add_attempt(t, t->parts + begin, i - begin);
		begin = i;
	}
}

static struct value status_of(const struct trajectory *t)
{
	if (t->open)
		return value_literal("pending");
	return t->status != NO_TEXT ? text_value(t, t->status) : value_none();
}

static void set_group(struct carrier *c, const struct held *held, uint64_t row)
{
	for (uint32_t i = 0; i < held_count(held, row); i++) {
		const struct miles_event *event = held_get(held, row, i);

		if (event->group == NOT_KNOWN)
			continue;
		CARRIER_SET(c, group_index, value_int(event->group));
		return;
	}
}

enum { NUMBERS = 64 }; /* places of a map that is quick to clear per row */

static int trajectory_row(struct foreign *f, uint64_t i, struct carrier *c,
			  struct err *err)
{
	struct trajectories *all = (struct trajectories *)f;
	const struct held *held = &all->rows.held;
	uint32_t n = held_count(held, i);
	struct value index = all->by_index.indexes[i];
	struct trajectory t = {.c = c,
			       .texts = &all->rows.texts,
			       .numbers = &all->numbers,
			       .attempt = -1};

	t.parts = arena_alloc(c->arena, n * sizeof(*t.parts));
	t.last_open = arena_alloc(c->arena, n * sizeof(*t.last_open));
	if (t.parts == NULL || t.last_open == NULL)
		return arena_error(c->arena, err);
	for (uint32_t k = 0; k < n; k++)
		add_event(&t, held_get(held, i, k));
	if (all->numbers.cap > NUMBERS)
		map_free(&all->numbers);
	else
		map_clear(&all->numbers);
	if (index.kind == VALUE_INT && index.i == -1)
		index = value_int((int64_t)i);
	CARRIER_SET(c, index, index);
	set_group(c, held, i);
	CARRIER_SET(c, status, status_of(&t));
	carrier_set_trace(c, "attempt", value_int(attempt_number(&t)));
	add_attempts(&t);
	return 1;
}

const struct foreign_format miles_trajectories_format = {
	.name = "miles' trajectories",
	.row_name = "sample",
	.rows = "samples",
	.spans_files = true,
	.form = &event_form,
	.size = sizeof(struct trajectories),
	.take = take_trajectory,
	.end = end_trajectories,
	.row = trajectory_row,
	.close = close_trajectories,
};
