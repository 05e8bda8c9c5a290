#include "metrics/formula.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "metrics/fold.h"

struct formula formula_new(const struct survey *before,
			   const struct survey *now)
{
	return (struct formula){.before = before,
				.now = now,
				.seconds = (double)NAN,
				.of = term_items_new(),
				.by = term_items_new()};
}

void formula_free(struct formula *f)
{
	term_items_free(&f->of);
	term_items_free(&f->by);
}

static bool is_gauge(enum step_how how)
{
	return how == STEP_GAUGE || how == STEP_GAUGE_SUM ||
	       how == STEP_GAUGE_MAX;
}

int formula_read(struct formula *f, const struct step_row *row, uint32_t number,
		 struct err *err)
{
	bool gauge = is_gauge(row->how);
	bool ratio = row->by.row >= 0;
	struct term_how how = {.before = gauge ? NULL : f->before,
			       .now = f->now,
			       .beside = ratio ? &row->by : NULL,
			       .side = f->any_side ? SIDE_ANY : row->side,
			       .number = number};
	int code;

	f->row = row;
	f->of.n = f->by.n = 0;
	if (!gauge && f->before == NULL)
		return 0;
	code = term_read(&f->of, &row->of, &how, err);
	if (code < 0 || f->of.n == 0)
		return code;
	how.beside = &row->of;
	if (ratio)
		code = term_read(&f->by, &row->by, &how, err);
	if (code < 0)
		return code;
	return !ratio || f->by.n > 0;
}

int formula_workers(const struct formula *f, struct formula_workers *w,
		    struct err *err)
{
	struct map seen = map_new(false);
	int code = 0;

	w->n = 0;
	for (size_t i = 0; code >= 0 && i < f->of.n; i++) {
		code = map_add(&seen, f->of.v[i].worker, NULL);
		if (code != 1)
			continue;
		if (!ARRAY_GROW(w->v, w->n, w->cap))
			code = ERR_MEMORY;
		else
			w->v[w->n++] = f->of.v[i].worker;
	}
	map_free(&seen);
	return code < 0 ? err_memory(err) : 0;
}

void formula_workers_free(struct formula_workers *w)
{
	free(w->v);
	free(w->of_at);
	free(w->by_at);
	*w = (struct formula_workers){0};
}

/* The worker of an item; n if it has none. */
static size_t number_of(const struct map *numbers, const struct term_item *item,
			size_t n)
{
	uint32_t i;

	return map_find(numbers, item->worker, &i) ? i : n;
}

/* Group items by worker, in order, with those of no worker at the end. Returns
 * where each begins; NULL if out of memory. */
static size_t *split_items(struct term_items *items, const struct map *numbers,
			   size_t n)
{
	size_t *at = calloc(n + 3, sizeof(*at));
	struct term_item *moved = calloc(items->n + 1, sizeof(*moved));
	size_t k;

	if (at == NULL || moved == NULL) {
		free(at);
		free(moved);
		return NULL;
	}
	/* Counts are stored two places on: after summing, each begin advances
	 * to its end while items are placed. */
	for (k = 0; k < items->n; k++)
		at[number_of(numbers, &items->v[k], n) + 2]++;
	for (k = 2; k < n + 3; k++)
		at[k] += at[k - 1];
	for (k = 0; k < items->n; k++)
		moved[at[number_of(numbers, &items->v[k], n) + 1]++] =
			items->v[k];
	free(items->v);
	items->v = moved;
	items->cap = items->n + 1;
	return at;
}

int formula_split(struct formula *f, struct formula_workers *w, struct err *err)
{
	struct map numbers = map_new(true);
	int code = 0;

	for (uint32_t i = 0; code >= 0 && i < w->n; i++) {
		uint32_t number = i;

		code = map_add(&numbers, w->v[i], &number);
	}
	if (code >= 0) {
		w->of_at = split_items(&f->of, &numbers, w->n);
		w->by_at = split_items(&f->by, &numbers, w->n);
	}
	map_free(&numbers);
	return w->of_at == NULL || w->by_at == NULL ? err_memory(err) : 0;
}

