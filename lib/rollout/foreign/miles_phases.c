/* The phases of processes: one row per process. */
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/map.h"
#include "fmt/value/value_text.h"
#include "rollout/foreign/miles_parts.h"

enum { NAME, T0, T1, NODE, GPUS, RANK, ROLE, PHASE_MEMBERS };

static const struct json_member members[PHASE_MEMBERS] = {
	[NAME] = {.key = JSON_KEY("name")},
	[T0] = {.key = JSON_KEY("t0")},
	[T1] = {.key = JSON_KEY("t1")},
	[NODE] = {.key = JSON_KEY("node")},
	[GPUS] = {.key = JSON_KEY("gpus"), .raw = true},
	[RANK] = {.key = JSON_KEY("rank")},
	[ROLE] = {.key = JSON_KEY("role")},
};

static const struct json_form phase_form = JSON_FORM(members);

static const uint8_t process_key[] = {ROLE, NODE, RANK, GPUS};
static const uint8_t place_key[] = {NODE, RANK};

/* A record of a phase; the same phase may have several: of its place, name and
 * start. */
struct miles_phase {
	struct held_record base; /* first: the row of its process */
	double start, end;	 /* end is NAN while it is open */
	uint32_t name, process;	 /* numbers */
};

struct miles_process {
	struct value label;
	struct value role, node, rank, gpus; /* as in its first record */
	uint32_t place;			     /* number of its node and rank */
	uint32_t row;			     /* INTERN_FAILED: none yet */
	uint32_t after; /* the process that came after it last; likewise */
};

enum { NAMES_GUESSED = 16 }; /* names with a guess of the next one */

struct phases {
	struct miles_rows rows; /* first: the format's functions cast back */
	struct intern places;
	struct kept_values names;
	struct miles_process *processes; /* by the numbers of their keys */
	size_t process_cap;
	uint32_t last; /* the previous record's process */
	uint32_t last_name;
	uint32_t name_after[NAMES_GUESSED]; /* by name: the next */
	uint32_t row_count;
	uint32_t *process_of; /* by row */
	struct map open;      /* the first open record of each phase */
	bool *is_open;	      /* by name: some record of it is */
	uint8_t *superseded;  /* by record: it does not count */
};

static struct phases *phases_of(struct foreign *f)
{
	struct phases *p = (struct phases *)f;

	if (!p->rows.open) {
		miles_open(&p->rows, sizeof(struct miles_phase));
		p->places = intern_new(LIMIT_KEPT);
		p->names = kept_values_new();
		p->open = map_new(true);
		p->last = INTERN_FAILED;
	}
	return p;
}

