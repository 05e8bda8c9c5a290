#include "rollout/prom_perf.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "fmt/prom/prom_text.h"
#include "metrics/quantile.h"
#include "metrics/step_table.h"

enum { KEY_MAX = 192 };

/* "name: 1" is YAML rather than a metric. */
static bool is_sample(struct str text)
{
	struct prom_parser parser = prom_parser_new();
	struct prom_line line;
	struct err err;
	bool sample = prom_parse(&parser, text, PROM_MILLISECONDS, &line,
				 &err) == 0 &&
		      line.kind == PROM_SAMPLE && !str_ends(line.name, ":");

	prom_parser_free(&parser);
	return sample;
}

bool prom_perf_detect(struct str head)
{
	while (head.n > 0) {
		struct str line = str_trim(str_cut(&head, '\n'));

		if (str_starts(line, "# HELP ") ||
		    str_starts(line, "# TYPE ") || str_is(line, "# EOF"))
			return true;
		if (line.n > 0 && line.p[0] != '#')
			return is_sample(line);
	}
	return false;
}

/* One histogram summed over its series. */
struct total {
	const struct step_row *row;
	double sum;
	double count;
	struct buckets buckets;
};

/* Read the samples of one part of the histogram. */
static int read_part(struct total *total, const struct survey *survey,
		     enum term_part part, struct term_items *items,
		     struct err *err)
{
	const struct term_how how = {.now = survey, .side = total->row->side};
	struct term term = total->row->of;
	size_t kept = 0;
	int code;

	term.part = part;
	code = term_read(items, &term, &how, err);
	for (size_t i = 0; code == 0 && i < items->n; i++)
		if (isfinite(items->v[i].value))
			items->v[kept++] = items->v[i];
	items->n = kept;
	return code;
}

static double sum_of(const struct term_items *items)
{
	double sum = 0;

	for (size_t i = 0; i < items->n; i++)
		sum += items->v[i].value;
	return sum;
}

static int add_buckets(struct total *total, const struct survey *survey,
		       const struct term_items *items, struct err *err)
{
	struct metric *const *metrics = survey->table->names.metrics;
	struct map facts = map_new(false), had = map_new(false);
	int code = 0;

	for (size_t i = 0; code == 0 && i < items->n; i++) {
		const struct term_item *item = &items->v[i];

		code = map_add(&facts, item->fact, NULL);
		if (code >= 0)
			code = buckets_add_mixed(&total->buckets, &had,
						 item->bound, item->value,
						 item->fact);
		if (code < 0)
			buckets_error(code, metrics[item->from->metric]->name,
				      err);
	}
	total->buckets.series = (uint32_t)facts.n;
	map_free(&facts);
	map_free(&had);
	return code;
}

static int add_up(struct total *total, const struct survey *survey,
		  struct err *err)
{
	struct term_items items = term_items_new();
	int code = read_part(total, survey, TERM_SUM, &items, err);

	total->sum = sum_of(&items);
	if (code == 0)
		code = read_part(total, survey, TERM_COUNT, &items, err);
	total->count = sum_of(&items);
	if (code == 0)
		code = read_part(total, survey, TERM_BUCKET, &items, err);
	if (code == 0)
		code = add_buckets(total, survey, &items, err);
	if (code == 0 && buckets_settle(&total->buckets, total->count) < 0)
		code = err_memory(err);
	term_items_free(&items);
	return code;
}

/* perf/KEY/STATISTIC; a percentile if percent is a number. */
static int put(struct figures *figures, const char *key, const char *statistic,
	       double percent, double value, struct err *err)
{
	struct figure figure = {.value = value,
				.approximate = strcmp(statistic, "mean") != 0};

	if (!isfinite(value))
		return 0;
	return figures_add_statistic(figures, key, statistic, percent, figure,
				     err);
}

/* In the key's unit. 0.001 is not an exact double: 9 * 0.001 is not 0.009, but
 * 9 / 1000 is. */
static double scaled(double v, const struct step_row *row)
{
	return row->scale < 1 ? v / (1 / row->scale) : v * row->scale;
}

static int put_quantiles(struct figures *figures, const struct total *total,
			 const struct perf_wanted *wanted, struct err *err)
{
	const struct step_row *row = total->row;
	const struct buckets *b = &total->buckets;
	int code = put(figures, row->key, "median", (double)NAN,
		       scaled(buckets_quantile(b, 0.5), row), err);

	for (size_t i = 0; code == 0 && i < wanted->percentile_count; i++) {
		double percent = wanted->percentiles[i];

		code = put(figures, row->key, "", percent,
			   scaled(buckets_quantile(b, percent / 100), row),
			   err);
	}
	return code;
}

static bool has(const struct figures *figures, const char *name)
{
	char key[KEY_MAX];

	snprintf(key, sizeof(key), "perf/%s/mean", name);
	return figures_find(figures, str_of(key)) != NULL;
}

/* If two engines have the same key, the first counts. */
static int put_histogram(struct figures *figures, const struct total *total,
			 const struct perf_wanted *wanted, struct err *err)
{
	const struct step_row *row = total->row;
	struct figure count = {"perf/request/count", total->count, true, false};
	int code = 0;

	if (!(total->count > 0) || has(figures, row->key))
		return 0;
	if (strcmp(row->key, "request/e2e_latency") == 0)
		code = figures_add(figures, count, err);
	if (code == 0)
		code = put(figures, row->key, "mean", (double)NAN,
			   total->sum / total->count * row->scale, err);
	if (code == 0 && total->buckets.n > 0)
		code = put_quantiles(figures, total, wanted, err);
	return code;
}

int prom_perf(const struct series_table *table,
	      const struct perf_wanted *wanted, struct figures *figures,
	      struct err *err)
{
	const struct step_row *row = step_rows;
	struct survey survey;
	int code = survey_take(&survey, table, err);

	for (; code == 0 && row->summary != NULL; row++) {
		struct total total = {.row = row};

		if (row->set != STEP_PERF)
			continue;
		code = add_up(&total, &survey, err);
		if (code == 0)
			code = put_histogram(figures, &total, wanted, err);
		buckets_free(&total.buckets);
	}
	survey_free(&survey);
	return code;
}
