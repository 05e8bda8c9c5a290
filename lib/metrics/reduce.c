#include "metrics/reduce_incoming.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"

struct reduce reduce_new(const struct reduce_how *how, struct names *names)
{
	return (struct reduce){.how = how,
			       .arena = names->arena,
			       .names = names,
			       .seen = map_new(how->parted),
			       .by_series = map_new(true),
			       .paths = bucket_paths_new(),
			       .by_key = map_new(true),
			       .facts = facts_new(),
			       .totals = totals_new()};
}

static void free_groups(struct reduce *r)
{
	for (uint32_t i = 0; i < r->facts.n; i++) {
		struct fact *fact = &r->facts.v[i];

		if (!fact->is_histogram || fact->apart == NULL)
			continue;
		buckets_free(&fact->apart->buckets);
		free(fact->apart);
	}
	facts_clear(&r->facts);
	totals_clear(&r->totals);
	for (uint32_t i = 0; i < r->n; i++) {
		buckets_free(&r->groups[i]->buckets);
		free(r->groups[i]);
	}
	r->n = 0;
	r->in.group = NULL;
}

void reduce_free(struct reduce *r)
{
	free_groups(r);
	free(r->groups);
	label_set_free(&r->scratch);
	map_free(&r->seen);
	map_free(&r->by_series);
	free(r->histograms);
	bucket_paths_free(&r->paths);
	map_free(&r->by_key);
	facts_free(&r->facts);
	totals_free(&r->totals);
	*r = reduce_new(r->how, r->names);
}

void reduce_clear(struct reduce *r)
{
	free_groups(r);
	map_clear(&r->seen);
	map_clear(&r->by_series);
	r->n_histograms = 0;
	r->plain_le = false;
	bucket_paths_clear(&r->paths);
	map_clear(&r->by_key);
}

/* Does the catalogue have labels that --by always keeps? */

static bool is_listed(const struct reduce_how *how, struct str name)
{
	for (size_t i = 0; i < how->n_labels; i++)
		if (str_eq(how->labels[i], name))
			return true;
	return false;
}

/* Do groups of samples with this name have the label? */
static bool keeps_more(const struct reduce_how *how, const struct metric *m)
{
	return !how->without && how->op == OP_DEFAULT && m->row != NULL &&
	       *catalogue_str(m->row->keep) != '\0';
}

/* Does a group of samples of this name have the label? */
static bool keeps(const struct reduce_how *how, const struct metric *m,
		  struct str name)
{
	if (is_listed(how, name))
		return !how->without;
	return how->without ||
	       (keeps_more(how, m) && catalogue_has(m->row->keep, name));
}

static bool is_le(struct str name)
{
	return name.n == 2 && name.p[0] == 'l' && name.p[1] == 'e';
}

/* The fingerprint of the label with that name, or 0; ignores a bucket's le. */
static uint64_t hash_of(const struct incoming *in, struct str name)
{
	for (size_t i = 0; i < in->line->n_labels; i++)
		if (str_eq(in->line->labels[i].name, name))
			return &in->line->labels[i] == in->le &&
					       incoming_is_bucket(in)
				       ? 0
				       : prom_label_hash(&in->line->labels[i]);
	return 0;
}

/* The fingerprint of the kept labels. Names in a set are unique, and so are
 * those of the reduction. */
static uint64_t kept_labels(const struct reduce_how *how,
			    const struct incoming *in)
{
	bool more = keeps_more(how, in->metric);
	uint64_t named = 0;

	for (size_t i = 0; i < how->n_labels; i++)
		named += hash_of(in, how->labels[i]);
	for (size_t i = 0; more && i < in->line->n_labels; i++) {
		struct str name = in->line->labels[i].name;

		if (!is_listed(how, name) &&
		    catalogue_has(in->metric->row->keep, name))
			named += prom_label_hash(&in->line->labels[i]);
	}
	return how->without ? in->series - named : named;
}

