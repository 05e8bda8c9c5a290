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
		s->n = (uint32_t)t->stem.text.n & INT32_MAX;
		/* INTERN_FAILED + 1 is 0 */
		return s->last == 0 ? intern_error(&t->lasts, err) : 0;
	}
	if (label_set_copy(&t->sorted, line->labels, line->n_labels, err) < 0)
		return err->code;
	labels_sort(t->sorted.v, line->n_labels, series_last_label(m));
	text = labels_text(&t->arena, t->sorted.v, line->n_labels);
	s->labels = text.p;
	s->n = (uint32_t)text.n & INT32_MAX;
	return text.p == NULL ? arena_error(&t->arena, err) : 0;
}

/* Adding --------------------------------------------------------------- */

/* The series, which is new, gets its place. */
static int append(struct series_table *t, struct metric *m,
		  const struct prom_line *line, struct series *s,
		  struct err *err)
{
	uint32_t i = t->n;

	if (i == NO_NUMBER - 1)
		return err_set(err, ERR_LIMIT, "more than %u series at a time",
			       i);
	/* analyze: -Wanalyzer-malloc-leak: the chunk is in t->chunks */
	if ((i / SERIES_CHUNK == t->chunks_n && add_chunk(t) < 0) ||
	    (line->stamped && add_stamp(t, line->time) < 0))
		return err_memory(err);
	s->stamp = line->stamped ? t->stamps_n : 0;
	*series_at(t, i) = *s;
	t->n++;
	link_series(t, m, i);
	return 0;
}

int series_add(struct series_table *t, struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	const struct prom_label *last = find_last(m, line);
	struct series s = {.hash = hash_mix(m->hash, line->hash),
			   .value = line->value,
			   .metric = m->number,
			   .next = NO_NUMBER};
	uint32_t i = t->n;
	int code;

	/* The labels are written while the fingerprint is fetched. */
	map_prefetch(&t->seen, s.hash);
	if (t->parts_n < t->names.n_parts && begin_parts(t) < 0)
		return err_memory(err);
	if (add_labels(t, m, line, last, &s, err) < 0)
		return err->code;
	code = map_add(&t->seen, s.hash, &i);
	if (code < 0)
		return err_memory(err);
	if (code == 0) {
		if (s.last == 0)
			arena_shrink(&t->arena, (char *)s.labels, 0);
		names_tell_duplicate(&t->names, m, part_of(t, i), line_number);
		return 0;
	}
	if (s.last == 0)
		keep_stem(&t->stem, m, line, last, str_make(s.labels, s.n));
	return append(t, m, line, &s, err) < 0 ? err->code : 1;
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
