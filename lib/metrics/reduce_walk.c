/* The output of a reduction: groups as families, folds as values. */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/num.h"
#include "metrics/delta.h"
#include "metrics/guess.h"
#include "metrics/reduce.h"

/* In addition to the bits of buckets_settle: samples whose role as buckets
 * changed after they were read. */
enum { LATE_TYPE = BUCKETS_LAG << 1 };

/* One family being written. */
struct leaving {
	struct reduce *r;
	struct metric_sink *sink;
	const struct family *family;
	struct group **groups;
	size_t n;
	enum reduce_op op;
	bool open;	 /* the current quantile is a lower bound */
	int wrong;	 /* bits of buckets_settle, and LATE_TYPE */
	struct buf text; /* of labels */
};

static enum reduce_op op_of(const struct reduce_how *how,
			    const struct family *f)
{
	const struct catalogue_row *row;

	if (naming_matches(how->mean, how->n_mean, f->source, f->name))
		return OP_MEAN;
	if (naming_matches(how->max, how->n_max, f->source, f->name))
		return OP_MAX;
	if (how->op != OP_DEFAULT)
		return how->op;
	row = catalogue_find(f->source);
	if (row != NULL)
		return (enum reduce_op)row->op;
	if (f->type == PROM_COUNTER)
		return OP_SUM;
	return guess_gauge_op(f->name);
}

static int put(struct leaving *l, const struct group *g, struct str name,
	       struct str labels, double value, struct err *err)
{
	struct metric_sample sample = {.name = name,
				       .labels = labels,
				       .value = value,
				       .time = fold_time(&g->fold),
				       .at_least = l->open};

	if (l->text.failed)
		return err_memory(err);
	return l->sink->sample(l->sink, &sample, err);
}

static int put_fold(struct leaving *l, const struct group *g, enum reduce_op op,
		    struct err *err)
{
	const struct metric *m = l->r->names->metrics[g->metric];
	double value;

	/* Nothing of it counted, or it cannot be combined. */
	if (fold_is_empty(&g->fold))
		return 0;
	if (!fold_value(&g->fold, op, l->r->how->propagate_nan, &value)) {
		l->r->names->report->counts[REMARK_NO_REDUCTION] +=
			g->fold.n + g->fold.nans;
		return 0;
	}
	return put(l, g, m->name, g->labels, value, err);
}

/* The group's labels plus one with a numeric value. */
static struct str labels_with(struct leaving *l, const struct group *g,
			      const char *name, double number)
{
	char text[NUM_DOUBLE_MAX];

	buf_clear(&l->text);
	buf_put(&l->text, g->labels.p, g->labels.n);
	if (g->labels.n > 0)
		buf_putc(&l->text, ',');
	buf_puts(&l->text, name);
	buf_puts(&l->text, "=\"");
	buf_put(&l->text, text, num_put_short(text, number));
	buf_putc(&l->text, '"');
	return buf_str(&l->text);
}

static int put_buckets(struct leaving *l, const struct group *g,
		       struct err *err)
{
	const struct metric *m = l->r->names->metrics[g->metric];
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < g->buckets.n; i++) {
		const struct bucket *b = &g->buckets.v[i];

		code = put(l, g, m->name, labels_with(l, g, "le", b->bound),
			   b->count, err);
	}
	return code;
}

static int put_quantiles(struct leaving *l, const struct group *g,
			 struct err *err)
{
	const struct reduce_how *how = l->r->how;
	int code = 0;

	for (size_t i = 0; code == 0 && i < how->n_quantiles; i++) {
		double q = how->quantiles[i];

		l->open = buckets_quantile_is_open(&g->buckets, q);
		code = put(l, g, l->family->name,
			   labels_with(l, g, "quantile", q),
			   buckets_quantile(&g->buckets, q), err);
	}
	l->open = false;
	return code;
}

/* The groups of one histogram: same labels, buckets first. */
static int put_histogram(struct leaving *l, struct group **groups, size_t n,
			 struct err *err)
{
	struct metric **metrics = l->r->names->metrics;
	double total = (double)NAN;
	int code = 0, wrong;

