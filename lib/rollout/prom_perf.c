#include "rollout/prom_perf.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "fmt/prom/prom_text.h"
#include "metrics/engine.h"
#include "metrics/labels.h"
#include "metrics/quantile.h"

enum { KEY_MAX = 192 };

#define STAGES "per_stage_req_latency_seconds"
#define MS 1000

/* A key and the histogram that means the same, without the engine's prefix;
 * where it has a stage, of that stage only. */
static const struct histogram {
	const char *key;
	const char *name;
	const char *stage;
	double per; /* of its units in that of the key */
} histograms[] = {
	{"request/e2e_latency", "e2e_request_latency_seconds", NULL, 1},
	{"request/queue_time", "queue_time_seconds", NULL, 1},
	{"request/queue_time", "request_queue_time_seconds", NULL, 1},
	{"prefill/bootstrap_queue_duration", STAGES, "prefill_bootstrap", 1},
	{"prefill/bootstrap_duration", "kv_transfer_bootstrap_ms", NULL, MS},
	{"prefill/alloc_wait_duration", "kv_transfer_alloc_ms", NULL, MS},
	{"prefill/transfer_speed_gb_s", "kv_transfer_speed_gb_s", NULL, 1},
	{"prefill/transfer_total_mb", "kv_transfer_total_mb", NULL, 1},
	{"decode/transfer_duration", STAGES, "decode_transferred", 1},
};

enum { HISTOGRAMS = sizeof(histograms) / sizeof(histograms[0]) };

/* One histogram added up over its series. */
struct total {
	double sum;
	double count;
	struct buckets buckets;
	struct map replicas;	 /* that have buckets */
	struct map had;		 /* bounds of each */
	struct label_set labels; /* of the series at hand */
};

/* The line that *text begins with; *text moves behind it. */
static struct str take_line(struct str *text)
{
	const char *end = text->n == 0 ? NULL : memchr(text->p, '\n', text->n);
	size_t n = end == NULL ? text->n : (size_t)(end - text->p);
	struct str line = str_make(text->p, n);

	n += end != NULL;
	*text = str_make(text->p + n, text->n - n);
	return str_trim(line);
}

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

bool prom_perf_told(struct str head)
{
	while (head.n > 0) {
		struct str line = take_line(&head);

		if (str_starts(line, "# HELP ") ||
		    str_starts(line, "# TYPE ") || str_is(line, "# EOF"))
			return true;
		if (line.n > 0 && line.p[0] != '#')
			return is_sample(line);
	}
	return false;
}

/* What m is to the histogram: its suffix, "" when it is another's. */
static struct str suffix_of(const struct metric *m, const struct histogram *h)
{
	struct str bare = engine_bare_name(m->name);
	size_t n = strlen(h->name);

	if (bare.n == m->name.n || bare.n <= n ||
	    memcmp(bare.p, h->name, n) != 0)
		return str_make("", 0);
	return str_make(bare.p + n, bare.n - n);
}

static int add_bucket(struct total *total, struct str name,
		      const struct series *s, struct str le, struct err *err)
{
	uint64_t replica = 0;
	double bound;
	int code;

	for (size_t i = 0; i < total->labels.n; i++)
		if (!str_is(total->labels.v[i].name, "le"))
			replica += prom_label_hash(&total->labels.v[i]);
	if (!prom_bound(le, &bound))
		return 0;
	if (map_add(&total->replicas, replica, &(uint32_t){0}) < 0)
		return err_memory(err);
	code = buckets_add_mixed(&total->buckets, &total->had, bound, s->value,
				 replica);
	return code < 0 ? buckets_refused(code, name, err) : 0;
}

static int add_series(struct total *total, const struct histogram *h,
		      struct str name, struct str suffix,
		      const struct series *s, struct err *err)
{
	const struct label_set *labels = &total->labels;
	struct str stage, le;

	if (label_set_read(&total->labels, series_labels(s), err) < 0)
		return err->code;
	stage = labels_get(labels->v, labels->n, "stage");
	if (h->stage != NULL && (stage.p == NULL || !str_is(stage, h->stage)))
		return 0;
	le = labels_get(labels->v, labels->n, "le");
	if (!isfinite(s->value))
		return 0;
	if (str_is(suffix, "_sum"))
		total->sum += s->value;
	else if (str_is(suffix, "_count"))
		total->count += s->value;
	else if (str_is(suffix, "_bucket") && le.p != NULL)
		return add_bucket(total, name, s, le, err);
	return 0;
}

static int add_up(const struct series_table *table, const struct histogram *h,
		  struct total *total, struct err *err)
{
	for (uint32_t k = 0; k < table->names.n_metrics; k++) {
		const struct metric *m = table->names.metrics[k];
		struct str suffix = suffix_of(m, h);
		uint32_t i = suffix.n == 0 ? NO_NUMBER : m->first;

		for (; i != NO_NUMBER; i = series_at(table, i)->next)
			if (add_series(total, h, m->name, suffix,
				       series_at(table, i), err) < 0)
				return err->code;
	}
	total->buckets.series = (uint32_t)total->replicas.n;
	return buckets_settle(&total->buckets, total->count) < 0
		       ? err_memory(err)
		       : 0;
}

/* perf/KEY/STATISTIC; a percentile when percent is a number. */
static int put(struct figures *figures, const char *key, const char *statistic,
	       double percent, double value, struct err *err)
{
	char text[KEY_MAX];
	char digits[NUM_DOUBLE_MAX + 1] = "";
	struct figure figure = {.key = text,
				.value = value,
				.approximate = strcmp(statistic, "mean") != 0};

	if (!isfinite(value))
		return 0;
	if (!isnan(percent))
		digits[num_put_short(digits, percent)] = '\0';
	snprintf(text, sizeof(text), "perf/%s/%s%s", key, statistic, digits);
	return figures_add(figures, figure, err);
}

static int put_quantiles(struct figures *figures, const struct histogram *h,
			 const struct total *total,
			 const struct perf_wanted *wanted, struct err *err)
{
	int code = put(figures, h->key, "median", (double)NAN,
		       buckets_quantile(&total->buckets, 0.5) / h->per, err);

	for (size_t i = 0; code == 0 && i < wanted->percentile_count; i++) {
		double percent = wanted->percentiles[i];

		code = put(figures, h->key, "p", percent,
			   buckets_quantile(&total->buckets, percent / 100) /
				   h->per,
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

/* A key that two engines name differently is the first one's. */
static int put_histogram(struct figures *figures, const struct histogram *h,
			 const struct total *total,
			 const struct perf_wanted *wanted, struct err *err)
{
	struct figure count = {"perf/request/count", total->count, true, false};
	int code = 0;

	if (!(total->count > 0) || has(figures, h->key))
		return 0;
	if (h == histograms)
		code = figures_add(figures, count, err);
	if (code == 0)
		code = put(figures, h->key, "mean", (double)NAN,
			   total->sum / total->count / h->per, err);
	if (code == 0 && total->buckets.n > 0)
		code = put_quantiles(figures, h, total, wanted, err);
	return code;
}

int prom_perf(const struct series_table *table,
	      const struct perf_wanted *wanted, struct figures *figures,
	      struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < HISTOGRAMS; i++) {
		struct total total = {.replicas = map_new(false),
				      .had = map_new(false)};

		code = add_up(table, &histograms[i], &total, err);
		if (code == 0)
			code = put_histogram(figures, &histograms[i], &total,
					     wanted, err);
		buckets_free(&total.buckets);
		map_free(&total.replicas);
		map_free(&total.had);
		label_set_free(&total.labels);
	}
	return code;
}
