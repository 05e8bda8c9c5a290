#include "metrics/vitals.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "metrics/formula.h"

struct vitals vitals_new(void)
{
	return (struct vitals){.by_id = map_new(true),
			       .text = arena_new(LIMIT_SERIES)};
}

void vitals_free(struct vitals *v)
{
	free(v->v);
	label_set_free(&v->labels);
	map_free(&v->by_id);
	arena_free(&v->text);
	*v = vitals_new();
}

const struct worker *vitals_find(const struct vitals *v, uint64_t id)
{
	uint32_t i;

	return map_find(&v->by_id, id, &i) ? &v->v[i] : NULL;
}

/* The display name of a series' worker: its address, else all labels that are
 * not the engine's own. */
static struct str name_of(struct vitals *v, const struct survey *now,
			  const struct term_item *item, struct err *err)
{
	const struct catalogue_row *row =
		now->table->names.metrics[item->from->metric]->row;
	struct label_set set = {0};
	const struct prom_label *label;
	struct str name = {NULL, 0};
	size_t kept = 0;

	if (series_read_labels(now->table, item->from, &set, err) < 0)
		goto out;
	label = term_worker_label(set.v, set.n);
	if (label != NULL) {
		name = arena_str(&v->text, label->value);
		goto out;
	}
	for (size_t i = 0; i < set.n; i++)
		if (survey_is_place(row, set.v[i].name))
			set.v[kept++] = set.v[i];
	name = labels_text(&v->text, set.v, kept);
out:
	label_set_free(&set);
	return name;
}

/* The labels that say who can be compared with the worker. */
static int take_kin(struct vitals *v, const struct survey *now,
		    struct worker *w, const struct term_item *item,
		    struct err *err)
{
	struct label_set *set = &v->labels;

	if (w->kin != 0)
		return 0;
	if (series_read_labels(now->table, item->from, set, err) < 0)
		return err->code;
	for (size_t i = 0; i < set->n; i++)
		if (catalogue_lists(catalogue_kin_labels, set->v[i].name))
			w->kin += prom_label_hash(&set->v[i]);
	return 0;
}

static int add_worker(struct vitals *v, const struct survey *now,
		      const struct term_item *item, struct err *err)
{
	uint32_t i = (uint32_t)v->n;
	int code = map_add(&v->by_id, item->worker, &i);

	if (code == 0)
		return take_kin(v, now, &v->v[i], item, err);
	if (code < 0 || !ARRAY_GROW(v->v, v->n, v->cap))
		return err_memory(err);
	v->v[v->n] = (struct worker){
		.id = item->worker,
		.name = name_of(v, now, item, err),
		.labels = series_labels(now->table, item->from, &v->text),
		.hits = (double)NAN,
		.queries = (double)NAN};
	for (size_t k = 0; k < VITALS; k++)
		v->v[v->n].vital[k] = (double)NAN;
	if (v->v[v->n].name.p == NULL || v->v[v->n].labels.p == NULL)
		return arena_error(&v->text, err);
	return take_kin(v, now, &v->v[v->n++], item, err);
}

static bool adds_up(enum step_how how)
{
	return how == STEP_INCREASE;
}

/* The parts of a ratio, for ratios over longer periods. */
static void take_parts(const struct formula *f, struct worker *w)
{
	const struct term_items *items[] = {&f->of, &f->by};
	double sums[2] = {0, 0};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < items[k]->n; i++) {
			const struct term_item *item = &items[k]->v[i];

			if (item->worker != w->id)
				continue;
			if (!item->good)
				return;
			sums[k] += item->value;
		}
	w->hits = sums[0];
	w->queries = sums[1];
}

/* A histogram's counts, for quantiles over longer periods. */
static int take_buckets(struct vitals *v, const struct formula *f,
			struct worker *w, struct err *err)
{
	enum vital vital = f->row->vital;
	struct buckets b = {0};
	int code = formula_buckets(f, &w->id, &b, err);
	struct bucket *kept = NULL;

	if (code == 0 && b.n > 0) {
		kept = arena_array(&v->text, b.n, sizeof(*kept));
		if (kept == NULL)
			code = arena_error(&v->text, err);
	}
	if (kept != NULL) {
		memcpy(kept, b.v, b.n * sizeof(*kept));
		w->vital[vital] =
			buckets_quantile(&b, f->row->plus) * f->row->scale;
		*(vital == VITAL_TTFT_P95 ? &w->ttft : &w->queue_time) =
			(struct vital_buckets){kept, b.n, f->row->scale};
	}
	buckets_free(&b);
	return code;
}