	for (size_t i = 0; i < n; i++)
		if (metrics[groups[i]->metric]->role == ROLE_COUNT)
			total = groups[i]->fold.sum;
	for (size_t i = 0; code == 0 && i < n; i++) {
		struct group *g = groups[i];

		if (metrics[g->metric]->role == ROLE_VALUE &&
		    l->family->was_gauge)
			continue;
		if (metrics[g->metric]->role != ROLE_BUCKET) {
			code = put_fold(l, g, OP_SUM, err);
			continue;
		}
		wrong = buckets_settle(&g->buckets, total);
		if (wrong < 0)
			return err_memory(err);
		l->wrong |= wrong;
		code = l->r->how->n_quantiles > 0 ? put_quantiles(l, g, err)
						  : put_buckets(l, g, err);
	}
	return code;
}

static void note_late_type(struct leaving *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct group *g = l->groups[i];
		bool bucket = l->r->names->metrics[g->metric]->role ==
			      ROLE_BUCKET;

		if (bucket ? g->plain : g->buckets.series > 0)
			l->wrong |= LATE_TYPE;
	}
}

static int put_groups(struct leaving *l, struct err *err)
{
	bool histogram = l->family->type == PROM_HISTOGRAM ||
			 l->family->type == PROM_GAUGEHISTOGRAM;
	int code = 0;

	for (size_t i = 0, end; code == 0 && i < l->n; i = end) {
		const struct group *g = l->groups[i];
		enum metric_role role = l->r->names->metrics[g->metric]->role;

		for (end = i + 1; histogram && end < l->n &&
				  str_eq(g->labels, l->groups[end]->labels);)
			end++;
		if (histogram || role == ROLE_BUCKET)
			code = put_histogram(l, l->groups + i, end - i, err);
		else
			code = put_fold(
				l, g, role == ROLE_VALUE ? l->op : OP_SUM, err);
	}
	return code;
}

static void report_wrong(const struct leaving *l)
{
	static const struct {
		int bit;
		const char *text;
	} texts[] = {
		{BUCKETS_DIFFER, "mismatched buckets: series have different "
				 "bounds; combined on those they share"},
		{BUCKETS_NO_INF, "no +Inf bucket; the count is used instead"},
		{BUCKETS_NO_TOTAL, "no +Inf bucket and no count"},
		{BUCKETS_FALL,
		 "a bucket counts less than one of a lower bound; "
		 "quantiles are too low"},
		{BUCKETS_LAG, "the count is less than the +Inf bucket"},
		{LATE_TYPE, "TYPE came after buckets, which were combined "
			    "without it"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if ((l->wrong & texts[i].bit) == 0 ||
		    !report_count(l->r->names->report, REMARK_BUCKETS))
			continue;
		err_set(&err, ERR_INPUT, "%.*s: %s", STR_ARG(l->family->name),
			texts[i].text);
		report_say(l->r->names->report, REMARK_BUCKETS, &err);
	}
}

static int put_family(struct leaving *l, struct err *err)
{
	const struct reduce_how *how = l->r->how;
	struct metric_family head = {.name = l->family->name,
				     .help = l->family->help,
				     .type = l->family->type,
				     .typed = l->family->typed,
				     .grows = delta_is_growing(l->r->names,
							       l->family)};
	int code;

	if (head.type == PROM_HISTOGRAM && how->n_quantiles > 0)
		head.type = PROM_SUMMARY;
	if (head.type == PROM_COUNTER && how->differences)
		head.type = PROM_GAUGE;
	l->op = op_of(how, l->family);
	l->wrong = 0;
	note_late_type(l);
	code = l->sink->family(l->sink, &head, err);
	if (code == 0)
		code = put_groups(l, err);
	report_wrong(l);
	return code;
}

/* Order of two groups of one family; roles are declared in order. */
static int by_labels_then_role(const void *a, const void *b, void *metrics)
{
	const struct group *const *x = a;
	const struct group *const *y = b;
	struct metric *const *all = metrics;
	int order = str_cmp((*x)->labels, (*y)->labels);

	if (order != 0)
		return order;
	return (int)all[(*x)->metric]->role - (int)all[(*y)->metric]->role;
}

/* Where each family's groups begin, once sorted by family; the array has one
 * element more than there are families. */
static uint32_t *family_starts(const struct reduce *r)
{
	const struct names *names = r->names;
	uint32_t *starts =
		calloc((size_t)names->n_families + 2, sizeof(*starts));

	if (starts == NULL)
		return NULL;
	for (uint32_t i = 0; i < r->n; i++)
		starts[names->metrics[r->groups[i]->metric]->family + 2]++;
	for (uint32_t i = 2; i < names->n_families + 2; i++)
		starts[i] += starts[i - 1];
	return starts;
}

/* The groups sorted by family; those of f are starts[f] .. starts[f + 1]. */
static struct group **sort_groups(const struct reduce *r, uint32_t *starts)
{
	struct group **sorted = malloc((r->n + 1) * sizeof(struct group *));

	if (sorted == NULL)
		return NULL;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t f = r->names->metrics[r->groups[i]->metric]->family;

		sorted[starts[f + 1]++] = r->groups[i];
	}
	return sorted;
}

