#include "metrics/regroup.h"

#include "base/limits.h"
#include "fmt/prom/prom_text.h"

/* State of one walk. */
struct walk {
	const struct series_table *table;
	const struct delta *delta; /* NULL: values unchanged */
	struct metric_sink *sink;
	struct label_set padding; /* label names of a family's samples */
	struct label_set labels;
	struct arena scratch;	   /* for one sample's text */
	const struct family *head; /* a family not yet written */
	bool pad;
};

static bool has_name(const struct label_set *set, struct str name)
{
	for (size_t i = 0; i < set->n; i++)
		if (str_eq(set->v[i].name, name))
			return true;
	return false;
}

/* Does the label distinguish the samples of one histogram? */
static bool is_inner(const struct metric *m, struct str name)
{
	const char *inner = series_last_label(m);

	return inner != NULL && str_is(name, inner);
}

/* Collect the label names of a family. */
static int find_padding(struct walk *w, const struct family *f, struct err *err)
{
	struct series_walk walk = series_walk_of(w->table, f);
	const struct series *s;
	int code = 0;

	w->padding.n = 0;
	for (s = series_walk_next(&walk); code == 0 && s != NULL;
	     s = series_walk_next(&walk)) {
		const struct metric *m = w->table->names.metrics[s->metric];

		if (s->hidden)
			continue;
		code = series_read_labels(w->table, s, &w->labels, err);
		for (size_t i = 0; code == 0 && i < w->labels.n; i++) {
			struct str name = w->labels.v[i].name;

			if (!is_inner(m, name) && !has_name(&w->padding, name))
				code = label_set_push(&w->padding, name,
						      str_make("", 0), err);
		}
	}
	return code;
}

/* The sample's labels with those missing added. */
static int pad_labels(struct walk *w, const struct series *s, struct str *text,
		      struct err *err)
{
	const struct metric *m = w->table->names.metrics[s->metric];
	int code = series_read_labels(w->table, s, &w->labels, err);

	for (size_t i = 0; code == 0 && i < w->padding.n; i++) {
		struct prom_label label = w->padding.v[i];

		if (!has_name(&w->labels, label.name))
			code = label_set_push(&w->labels, label.name,
					      label.value, err);
	}
	if (code < 0)
		return code;
	labels_sort(w->labels.v, w->labels.n, series_last_label(m));
	*text = labels_text(&w->scratch, w->labels.v, w->labels.n);
	return 0;
}

static int put_head(struct walk *w, struct err *err)
{
	const struct family *f = w->head;
	struct metric_family head = {.name = f->name,
				     .help = f->help,
				     .type = f->type,
				     .typed = f->typed,
				     .grows = delta_is_growing(&w->table->names,
							       f)};

	if (w->delta != NULL && head.type == PROM_COUNTER)
		head.type = PROM_GAUGE;
	w->head = NULL;
	return w->sink->family(w->sink, &head, err);
}

static int put_series(struct walk *w, const struct series *s, struct err *err)
{
	const struct metric *m = w->table->names.metrics[s->metric];
	struct metric_sample sample = {.name = m->name,
				       .value = s->value,
				       .time = series_time(w->table, s)};
	int code = 0;

	if (s->hidden || (m->role == ROLE_VALUE &&
			  w->table->names.families[m->family]->was_gauge))
		return 0;
	if (w->delta != NULL && !delta_value(w->delta, m, s, &sample.value))
		return 0;
	if (w->head != NULL)
		code = put_head(w, err);
	arena_reset(&w->scratch);
	if (code == 0 && w->pad)
		code = pad_labels(w, s, &sample.labels, err);
	else if (code == 0)
		sample.labels = series_labels(w->table, s, &w->scratch);
	if (code < 0)
		return code;
	return sample.labels.p == NULL ? arena_error(&w->scratch, err)
				       : w->sink->sample(w->sink, &sample, err);
}

/* A family without samples is passed on, but has no differences. */
static int put_family(struct walk *w, const struct family *f, struct err *err)
{
	struct series_walk walk = series_walk_of(w->table, f);
	const struct series *s = series_walk_next(&walk);
	int code = 0;

	w->head = f;
	if (s == NULL && w->delta == NULL && (f->typed || f->help.n > 0))
		return put_head(w, err);
	if (w->pad)
		code = find_padding(w, f, err);
	for (; code == 0 && s != NULL; s = series_walk_next(&walk))
		code = put_series(w, s, err);
	return code;
}

int regroup_walk(const struct series_table *t, const struct delta *d, bool pad,
		 struct metric_sink *sink, struct err *err)
{
	struct walk w = {.table = t,
			 .delta = d,
			 .sink = sink,
			 .scratch = arena_new(LIMIT_LINE * 4),
			 .pad = pad};
	const struct names *names = &t->names;
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < names->n_families; i++) {
		const struct family *f = names->families[i];

		if (!f->counted && !names_is_part(names, f) &&
		    naming_wants(names->naming, f->source, f->name))
			code = put_family(&w, f, err);
	}
	label_set_free(&w.padding);
	label_set_free(&w.labels);
	arena_free(&w.scratch);
	return code;
}

int regroup_reduce(const struct series_table *t, const struct delta *d,
		   struct reduce *r, struct err *err)
{
	struct label_set labels = {0};
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < t->n; i++) {
		const struct series *s = series_at(t, i);
		const struct metric *m = t->names.metrics[s->metric];
		struct prom_line line = {.stamped = s->stamp != 0,
					 .time = series_time(t, s)};

		if (s->hidden || !delta_value(d, m, s, &line.value))
			continue;
		code = series_read_labels(t, s, &labels, err);
		if (code < 0)
			break;
		line.labels = labels.v;
		line.n_labels = labels.n;
		line.hash = labels_hash(labels.v, labels.n);
		code = reduce_add(r, m, &line, 0, err);
	}
	label_set_free(&labels);
	return code;
}
