/* The events of samples, paired as miles's own reader (trajectory_lanes) does. */
#include "base/map.h"
#include "rollout/foreign/miles_parts.h"

static const char *const sample_members[] = {"sample_index"};

static int take_trajectory(struct foreign *f, struct value record,
			   struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);
	uint32_t number;
	double ts;

	if (member_text(record, "kind").kind != VALUE_STR ||
	    value_get(record, "sample_index").kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not an event of a trajectory");
	if (!member_number(record, "ts", &ts))
		return 0;
	number =
		miles_number(rows, &rows->keys, record, sample_members, 1, err);
	if (number == INTERN_FAILED)
		return err->code;
	return held_add(&rows->held, number, ts, record, err);
}

static int64_t end_trajectories(struct foreign *f, struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);

	if (held_sort(&rows->held, rows->keys.count, err) < 0)
		return err->code;
	return rows->keys.count;
}

enum part_kind { PART_ATTEMPT, PART_GENERATE, PART_TOOL };

/* A span that is put together from its events. */
struct trajectory_part {
	enum part_kind kind;
	int64_t attempt;
	int64_t turn;
	double start, end;	  /* end is NAN while it is open */
	int32_t before;		  /* the open one of its kind and turn, or -1 */
	struct value first, last; /* its events; last may be absent */
};

/* What is known of a sample while its events are read in order. */
struct trajectory {
	struct carrier *c;
	struct trajectory_part *parts; /* those of one attempt stand together */
	struct map numbers;	       /* of kinds and turns */
	int32_t *last_open;	       /* by number: the latest part, or -1 */
	size_t n;
	int64_t attempt; /* number of the last that began; -1: none yet */
	bool open;	 /* it has not ended */
	struct value status;
};

static int64_t turn_of(struct value record)
{
	struct value turn = value_get(record, "turn");

	return turn.kind == VALUE_INT ? turn.i : -1;
}

static int64_t attempt_number(const struct trajectory *t)
{
	return t->attempt < 0 ? 0 : t->attempt;
}

static void put_attrs(struct carrier *c, struct value attrs,
		      struct value record)
{
	struct value weight = member_text(record, "weight_version");
	struct value detail = member_text(record, "detail");

	if (record.kind != VALUE_DICT)
		return;
	if (turn_of(record) >= 0)
		carrier_attr(c, attrs, "turn", value_get(record, "turn"));
	if (weight.kind == VALUE_STR && weight.n > 0)
		carrier_attr(c, attrs, "weight_version", weight);
	if (detail.kind == VALUE_STR && detail.n > 0)
		carrier_attr(c, attrs, "detail", detail);
}

static struct value attrs_of(struct carrier *c,
			     const struct trajectory_part *part)
{
	struct value attrs = carrier_attrs(c);

	put_attrs(c, attrs,
		  part->last.kind == VALUE_DICT ? part->last : part->first);
	return attrs;
}

/* Where the latest open part of a kind and turn is noted; NULL: no memory. */
static int32_t *last_open(struct trajectory *t, enum part_kind kind,
			  int64_t turn)
{
	uint64_t key = hash_mix((uint64_t)kind + 1, (uint64_t)turn);
	uint32_t number = (uint32_t)t->numbers.n;
	int added = map_add(&t->numbers, key, &number);

	if (added < 0) {
		t->c->failed = true;
		return NULL;
	}
	if (added > 0)
		t->last_open[number] = -1;
	return &t->last_open[number];
}

static void begin_part(struct trajectory *t, enum part_kind kind,
		       struct value record, double ts)
{
	int32_t *last = last_open(t, kind, turn_of(record));

	if (last == NULL)
		return;
	t->parts[t->n] = (struct trajectory_part){.kind = kind,
						  .attempt = attempt_number(t),
						  .turn = turn_of(record),
						  .start = ts,
						  .end = NAN,
						  .before = *last,
						  .first = record};
	*last = (int32_t)t->n++;
}

static const char *const part_names[] = {
	[PART_ATTEMPT] = "attempt",
	[PART_GENERATE] = "generate",
	[PART_TOOL] = "tool",
};

/* End the latest that is open of the kind and turn, in this attempt. */
static void end_part(struct trajectory *t, enum part_kind kind,
		     struct value record, double ts)
{
	int32_t *last = last_open(t, kind, turn_of(record));

	while (last != NULL && *last >= 0 &&
	       (!isnan(t->parts[*last].end) ||
		t->parts[*last].attempt != attempt_number(t)))
		*last = t->parts[*last].before;
	if (last != NULL && *last >= 0) {
		t->parts[*last].end = ts;
		t->parts[*last].last = record;
		return;
	}
	carrier_orphan(t->c, &(struct carrier_span){
				     .name = value_literal(part_names[kind]),
				     .end = ts,
				     .attempt = attempt_number(t)});
}

/* The end of an attempt is that of all that is open in it. */
static void end_attempt(struct trajectory *t, struct value record, double ts)
{
	struct value detail = member_text(record, "detail");

	end_part(t, PART_ATTEMPT, record, ts);
	for (size_t i = t->n; t->open && i > 0; i--) {
		if (t->parts[i - 1].attempt != attempt_number(t))
			break;
		if (isnan(t->parts[i - 1].end))
			t->parts[i - 1].end = ts;
	}
	t->open = false;
	t->status = detail.kind == VALUE_STR && detail.n > 0 ? detail
							     : value_none();
}

