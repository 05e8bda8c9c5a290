#include "metrics/delta.h"

#include <math.h>

#include "base/limits.h"
#include "metrics/catalogue.h"

struct delta delta_of(const struct series_table *before,
		      const struct series_table *now)
{
	struct delta d = {
		.before = before, .now = now, .restarted = map_new(false)};

	d.seconds = (double)NAN;
	if (before == NULL)
		return d;
	/* Less means nothing: files written together, buffered pipes. */
	d.seconds = now->arrived - before->arrived;
	if (d.seconds < 1e-3)
		d.seconds = (double)NAN;
	if (!isnan(now->newest) && !isnan(before->newest))
		d.seconds = (double)(now->newest - before->newest) / 1000;
	if (!(d.seconds > 0))
		d.seconds = (double)NAN;
	return d;
}

void delta_free(struct delta *d)
{
	map_free(&d->restarted);
}

/* Do the values of m's series only grow, so that differences make sense? By
 * TYPE, or by name if TYPE is inconclusive. */
static bool is_counter(const struct names *names, const struct metric *m)
{
	/* Roles whose values only grow, as bits, by the family's type. */
	static const unsigned int growing[PROM_TYPES] = {
		[PROM_COUNTER] = 1 << ROLE_VALUE,
		[PROM_HISTOGRAM] = 1 << ROLE_BUCKET | 1 << ROLE_SUM |
				   1 << ROLE_COUNT,
		[PROM_SUMMARY] = 1 << ROLE_SUM | 1 << ROLE_COUNT,
		[PROM_UNTYPED] = 1 << ROLE_BUCKET,
	};
	enum prom_type type = names->families[m->family]->type;

	if ((growing[type] & 1u << m->role) != 0)
		return true;
	if (type == PROM_UNTYPED &&
	    (str_ends(m->name, "_sum") || str_ends(m->name, "_count")))
		return true;
	if (type != PROM_UNTYPED && type != PROM_GAUGE)
		return false;
	if (m->row == NULL)
		return str_ends(m->name, "_total");
	/* Those of a carrier may be gauges without _total. A name without its
	 * engine's prefix could be anything. */
	return m->row->type == PROM_COUNTER &&
	       (str_ends(m->name, "_total") ||
		!str_is(m->source, catalogue_bare(m->row)));
}

bool delta_is_growing(const struct names *names, const struct family *f)
{
	uint32_t i = f->metrics;

	while (i != NO_NUMBER && !is_counter(names, names->metrics[i]))
		i = names->metrics[i]->next;
	return i != NO_NUMBER;
}

bool delta_has_counters(const struct series_table *t)
{
	for (uint32_t i = 0; i < t->names.n_metrics; i++) {
		const struct metric *m = t->names.metrics[i];

		if (m->first != NO_NUMBER && is_counter(&t->names, m))
			return true;
	}
	return false;
}

enum delta_fate delta_fate(const struct series_table *before,
			   const struct series *s, double *increase)
{
	const struct series *earlier = series_find(before, s->hash);

	*increase = s->value;
	if (earlier == NULL)
		return DELTA_FRESH;
	if (s->value < earlier->value)
		return DELTA_RESET;
	*increase = s->value - earlier->value;
	return DELTA_GREW;
}

/* The labels of a bucket without le, which is last. */
static struct str without_le(struct str labels)
{
	static const struct str le = STR("le=\"");
	const char *comma = memrchr(labels.p, ',', labels.n);

	if (str_starts(labels, le.p))
		return str_make(labels.p, 0);
	if (comma == NULL ||
	    !str_starts(str_make(comma + 1,
				 labels.n - 1 - (size_t)(comma - labels.p)),
			le.p))
		return labels;
	return str_make(labels.p, (size_t)(comma - labels.p));
}

/* The fingerprint of the histogram or summary that a series belongs to; false
 * if none. */
static bool find_whole(const struct names *names, const struct metric *m,
		       const struct series *s, uint64_t *whole)
{
	const struct family *f = names->families[m->family];
	struct str labels = str_make(s->labels, s->n);

	if (f->type != PROM_HISTOGRAM && f->type != PROM_SUMMARY)
		return false;
	if (m->role == ROLE_BUCKET && s->last == 0)
		labels = without_le(labels);
	*whole = hash_mix(hash_bytes(labels.p, labels.n, 5), f->number);
	return true;
}

