#include "rollout/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bootstrap.h"
#include "base/num.h"
#include "rollout/condition.h"
#include "rollout/perf_keys.h"

enum { STATISTICS_MAX = 128 };

static const char *const words[] = {
	[VERDICT_WORSE] = "worse",     [VERDICT_BETTER] = "better",
	[VERDICT_CHANGED] = "changed", [VERDICT_NOISE] = "noise",
	[VERDICT_SAME] = "same",       [VERDICT_GONE] = "gone",
	[VERDICT_NEW] = "new",
};

const char *verdict_word(enum verdict verdict)
{
	return words[verdict];
}

void comparison_free(struct comparison *comparison)
{
	free(comparison->v);
	*comparison = (struct comparison){0};
}

/* Is the last part of a key a statistic of values? Not max, min, counts. */
static bool statistic_of_key(const char *key, struct statistic *statistic)
{
	const char *word = figure_statistic(key);

	*statistic = (struct statistic){.mean = strcmp(word, "mean") == 0,
					.percent = 50};
	return statistic->mean || strcmp(word, "median") == 0 ||
	       (word[0] == 'p' &&
		num_parse_double(str_of(word + 1), &statistic->percent));
}

static bool is_extreme(const char *key)
{
	const char *word = figure_statistic(key);

	return strcmp(word, "max") == 0 || strcmp(word, "min") == 0;
}

static bool enough(const struct stats *values)
{
	return values != NULL && values->n >= BOOTSTRAP_LEAST;
}

/* Intervals of the changes of one metric, v[0..n-1], with its values: one
 * bootstrap serves all its statistics. */
static int add_intervals(struct change *v, size_t n, const struct stats *from,
			 const struct stats *to, struct err *err)
{
	struct statistic statistics[STATISTICS_MAX] = {0};
	struct confidence intervals[STATISTICS_MAX];
	struct change *of[STATISTICS_MAX];
	/* Values that are not negative cannot decrease by more than all. */
	bool relative = from->v[0] > 0 && to->v[0] >= 0;
	double least = from->v[0] >= 0 && to->v[0] >= 0 ? -1 : -INFINITY;
	size_t count = 0;

	for (size_t i = 0; i < n && count < STATISTICS_MAX; i++) {
		if (isnan(v[i].relative) ||
		    !statistic_of_key(v[i].key, &statistics[count]))
			continue;
		statistics[count].relative = relative;
		of[count++] = &v[i];
	}
	if (bootstrap(from, to, statistics, count, intervals, err) < 0)
		return err->code;
	for (size_t i = 0; i < count; i++) {
		double unit = relative ? 1 : fabs(of[i]->from);

		of[i]->low = intervals[i].low / unit;
		if (of[i]->low < least)
			of[i]->low = least;
		of[i]->high = intervals[i].high / unit;
	}
	return 0;
}

/* How many changes from v on are statistics of the same values. */
static size_t run_of(const struct change *v, size_t n)
{
	size_t stem = (size_t)(figure_statistic(v->key) - v->key);
	size_t same = 1;

	while (same < n &&
	       (size_t)(figure_statistic(v[same].key) - v[same].key) == stem &&
	       memcmp(v[same].key, v->key, stem) == 0)
		same++;
	return same;
}

/* The values behind a key "perf/METRIC/STATISTIC", sorted by perf_figures; NULL
 * if the key is not a statistic of known values. */
static const struct stats *values_of(const struct perf *perf, const char *key)
{
	struct str metric =
		str_make(key, (size_t)(figure_statistic(key) - key));

	if (!str_skip_prefix(&metric, PERF_KEY_PREFIX) ||
	    !str_drop_suffix(&metric, "/"))
		return NULL;
	for (size_t m = 0; m < PERF_METRICS; m++)
		if (str_is(metric, perf_metrics[m].key))
			return perf_metric_values(perf, m);
	return NULL;
}

static int find_intervals(struct comparison *c, const struct compared *from,
			  const struct compared *to, struct err *err)
{
	size_t run;

	for (size_t i = 0; i < c->n; i += run) {
		const struct stats *a = values_of(from->perf, c->v[i].key);
		const struct stats *b = values_of(to->perf, c->v[i].key);

		run = run_of(&c->v[i], c->n - i);
		if (enough(a) && enough(b) &&
		    add_intervals(&c->v[i], run, a, b, err) < 0)
			return err->code;
	}
	return 0;
}

