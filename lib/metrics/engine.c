#include "metrics/engine.h"

static const char *const prefixes[] = {
	"ray_vllm:", "ray_vllm_", "vllm:", "vllm_",
	"sglang:",   "sglang_",	  "ray_",  NULL};
static const char *const vllm_prefixes[] = {"vllm:", "vllm_", "ray_vllm_",
					    "ray_vllm:", NULL};
static const char *const sglang_prefixes[] = {"sglang:", "sglang_", NULL};

struct str engine_bare_name(struct str name)
{
	for (size_t i = 0; prefixes[i] != NULL; i++) {
		size_t n = strlen(prefixes[i]);

		if (str_starts(name, prefixes[i]) && name.n > n)
			return str_make(name.p + n, name.n - n);
	}
	return name;
}

/* Gauges whose sum means nothing, by their bare names. */
static const struct gauge {
	const char *name;
	enum reduce_op op;
	bool high_is_good;
} gauges[] = {
	{"token_usage", OP_MEAN, false},
	{"full_token_usage", OP_MEAN, false},
	{"swa_token_usage", OP_MEAN, false},
	{"mamba_usage", OP_MEAN, false},
	{"pending_prealloc_token_usage", OP_MEAN, false},
	{"cache_hit_rate", OP_MEAN, true},
	{"new_token_ratio", OP_MEAN, true},
	{"spec_accept_length", OP_MEAN, true},
	{"spec_accept_rate", OP_MEAN, true},
	{"spec_cap_length", OP_MEAN, true},
	{"spec_num_steps", OP_MEAN, false},
	{"spec_num_draft_tokens", OP_MEAN, false},
	{"utilization", OP_MEAN, true},
	{"fwd_occupancy", OP_MEAN, true},
	{"is_cuda_graph", OP_MEAN, true},
	{"gen_throughput", OP_SUM, true},
	{"kv_available_tokens", OP_SUM, true},
	{"kv_transfer_speed_gb_s", OP_MEAN, true},
	{"kv_transfer_latency_ms", OP_MEAN, false},
	{"page_size", OP_MAX, false},
	{"context_len", OP_MAX, false},
	{"engine_startup_time", OP_MAX, false},
	{"engine_load_weights_time", OP_MAX, false},
	{"startup_time_seconds", OP_MAX, false},
	{"weight_load_duration_seconds", OP_MAX, false},
	{"kv_cache_usage_perc", OP_MEAN, false},
	{"gpu_cache_usage_perc", OP_MEAN, false},
	{"cpu_cache_usage_perc", OP_MEAN, false},
	{"gpu_prefix_cache_hit_rate", OP_MEAN, true},
	{"avg_prompt_throughput_toks_per_s", OP_SUM, true},
	{"avg_generation_throughput_toks_per_s", OP_SUM, true},
	{"engine_sleep_state", OP_MAX, false},
	{"node_gpus_utilization", OP_MEAN, true},
	{"node_cpu_utilization", OP_MEAN, false},
	{"component_cpu_percentage", OP_MEAN, false},
};

/* Endings by which a fraction gives itself away. */
static const struct {
	const char *suffix;
	bool high_is_good;
} fractions[] = {
	{"_usage_perc", false},
	{"_utilization", true},
	{"_utilization_perc", false},
	{"_hit_rate", true},
	{"_accept_rate", true},
	{"_acceptance_rate", true},
	{"_ratio", false},
	{"_percent", false},
	{"_percentage", false},
	{"_fraction", false},
};

enum {
	GAUGES = sizeof(gauges) / sizeof(gauges[0]),
	FRACTIONS = sizeof(fractions) / sizeof(fractions[0])
};

static const struct gauge *find_gauge(struct str bare)
{
	for (size_t i = 0; i < GAUGES; i++)
		if (str_is(bare, gauges[i].name))
			return &gauges[i];
	return NULL;
}

enum reduce_op engine_gauge_op(struct str name)
{
	const struct gauge *gauge = find_gauge(engine_bare_name(name));

	if (gauge != NULL)
		return gauge->op;
	for (size_t i = 0; i < FRACTIONS; i++)
		if (str_ends(name, fractions[i].suffix))
			return OP_MEAN;
	return OP_SUM;
}

bool engine_high_is_good(struct str name)
{
	const struct gauge *gauge = find_gauge(engine_bare_name(name));

	if (gauge != NULL)
		return gauge->high_is_good;
	for (size_t i = 0; i < FRACTIONS; i++)
		if (str_ends(name, fractions[i].suffix))
			return fractions[i].high_is_good;
	return str_ends(name, "_tokens_total") || str_ends(name, "_throughput");
}

/* Counters that Ray's old spelling exports as gauges, without _total. */
static const char *const counters[] = {
	"prompt_tokens",
	"generation_tokens",
	"prompt_tokens_cached",
	"prefix_cache_queries",
	"prefix_cache_hits",
	"external_prefix_cache_queries",
	"external_prefix_cache_hits",
	"mm_cache_queries",
	"mm_cache_hits",
	"num_preemptions",
	"request_success",
	"corrupted_requests",
	"spec_decode_num_drafts",
	"spec_decode_num_draft_tokens",
	"spec_decode_num_accepted_tokens",
	"spec_decode_num_accepted_tokens_per_pos",
};

