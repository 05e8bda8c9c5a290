#include "metrics/term.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/num.h"
#include "fmt/prom/prom_text.h"
#include "metrics/delta.h"

/* One term being read. */
struct reading {
	struct term_items *items;
	const struct term *term;
	const struct term_how *how;
	const struct catalogue_row *row; /* of the metric, possibly an older
					  * one */
	const struct survey *survey;	 /* whose series are read */
	const struct metric *metric;
};

struct term_items term_items_new(void)
{
	return (struct term_items){.given = map_new(false)};
}

void term_items_free(struct term_items *t)
{
	free(t->v);
	label_set_free(&t->labels);
	map_free(&t->given);
	*t = term_items_new();
}

/* Labels ------------------------------------------------------------- */

const struct prom_label *term_worker_label(const struct prom_label *labels,
					   size_t n)
{
	const char *const *name = catalogue_worker_labels;

	for (; *name != NULL; name++)
		for (size_t i = 0; i < n; i++)
			if (labels[i].value.n > 0 &&
			    str_is(labels[i].name, *name))
				return &labels[i];
	return NULL;
}

/* Does one of the values, separated by '|', match? */
static bool is_among(const char *values, struct str value, uint32_t number)
{
	while (*values != '\0') {
		size_t n = strcspn(values, "|");
		struct str one = str_make(values, n);
		bool begins = n > 0 && values[n - 1] == '*';

		if (str_is(one, "#")) {
			int64_t have;

			if (num_parse_int(value, &have) && have == number)
				return true;
		} else if (begins ? value.n >= n - 1 &&
					    memcmp(value.p, values, n - 1) == 0
				  : str_eq(value, one)) {
			return true;
		}
		values += n + (values[n] == '|');
	}
	return false;
}

static bool is_label_of(const struct term *term, struct str name)
{
	return term != NULL && term->label != NULL && str_is(name, term->label);
}

/* Do the parts of a ratio pair by this label? By those common to both, unless
 * it selects series of one of them. */
static bool pairs(const struct reading *r, struct str name)
{
	const struct term *other = r->how->beside;

	if (other == NULL || is_label_of(r->term, name) ||
	    is_label_of(other, name) ||
	    !catalogue_has(catalogue_at((uint32_t)other->row)->labels, name))
		return false;
	return catalogue_lists(catalogue_pair_labels, name);
}

static void take_copy(struct term_item *item, const struct prom_label *label,
		      enum copy_label copy, bool folded)
{
	item->series += prom_label_hash(label);
	if (folded) {
		copy_rank_take(&item->rank, copy, label->value);
		return;
	}
	item->fact += prom_label_hash(label);
	item->unit += prom_label_hash(label);
}

/* A label other than le and those that distinguish copies. */
static void take_label(const struct reading *r, struct term_item *item,
		       const struct prom_label *label)
{
	uint64_t hash = prom_label_hash(label);
	bool place = !catalogue_has(r->row->labels, label->name);

	item->series += hash;
	item->fact += hash;
	item->replica += place ? hash : 0;
	item->pair += place || pairs(r, label->name) ? hash : 0;
	item->unit +=
		place || catalogue_lists(catalogue_unit_labels, label->name)
			? hash
			: 0;
	if (str_is(label->name, catalogue_str(r->row->total)))
		item->whole = hash;
}

/* Does the series belong to the term? */
static bool belongs(const struct reading *r, const struct prom_label *labels,
		    size_t n)
{
	enum term_side side = r->how->side;
	struct str value;

	if (side != SIDE_ANY && r->how->now->has_prefill &&
	    r->how->now->has_decode) {
		value = labels_get(labels, n, catalogue_side_labels[0]);
		if (value.n > 0 &&
		    !str_is(value, catalogue_sides_labels[side - SIDE_PREFILL]))
			return false;
	}
	if (r->term->label == NULL)
		return true;
	value = labels_get(labels, n, r->term->label);
	/* This label value was once a metric of its own. */
	if (strcmp(catalogue_str(r->row->now_label), r->term->label) == 0)
		value = str_of(catalogue_str(r->row->now_value));
	return is_among(r->term->values, value, r->how->number);
}