int delta_find_restarts(struct delta *d, struct err *err)
{
	const struct names *names = &d->now->names;
	double ignored;
	uint64_t whole;

	for (uint32_t i = 0; d->before != NULL && i < d->now->n; i++) {
		const struct series *s = series_at(d->now, i);
		const struct metric *m = names->metrics[s->metric];

		/* A sum also falls if observations are negative. */
		if (m->role != ROLE_SUM && is_counter(names, m) &&
		    delta_fate(d->before, s, &ignored) == DELTA_RESET &&
		    find_whole(names, m, s, &whole) &&
		    map_add(&d->restarted, whole, NULL) < 0)
			return err_memory(err);
	}
	return 0;
}

/* The change of a series, given the others of its histogram or summary. */
static enum delta_fate find_fate(const struct delta *d, const struct series *s,
				 double *increase)
{
	const struct names *names = &d->now->names;
	enum delta_fate fate = delta_fate(d->before, s, increase);
	uint64_t whole;

	if (fate != DELTA_GREW || d->restarted.n == 0 ||
	    !find_whole(names, names->metrics[s->metric], s, &whole) ||
	    !map_find(&d->restarted, whole, NULL))
		return fate;
	*increase = s->value;
	return DELTA_RESET;
}

/* "NAME{LABELS}: text" */
static void report_fate(const struct series_table *t, const struct series *s,
			enum remark remark, const char *text)
{
	struct report *report = t->names.report;
	struct arena a = arena_new(LIMIT_LINE * 4);
	struct str labels;
	struct err err;

	if (!report_count(report, remark))
		return;
	labels = series_labels(t, s, &a);
	err_set(&err, ERR_INPUT, "%.*s{%.*s}: %s",
		STR_ARG(t->names.metrics[s->metric]->name), STR_ARG(labels),
		text);
	report_say(report, remark, &err);
	arena_free(&a);
}

bool delta_value(const struct delta *d, const struct metric *m,
		 const struct series *s, double *value)
{
	*value = s->value;
	if (!is_counter(&d->now->names, m))
		return true;
	if (d->before == NULL || (d->rate && isnan(d->seconds)))
		return false;
	if (find_fate(d, s, value) == DELTA_FRESH && !d->new_from_zero)
		return false;
	if (d->rate)
		*value /= d->seconds;
	return true;
}

static void count_fate(struct delta *d, const struct series *s)
{
	double ignored;
	enum delta_fate fate = find_fate(d, s, &ignored);

	if (fate == DELTA_RESET) {
		d->resets++;
		report_fate(
			d->now, s, REMARK_RESET,
			d->skips_resets
				? "decreased; excluded from this step"
				: "decreased; counted as restarted from zero");
	} else if (fate == DELTA_FRESH) {
		d->fresh++;
		report_fate(
			d->now, s, REMARK_NEW,
			d->new_from_zero
				? "new series; all of it is counted"
				: "new series, history unknown; not counted");
	}
}

void delta_count_fates(struct delta *d)
{
	const struct names *now = &d->now->names;

	for (uint32_t i = 0; d->before != NULL && i < d->now->n; i++) {
		const struct series *s = series_at(d->now, i);

		if (!s->hidden && is_counter(now, now->metrics[s->metric]))
			count_fate(d, s);
	}
	for (uint32_t i = 0; d->before != NULL && i < d->before->n; i++) {
		const struct series *s = series_at(d->before, i);
		const struct names *then = &d->before->names;

		if (s->hidden || !is_counter(then, then->metrics[s->metric]) ||
		    series_find(d->now, s->hash) != NULL)
			continue;
		d->gone++;
		report_fate(d->before, s, REMARK_GONE, "vanished; not counted");
	}
}

void delta_scalars(const struct delta *d,
		   struct metric_scalar scalars[DELTA_SCALARS])
{
	scalars[0] = (struct metric_scalar){"seconds", d->seconds};
	scalars[1] = (struct metric_scalar){"resets", (double)d->resets};
	scalars[2] = (struct metric_scalar){"new_series", (double)d->fresh};
	scalars[3] = (struct metric_scalar){"vanished_series", (double)d->gone};
}
