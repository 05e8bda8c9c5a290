#include "metrics/series.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"

void series_table_init(struct series_table *t, const struct naming *naming,
		       struct report *report)
{
	*t = (struct series_table){.arena = arena_new(LIMIT_SERIES),
				   .seen = map_new(true),
				   .newest = (long double)NAN,
				   .arrived = (double)NAN};
	t->names = names_new(&t->arena, naming, report);
}

void series_table_free(struct series_table *t)
{
	for (uint32_t i = 0; i < t->chunks_n; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->stamps);
	free(t->parts);
	map_free(&t->seen);
	label_set_free(&t->sorted);
	names_free(&t->names);
	arena_free(&t->arena);
	t->chunks = NULL;
	t->stamps = NULL;
	t->parts = NULL;
	t->n = t->chunks_n = t->stamps_n = t->parts_n = 0;
	t->chunks_cap = t->stamps_cap = t->parts_cap = 0;
}

void series_table_clear(struct series_table *t)
{
	names_clear(&t->names);
	arena_reset(&t->arena);
	map_clear(&t->seen);
	t->n = 0;
	t->stamps_n = t->parts_n = 0;
	t->newest = (long double)NAN;
	t->arrived = (double)NAN;
}

double series_table_time(const struct series_table *t)
{
	return isnan(t->newest) ? t->arrived : (double)(t->newest / 1000);
}

long double series_time(const struct series_table *t, const struct series *s)
{
	return s->stamp == 0 ? (long double)NAN : t->stamps[s->stamp - 1];
}

struct series *series_find(const struct series_table *t, uint64_t hash)
{
	uint32_t i;

	return map_find(&t->seen, hash, &i) ? series_at(t, i) : NULL;
}

const char *series_last_label(const struct metric *m)
{
	if (m->role == ROLE_BUCKET)
		return "le";
	return m->role == ROLE_QUANTILE ? "quantile" : NULL;
}

static int add_chunk(struct series_table *t)
{
	struct series *chunk;

	if (!ARRAY_GROW(t->chunks, t->chunks_n, t->chunks_cap))
		return ERR_MEMORY;
	chunk = malloc(SERIES_CHUNK * sizeof(*chunk));
	if (chunk == NULL)
		return ERR_MEMORY;
	t->chunks[t->chunks_n++] = chunk;
	return 0;
}

static int add_stamp(struct series_table *t, long double time)
{
	if (!ARRAY_GROW(t->stamps, t->stamps_n, t->stamps_cap))
		return ERR_MEMORY;
	/* Scrapes stamp all samples alike: one stamp will do for a run. */
	if (t->stamps_n == 0 || t->stamps[t->stamps_n - 1] != time)
		t->stamps[t->stamps_n++] = time;
	if (!(time <= t->newest))
		t->newest = time;
	return 0;
}

static void link_series(struct series_table *t, struct metric *m, uint32_t i)
{
	if (m->first == NO_NUMBER)
		m->first = i;
	else
		series_at(t, m->last)->next = i;
	m->last = i;
}

/* Note which series the current part, and those empty before it, begin with. */
static int begin_parts(struct series_table *t)
{
	while (t->parts_n < t->names.n_parts) {
		if (!ARRAY_GROW(t->parts, t->parts_n, t->parts_cap))
			return ERR_MEMORY;
		t->parts[t->parts_n++] = t->n;
	}
	return 0;
}

static uint32_t part_of(const struct series_table *t, uint32_t i)
{
	uint32_t part = t->parts_n - 1;

	while (part > 0 && t->parts[part] > i)
		part--;
	return part;
}

int series_add(struct series_table *t, struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	uint64_t hash = hash_mix(m->hash, line->hash);
	uint32_t i = t->n;
	size_t n = line->n_labels;
	bool stamped = line->stamped;
	struct str text;
	int code;

	map_prefetch(&t->seen, hash);
	if (t->parts_n < t->names.n_parts && begin_parts(t) < 0)
		return err_memory(err);
	if (label_set_copy(&t->sorted, line->labels, n, err) < 0)
		return err->code;
	labels_sort(t->sorted.v, n, series_last_label(m));
	code = map_add(&t->seen, hash, &i);
	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		names_tell_duplicate(&t->names, m, part_of(t, i), line_number);
		return 0;
	}
	if (i == NO_NUMBER - 1)
		return err_set(err, ERR_LIMIT, "more than %u series at a time",
			       i);
	text = labels_text(&t->arena, t->sorted.v, n);
	if (text.p == NULL ||
	    /* analyze: -Wanalyzer-malloc-leak: the chunk is in t->chunks */
	    (i / SERIES_CHUNK == t->chunks_n && add_chunk(t) < 0) ||
	    (stamped && add_stamp(t, line->time) < 0))
		return arena_error(&t->arena, err);
	*series_at(t, i) = (struct series){.labels = text.p,
					   .hash = hash,
					   .value = line->value,
					   .n = (uint32_t)text.n & INT32_MAX,
					   .metric = m->number,
					   .next = NO_NUMBER,
					   .stamp = stamped ? t->stamps_n : 0};
	t->n++;
	link_series(t, m, i);
	return 1;
}

struct series_walk series_walk_of(const struct series_table *t,
				  const struct family *f)
{
	struct series_walk w = {.table = t};

	for (uint32_t i = f->metrics; i != NO_NUMBER && w.n < WALK_METRICS;
	     i = t->names.metrics[i]->next)
		if (t->names.metrics[i]->first != NO_NUMBER)
			w.heads[w.n++] = t->names.metrics[i]->first;
	return w;
}

struct series *series_walk_next(struct series_walk *w)
{
	uint32_t least = 0;
	struct series *s;

	if (w->n == 0)
		return NULL;
	for (uint32_t i = 1; i < w->n; i++)
		if (w->heads[i] < w->heads[least])
			least = i;
	s = series_at(w->table, w->heads[least]);
	if (s->next != NO_NUMBER)
		w->heads[least] = s->next;
	else
		w->heads[least] = w->heads[--w->n];
	return s;
}
