#include "metrics/multiproc/multiproc.h"

#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "metrics/multiproc/multiproc_parts.h"

/* Tables -------------------------------------------------------------- */

static struct multiproc_table table_new(void)
{
	return (struct multiproc_table){.names = intern_new(LIMIT_SERIES)};
}

static void table_free(struct multiproc_table *t)
{
	intern_free(&t->names);
	free(t->items);
}

struct multiproc multiproc_new(void)
{
	return (struct multiproc){
		.arena = arena_new(LIMIT_SERIES),
		.scratch = arena_new(LIMIT_SERIES),
		.text = buf_new(LIMIT_MPDB),
		.keys = table_new(),
		.families = table_new(),
		.series = table_new(),
		.processes = intern_new(LIMIT_SERIES),
		.part_numbers = map_new(true),
	};
}

void multiproc_free(struct multiproc *m)
{
	arena_free(&m->arena);
	arena_free(&m->scratch);
	buf_free(&m->text);
	table_free(&m->keys);
	table_free(&m->families);
	table_free(&m->series);
	intern_free(&m->processes);
	map_free(&m->part_numbers);
	free(m->parts);
}

/* Reductions ---------------------------------------------------------- */

static void add_up(struct multiproc_point *p, const struct mpdb_entry *e)
{
	p->value += e->value;
	p->any = true;
}

static void replace(struct multiproc_point *p, const struct mpdb_entry *e)
{
	p->value = e->value;
	p->any = true;
}

static void keep_least(struct multiproc_point *p, const struct mpdb_entry *e)
{
	if (!p->any || isnan(p->value) || e->value < p->value)
		replace(p, e);
}

static void keep_greatest(struct multiproc_point *p, const struct mpdb_entry *e)
{
	if (!p->any || isnan(p->value) || e->value > p->value)
		replace(p, e);
}

static void keep_newest(struct multiproc_point *p, const struct mpdb_entry *e)
{
	if (!(e->stamp > p->stamp))
		return;
	p->stamp = e->stamp;
	replace(p, e);
}

static void (*const reduce[MPDB_MODES])(struct multiproc_point *p,
					const struct mpdb_entry *e) = {
	[MPDB_SUM] = add_up,	    [MPDB_MIN] = keep_least,
	[MPDB_MAX] = keep_greatest, [MPDB_MOSTRECENT] = keep_newest,
	[MPDB_ALL] = replace,
};

/* Files --------------------------------------------------------------- */

static const char *const mode_words[MPDB_MODES] = {
	[MPDB_SUM] = "sum", [MPDB_MIN] = "min",
	[MPDB_MAX] = "max", [MPDB_MOSTRECENT] = "mostrecent",
	[MPDB_ALL] = "all",
};

/* A file whose entries are being added. */
struct adding {
	const struct mpdb_name *name;
	uint32_t process;
	struct multiproc_key *last;
	struct err odd; /* the first bad entry */
	size_t others;	/* bad entries after it */
};

static struct multiproc_point *
point_of(struct multiproc *m, const struct multiproc_key *key, uint32_t process)
{
	struct multiproc_part *part = key->bucket;

	if (part == NULL && key->family->mode != MPDB_ALL)
		return &key->series->point;
	if (part == NULL)
		part = multiproc_part_of(m, key->series, process);
	return part == NULL ? NULL : &part->point;
}

static int add_entry(struct multiproc *m, struct adding *a,
		     const struct mpdb_entry *entry, struct err *err)
{
	const struct multiproc_family *family;
	struct multiproc_key *key;
	struct multiproc_point *point;
	int code =
		multiproc_key_find(m, a->name, entry->key, a->last, &key, err);

	if (code < 0)
		return code;
	a->last = key;
	family = key->family;
	point = point_of(m, key, a->process);
	if (point == NULL)
		return arena_error(&m->arena, err);
	reduce[family->mode](point, entry);
	if (family->mode != a->name->mode)
		return err_set(
			err, ERR_INPUT,
			"%.*s has mode %s in an earlier file, which is used",
			STR_ARG(family->name), mode_words[family->mode]);
	return 0;
}

/* Keep the first bad entry, count the others. */
static void note_odd(struct adding *a, const struct mpdb_entry *entry,
		     const struct err *err)
{
	if (a->odd.code != 0)
		a->others++;
	else
		err_at(&a->odd, ERR_INPUT, ERR_BYTE, (int64_t)entry->at, "%s",
		       err->text);
}

int multiproc_add(struct multiproc *m, const struct mpdb_name *name,
		  struct mpdb *db, struct err *err)
{
	struct adding a = {.name = name};
	struct mpdb_entry entry;

	a.process = intern_add(&m->processes, name->process);
	if (a.process == INTERN_FAILED)
		return intern_error(&m->processes, err);
	while (mpdb_next(db, &entry)) {
		int code = add_entry(m, &a, &entry, err);

		if (code == ERR_INPUT)
			note_odd(&a, &entry, err);
		else if (code < 0)
			return code;
	}
	if (a.others > 0)
		return err_at(err, ERR_INPUT, ERR_BYTE, a.odd.at,
			      "%s (and %zu more)", a.odd.text, a.others);
	*err = a.odd;
	return a.odd.code;
}