static struct term_items slice(const struct term_items *items, const size_t *at,
			       size_t i)
{
	struct term_items part = *items;

	part.v = items->v == NULL ? NULL : items->v + at[i];
	part.n = at[i + 1] - at[i];
	return part;
}

struct formula formula_part(const struct formula *f,
			    const struct formula_workers *w, size_t i)
{
	struct formula part = *f;

	part.of = slice(&f->of, w->of_at, i);
	part.by = slice(&f->by, w->by_at, i);
	return part;
}

static bool is_of(const struct term_item *item, const uint64_t *worker)
{
	return worker == NULL || item->worker == *worker;
}

/* Gauges -------------------------------------------------------------- */

static bool counts(const struct catalogue_row *row, double value)
{
	if (row->counts == COUNTS_POSITIVE)
		return value > 0;
	return row->counts == COUNTS_ALL || value >= 0;
}

static int put_gauge(const struct formula *f, const uint64_t *worker,
		     double *value)
{
	const struct catalogue_row *row =
		catalogue_at((uint32_t)f->row->of.row);
	enum reduce_op op = f->row->how == STEP_GAUGE_SUM   ? OP_SUM
			    : f->row->how == STEP_GAUGE_MAX ? OP_MAX
							    : row->op;
	struct fold fold = {0};

	for (size_t i = 0; i < f->of.n; i++) {
		const struct term_item *item = &f->of.v[i];
		const struct prom_line line = {.value = item->value};

		if (is_of(item, worker) && !isnan(item->value) &&
		    counts(row, item->value))
			fold_add(&fold, &line);
	}
	return !fold_is_empty(&fold) && fold_value(&fold, op, false, value);
}

/* Counters ------------------------------------------------------------ */

static int put_increase(const struct formula *f, const uint64_t *worker,
			double *value)
{
	size_t n = 0;
	double sum = 0;

	for (size_t i = 0; i < f->of.n; i++) {
		if (!is_of(&f->of.v[i], worker) || !f->of.v[i].good)
			continue;
		sum += f->of.v[i].value;
		n++;
	}
	if (f->row->how == STEP_RATE)
		sum /= f->seconds;
	*value = sum * f->row->scale;
	return n > 0 && !isnan(*value);
}

/* A group: the parts of a ratio's pair, or a unit's counters. */
struct part {
	double of;
	double by;
	bool has_of;
	bool has_by;
	bool bad;
};

struct parts {
	struct map by_key;
	struct part *v;
	uint32_t n;
	size_t cap;
};

static struct part *part_of(struct parts *p, uint64_t key)
{
	uint32_t i = p->n;
	int code = map_add(&p->by_key, key, &i);

	if (code < 0 || !ARRAY_GROW(p->v, p->n, p->cap))
		return NULL;
	if (code == 1)
		p->v[p->n++] = (struct part){0};
	return &p->v[i];
}

static void parts_free(struct parts *p)
{
	map_free(&p->by_key);
	free(p->v);
}

static int add_items(struct parts *p, const struct term_items *items,
		     const uint64_t *worker, bool above, struct err *err)
{
	for (size_t i = 0; i < items->n; i++) {
		const struct term_item *item = &items->v[i];
		struct part *part;

		if (!is_of(item, worker))
			continue;
		part = part_of(p, item->pair);
		if (part == NULL)
			return err_memory(err);
		*(above ? &part->of : &part->by) += item->value;
		*(above ? &part->has_of : &part->has_by) = true;
		part->bad |= !item->good;
	}
	return 0;
}

static int ratio_of(const struct formula *f, const uint64_t *worker,
		    double *value, struct err *err)
{
	struct parts p = {.by_key = map_new(true)};
	double of = 0, by = 0;
	size_t n = 0;
	int code = add_items(&p, &f->of, worker, true, err);

	if (code == 0)
		code = add_items(&p, &f->by, worker, false, err);
	for (uint32_t i = 0; i < p.n; i++) {
		if (p.v[i].bad || !p.v[i].has_of || !p.v[i].has_by)
			continue;
		of += p.v[i].of;
		by += p.v[i].by;
		n++;
	}
	parts_free(&p);
	if (code < 0)
		return code;
	*value = f->row->plus + of / by * f->row->scale;
	return n > 0 && by != 0;
}