static void add_event(struct trajectory *t, struct value record, double ts)
{
	struct value kind = value_get(record, "kind");

	if (value_is_str(kind, "attempt_start")) {
		t->attempt++;
		t->open = true;
		begin_part(t, PART_ATTEMPT, record, ts);
	} else if (value_is_str(kind, "attempt_end")) {
		end_attempt(t, record, ts);
	} else if (value_is_str(kind, "gen_start")) {
		begin_part(t, PART_GENERATE, record, ts);
	} else if (value_is_str(kind, "gen_end")) {
		end_part(t, PART_GENERATE, record, ts);
	} else if (value_is_str(kind, "tool_start")) {
		begin_part(t, PART_TOOL, record, ts);
	} else if (value_is_str(kind, "tool_end")) {
		end_part(t, PART_TOOL, record, ts);
	} else {
		struct carrier_span point = {.name = kind,
					     .start = ts,
					     .attempt = attempt_number(t),
					     .attrs = carrier_attrs(t->c)};

		put_attrs(t->c, point.attrs, record);
		carrier_point(t->c, &point);
	}
}

/* Have these parts generations of single turns, which the one of the whole
 * attempt would count again? */
static bool have_turns(const struct trajectory_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].kind == PART_GENERATE && parts[i].turn > 0)
			return true;
	return false;
}

/* From the attempt's start to its first generation of no single turn, or to
 * its end when it did nothing. */
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

static void add_part(struct carrier *c, const struct trajectory_part *part,
		     struct value parent)
{
	struct carrier_span span = {
		.name = value_literal(part_names[part->kind]),
		.start = part->start,
		.end = part->end,
		.parent = parent,
		.attempt = part->attempt,
		.attrs = attrs_of(c, part)};

	if (part->kind == PART_GENERATE) {
		struct value latency = value_float(part->end - part->start);

		span.request = carrier_attrs(c);
		if (latency.f > 0) {
			carrier_attr(c, span.request, "e2e_latency", latency);
			carrier_attr(c, span.attrs, "e2e_latency", latency);
		}
	}
	carrier_span(c, &span);
}

/* An attempt, unless its start is missing, and what happened in it. */
static void add_attempt(struct carrier *c, const struct trajectory_part *parts,
			size_t n)
{
	bool begins = parts[0].kind == PART_ATTEMPT;
	bool turns = have_turns(parts, n);
	struct value id = {.kind = VALUE_ABSENT};
	struct carrier_span span = {.name = value_literal("attempt"),
				    .start = parts[0].start,
				    .end = parts[0].end,
				    .attempt = parts[0].attempt};

	if (begins) {
		span.attrs = attrs_of(c, &parts[0]);
		id = carrier_span(c, &span);
		add_queue(c, &parts[0], parts + 1, n - 1, id);
	}
	for (size_t i = begins; i < n; i++)
		if (!turns || parts[i].kind != PART_GENERATE ||
		    parts[i].turn != -1)
			add_part(c, &parts[i], id);
}

static void add_attempts(struct trajectory *t)
{
	size_t begin = 0;

	for (size_t i = 1; i <= t->n; i++) {
		if (i < t->n && t->parts[i].kind != PART_ATTEMPT)
			continue;
		add_attempt(t->c, t->parts + begin, i - begin);
		begin = i;
	}
}

static struct value status_of(const struct trajectory *t)
{
	if (t->open)
		return value_literal("pending");
	return t->status.kind == VALUE_STR ? t->status : value_none();
}

static void set_group(struct carrier *c, const struct held_record *records,
		      uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct value group =
			value_get(records[i].record, "group_index");

		if (group.kind != VALUE_INT || group.i == -1)
			continue;
		carrier_set(c, "group_index", group);
		return;
	}
}

static int trajectory_row(struct foreign *f, uint64_t i, struct carrier *c,
			  struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);
	const struct held_record *records = rows->held.v + rows->held.begin[i];
	uint32_t n = rows->held.begin[i + 1] - rows->held.begin[i];
	struct value index = value_get(records[0].record, "sample_index");
	struct trajectory t = {.c = c, .attempt = -1};

	t.parts = arena_array(c->arena, n, sizeof(*t.parts));
	t.last_open = arena_array(c->arena, n, sizeof(*t.last_open));
	if (t.parts == NULL || t.last_open == NULL)
		return arena_error(c->arena, err);
	t.numbers = map_new(true);
	for (uint32_t k = 0; k < n; k++)
		add_event(&t, records[k].record, records[k].time);
	map_free(&t.numbers);
	if (index.kind == VALUE_INT && index.i == -1)
		index = value_int((int64_t)i);
	carrier_set(c, "index", index);
	set_group(c, records, n);
	carrier_set(c, "status", status_of(&t));
	carrier_set_trace(c, "attempt", value_int(attempt_number(&t)));
	add_attempts(&t);
	return 1;
}

const struct foreign_format miles_trajectories_format = {
	.name = "miles' trajectories",
	.rows = "samples",
	.holds = true,
	.spans_files = true,
	.size = sizeof(struct miles_rows),
	.take = take_trajectory,
	.end = end_trajectories,
	.row = trajectory_row,
	.close = miles_close,
};
