#include "rollout/perf_keys.h"

#include <stdio.h>

#include "base/array.h"
#include "base/num.h"
#include "base/quantile_text.h"
#include "base/similar.h"
#include "rollout/what_if/remedies.h"

const struct perf_metric perf_metrics[PERF_METRICS] = {
	{"request/e2e_latency", STR("e2e_latency"), "s"},
	{"request/queue_time", STR("queue_time"), "s"},
	{"decode/throughput", STR("decode_throughput"), "tokens/s"},
	{"prefill/bootstrap_queue_duration",
	 STR("pd_prefill_bootstrap_queue_duration"), "s"},
	{"prefill/bootstrap_duration", STR("pd_prefill_bootstrap_duration"),
	 "s"},
	{"prefill/alloc_wait_duration", STR("pd_prefill_alloc_wait_duration"),
	 "s"},
	{"prefill/forward_duration", STR("pd_prefill_forward_duration"), "s"},
	{"prefill/transfer_queue_duration",
	 STR("pd_prefill_transfer_queue_duration"), "s"},
	{"prefill/transfer_speed_gb_s", STR("pd_transfer_speed_gb_s"), "GB/s"},
	{"prefill/transfer_total_mb", STR("pd_transfer_total_mb"), "MB"},
	{"prefill/retry_count", STR("pd_prefill_retry_count"), ""},
	{"decode/prealloc_duration", STR("pd_decode_prealloc_duration"), "s"},
	{"decode/bootstrap_duration", STR("pd_decode_bootstrap_duration"), "s"},
	{"decode/alloc_wait_duration", STR("pd_decode_alloc_wait_duration"),
	 "s"},
	{"decode/transfer_duration", STR("pd_decode_transfer_duration"), "s"},
	{"decode/forward_duration", STR("pd_decode_forward_duration"), "s"},
};

/* Other metrics with statistics, and those without. */
static const struct named_unit {
	const char *key;
	const char *unit;
} others[] = {{"non_generation_time", "s"}},
  alone[] = {
	  {"wall", "s"},
	  {"request/count", ""},
	  {"request/profiled_count", ""},
	  {"rollout_time", "s"},
	  {"tokens_per_gpu_per_sec", "tokens/s/GPU"},
	  {"effective_tokens_per_gpu_per_sec", "tokens/s/GPU"},
	  {"longest_sample_tokens_per_sec", "tokens/s"},
	  {"longest_sample_non_generation_time", "s"},
	  {"longest_sample_tokens_per_sec_without_non_generation", "tokens/s"},
	  {"longest_effective_sample_tokens_per_sec", "tokens/s"},
	  {"longest_effective_sample_non_generation_time", "s"},
	  {"longest_effective_sample_tokens_per_sec_without_non_generation",
	   "tokens/s"},
};
static const char *const statistics[] = {"mean", "median", "max", "min"};

enum {
	OTHERS = ARRAY_SIZE(others),
	ALONE = ARRAY_SIZE(alone),
	STATISTICS = ARRAY_SIZE(statistics),
	NEAR_MAX = 4,
	STATISTIC_MAX = NUM_DOUBLE_MAX + 2
};

/* The last part of a key, after its last slash. */
static struct str statistic_of(struct str key)
{
	size_t n = key.n;

	while (n > 0 && key.p[n - 1] != '/')
		n--;
	return str_skip(key, n);
}

static struct str without_prefix(struct str key)
{
	str_skip_prefix(&key, PERF_KEY_PREFIX);
	return key;
}

bool perf_key_percentile(struct str key, double *percent)
{
	struct str statistic = statistic_of(key);
	struct quantile_value v;

	if (statistic.n == key.n || !str_starts(statistic, "p") ||
	    !quantile_parse(statistic, &v))
		return false;
	*percent = v.percent;
	return true;
}

static void put_percentile(char text[STATISTIC_MAX], double percent)
{
	text[0] = 'p';
	text[1 + num_put_short(text + 1, percent)] = '\0';
}

bool perf_key_spell(char key[PERF_KEY_MAX], struct str text)
{
	char statistic[STATISTIC_MAX] = "";
	double percent;
	int n;

	text = without_prefix(text);
	if (perf_key_percentile(text, &percent)) {
		put_percentile(statistic, percent);
		text.n -= statistic_of(text).n;
	}
	n = snprintf(key, PERF_KEY_MAX, PERF_KEY_PREFIX "%.*s%s", STR_ARG(text),
		     statistic);
	return n > 0 && n < PERF_KEY_MAX;
}

static const char *name_at(size_t i)
{
	return i < PERF_METRICS ? perf_metrics[i].key
				: others[i - PERF_METRICS].key;
}

static bool is_statistic(struct str text)
{
	struct quantile_value v;

	for (size_t i = 0; i < STATISTICS; i++)
		if (str_is(text, statistics[i]))
			return true;
	return str_starts(text, "p") && quantile_parse(text, &v);
}