/* The labels that distinguish copies, and those that mark totals. */
static void take_ranks(const struct reduce_how *how, struct incoming *in)
{
	const struct catalogue_row *row = in->metric->row;
	unsigned int folded = copy_labels_of((enum metric_copies)row->copies);
	const char *total = catalogue_str(row->total);

	in->fact = in->series;
	in->part = 0;
	in->splits = *total != '\0' && keeps(how, in->metric, str_of(total));
	in->rank = (struct copy_rank){0};
	for (size_t i = 0; i < in->line->n_labels; i++) {
		const struct prom_label *label = &in->line->labels[i];
		enum copy_label copy = copy_label_of(label->name);

		if ((copy & folded) != 0 &&
		    !keeps(how, in->metric, label->name)) {
			copy_rank_take(&in->rank, copy, label->value);
			in->fact -= prom_label_hash(label);
		} else if (*total != '\0' && str_is(label->name, total)) {
			in->part = prom_label_hash(label);
		}
	}
}

static struct group *new_group(struct reduce *r)
{
	struct group *g;

	if (!ARRAY_GROW(r->groups, r->n, r->cap))
		return NULL;
	g = calloc(1, sizeof(*g)); /* an arena only aligns to 8 */
	if (g != NULL)
		r->groups[r->n++] = g;
	return g;
}

/* Write the labels of a new group: the kept ones, sorted. */
static int write_labels(struct reduce *r, struct group *g,
			const struct incoming *in, struct err *err)
{
	int code = 0;

	r->scratch.n = 0;
	for (size_t i = 0; code == 0 && i < in->line->n_labels; i++) {
		const struct prom_label *label = &in->line->labels[i];

		if (label->value.n > 0 &&
		    !(incoming_is_bucket(in) && is_le(label->name)) &&
		    keeps(r->how, in->metric, label->name))
			code = label_set_push(&r->scratch, label->name,
					      label->value, err);
	}
	labels_sort(r->scratch.v, r->scratch.n, NULL);
	g->labels = labels_text(r->arena, r->scratch.v, r->scratch.n);
	if (g->labels.p == NULL)
		return arena_error(r->arena, err);
	return code;
}

/* Find the sample's group, or create it. */
static int find_group(struct reduce *r, struct incoming *in, struct err *err)
{
	uint64_t key = hash_mix(in->metric->hash, kept_labels(r->how, in));
	uint32_t i = r->n;
	int code = map_add(&r->by_key, key, &i);

	if (code < 0)
		return err_memory(err);
	in->group = code == 0 ? r->groups[i] : new_group(r);
	if (in->group == NULL)
		return err_memory(err);
	if (code == 0)
		return 0;
	in->group->metric = in->metric->number;
	return write_labels(r, in->group, in, err);
}

/* Collect the facts about a series. */
static int meet_series(struct reduce *r, const struct metric *m,
		       uint64_t series, struct err *err)
{
	struct incoming *in = &r->in;
	const struct catalogue_row *row = m->row;

	in->metric = m;
	in->series = series;
	in->group = NULL;
	in->may_be_copy =
		row != NULL && !r->how->raw &&
		(row->copies == COPIES_RANKS || row->copies == COPIES_PODS);
	if (in->may_be_copy)
		take_ranks(r->how, in);
	else if (!incoming_is_bucket(in))
		map_prefetch(&r->seen, hash_mix(m->hash, series));
	if (find_group(r, in, err) < 0)
		return err->code;
	in->group->series += series;
	return 0;
}

/* A quantile, or a bucket without a bound. */
static bool is_irreducible(struct reduce *r, const struct metric *m)
{
	struct incoming *in = &r->in;

	if (m->role != ROLE_BUCKET)
		return m->role == ROLE_QUANTILE;
	return in->le == NULL || !bucket_bound(&r->paths, in->le, &in->bound);
}

/* The label le; NULL if there is none. */
static const struct prom_label *find_le(const struct prom_line *line)
{
	for (size_t i = 0; i < line->n_labels; i++)
		if (is_le(line->labels[i].name))
			return &line->labels[i];
	return NULL;
}

int reduce_add(struct reduce *r, const struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err)
{
	struct incoming *in = &r->in;
	uint64_t series = line->hash;

	in->line = line;
	in->line_number = line_number;
	in->le = find_le(line);
	if (is_irreducible(r, m)) {
		r->names->report->counts[REMARK_DROPPED]++;
		return 0;
	}
	if (m->role == ROLE_BUCKET)
		series -= prom_label_hash(in->le);
	/* A duplicate already has its group, so none is created for it. */
	if ((in->group == NULL || in->metric != m || in->series != series) &&
	    meet_series(r, m, series, err) < 0)
		return err->code;
	return in->may_be_copy ? reduce_take_fact(r, in, err)
			       : reduce_take_series(r, in, err);
}
