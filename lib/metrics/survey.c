#include "metrics/survey.h"

#include <stdlib.h>

#include "metrics/copies.h"

bool survey_is_place(const struct catalogue_row *row, struct str label)
{
	return !catalogue_has(row->labels, label) && !str_is(label, "le") &&
	       copy_label_of(label) == COPY_NO_LABEL;
}

/* Among spellings of one metric its own name comes first, with _total before
 * without. */
static int place_of(const struct metric *m)
{
	if (catalogue_now(m->row) != m->row)
		return 2;
	return str_ends(m->source, "_total") ? 0 : 1;
}

static void link_metric(struct survey *s, const struct metric *m)
{
	struct metric *const *metrics = s->table->names.metrics;
	uint32_t *at = &s->first[catalogue_number(catalogue_now(m->row))];

	while (*at != 0 && place_of(metrics[*at - 1]) <= place_of(m))
		at = &s->next[*at - 1];
	s->next[m->number] = *at;
	*at = m->number + 1;
}

static int take_series(struct survey *s, const struct series *series,
		       struct label_set *labels, struct err *err)
{
	const struct catalogue_row *row =
		s->table->names.metrics[series->metric]->row;
	uint64_t replica = 0;

	if (series_read_labels(s->table, series, labels, err) < 0)
		return err->code;
	for (size_t i = 0; i < labels->n; i++) {
		const struct prom_label *label = &labels->v[i];

		if (survey_is_place(row, label->name)) {
			replica += prom_label_hash(label);
		} else if (!series->hidden &&
			   str_is(label->name, catalogue_side_labels[0])) {
			s->has_prefill |=
				str_is(label->value, catalogue_sides_labels[0]);
			s->has_decode |=
				str_is(label->value, catalogue_sides_labels[1]);
		}
	}
	return map_add(&s->replicas, replica, NULL) < 0 ? err_memory(err) : 0;
}

int survey_take(struct survey *s, const struct series_table *t, struct err *err)
{
	struct label_set labels = {0};
	int code = 0;

	*s = (struct survey){.table = t, .replicas = map_new(false)};
	s->first = calloc(catalogue_size(), sizeof(*s->first));
	s->next = calloc((size_t)t->names.n_metrics + 1, sizeof(*s->next));
	if (s->first == NULL || s->next == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->names.n_metrics; i++)
		if (t->names.metrics[i]->row != NULL)
			link_metric(s, t->names.metrics[i]);
	for (uint32_t i = 0; code == 0 && i < t->n; i++) {
		const struct series *series = series_at(t, i);

		if (t->names.metrics[series->metric]->row != NULL)
			code = take_series(s, series, &labels, err);
	}
	label_set_free(&labels);
	return code;
}

void survey_free(struct survey *s)
{
	free(s->first);
	free(s->next);
	map_free(&s->replicas);
}