static const char *unit_of(struct str name)
{
	for (size_t i = 0; i < ALONE; i++)
		if (str_is(name, alone[i].key))
			return alone[i].unit;
	for (size_t i = 0; i < OTHERS; i++)
		if (str_is(name, others[i].key))
			return others[i].unit;
	for (size_t i = 0; i < PERF_METRICS; i++)
		if (str_is(name, perf_metrics[i].key))
			return perf_metrics[i].unit;
	return "";
}

const char *perf_key_unit(struct str key)
{
	struct str name = without_prefix(key);
	struct str statistic = statistic_of(name);

	if (statistic.n < name.n && is_statistic(statistic))
		name.n -= statistic.n + 1;
	return unit_of(name);
}

/* REMEDY/saves, also of the values that --set can have. */
static bool is_saving(struct str key)
{
	int64_t number;

	if (!str_ends(key, "/saves"))
		return false;
	key.n -= strlen("/saves");
	for (int i = 0; i < REMEDY_KINDS; i++)
		if (str_is(key, what_if_remedy_id((enum what_if_remedy_kind)i)))
			return true;
	return (str_skip_prefix(&key, "cut_") ||
		str_skip_prefix(&key, "slots_")) &&
	       num_parse_int(key, &number) && number > 0;
}

bool perf_key_known(struct str key)
{
	struct str statistic;

	key = without_prefix(key);
	if (str_starts(key, "what_if/"))
		return is_saving(str_skip(key, strlen("what_if/")));
	for (size_t i = 0; i < ALONE; i++)
		if (str_is(key, alone[i].key))
			return true;
	statistic = statistic_of(key);
	if (statistic.n == key.n || !is_statistic(statistic))
		return false;
	key.n -= statistic.n + 1;
	for (size_t i = 0; i < PERF_METRICS + OTHERS; i++)
		if (str_is(key, name_at(i)))
			return true;
	return false;
}

/* Keys that are near ---------------------------------------------------- */

/* The best matches so far, nearest first. */
struct nearest {
	struct str key; /* searched for */
	size_t limit;	/* of the distance */
	struct {
		char key[PERF_KEY_MAX];
		size_t distance;
	} v[NEAR_MAX];
	size_t n;
};

/* A remembered part of a key is nearer than any misspelling. */
static size_t distance_to(const struct nearest *to, const char *key)
{
	size_t distance = similar_distance(to->key, str_of(key));

	if (to->key.n >= 4 &&
	    memmem(key, strlen(key), to->key.p, to->key.n) != NULL)
		return 0;
	return distance;
}

static void consider(struct nearest *to, const char *name,
		     const char *statistic)
{
	char key[PERF_KEY_MAX];
	size_t distance;
	size_t at = to->n;

	snprintf(key, sizeof(key), "%s%s%s", name, *statistic ? "/" : "",
		 statistic);
	distance = distance_to(to, key);
	if (distance > to->limit)
		return;
	while (at > 0 && to->v[at - 1].distance > distance)
		at--;
	if (at == NEAR_MAX)
		return;
	if (to->n < NEAR_MAX)
		to->n++;
	memmove(&to->v[at + 1], &to->v[at],
		(to->n - at - 1) * sizeof(to->v[0]));
	memcpy(to->v[at].key, key, sizeof(key));
	to->v[at].distance = distance;
}

/* A quantile is a statistic, too: p95 of ".../95" or ".../p95". */
static void own_statistic(char text[STATISTIC_MAX], struct str key)
{
	struct quantile_value v;

	text[0] = '\0';
	if (quantile_parse(statistic_of(key), &v))
		put_percentile(text, v.percent);
}

/* For a key that begins with what_if/ the nearest are listed however far they
 * are: it can be no other metric. */
static void consider_savings(struct nearest *to)
{
	size_t limit = to->limit;

	if (str_starts(to->key, "what_if/"))
		to->limit = SIZE_MAX;
	for (int i = 0; i < REMEDY_KINDS; i++) {
		char name[64];

		snprintf(name, sizeof(name), "what_if/%s",
			 what_if_remedy_id((enum what_if_remedy_kind)i));
		consider(to, name, "saves");
	}
	to->limit = limit;
}

void perf_keys_near(struct buf *text, struct str key)
{
	struct nearest near = {.key = without_prefix(key)};
	char own[STATISTIC_MAX];

	near.limit = near.key.n / 3;
	own_statistic(own, key);
	consider_savings(&near);
	for (size_t i = 0; i < ALONE; i++)
		consider(&near, alone[i].key, "");
	for (size_t i = 0; i < PERF_METRICS + OTHERS; i++) {
		if (*own != '\0')
			consider(&near, name_at(i), own);
		for (size_t k = 0; k < STATISTICS; k++)
			consider(&near, name_at(i), statistics[k]);
	}
	for (size_t i = 0; i < near.n; i++) {
		buf_puts(text, i > 0 ? ", " : "");
		buf_puts(text, near.v[i].key);
	}
}