static enum verdict judge(const struct change *change)
{
	int good = change->extreme ? 0 : figure_good(change->key);

	if (isnan(change->to))
		return VERDICT_GONE;
	if (isnan(change->from))
		return VERDICT_NEW;
	if (change->relative == 0)
		return VERDICT_SAME;
	if (change->low <= 0 && change->high >= 0)
		return VERDICT_NOISE;
	if (good == 0)
		return VERDICT_CHANGED;
	return (change->relative > 0) == (good > 0) ? VERDICT_BETTER
						    : VERDICT_WORSE;
}

bool change_exceeds(const struct change *change, double limit)
{
	return change->verdict == VERDICT_WORSE &&
	       fabs(change->relative) > limit;
}

/* Worse before better, extremes last. */
static int tier(const struct change *change)
{
	return (int)change->verdict + (change->extreme ? VERDICTS : 0);
}

static int by_weight(const void *left, const void *right)
{
	const struct change *a = left;
	const struct change *b = right;
	double x = fabs(a->relative);
	double y = fabs(b->relative);

	if (tier(a) != tier(b))
		return tier(a) - tier(b);
	if (x != y && !isnan(x) && !isnan(y))
		return x < y ? 1 : -1;
	return strcmp(a->key, b->key);
}

static struct change change_of(const struct figure *from,
			       const struct figure *to)
{
	struct change change = {.from = (double)NAN,
				.to = (double)NAN,
				.low = (double)NAN,
				.high = (double)NAN};

	if (from != NULL) {
		change.key = from->key;
		change.from = from->value;
	}
	if (to != NULL) {
		change.key = to->key;
		change.to = to->value;
	}
	change.relative = relative_change(change.from, change.to);
	return change;
}

static int by_key(const void *x, const void *y)
{
	const struct figure *const *a = x;
	const struct figure *const *b = y;

	return strcmp((*a)->key, (*b)->key);
}

/* The finite figures of a list, sorted by key. */
struct sorted {
	const struct figure **v;
	size_t n;
};

static int sort_figures(struct sorted *sorted, const struct figures *figures,
			struct err *err)
{
	sorted->v = calloc(figures->n + 1, sizeof(*sorted->v));
	if (sorted->v == NULL)
		return err_memory(err);
	for (size_t i = 0; i < figures->n; i++)
		if (isfinite(figures->v[i].value))
			sorted->v[sorted->n++] = &figures->v[i];
	if (sorted->n > 0)
		qsort(sorted->v, sorted->n, sizeof(*sorted->v), by_key);
	return 0;
}

/* All keys of both, sorted. */
static void merge(struct comparison *c, const struct sorted *from,
		  const struct sorted *to)
{
	size_t i = 0, j = 0;

	while (i < from->n || j < to->n) {
		int order = i == from->n ? 1
			    : j == to->n ? -1
					 : by_key(&from->v[i], &to->v[j]);

		c->v[c->n++] = change_of(order <= 0 ? from->v[i] : NULL,
					 order >= 0 ? to->v[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
}

static int pair_figures(struct comparison *c, const struct figures *from,
			const struct figures *to, struct err *err)
{
	struct sorted before = {0}, after = {0};
	int code = sort_figures(&before, from, err);

	if (code == 0)
		code = sort_figures(&after, to, err);
	if (code == 0)
		merge(c, &before, &after);
	free(before.v);
	free(after.v);
	return code;
}

int compare(struct comparison *c, const struct compared *from,
	    const struct compared *to, struct err *err)
{
	*c = (struct comparison){
		.v = calloc(from->figures->n + to->figures->n + 1,
			    sizeof(*c->v)),
		.intervals = from->perf != NULL && to->perf != NULL};
	if (c->v == NULL)
		return err_memory(err);
	if (pair_figures(c, from->figures, to->figures, err) < 0 ||
	    (c->intervals && find_intervals(c, from, to, err) < 0))
		return err->code;
	for (size_t i = 0; i < c->n; i++) {
		struct change *change = &c->v[i];

		change->extreme = is_extreme(change->key);
		change->verdict = judge(change);
	}
	if (c->n > 0)
		qsort(c->v, c->n, sizeof(*c->v), by_weight);
	return 0;
}