/* A worker's minimum or maximum ratio. */
static int put_extreme(const struct formula *f, double *value, struct err *err)
{
	bool least = f->row->how == STEP_RATIO_LEAST;
	struct formula_workers workers = {0};
	int code = formula_workers(f, &workers, err);
	size_t n = 0;

	for (size_t i = 0; code >= 0 && i < workers.n; i++) {
		double one;

		code = ratio_of(f, &workers.v[i], &one, err);
		if (code == 1 &&
		    (n == 0 || (least ? one < *value : one > *value)))
			*value = one;
		n += code == 1;
	}
	free(workers.v);
	return code < 0 ? code : n > 0;
}

/* The mean of the rates of all units. */
static int put_mean(const struct formula *f, const uint64_t *worker,
		    double *value, struct err *err)
{
	struct parts p = {.by_key = map_new(true)};
	double sum = 0;
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; code == 0 && i < f->of.n; i++) {
		const struct term_item *item = &f->of.v[i];
		struct part *part;

		if (!is_of(item, worker))
			continue;
		part = part_of(&p, item->unit);
		if (part == NULL)
			code = err_memory(err);
		else
			part->of += item->value;
		if (part != NULL)
			part->bad |= !item->good;
	}
	for (uint32_t i = 0; i < p.n; i++) {
		sum += p.v[i].bad ? 0 : p.v[i].of;
		n += !p.v[i].bad;
	}
	parts_free(&p);
	*value = sum / (double)n / f->seconds * f->row->scale;
	return code < 0 ? code : n > 0 && !isnan(*value);
}

static int put_mfu(const struct formula *f, const uint64_t *worker,
		   double *value, struct err *err)
{
	int code = f->peak > 0 ? put_mean(f, worker, value, err) : 0;

	*value /= f->peak;
	return code;
}

/* Histograms ---------------------------------------------------------- */

int formula_buckets(const struct formula *f, const uint64_t *worker,
		    struct buckets *b, struct err *err)
{
	struct metric *const *metrics = f->now->table->names.metrics;
	struct map facts = map_new(false), had = map_new(false);
	int code = 0;

	for (size_t i = 0; code == 0 && i < f->of.n; i++) {
		const struct term_item *item = &f->of.v[i];

		if (!is_of(item, worker) || !item->good)
			continue;
		code = map_add(&facts, item->fact, NULL);
		b->series += code == 1;
		if (code >= 0)
			code = buckets_add_mixed(b, &had, item->bound,
						 item->value, item->fact);
		if (code < 0)
			buckets_error(code, metrics[item->from->metric]->name,
				      err);
	}
	map_free(&facts);
	map_free(&had);
	if (code == 0 && b->n > 0)
		buckets_settle(b, (double)NAN);
	return code;
}

static int put_quantile(const struct formula *f, const uint64_t *worker,
			double *value, struct err *err)
{
	struct buckets b = {0};
	int code = formula_buckets(f, worker, &b, err);

	*value = (double)NAN;
	if (code == 0 && b.n > 0)
		*value = buckets_quantile(&b, f->row->plus) * f->row->scale;
	buckets_free(&b);
	return code < 0 ? code : !isnan(*value);
}

int formula_value(const struct formula *f, const uint64_t *worker,
		  double *value, struct err *err)
{
	switch (f->row->how) {
	case STEP_GAUGE:
	case STEP_GAUGE_SUM:
	case STEP_GAUGE_MAX:
		return put_gauge(f, worker, value);
	case STEP_RATE:
	case STEP_INCREASE:
		return put_increase(f, worker, value);
	case STEP_RATE_MEAN:
		return put_mean(f, worker, value, err);
	case STEP_MFU:
		return put_mfu(f, worker, value, err);
	case STEP_RATIO:
	case STEP_RATIO_BY:
		return ratio_of(f, worker, value, err);
	case STEP_RATIO_LEAST:
	case STEP_RATIO_GREATEST:
		return worker == NULL ? put_extreme(f, value, err) : 0;
	case STEP_QUANTILE:
		return put_quantile(f, worker, value, err);
	case STEP_DISTRIBUTION:
	case STEP_STALLED:
		break;
	}
	return 0;
}