static int take_vital(struct vitals *v, const struct formula *f,
		      struct worker *w, struct err *err)
{
	enum vital vital = f->row->vital;
	double *have = &w->vital[vital];
	double value;
	int code;

	if (!isnan(*have) && !adds_up(f->row->how))
		return 0;
	if (f->row->how == STEP_QUANTILE)
		return take_buckets(v, f, w, err);
	code = formula_value(f, &w->id, &value, err);
	if (code != 1)
		return code;
	v->infinite += isinf(value) != 0;
	if (!isfinite(value))
		return 0;
	*have = isnan(*have) ? value : *have + value;
	if (vital == VITAL_HIT_RATE)
		take_parts(f, w);
	return 0;
}

/* Was a counter of the worker reset, or is it new? */
static bool has_restarted(const struct formula *f, const struct worker *w)
{
	for (size_t i = 0; i < f->of.n; i++)
		if (f->of.v[i].worker == w->id && !f->of.v[i].good)
			return true;
	return false;
}

static int take_row(struct vitals *v, struct formula *f,
		    const struct step_row *row, struct err *err)
{
	struct formula_workers workers = {0};
	int code = formula_read(f, row, 0, err);

	if (code != 1)
		return code;
	for (size_t i = 0; i < f->of.n; i++)
		if (add_worker(v, f->now, &f->of.v[i], err) < 0)
			return err->code;
	code = formula_workers(f, &workers, err);
	if (code == 0)
		code = formula_split(f, &workers, err);
	for (size_t i = 0; code == 0 && i < workers.n; i++) {
		struct formula part = formula_part(f, &workers, i);
		uint32_t at = 0;

		map_find(&v->by_id, workers.v[i], &at);
		v->v[at].restarted |= has_restarted(&part, &v->v[at]);
		code = take_vital(v, &part, &v->v[at], err);
	}
	formula_workers_free(&workers);
	return code;
}

int vitals_take(struct vitals *v, const struct survey *before,
		const struct survey *now, double seconds, const char *summary,
		struct err *err)
{
	struct formula f = formula_new(before, now);
	const struct step_row *row = step_rows;
	int code = 0;

	v->n = 0;
	v->infinite = 0;
	map_clear(&v->by_id);
	arena_reset(&v->text);
	v->seconds = seconds;
	f.seconds = seconds;
	f.any_side = true;
	for (; code == 0 && row->summary != NULL; row++)
		if (row->vital != VITAL_NONE &&
		    (summary == NULL || strcmp(summary, row->summary) == 0 ||
		     strcmp(row->summary, "any") == 0))
			code = take_row(v, &f, row, err);
	formula_free(&f);
	return code;
}

/* Stalled ------------------------------------------------------------- */

static bool stays(const struct worker *now, const struct worker *before,
		  enum vital vital)
{
	double a = now->vital[vital], b = before->vital[vital];

	return a == b || (isnan(a) && isnan(b));
}

/* Are all signs unchanged, for an engine that counts tokens late? */
static bool is_frozen(const struct worker *now, const struct worker *before)
{
	return now->vital[VITAL_FINISHED] == 0 &&
	       !isnan(now->vital[VITAL_THROUGHPUT]) &&
	       stays(now, before, VITAL_THROUGHPUT) &&
	       stays(now, before, VITAL_RUNNING) &&
	       stays(now, before, VITAL_KV_USAGE) &&
	       stays(now, before, VITAL_QUEUE);
}

enum truth worker_is_stalled(const struct worker *now,
			     const struct worker *before, double limit,
			     bool *stale)
{
	const double *vital = now->vital;

	*stale = false;
	if (isnan(vital[VITAL_RUNNING]))
		return TRUTH_UNKNOWN;
	if (!(vital[VITAL_RUNNING] > limit) || vital[VITAL_PAUSED] > 0)
		return TRUTH_NO;
	if (now->restarted)
		return TRUTH_UNKNOWN;
	if (!isnan(vital[VITAL_TOKENS]))
		return vital[VITAL_TOKENS] == 0 ? TRUTH_YES : TRUTH_NO;
	if (isnan(vital[VITAL_TOKENS_LATE]) || before == NULL)
		return TRUTH_UNKNOWN;
	if (vital[VITAL_TOKENS_LATE] != 0)
		return TRUTH_NO;
	if (vital[VITAL_THROUGHPUT] == 0)
		return TRUTH_YES;
	*stale = !(vital[VITAL_QUEUE] > 0);
	return is_frozen(now, before) ? TRUTH_YES : TRUTH_NO;
}