static int put_families(struct leaving *l, struct group **sorted,
			const uint32_t *starts, struct err *err)
{
	struct names *names = l->r->names;
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < names->n_families; i++) {
		l->family = names->families[i];
		l->groups = sorted + starts[i];
		l->n = starts[i + 1] - starts[i];
		if (l->n == 0 || !naming_wants(names->naming, l->family->source,
					       l->family->name))
			continue;
		if (names_is_created(names, l->family)) {
			names->report->counts[REMARK_DROPPED] += l->n;
			continue;
		}
		qsort_r(l->groups, l->n, sizeof(struct group *),
			by_labels_then_role, names->metrics);
		code = put_family(l, err);
	}
	return code;
}

/* A hash of the set of series of a metric. */
static uint64_t series_of(const struct reduce *r, const struct metric *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->groups[i]->metric == m->number)
			sum += r->groups[i]->series;
	return sum;
}

static void report_old_name(const struct reduce *r, const struct metric *old,
			    const struct metric *now)
{
	struct err err;

	if (series_of(r, old) == series_of(r, now) ||
	    !report_count(r->names->report, REMARK_OLD_NAME))
		return;
	err_set(&err, ERR_INPUT,
		"%.*s is the older name of %.*s; workers export one or the "
		"other, so neither covers all of them",
		STR_ARG(old->name), STR_ARG(now->name));
	report_say(r->names->report, REMARK_OLD_NAME, &err);
}

/* Workers of a mixed fleet use two names for one metric: neither covers all. */
static void report_old_names(const struct reduce *r)
{
	const struct names *names = r->names;

	for (uint32_t i = 0; i < names->n_metrics; i++) {
		const struct metric *old = names->metrics[i];
		const struct catalogue_row *now = old->row;

		/* A metric that gained a label has other series anyway. */
		if (now != NULL && *catalogue_str(now->now_label) == '\0')
			now = catalogue_now(now);

		for (uint32_t k = 0; now != old->row && k < names->n_metrics;
		     k++)
			if (names->metrics[k]->row == now &&
			    names->metrics[k]->role == old->role &&
			    old->role == ROLE_VALUE)
				report_old_name(r, old, names->metrics[k]);
	}
}

int reduce_walk(struct reduce *r, struct metric_sink *sink, struct err *err)
{
	int settled = reduce_settle(r, err);
	struct leaving l = {.r = r, .sink = sink, .text = buf_new(SIZE_MAX)};
	uint32_t *starts = family_starts(r);
	struct group **sorted = starts == NULL ? NULL : sort_groups(r, starts);
	int code;

	if (settled < 0)
		code = settled;
	else if (sorted == NULL)
		code = err_memory(err);
	else
		code = put_families(&l, sorted, starts, err);
	if (code == 0)
		report_old_names(r);
	if (code == 0 && l.text.failed)
		code = err_memory(err);
	free(sorted);
	free(starts);
	buf_free(&l.text);
	return code;
}
