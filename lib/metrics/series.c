#include "metrics/series.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/pages.h"
#include "fmt/prom/prom_text.h"

void series_table_init(struct series_table *t, const struct naming *naming,
		       struct report *report)
{
	*t = (struct series_table){.arena = arena_new(LIMIT_SERIES),
				   .seen = map_new(true),
				   .lasts = intern_new(LIMIT_SERIES),
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
	intern_free(&t->lasts);
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
	intern_free(&t->lasts);
	t->stem.metric = NULL;
	t->added.metric = NULL;
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
	chunk = pages_alloc(SERIES_CHUNK * sizeof(*chunk));
	if (chunk == NULL)
		return ERR_MEMORY;
	t->chunks[t->chunks_n++] = chunk;
	return 0;
}

static int add_stamp(struct series_table *t, long double time)
{
	if (!ARRAY_GROW(t->stamps, t->stamps_n, t->stamps_cap))
		return ERR_MEMORY;
	/* A scrape stamps all samples alike: share one stamp over a run. */
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

/* Record the first series of the current part, and of empty ones before it. */
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

/* Labels --------------------------------------------------------------- */

struct str series_labels(const struct series_table *t, const struct series *s,
			 struct arena *a)
{
	struct str last;
	char *p, *at;

	if (s->last == 0)
		return str_make(s->labels, s->n);
	last = intern_text(&t->lasts, s->last - 1);
	p = at = arena_alloc(a, s->n + last.n + 1);
	if (p == NULL)
		return str_make(NULL, 0);
	if (s->n > 0) {
		memcpy(at, s->labels, s->n);
		at += s->n;
		*at++ = ',';
	}
	memcpy(at, last.p, last.n);
	return str_make(p, (size_t)(at - p) + last.n);
}

int series_read_labels(const struct series_table *t, const struct series *s,
		       struct label_set *set, struct err *err)
{
	struct prom_label last;
	int code = label_set_read(set, str_make(s->labels, s->n), err);

	if (code < 0 || s->last == 0)
		return code;
	prom_label_next(intern_text(&t->lasts, s->last - 1), &last);
	return label_set_push(set, last.name, last.value, err);
}

/* The label that stands last in the sample's set; NULL: none. */
static const struct prom_label *find_last(const struct metric *m,
					  const struct prom_line *line)
{
	const char *last = series_last_label(m);

	for (size_t i = 0; last != NULL && i < line->n_labels; i++)
		if (str_is(line->labels[i].name, last))
			return &line->labels[i];
	return NULL;
}

/* Are the sample's labels those of the series before, but for the last? */
static bool has_stem(const struct series_stem *stem, const struct metric *m,
		     const struct prom_line *line,
		     const struct prom_label *last)
{
	return last != NULL && stem->metric == m &&
	       stem->n_labels == line->n_labels &&
	       stem->hash == line->hash - prom_label_hash(last);
}

/* Remember the labels of a series, whose text is given, for the one behind. An
 * empty label has no part in the fingerprint, by which they are known. */
static void keep_stem(struct series_stem *stem, const struct metric *m,
		      const struct prom_line *line,
		      const struct prom_label *last, struct str text)
{
	size_t n = line->n_labels;

	stem->metric = last == NULL ? NULL : m;
	for (size_t i = 0; i < n; i++)
		if (line->labels[i].value.n == 0)
			stem->metric = NULL;
	if (stem->metric == NULL)
		return;
	stem->hash = line->hash - prom_label_hash(last);
	stem->n_labels = n;
	text.n -= last->name.n + last->value.n + 3 + (n > 1);
	stem->text = text;
}

/* The canonical text of the labels in the table's arena; p is NULL on failure.
 */
static struct str labels_of(struct series_table *t, const struct metric *m,
			    const struct prom_line *line,
			    const struct prom_label *last, struct err *err)
{
	size_t n = line->n_labels;
	struct str text;

	bool written = line->written.p != NULL &&
		       labels_in_order(line->labels, n, last);

	if (written && line->lasts)
		return line->written;
	if (written) {
		text = str_make(arena_alloc(&t->arena, line->written.n),
				line->written.n);
		if (text.p != NULL)
			memcpy((char *)text.p, line->written.p, text.n);
	} else {
		if (label_set_copy(&t->sorted, line->labels, n, err) < 0)
			return str_make(NULL, 0);
		labels_sort(t->sorted.v, n, series_last_label(m));
		text = labels_text(&t->arena, t->sorted.v, n);
	}
	if (text.p == NULL)
		arena_error(&t->arena, err);
	return text;
}

/* Write the labels into the table, as they are in s; 0 or an error. */
static int add_labels(struct series_table *t, const struct metric *m,
		      const struct prom_line *line,
		      const struct prom_label *last, struct series *s,
		      struct err *err)
{
	bool shares = has_stem(&t->stem, m, line, last);
	struct str text = shares ? label_written(last) : str_make(NULL, 0);

	if (text.p != NULL) {
		s->last = intern_add(&t->lasts, text) + 1;
		s->labels = t->stem.text.p;
		s->n = (uint32_t)t->stem.text.n;
		/* INTERN_FAILED + 1 is 0 */
		return s->last == 0 ? intern_error(&t->lasts, err) : 0;
	}
	text = labels_of(t, m, line, last, err);
	if (text.p == NULL)
		return err->code;
	s->labels = text.p;
	s->n = (uint32_t)text.n;
	return 0;
}

/* Adding --------------------------------------------------------------- */

/* A place for one more series; NULL, with *err, if there is none. */
static struct series *next_place(struct series_table *t, struct err *err)
{
	if (t->n == NO_NUMBER - 1) {
		err_set(err, ERR_LIMIT, "more than %u series at a time", t->n);
		return NULL;
	}
	if ((t->n / SERIES_CHUNK == t->chunks_n && add_chunk(t) < 0) ||
	    (t->parts_n < t->names.n_parts && begin_parts(t) < 0))
		return err_no_memory(err);
	return series_at(t, t->n);
}

/* The last series, which is not settled, is a duplicate of number i. Its labels
 * are usually what the arena gave last. */
static void take_back(struct series_table *t, uint32_t i)
{
	const struct series_added *added = &t->added;
	struct series *s = series_at(t, --t->n);
	struct metric *m = added->metric;
	char *text = (char *)s->labels;

	m->last = added->behind;
	if (m->last == NO_NUMBER)
		m->first = NO_NUMBER;
	else
		series_at(t, m->last)->next = NO_NUMBER;
	if (s->last == 0)
		t->stem.metric = NULL;
	if (s->last == 0 &&
	    text + ((s->n + (size_t)7) & ~(size_t)7) == t->arena.at)
		arena_shrink(&t->arena, text, 0);
	names_report_duplicate(&t->names, m, part_of(t, i), added->line_number);
}

int series_settle(struct series_table *t, struct err *err)
{
	struct series_added *added = &t->added;
	uint32_t i = t->n - 1;
	struct series *s;
	int code;

	if (added->metric == NULL)
		return 0;
	s = series_at(t, i);
	code = map_add(&t->seen, s->hash, &i);
	if (code == 0)
		take_back(t, i);
	if (code == 1 && added->stamped)
		code = add_stamp(t, added->time);
	if (code < 0)
		return err_memory(err);
	if (added->stamped)
		s->stamp = t->stamps_n;
	added->metric = NULL;
	return 0;
}

/* Written where it stays: a copy would wait for what was written just now. */
int series_add(struct series_table *t, struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	const struct prom_label *last = find_last(m, line);
	uint64_t hash = hash_mix(m->hash, line->hash);
	struct series *s;

	if (series_settle(t, err) < 0)
		return err->code;
	map_prefetch(&t->seen, hash);
	s = next_place(t, err);
	if (s == NULL)
		return err->code;
	s->hash = hash;
	s->value = line->value;
	s->metric = m->number;
	s->next = NO_NUMBER;
	s->last = s->stamp = 0;
	s->hidden = false;
	if (add_labels(t, m, line, last, s, err) < 0)
		return err->code;
	if (s->last == 0)
		keep_stem(&t->stem, m, line, last, str_make(s->labels, s->n));
	t->added = (struct series_added){m, m->last, line->stamped, line->time,
					 line_number};
	link_series(t, m, t->n++);
	return 0;
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
