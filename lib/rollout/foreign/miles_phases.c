/* What processes were doing: a row per process. */
#include <stdlib.h>

#include "fmt/value/value_text.h"
#include "rollout/foreign/miles_parts.h"

static const char *const process_members[] = {"role", "node", "rank", "gpus"};
static const char *const phase_members[] = {"node", "rank", "name", "t0"};

static int take_phase(struct foreign *f, struct value record, struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);
	double t0;

	if (value_get(record, "t0").kind == VALUE_ABSENT ||
	    value_get(record, "role").kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not a phase of a process");
	if (!member_number(record, "t0", &t0))
		return 0;
	return held_add(&rows->held, 0, 0, record, err);
}

enum { HAS_END = 1, HAS_OPEN = 2 };

static bool end_of_phase(struct value record, double *end)
{
	return member_number(record, "t1", end) && *end != -1;
}

/* Note of which phases a record has the end. */
static int note_closed(struct miles_rows *rows, struct err *err)
{
	const struct held *held = &rows->held;
	double end;

	rows->closed = calloc(held->n + 1, 1);
	if (rows->closed == NULL)
		return err_memory(err);
	for (size_t i = 0; i < held->n; i++) {
		uint32_t phase = miles_number(rows, &rows->phases,
					      held->v[i].record, phase_members,
					      4, err);

		if (phase == INTERN_FAILED)
			return err->code;
		if (end_of_phase(held->v[i].record, &end))
			rows->closed[phase] = HAS_END;
	}
	return 0;
}

/* Keep the records of phases that count: those with an end, and the first of
 * those without when none has one. Each gets the number of its process. */
static int choose(struct miles_rows *rows, struct err *err)
{
	struct held *held = &rows->held;
	size_t kept = 0;
	double end;

	for (size_t i = 0; i < held->n; i++) {
		struct value record = held->v[i].record;
		uint32_t phase = miles_number(rows, &rows->phases, record,
					      phase_members, 4, err);
		uint32_t row;

		if (!end_of_phase(record, &end)) {
			if (rows->closed[phase] != 0)
				continue;
			rows->closed[phase] = HAS_OPEN;
		}
		row = miles_number(rows, &rows->keys, record, process_members,
				   4, err);
		if (row == INTERN_FAILED)
			return err->code;
		held->v[kept] = held->v[i];
		held->v[kept++].row = row;
	}
	held->n = kept;
	return 0;
}

static int64_t end_phases(struct foreign *f, struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);

	if (note_closed(rows, err) < 0 || choose(rows, err) < 0 ||
	    held_sort(&rows->held, rows->keys.count, err) < 0)
		return err->code;
	return rows->keys.count;
}

/* "10.0.0.1 rank 0 gpu 0,1"; without a rank the node alone. */
static void set_process(struct miles_rows *rows, struct carrier *c,
			struct value record)
{
	struct value rank = value_get(record, "rank");
	struct value gpus = member_of_kind(record, "gpus", VALUE_LIST);
	struct buf *text = &rows->key;
	struct str label;

	buf_clear(text);
	value_put_str(text, value_get(record, "node"));
	if (rank.kind == VALUE_INT && rank.i >= 0) {
		buf_puts(text, " rank ");
		value_put_str(text, rank);
	}
	for (uint32_t i = 0; gpus.kind == VALUE_LIST && i < gpus.items->n;
	     i++) {
		buf_puts(text, i == 0 ? " gpu " : ",");
		value_put_str(text, gpus.items->v[i]);
	}
	label = arena_str(c->arena, buf_str(text));
	c->failed |= text->failed || label.p == NULL;
	if (!c->failed)
		carrier_set(c, "label", value_str(label));
	carrier_set(c, "source", member_text(record, "role"));
}

static int phases_row(struct foreign *f, uint64_t i, struct carrier *c,
		      struct err *err)
{
	struct miles_rows *rows = miles_rows_of(f);
	const struct held_record *records = rows->held.v + rows->held.begin[i];
	uint32_t n = rows->held.begin[i + 1] - rows->held.begin[i];
	struct carrier_span *spans = arena_array(c->arena, n, sizeof(*spans));

	if (spans == NULL)
		return arena_error(c->arena, err);
	carrier_set(c, "index", value_int((int64_t)i));
	set_process(rows, c, records[0].record);
	for (uint32_t k = 0; k < n; k++) {
		spans[k].name = value_get(records[k].record, "name");
		member_number(records[k].record, "t0", &spans[k].start);
		if (!end_of_phase(records[k].record, &spans[k].end))
			spans[k].end = NAN;
	}
	held_nest(c, spans, n);
	return 1;
}

const struct foreign_format miles_phases_format = {
	.name = "miles' phases",
	.rows = "processes",
	.holds = true,
	.spans_files = true,
	.size = sizeof(struct miles_rows),
	.take = take_phase,
	.end = end_phases,
	.row = phases_row,
	.close = miles_close,
};
