/* The phases of processes: one row per process. */
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/value/value_text.h"
#include "rollout/foreign/miles_parts.h"

enum { NAME, T0, T1, NODE, GPUS, RANK, ROLE, PHASE_MEMBERS };

static const struct json_member members[PHASE_MEMBERS] = {
	[NAME] = {.name = STR("name")}, [T0] = {.name = STR("t0")},
	[T1] = {.name = STR("t1")},	[NODE] = {.name = STR("node")},
	[GPUS] = {.name = STR("gpus")}, [RANK] = {.name = STR("rank")},
	[ROLE] = {.name = STR("role")},
};

static const struct json_form phase_form = JSON_FORM(members);

static const uint8_t process_key[] = {ROLE, NODE, RANK, GPUS};
static const uint8_t phase_key[] = {NODE, RANK, NAME, T0};

/* A record of a phase; the same phase may have several. */
struct miles_phase {
	struct held_record base; /* first: the row of its process */
	double start, end;	 /* end is NAN while it is open */
	struct value name;
	uint32_t number;  /* attributes of the phase */
	uint32_t process; /* and the process */
};

struct miles_process {
	struct value label, role;
	uint32_t row; /* INTERN_FAILED: none yet */
};

struct phases {
	struct miles_rows rows; /* first: the format's functions cast back */
	struct intern numbers;	/* of phases */
	struct miles_process *processes; /* by the numbers of their keys */
	size_t process_cap;
	uint32_t row_count;
	uint32_t *process_of; /* by row */
	uint8_t *closed;      /* by the number of a phase: some record has an
			       * end */
};

static struct phases *phases_of(struct foreign *f)
{
	struct phases *p = (struct phases *)f;

	if (!p->rows.open) {
		miles_open(&p->rows, sizeof(struct miles_phase));
		p->numbers = intern_new(LIMIT_KEPT);
	}
	return p;
}

static void close_phases(struct foreign *f)
{
	struct phases *p = (struct phases *)f;

	if (p->rows.open)
		intern_free(&p->numbers);
	free(p->processes);
	free(p->process_of);
	free(p->closed);
	miles_close(f);
}

/* "10.0.0.1 rank 0 gpu 0,1"; without a rank only the node. */
static void put_label(struct buf *text, const struct value *record)
{
	struct value rank = record[RANK];
	struct value gpus = record[GPUS];

	buf_clear(text);
	value_put_str(text, record[NODE]);
	if (rank.kind == VALUE_INT && rank.i >= 0) {
		buf_puts(text, " rank ");
		value_put_str(text, rank);
	}
	for (uint32_t i = 0; gpus.kind == VALUE_LIST && i < gpus.items->n;
	     i++) {
		buf_puts(text, i == 0 ? " gpu " : ",");
		value_put_str(text, gpus.items->v[i]);
	}
}

/* The process of a record; INTERN_FAILED with err filled. */
static uint32_t process_number(struct phases *p, const struct value *record,
			       struct err *err)
{
	struct miles_rows *rows = &p->rows;
	uint32_t known = rows->keys.count;
	uint32_t number =
		miles_number(rows, &rows->keys, record, process_key, 4, err);
	struct miles_process *process;

	if (number < known || number == INTERN_FAILED)
		return number;
	put_label(&rows->key, record);
	if (!rows->key.failed &&
	    ARRAY_GROW(p->processes, number, p->process_cap)) {
		process = &p->processes[number];
		process->row = INTERN_FAILED;
		if (foreign_keep(&rows->base, &rows->texts,
				 value_str(buf_str(&rows->key)),
				 &process->label) &&
		    foreign_keep(&rows->base, &rows->texts,
				 of_kind(record[ROLE], VALUE_STR),
				 &process->role))
			return number;
	}
	if (rows->key.failed)
		buf_error(&rows->key, err);
	else
		err_memory(err);
	return INTERN_FAILED;
}