/* Process the labels: 1, 0 if the series does not belong to the term. */
static int take_labels(const struct reading *r, const struct series *s,
		       struct term_item *item, struct err *err)
{
	struct label_set *set = &r->items->labels;
	unsigned int folded =
		copy_labels_of((enum metric_copies)r->row->copies);
	const struct prom_label *worker;

	if (series_read_labels(r->survey->table, s, set, err) < 0)
		return err->code;
	if (!belongs(r, set->v, set->n))
		return 0;
	for (size_t i = 0; i < set->n; i++) {
		const struct prom_label *label = &set->v[i];
		enum copy_label copy = copy_label_of(label->name);

		if (r->term->part == TERM_BUCKET && str_is(label->name, "le")) {
			if (!prom_bound(label->value, &item->bound))
				return 0;
		} else if (copy != COPY_NO_LABEL) {
			take_copy(item, label, copy, (copy & folded) != 0);
		} else {
			take_label(r, item, label);
		}
	}
	item->part = item->whole != 0;
	item->whole = item->fact - item->whole;
	worker = term_worker_label(set->v, set->n);
	item->worker = worker == NULL ? item->replica : prom_label_hash(worker);
	return 1;
}

/* Series -------------------------------------------------------------- */

/* Which samples of its row a metric has. */
static enum term_part part_of(const struct metric *m)
{
	if (m->row->type != PROM_HISTOGRAM && m->row->type != PROM_SUMMARY)
		return TERM_VALUE;
	if (str_ends(m->source, "_bucket"))
		return TERM_BUCKET;
	if (str_ends(m->source, "_sum"))
		return TERM_SUM;
	return str_ends(m->source, "_count") ? TERM_COUNT : TERM_VALUE;
}

static int add_item(struct term_items *t, const struct term_item *item,
		    struct err *err)
{
	if (!ARRAY_GROW(t->v, t->n, t->cap))
		return err_memory(err);
	t->v[t->n++] = *item;
	return 0;
}

/* Read the series of one metric, one spelling of the term's. */
static int read_metric(struct reading *r, struct err *err)
{
	const struct series_table *t = r->survey->table;
	size_t known = r->items->n;
	uint32_t i = r->metric->first;
	int code = 0;

	for (; code >= 0 && i != NO_NUMBER; i = series_at(t, i)->next) {
		const struct series *s = series_at(t, i);
		struct term_item item = {
			.from = s, .value = s->value, .good = true};

		/* A series not selected now may have been selected before. */
		if (s->hidden && r->survey == r->how->now)
			continue;

		code = take_labels(r, s, &item, err);
		if (code == 1 && map_find(&r->items->given, item.replica, NULL))
			continue;
		if (code == 1)
			code = add_item(r->items, &item, err);
	}
	for (; code >= 0 && known < r->items->n; known++)
		if (map_add(&r->items->given, r->items->v[known].replica,
			    NULL) < 0)
			return err_memory(err);
	return code < 0 ? code : 0;
}

/* Read all series of the term in one snapshot. */
static int read_snapshot(struct reading *r, const struct survey *survey,
			 struct err *err)
{
	struct metric *const *metrics = survey->table->names.metrics;
	struct family *const *families = survey->table->names.families;
	uint32_t at = survey->first[r->term->row];
	int code = 0;

	r->survey = survey;
	r->items->n = 0;
	map_clear(&r->items->given);
	for (; code == 0 && at != 0; at = survey->next[at - 1]) {
		const struct metric *m = metrics[at - 1];

		if (part_of(m) != r->term->part ||
		    (r->term->part == TERM_VALUE &&
		     families[m->family]->was_gauge))
			continue;
		r->metric = m;
		r->row = m->row;
		code = read_metric(r, err);
	}
	return code;
}

/* Facts --------------------------------------------------------------- */

/* The best copy of a fact. */
struct best {
	struct copy_rank rank;
	uint64_t series;
	bool bad; /* one of its buckets is unknown */
};

struct bests {
	struct map by_fact;
	struct best *v;
	uint32_t n;
	size_t cap;
};