bool engine_is_counter(struct str name)
{
	struct str bare = engine_bare_name(name);

	if (str_ends(name, "_total"))
		return true;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (bare.n < name.n && str_is(bare, counters[i]))
			return true;
	return false;
}

/* Step summaries ------------------------------------------------------ */

#define TTFT "time_to_first_token_seconds"
#define ITL "inter_token_latency_seconds"
#define E2E "e2e_request_latency_seconds"
#define QUEUE "queue_time_seconds"
#define SPEC "spec_decode_num_"
#define AVERAGE(key, histogram)                                                \
	{                                                                      \
		key, histogram "_sum", STEP_RATIO, histogram "_count", 0, NULL \
	}
#define LATENCY(key, histogram)                                                \
	AVERAGE(key "_avg", histogram),                                        \
		{key "_p50", histogram, STEP_QUANTILE, NULL, 0.50, NULL},      \
		{key "_p95", histogram, STEP_QUANTILE, NULL, 0.95, NULL},      \
	{                                                                      \
		key "_p99", histogram, STEP_QUANTILE, NULL, 0.99, NULL         \
	}
#define GAUGE(name, how)                                                       \
	{                                                                      \
		name, name, how, NULL, 0, NULL                                 \
	}

/* SkyRL's documented table. */
static const struct step_key vllm_keys[] = {
	GAUGE("num_requests_running", STEP_GAUGE_SUM),
	GAUGE("num_requests_waiting", STEP_GAUGE_SUM),
	GAUGE("kv_cache_usage_perc", STEP_GAUGE_MEAN),
	{"generation_throughput_tok_s", "generation_tokens", STEP_RATE, NULL, 0,
	 NULL},
	{"prompt_throughput_tok_s", "prompt_tokens", STEP_RATE, NULL, 0, NULL},
	{"prefix_cache_hit_rate", "prefix_cache_hits", STEP_RATIO,
	 "prefix_cache_queries", 0, NULL},
	AVERAGE("ttft_seconds_avg", TTFT),
	AVERAGE("tpot_seconds_avg", ITL),
	{"draft_num_draft_tokens", SPEC "draft_tokens", STEP_INCREASE, NULL, 0,
	 NULL},
	{"draft_num_accepted_tokens", SPEC "accepted_tokens", STEP_INCREASE,
	 NULL, 0, NULL},
	{"draft_acceptance_rate", SPEC "accepted_tokens", STEP_RATIO,
	 SPEC "draft_tokens", 0, NULL},
	{"draft_mean_acceptance_length", SPEC "accepted_tokens", STEP_RATIO,
	 SPEC "drafts", 1, NULL},
	{"draft_acceptance_rate_pos_", SPEC "accepted_tokens_per_pos",
	 STEP_RATIO_BY_LABEL, SPEC "drafts", 0, "position"},
};

/* The matching set of SGLang. */
static const struct step_key sglang_keys[] = {
	GAUGE("num_running_reqs", STEP_GAUGE_SUM),
	GAUGE("num_queue_reqs", STEP_GAUGE_SUM),
	GAUGE("num_prefill_bootstrap_queue_reqs", STEP_GAUGE_SUM),
	GAUGE("num_prefill_inflight_queue_reqs", STEP_GAUGE_SUM),
	GAUGE("num_decode_prealloc_queue_reqs", STEP_GAUGE_SUM),
	GAUGE("num_decode_transfer_queue_reqs", STEP_GAUGE_SUM),
	GAUGE("token_usage", STEP_GAUGE_MEAN),
	GAUGE("cache_hit_rate", STEP_GAUGE_MEAN),
	GAUGE("utilization", STEP_GAUGE_MEAN),
	GAUGE("gen_throughput", STEP_GAUGE_SUM),
	GAUGE("spec_accept_length", STEP_GAUGE_MEAN),
	{"generation_throughput_tok_s", "generation_tokens", STEP_RATE, NULL, 0,
	 NULL},
	{"prompt_throughput_tok_s", "prompt_tokens", STEP_RATE, NULL, 0, NULL},
	LATENCY("ttft_seconds", TTFT),
	LATENCY("itl_seconds", ITL),
	LATENCY("e2e_seconds", E2E),
	LATENCY("queue_seconds", QUEUE),
	AVERAGE("kv_transfer_speed_gb_s_avg", "kv_transfer_speed_gb_s"),
	GAUGE("kv_transfer_speed_gb_s", STEP_GAUGE_MEAN),
	{"num_aborted_reqs", "num_aborted_requests", STEP_INCREASE, NULL, 0,
	 NULL},
	{"num_retracted_reqs", "num_retracted_requests", STEP_INCREASE, NULL, 0,
	 NULL},
};

static const struct engine engines[] = {
	{"vllm", vllm_prefixes, vllm_keys,
	 sizeof(vllm_keys) / sizeof(vllm_keys[0])},
	{"sglang", sglang_prefixes, sglang_keys,
	 sizeof(sglang_keys) / sizeof(sglang_keys[0])},
};

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (strcmp(engines[i].name, name) == 0)
			return &engines[i];
	return NULL;
}

const struct engine *engine_of(struct str name)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (engine_has(&engines[i], name))
			return &engines[i];
	return NULL;
}

size_t engine_has(const struct engine *engine, struct str name)
{
	for (size_t i = 0; engine->prefixes[i] != NULL; i++)
		if (str_starts(name, engine->prefixes[i]))
			return strlen(engine->prefixes[i]);
	return 0;
}