static int take_phase(struct foreign *f, struct value record, struct err *err)
{
	struct phases *p = phases_of(f);
	const struct value *members_of = record.items->v;
	struct miles_phase phase = {0}, *kept;

	if (members_of[T0].kind == VALUE_ABSENT ||
	    members_of[ROLE].kind == VALUE_ABSENT)
		return err_set(err, ERR_INPUT, "not a phase of a process");
	if (!finite_number(members_of[T1], &phase.end) || phase.end == -1)
		phase.end = NAN;
	if (!finite_number(members_of[T0], &phase.start)) {
		f->lost.of[isnan(phase.end) ? LOST_EVENT : LOST_START]++;
		return 0;
	}
	phase.process = process_number(p, members_of, err);
	if (phase.process == INTERN_FAILED)
		return err->code;
	phase.number = miles_number(&p->rows, &p->numbers, members_of,
				    phase_key, 4, err);
	if (phase.number == INTERN_FAILED)
		return err->code;
	if (!foreign_keep(f, &p->rows.texts, members_of[NAME], &phase.name))
		return err_memory(err);
	kept = held_add(&p->rows.held, err);
	if (kept == NULL)
		return err->code;
	*kept = phase;
	return 0;
}

enum { HAS_END = 1, HAS_OPEN = 2 };

/* Does the record of a phase count? Those with an end do, or else the first one
 * if none has an end. */
static bool counts(struct phases *p, const struct miles_phase *phase)
{
	if (!isnan(phase->end))
		return true;
	if (p->closed[phase->number] != 0)
		return false;
	p->closed[phase->number] = HAS_OPEN;
	return true;
}

/* Keep the records that count, each in the row of its process. */
static int choose(struct phases *p, struct err *err)
{
	struct held *held = &p->rows.held;
	size_t kept = 0;

	p->closed = calloc(p->numbers.count + (size_t)1, 1);
	p->process_of =
		calloc(p->rows.keys.count + (size_t)1, sizeof(*p->process_of));
	if (p->closed == NULL || p->process_of == NULL)
		return err_memory(err);
	for (size_t i = 0; i < held->n; i++) {
		const struct miles_phase *phase = held_at(held, i);

		if (!isnan(phase->end))
			p->closed[phase->number] = HAS_END;
	}
	for (size_t i = 0; i < held->n; i++) {
		struct miles_phase *phase = held_at(held, i);
		struct miles_process *process = &p->processes[phase->process];

		if (!counts(p, phase))
			continue;
		if (process->row == INTERN_FAILED) {
			process->row = p->row_count;
			p->process_of[p->row_count++] = phase->process;
		}
		phase->base.row = process->row;
		*(struct miles_phase *)held_at(held, kept++) = *phase;
	}
	held->n = kept;
	return 0;
}

static int64_t end_phases(struct foreign *f, struct err *err)
{
	struct phases *p = phases_of(f);

	if (choose(p, err) < 0 ||
	    held_sort(&p->rows.held, p->row_count, err) < 0)
		return err->code;
	return p->row_count;
}

static int phases_row(struct foreign *f, uint64_t i, struct carrier *c,
		      struct err *err)
{
	struct phases *p = phases_of(f);
	const struct held *held = &p->rows.held;
	const struct miles_process *process = &p->processes[p->process_of[i]];
	uint32_t n = held_count(held, i);
	struct carrier_span *spans = arena_array(c->arena, n, sizeof(*spans));

	if (spans == NULL)
		return arena_error(c->arena, err);
	CARRIER_SET(c, index, value_int((int64_t)i));
	CARRIER_SET(c, label, process->label);
	CARRIER_SET(c, source, process->role);
	for (uint32_t k = 0; k < n; k++) {
		const struct miles_phase *phase = held_get(held, i, k);

		spans[k] = (struct carrier_span){.name = phase->name,
						 .start = phase->start,
						 .end = phase->end};
	}
	held_nest(c, spans, n);
	return 1;
}

const struct foreign_format miles_phases_format = {
	.name = "miles' phases",
	.row_name = "process",
	.rows = "processes",
	.spans_files = true,
	.form = &phase_form,
	.size = sizeof(struct phases),
	.take = take_phase,
	.end = end_phases,
	.row = phases_row,
	.close = close_phases,
};
