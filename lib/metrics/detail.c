#include "metrics/detail.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "metrics/labels.h"
#include "metrics/term.h"

struct detail *detail_new(uint64_t engine, struct str name)
{
	struct detail *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->engine = engine;
	d->by_series = map_new(true);
	d->text = arena_new(LIMIT_SERIES);
	d->time = (double)NAN;
	d->address = arena_str(&d->text, name);
	if (d->address.p != NULL)
		return d;
	detail_free(d);
	return NULL;
}

void detail_free(struct detail *d)
{
	if (d == NULL)
		return;
	for (uint32_t i = 0; i < d->n; i++)
		free(d->metrics[i]);
	free(d->metrics);
	map_free(&d->by_series);
	arena_free(&d->text);
	free(d);
}

static bool is_own(const struct detail *d, const struct prom_line *line)
{
	const struct prom_label *worker =
		term_worker_label(line->labels, line->n_labels);

	/* Without such a label the name consists of all labels. */
	return worker == NULL || str_eq(worker->value, d->address);
}

static bool is_part(const struct prom_line *line)
{
	for (size_t i = 0; i < line->n_labels; i++)
		if (str_is(line->labels[i].name, "le") ||
		    str_is(line->labels[i].name, "quantile"))
			return true;
	return false;
}

/* Labels that distinguish the engine's series. */
static struct str own_labels(struct detail *d, const struct prom_line *line,
			     struct err *err)
{
	struct label_set set = {0};
	struct str text = {NULL, 0};

	for (size_t i = 0; i < line->n_labels; i++) {
		const struct prom_label *l = &line->labels[i];

		if (catalogue_lists(catalogue_worker_labels, l->name) ||
		    catalogue_lists(catalogue_kin_labels, l->name))
			continue;
		if (label_set_push(&set, l->name, l->value, err) < 0)
			goto out;
	}
	text = labels_text(&d->text, set.v, set.n);
out:
	label_set_free(&set);
	return text;
}

static bool counts(const struct catalogue_row *row, struct str name,
		   struct str suffix)
{
	if (row != NULL && suffix.n == 0)
		return row->type == PROM_COUNTER;
	return suffix.n > 0 || str_ends(name, "_total") ||
	       str_ends(name, "_count") || str_ends(name, "_sum");
}

static struct detail_metric *
new_metric(struct detail *d, const struct prom_line *line, struct err *err)
{
	struct detail_metric *m = calloc(1, sizeof(*m));
	struct str suffix = {"", 0};

	if (m == NULL)
		return err_no_memory(err);
	m->name = arena_str(&d->text, line->name);
	m->labels = own_labels(d, line, err);
	m->row = catalogue_find_sample(line->name, &suffix);
	m->counts = counts(m->row, line->name, suffix);
	m->value = m->before = (double)NAN;
	if (m->name.p != NULL && m->labels.p != NULL)
		return m;
	free(m);
	return err_no_memory(err);
}

int detail_take(struct detail *d, const struct prom_line *line, struct err *err)
{
	uint64_t key;
	uint32_t i = d->n;
	int code;

	if (line->kind != PROM_SAMPLE || !is_own(d, line) || is_part(line))
		return 0;
	key = hash_mix(hash_bytes(line->name.p, line->name.n, 0), line->hash);
	if (d->n >= DETAIL_METRICS && !map_find(&d->by_series, key, &i))
		return 0;
	code = map_add(&d->by_series, key, &i);
	if (code < 0)
		return err_memory(err);
	if (code == 1) {
		if (!ARRAY_GROW(d->metrics, d->n, d->cap))
			return err_memory(err);
		d->metrics[d->n] = new_metric(d, line, err);
		if (d->metrics[d->n] == NULL)
			return err->code;
		d->n++;
	}
	d->metrics[i]->value = line->value;
	d->metrics[i]->here = true;
	return 0;
}

/* Add the snapshot to the values of a metric. */
static double step_of(const struct detail_metric *m, double seconds)
{
	if (!m->here)
		return (double)NAN;
	if (!m->counts)
		return m->value;
	return m->value >= m->before ? (m->value - m->before) / seconds
				     : (double)NAN;
}

void detail_end(struct detail *d, double time, double set_by)
{
	double seconds = time - (d->time + set_by - d->set_by);

	for (uint32_t i = 0; i < d->n; i++) {
		struct detail_metric *m = d->metrics[i];

		m->values[m->n++ % DETAIL_VALUES] = (float)step_of(m, seconds);
		m->before = m->here ? m->value : (double)NAN;
		m->here = false;
	}
	d->time = time;
	d->set_by = set_by;
	d->snapshots++;
}

void detail_history(const struct detail_metric *m, size_t n, double *values)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t back = n - i;

		values[i] = back > m->n || back > DETAIL_VALUES
				    ? (double)NAN
				    : (double)m->values[(m->n - back) %
							DETAIL_VALUES];
	}
}