static int bests_take(struct bests *b, const struct term_item *item)
{
	struct best best = {.rank = item->rank, .series = item->series};
	uint32_t at = b->n;
	int code = map_add(&b->by_fact, item->fact, &at);

	if (code < 0 || !ARRAY_GROW(b->v, b->n, b->cap))
		return ERR_MEMORY;
	if (code == 1)
		b->v[b->n++] = best;
	else if (copy_rank_compare(&best.rank, &b->v[at].rank) < 0)
		b->v[at] = best;
	return 0;
}

static int bests_find(struct bests *b, const struct term_items *t,
		      struct err *err)
{
	*b = (struct bests){.by_fact = map_new(true)};
	for (size_t i = 0; i < t->n; i++)
		if (bests_take(b, &t->v[i]) < 0)
			return err_memory(err);
	return 0;
}

static void bests_free(struct bests *b)
{
	map_free(&b->by_fact);
	free(b->v);
}

static struct best *best_of(const struct bests *b, uint64_t fact)
{
	uint32_t at;

	return map_find(&b->by_fact, fact, &at) ? &b->v[at] : NULL;
}

/* The change of a series since the previous snapshot. */
static void set_increase(struct term_item *item, const struct survey *before,
			 const struct bests *then)
{
	double increase;
	enum delta_fate fate = delta_fate(before->table, item->from, &increase);

	item->good = isfinite(increase) && fate != DELTA_RESET;
	if (fate == DELTA_FRESH)
		item->good &=
			map_find(&before->replicas, item->replica, NULL) &&
			best_of(then, item->fact) == NULL;
	item->value = increase;
}

/* Keep the best copy of each fact. then: the previous copies, or NULL. */
static void fold_copies(struct term_items *t, const struct bests *now,
			const struct bests *then)
{
	for (size_t i = 0; i < t->n; i++) {
		struct term_item *item = &t->v[i];
		struct best *best = best_of(now, item->fact);
		const struct best *earlier =
			then == NULL ? NULL : best_of(then, item->fact);

		item->out = item->series != best->series;
		if (earlier != NULL &&
		    copy_rank_compare(&earlier->rank, &best->rank) < 0)
			item->good = false;
		best->bad |= !item->out && !item->good;
	}
	/* A histogram is known if all its buckets are. */
	for (size_t i = 0; i < t->n; i++)
		t->v[i].good &= !best_of(now, t->v[i].fact)->bad;
}

/* Of a total and its parts, keep the total. */
static int drop_parts(struct term_items *t, struct err *err)
{
	map_clear(&t->given);
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].part && !t->v[i].out &&
		    map_add(&t->given, t->v[i].fact, NULL) < 0)
			return err_memory(err);
	for (size_t i = 0; i < t->n; i++)
		t->v[i].out |= t->v[i].part &&
			       map_find(&t->given, t->v[i].whole, NULL);
	return 0;
}

static void remove_out(struct term_items *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].out)
			t->v[kept++] = t->v[i];
	t->n = kept;
}

static int read_now(struct reading *r, const struct bests *then,
		    struct err *err)
{
	const struct term_how *how = r->how;
	struct term_items *t = r->items;
	struct bests now;
	int code = read_snapshot(r, how->now, err);

	if (code < 0)
		return code;
	for (size_t i = 0; then != NULL && i < t->n; i++)
		set_increase(&t->v[i], how->before, then);
	code = bests_find(&now, t, err);
	if (code == 0) {
		fold_copies(t, &now, then);
		code = drop_parts(t, err);
		remove_out(t);
	}
	bests_free(&now);
	return code;
}

int term_read(struct term_items *t, const struct term *term,
	      const struct term_how *how, struct err *err)
{
	struct reading r = {.items = t, .term = term, .how = how};
	struct bests then = {.by_fact = map_new(true)};
	int code = 0;

	if (how->before == NULL)
		return read_now(&r, NULL, err);
	code = read_snapshot(&r, how->before, err);
	if (code == 0)
		code = bests_find(&then, t, err);
	if (code == 0)
		code = read_now(&r, &then, err);
	bests_free(&then);
	return code;
}