static void close_phases(struct foreign *f)
{
	struct phases *p = (struct phases *)f;

	if (p->rows.open) {
		intern_free(&p->places);
		kept_values_free(&p->names);
	}
	map_free(&p->open);
	free(p->is_open);
	free(p->superseded);
	free(p->processes);
	free(p->process_of);
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

static bool keep(struct miles_rows *rows, struct value v, struct value *kept)
{
	return foreign_keep(&rows->base, &rows->texts, v, kept);
}

/* gpus: as it was read. */
static int add_process(struct phases *p, uint32_t number,
		       const struct value *record, struct value gpus,
		       struct err *err)
{
	struct miles_rows *rows = &p->rows;
	struct miles_process *process;

	if (!ARRAY_GROW(p->processes, number, p->process_cap))
		return err_memory(err);
	process = &p->processes[number];
	process->row = process->after = INTERN_FAILED;
	process->place =
		miles_number(rows, &p->places, record, place_key, 2, err);
	if (process->place == INTERN_FAILED)
		return err->code;
	put_label(&rows->key, record);
	if (rows->key.failed)
		return buf_error(&rows->key, err);
	return keep(rows, value_str(buf_str(&rows->key)), &process->label) &&
			       keep(rows, of_kind(record[ROLE], VALUE_STR),
				    &process->role) &&
			       keep(rows, of_kind(record[NODE], VALUE_STR),
				    &process->node) &&
			       keep(rows, record[RANK], &process->rank) &&
			       keep(rows, gpus, &process->gpus)
		       ? 0
		       : err_memory(err);
}

static bool same_text(struct value a, struct value b)
{
	return a.kind == b.kind &&
	       (a.kind == VALUE_STR || a.kind == VALUE_BYTES) &&
	       str_eq(value_text(a), value_text(b));
}

/* Is it a record of the process, written like its first one? */
static bool is_of(const struct phases *p, uint32_t number,
		  const struct value *record)
{
	const struct miles_process *process;

	if (number == INTERN_FAILED)
		return false;
	process = &p->processes[number];
	return record[RANK].kind == VALUE_INT &&
	       process->rank.kind == VALUE_INT &&
	       record[RANK].i == process->rank.i &&
	       same_text(record[GPUS], process->gpus) &&
	       same_text(record[NODE], process->node) &&
	       same_text(record[ROLE], process->role);
}

/* The process of any record, by its key; INTERN_FAILED with err filled. */
static uint32_t find_process(struct phases *p, struct value *record,
			     struct err *err)
{
	struct miles_rows *rows = &p->rows;
	uint32_t known = rows->keys.count, number;
	struct value gpus = record[GPUS];

	if (foreign_parse(&rows->base, gpus, NULL, &rows->base.record,
			  &record[GPUS], err) < 0)
		return INTERN_FAILED;
	number = miles_number(rows, &rows->keys, record, process_key, 4, err);
	if (number == known && add_process(p, known, record, gpus, err) < 0)
		return INTERN_FAILED;
	return number;
}

/* The process of a record: often that of the previous record, or the one that
 * came after it last time. INTERN_FAILED with err filled. */
static uint32_t process_number(struct phases *p, struct value *record,
			       struct err *err)
{
	uint32_t last = p->last, after = INTERN_FAILED;

	if (is_of(p, last, record))
		return last;
	if (last != INTERN_FAILED)
		after = p->processes[last].after;
	p->last = is_of(p, after, record) ? after
					  : find_process(p, record, err);
	if (p->last == INTERN_FAILED)
		return p->last;
	if (last != INTERN_FAILED)
		p->processes[last].after = p->last;
	after = p->processes[p->last].after;
	foreign_know(&p->rows.base, 0, p->processes[p->last].gpus);
	if (after != INTERN_FAILED)
		foreign_know(&p->rows.base, 1, p->processes[after].gpus);
	return p->last;
}

/* The number of a name: often the one that came after the previous name last
 * time. INTERN_FAILED with err filled. */
static uint32_t name_number(struct phases *p, struct value name,
			    struct err *err)
{
	uint32_t *after = &p->name_after[p->last_name % NAMES_GUESSED];

	if (*after >= p->names.keys.count ||
	    !same_text(name, p->names.of[*after]))
		*after = foreign_keep_number(&p->names, name, err);
	p->last_name = *after;
	return *after;
}

static int take_phase(struct foreign *f, struct value record, struct err *err)
{
	struct phases *p = phases_of(f);
	struct value *members_of = record.items->v;
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
	phase.name = name_number(p, members_of[NAME], err);
	if (phase.process == INTERN_FAILED || phase.name == INTERN_FAILED)
		return err->code;
	kept = held_add(&p->rows.held, err);
	if (kept == NULL)
		return err->code;
	*kept = phase;
	return 0;
}

/* The key of a record's phase in the table of open ones. */
static uint64_t phase_hash(const struct phases *p,
			   const struct miles_phase *phase)
{
	double start = phase->start + 0.0; /* -0.0 is 0.0 */
	uint64_t bits;

	memcpy(&bits, &start, sizeof(bits));
	return hash_mix(hash_mix(bits, phase->name),
			p->processes[phase->process].place);
}

enum { AHEAD = 16 }; /* records whose place in the table is fetched */

static void fetch(const struct phases *p, size_t i)
{
	const struct held *held = &p->rows.held;
	const struct miles_phase *phase;

	if (i + AHEAD >= held->n)
		return;
	phase = held_at(held, i + AHEAD);
	if (!isnan(phase->end) && p->is_open[phase->name])
		map_prefetch(&p->open, phase_hash(p, phase));
}

/* Mark the open records that do not count: a phase may have another record with
 * an end, or an earlier open one. False: no memory. */
static bool mark_open(struct phases *p)
{
	const struct held *held = &p->rows.held;

	p->superseded = calloc(held->n + 1, 1);
	p->is_open = calloc(p->names.keys.count + (size_t)1, 1);
	if (p->superseded == NULL || p->is_open == NULL)
		return false;
	for (size_t i = 0; i < held->n; i++) {
		const struct miles_phase *phase = held_at(held, i);
		uint32_t place = (uint32_t)i;
		int added = 1;

		if (isnan(phase->end)) {
			added = map_add(&p->open, phase_hash(p, phase), &place);
			p->is_open[phase->name] = true;
		}
		if (added < 0)
			return false;
		p->superseded[i] = added == 0;
	}
	for (size_t i = 0; p->open.n > 0 && i < held->n; i++) {
		const struct miles_phase *phase = held_at(held, i);
		uint32_t first;

		fetch(p, i);
		if (!isnan(phase->end) && p->is_open[phase->name] &&
		    map_find(&p->open, phase_hash(p, phase), &first))
			p->superseded[first] = true;
	}
	return true;
}

/* Keep the records that count, each in the row of its process. */
static int choose(struct phases *p, struct err *err)
{
	struct held *held = &p->rows.held;
	size_t kept = 0;

	p->process_of =
		calloc(p->rows.keys.count + (size_t)1, sizeof(*p->process_of));
	if (p->process_of == NULL || !mark_open(p))
		return err_memory(err);
	for (size_t i = 0; i < held->n; i++) {
		struct miles_phase phase =
			*(const struct miles_phase *)held_at(held, i);
		struct miles_process *process = &p->processes[phase.process];

		if (p->superseded[i])
			continue;
		if (process->row == INTERN_FAILED) {
			process->row = p->row_count;
			p->process_of[p->row_count++] = phase.process;
		}
		phase.base.row = process->row;
		*(struct miles_phase *)held_at(held, kept++) = phase;
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
	size_t count = 0;
	struct carrier_span *spans = arena_alloc(c->arena, n * sizeof(*spans));

	if (spans == NULL)
		return arena_error(c->arena, err);
	CARRIER_SET(c, index, value_int((int64_t)i));
	CARRIER_SET(c, label, process->label);
	CARRIER_SET(c, source, process->role);
	for (uint32_t k = 0; k < n; k++) {
		const struct miles_phase *phase = held_get(held, i, k);
		struct value name = p->names.of[phase->name];

		if (!carrier_omits(c, name, isnan(phase->end) ? 1 : 2))
			spans[count++] =
				(struct carrier_span){.name = name,
						      .start = phase->start,
						      .end = phase->end};
	}
	held_nest(c, spans, count);
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
