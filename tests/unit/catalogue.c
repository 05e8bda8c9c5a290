/* The catalogue: what a name is called where, and what a row says. */
#include "metrics/catalogue.h"
#include "check.h"

static const char *found(const char *name)
{
	const struct catalogue_row *row = catalogue_find(str_of(name));

	return row == NULL ? "" : catalogue_name(row);
}

static const char *found_sample(const char *name)
{
	struct str suffix;
	const struct catalogue_row *row =
		catalogue_find_sample(str_of(name), &suffix);

	return row == NULL ? "" : catalogue_name(row);
}

static void test_spellings(void)
{
	static const char *const spellings[] = {
		"sglang:num_running_reqs",     "sglang_num_running_reqs",
		"ray_sglang_num_running_reqs", "ray_sglang:num_running_reqs",
		"smg_engine_num_running_reqs", "num_running_reqs"};

	check_case("a metric is known by every spelling of its name");
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		CHECK_TEXT(found(spellings[i]), "sglang:num_running_reqs");
	CHECK_TEXT(found("ray_vllm_prompt_tokens"), "vllm:prompt_tokens");
	CHECK_TEXT(found("smg_engine_token_usage"), "smg_engine_token_usage");
	CHECK_TEXT(found("smg_worker_pool_size"), "smg_worker_pool_size");
	CHECK_TEXT(found("ray_node_mem_used"), "ray_node_mem_used");
	CHECK_TEXT(found("DCGM_FI_DEV_GPU_TEMP"), "DCGM_FI_DEV_GPU_TEMP");
	CHECK_TEXT(found("sglang_disagg_kv_transfer_latency_ms"),
		   "sglang_disagg_kv_transfer_latency_ms");
}

static void test_total(void)
{
	check_case("only a counter may have _total or lack it");
	CHECK_TEXT(found("vllm:prompt_tokens_total"), "vllm:prompt_tokens");
	CHECK_TEXT(found("sglang:realtime_tokens"),
		   "sglang:realtime_tokens_total");
	CHECK_TEXT(found("vllm:iteration_tokens_total"),
		   "vllm:iteration_tokens_total");
	CHECK_TEXT(found("vllm:iteration_tokens"), "");
	CHECK_TEXT(found("sglang:lora_pool_slots_total"),
		   "sglang:lora_pool_slots_total");
	CHECK_TEXT(found("sglang:lora_pool_slots"), "");
	CHECK_TEXT(found("sglang:token_usage_total"), "");
}

static void test_which_engine(void)
{
	check_case("a spelling of two is that of today");
	CHECK_TEXT(found("sglang_max_running_requests"),
		   "sglang_max_running_requests");
	check_case("a bare name is a metric of today before an older one");
	CHECK_TEXT(found("num_requests_waiting"), "vllm:num_requests_waiting");
	CHECK_TEXT(found("sglang:num_requests_waiting"),
		   "sglang:num_requests_waiting");
	CHECK_TEXT(found("time_to_first_token_seconds"),
		   "sglang:time_to_first_token_seconds");
	CHECK_TEXT(found("gpu_cache_usage_perc"), "vllm:gpu_cache_usage_perc");
	CHECK_TEXT(found("no_such_metric"), "");
	CHECK_TEXT(found(""), "");
	CHECK_TEXT(found("ray_"), "");
}

static void test_samples(void)
{
	struct str suffix;

	check_case("a sample's suffix is a histogram's or a summary's");
	CHECK_TEXT(found_sample("sglang_e2e_request_latency_seconds_bucket"),
		   "sglang:e2e_request_latency_seconds");
	CHECK_TEXT(found_sample("sglang:eplb_balancedness_sum"),
		   "sglang:eplb_balancedness");
	CHECK_TEXT(found_sample("sglang:eplb_balancedness_bucket"), "");
	CHECK_TEXT(found_sample("sglang:token_usage_sum"), "");
	CHECK_TEXT(found_sample("sglang:routing_key_all_req_count"),
		   "sglang:routing_key_all_req_count");
	catalogue_find_sample(str_of("vllm:iteration_tokens_total_count"),
			      &suffix);
	CHECK_STR(suffix, "_count");
	catalogue_find_sample(str_of("vllm:iteration_tokens_total"), &suffix);
	CHECK_STR(suffix, "");
}

static void test_rows(void)
{
	const struct catalogue_row *row =
		catalogue_find(str_of("sglang:startup_time_seconds"));
	const struct catalogue_row *older =
		catalogue_find(str_of("sglang:engine_startup_time"));

	check_case("a row says how series add up");
	CHECK_INT(row->op, OP_MAX);
	CHECK(catalogue_has(row->keep, str_of("phase")));
	CHECK(!catalogue_has(row->keep, str_of("phas")));
	CHECK(catalogue_has(row->labels, str_of("engine_type")));
	CHECK(catalogue_now(older) == row);
	CHECK_TEXT(catalogue_str(older->now_label), "phase");
	CHECK_TEXT(catalogue_str(older->now_value), "scheduler_e2e");
	CHECK(catalogue_now(row) == row);
	row = catalogue_find(str_of("sglang:spec_accept_length"));
	CHECK_INT(row->op, OP_MEAN);
	CHECK_INT(row->counts, COUNTS_POSITIVE);
	CHECK_INT(row->copies, COPIES_RANKS);
	CHECK_INT(row->rising, RISING_BETTER);
}

static void test_all(void)
{
	check_case("every row is found by its own name");
	for (uint32_t i = 0; i < catalogue_size(); i++) {
		const struct catalogue_row *row = catalogue_at(i);
		const struct catalogue_row *same =
			catalogue_find(str_of(catalogue_name(row)));

		/* What two engines export under one name is the first's. */
		CHECK(same == row || (same != NULL && same < row));
	}
	CHECK(catalogue_size() > 600);
}

int main(void)
{
	test_spellings();
	test_total();
	test_which_engine();
	test_samples();
	test_rows();
	test_all();
	return check_done();
}
