# obs-aggregate --step-summary: what the scalars of a step are made of.

load test_helper

setup() {
	skip_without jq
}

# step BEFORE NOW OPTION...: the step between the two snapshots, 10 seconds.
step() {
	printf '%s\n# EOF\n%s\n# EOF\n' "$1" "$2" >"$TMP/stream"
	shift 2
	run_split obs-aggregate --window 10 "$@" "$TMP/stream"
	# 1: there is no key at all, or no bucket for --within.
	# shellcheck disable=SC2154 # run_split sets stderr
	[[ $status = 0 || $output = *'{"seconds":null'* ||
		$stderr = *--within=* ]] || fail_with "status"
	output=$(tail -n 1 <<<"${output%$'\n'}")
}

# has KEY VALUE...: to 1 in 10^12; a value "-": the key is not there.
has() {
	local key
	while [ $# -gt 0 ]; do
		key=$1
		jq -e --arg k "$key" --arg v "$2" '
			if $v == "-" then has($k) | not
			else .[$k] as $x | $x != null and
			(($v | tonumber) - $x | fabs) <= 1e-12 * ($x | fabs) + 1e-12
			end' <<<"$output" >"$TMP/ok" ||
			fail_with "$key is not $2: $(jq -c --arg k "$key" '.[$k]' \
				<<<"$output")"
		shift 2
	done
}

S=sglang

@test "the hit rate is that of the counters, the best source that there is" {
	local p=$S:prefill_effective_tokens_total r=$S:realtime_tokens_total
	local a="$p{w=\"1\",mode=\"input\"} 100
$p{w=\"1\",mode=\"device_hit\"} 10
$p{w=\"1\",mode=\"host_hit\"} 0
$S:cached_tokens_total{w=\"1\",cache_source=\"device\"} 5
$S:prompt_tokens_total{w=\"1\"} 5
$S:cache_hit_rate{w=\"1\"} 0.9"
	local b="$p{w=\"1\",mode=\"input\"} 160
$p{w=\"1\",mode=\"device_hit\"} 40
$p{w=\"1\",mode=\"host_hit\"} 10
$S:cached_tokens_total{w=\"1\",cache_source=\"device\"} 95
$S:prompt_tokens_total{w=\"1\"} 105
$S:cache_hit_rate{w=\"1\"} 0.9"
	step "$a" "$b" --step-summary sglang
	has sglang/cache_hit_rate 0.4
	step "$(grep -v "$p" <<<"$a")" "$(grep -v "$p" <<<"$b")" \
		--step-summary sglang
	has sglang/cache_hit_rate 0.9
	step "$r{w=\"1\",mode=\"prefill_cache\"} 1
$r{w=\"1\",mode=\"prefill_compute\"} 1
$r{w=\"1\",mode=\"decode\"} 1" "$r{w=\"1\",mode=\"prefill_cache\"} 4
$r{w=\"1\",mode=\"prefill_compute\"} 10
$r{w=\"1\",mode=\"decode\"} 101" --step-summary sglang
	has sglang/cache_hit_rate 0.25 sglang/decode_tok_s 10 \
		sglang/prefill_tok_s 0.9
	# No query, no rate.
	step "$b" "$b" --step-summary sglang
	has sglang/cache_hit_rate - sglang/num_requests -
}

@test "a ratio's parts pair by replica; labels that one lacks do not matter" {
	step "$S:generation_tokens_total{w=\"1\",is_streaming=\"true\"} 100
$S:generation_tokens_total{w=\"1\",is_streaming=\"false\"} 100
$S:spec_verify_calls_total{w=\"1\"} 50
$S:generation_tokens_total{w=\"2\",is_streaming=\"true\"} 100
$S:spec_verify_calls_total{w=\"2\"} 900" \
		"$S:generation_tokens_total{w=\"1\",is_streaming=\"true\"} 160
$S:generation_tokens_total{w=\"1\",is_streaming=\"false\"} 200
$S:spec_verify_calls_total{w=\"1\"} 90
$S:generation_tokens_total{w=\"2\",is_streaming=\"true\"} 1000
$S:spec_verify_calls_total{w=\"2\"} 1" --step-summary sglang
	has sglang/draft_mean_acceptance_length 4
}

@test "copies are folded after the difference was taken" {
	local c=$S:num_retracted_requests_total
	step "$c{tp_rank=\"0\"} 10
$c{tp_rank=\"1\"} 10
$c{dp_rank=\"1\",tp_rank=\"2\"} 5
$c{dp_rank=\"1\",tp_rank=\"3\"} 5" "$c{tp_rank=\"0\"} 13
$c{tp_rank=\"1\"} 14
$c{dp_rank=\"1\",tp_rank=\"2\"} 9
$c{dp_rank=\"1\",tp_rank=\"3\"} 9" --step-summary sglang
	has sglang/num_retracted_reqs 7
	# The copy that counts went down: what its fact did is not known.
	step "$c{tp_rank=\"0\"} 10
$c{tp_rank=\"1\"} 10" "$c{tp_rank=\"0\"} 3
$c{tp_rank=\"1\"} 14" --step-summary sglang
	has sglang/num_retracted_reqs -
	# It vanished.
	step "$c{tp_rank=\"0\"} 10
$c{tp_rank=\"1\"} 10" "$c{tp_rank=\"1\"} 14" --step-summary sglang
	has sglang/num_retracted_reqs -
	# A lower rank that is new has no history.
	step "$c{tp_rank=\"1\"} 10" "$c{tp_rank=\"0\"} 90
$c{tp_rank=\"1\"} 14" --step-summary sglang
	has sglang/num_retracted_reqs -
}

@test "a new series began at 0 on a replica that was there, else it is unknown" {
	local n=$S:num_requests_total
	step "$n{w=\"1\",is_streaming=\"true\"} 10" \
		"$n{w=\"1\",is_streaming=\"true\"} 12
$n{w=\"1\",is_streaming=\"false\"} 5
$n{w=\"2\",is_streaming=\"true\"} 100" --step-summary sglang
	has sglang/num_requests 7
}

@test "of a total and its parts the total counts" {
	local q=$S:num_queue_reqs
	step "$q 1" "$q{priority=\"\"} 5
$q{priority=\"1\"} 2
$q{priority=\"2\"} 3" --step-summary sglang
	has sglang/num_queue_reqs 5
	step "$q 1" "$q{priority=\"1\"} 2
$q{priority=\"2\"} 4" --step-summary sglang
	has sglang/num_queue_reqs 6
}

# pair P D: two servers with a counter each of these values.
pair() {
	local m
	for m in prompt_tokens generation_tokens num_requests; do
		printf '%s:%s_total{engine_type="%s",w="%s"} %s\n' \
			$S $m prefill p "$1" $S $m decode d "$2"
	done
}

@test "of a prefill/decode pair each side counts what is its own" {
	step "$(pair 0 0)" "$(pair 100 300)" --step-summary sglang
	has sglang/prompt_throughput_tok_s 10 \
		sglang/generation_throughput_tok_s 30 sglang/num_requests 300
	# Without the other side there is nothing to choose.
	step "$(pair 0 0 | grep decode)" "$(pair 100 300 | grep decode)" \
		--step-summary sglang
	has sglang/prompt_throughput_tok_s 30 sglang/num_requests 300
}

# hung RUNNING TOKENS PAUSED: a worker.
hung() {
	printf '%s{worker_addr="a",dp_rank="%s"} %s\n' \
		$S:num_running_reqs 0 "$1" $S:num_running_reqs 1 0 \
		$S:realtime_tokens_total 0 "$2" $S:realtime_tokens_total 1 7 \
		$S:num_paused_reqs 0 "$3"
}

@test "stalled are servers that run requests and make no token" {
	step "$(hung 3 5 0)" "$(hung 3 5 0)" --step-summary sglang
	has sglang/stalled 1
	step "$(hung 3 5 0)" "$(hung 3 6 0)" --step-summary sglang
	has sglang/stalled 0
	step "$(hung 0 5 0)" "$(hung 0 5 0)" --step-summary sglang
	has sglang/stalled 0
	# Paused on purpose, or restarted.
	step "$(hung 3 5 0)" "$(hung 3 5 2)" --step-summary sglang
	has sglang/stalled 0
	step "$(hung 3 5 0)" "$(hung 3 0 0)" --step-summary sglang
	has sglang/stalled 0
	step 'vllm:num_requests_running{worker_addr="a"} 2
vllm:generation_tokens_total{worker_addr="a"} 5
vllm:prompt_tokens_total{worker_addr="a"} 5
vllm:num_requests_running{worker_addr="b"} 2
vllm:generation_tokens_total{worker_addr="b"} 5
vllm:prompt_tokens_total{worker_addr="b"} 5' 'vllm:num_requests_running{worker_addr="a"} 2
vllm:generation_tokens_total{worker_addr="a"} 5
vllm:prompt_tokens_total{worker_addr="a"} 5
vllm:num_requests_running{worker_addr="b"} 2
vllm:generation_tokens_total{worker_addr="b"} 5
vllm:prompt_tokens_total{worker_addr="b"} 6' --step-summary vllm --all-keys
	has vllm/stalled 1
}

@test "rates of a GPU are means, also over the categories of each rank" {
	step "$S:scheduler_idle_seconds_total{w=\"1\",tp_rank=\"0\"} 0
$S:scheduler_idle_seconds_total{w=\"1\",tp_rank=\"1\"} 0
$S:scheduler_idle_seconds_total{w=\"2\",tp_rank=\"0\"} 5
$S:estimated_flops_per_gpu_total{w=\"1\",tp_rank=\"0\"} 0
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"0\",category=\"a\"} 0
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"0\",category=\"b\"} 0
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"1\",category=\"a\"} 0" \
		"$S:scheduler_idle_seconds_total{w=\"1\",tp_rank=\"0\"} 4
$S:scheduler_idle_seconds_total{w=\"1\",tp_rank=\"1\"} 9
$S:scheduler_idle_seconds_total{w=\"2\",tp_rank=\"0\"} 5
$S:estimated_flops_per_gpu_total{w=\"1\",tp_rank=\"0\"} 5e15
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"0\",category=\"a\"} 3
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"0\",category=\"b\"} 5
$S:forward_execution_seconds_total{w=\"1\",tp_rank=\"1\",category=\"a\"} 6" \
		--step-summary sglang --peak-tflops 1000
	has sglang/idle_share 0.2 sglang/estimated_tflops_per_gpu 500 \
		sglang/mfu 0.5 sglang/forward_share 0.7
}

@test "KV transfers: averages, all shards' size, and their former gauges" {
	local t=$S:kv_transfer_total_mb l=$S:kv_transfer_latency_ms
	step "${t}_sum{tp_rank=\"0\"} 0
${t}_sum{tp_rank=\"1\"} 0
${l}_sum{tp_rank=\"0\"} 0
${l}_count{tp_rank=\"0\"} 0
${l}_sum{tp_rank=\"1\"} 0
${l}_count{tp_rank=\"1\"} 0" "${t}_sum{tp_rank=\"0\"} 10
${t}_sum{tp_rank=\"1\"} 12
${l}_sum{tp_rank=\"0\"} 30
${l}_count{tp_rank=\"0\"} 2
${l}_sum{tp_rank=\"1\"} 500
${l}_count{tp_rank=\"1\"} 2" --step-summary sglang
	has sglang/kv_transfer_total_mb 22 sglang/kv_transfer_latency_ms_avg 15
	step "$t 1" "$t{w=\"1\"} 10
$t{w=\"2\"} 20
$l{w=\"1\"} 5
$l{w=\"2\"} 9" --step-summary sglang
	has sglang/kv_transfer_total_mb 30 sglang/kv_transfer_latency_ms 7
}

@test "an old and a new name of a metric count once a replica" {
	step 'vllm:gpu_prefix_cache_hits_total{w="1"} 0
vllm:gpu_prefix_cache_queries_total{w="1"} 0
vllm:prefix_cache_hits_total{w="2"} 0
vllm:prefix_cache_queries_total{w="2"} 0
vllm:gpu_prefix_cache_hits_total{w="2"} 0
vllm:gpu_prefix_cache_queries_total{w="2"} 0' 'vllm:gpu_prefix_cache_hits_total{w="1"} 10
vllm:gpu_prefix_cache_queries_total{w="1"} 20
vllm:prefix_cache_hits_total{w="2"} 10
vllm:prefix_cache_queries_total{w="2"} 60
vllm:gpu_prefix_cache_hits_total{w="2"} 10
vllm:gpu_prefix_cache_queries_total{w="2"} 60
vllm:kv_cache_usage_perc{w="1"} 0.2
vllm:gpu_cache_usage_perc{w="1"} 0.2
vllm:gpu_cache_usage_perc{w="2"} 0.6' --step-summary vllm
	has vllm/prefix_cache_hit_rate 0.25 vllm/kv_cache_usage_perc 0.4
	step "$S:realtime_decode_tokens_total 0" \
		"$S:realtime_decode_tokens_total 50" --step-summary sglang
	has sglang/decode_tok_s 5
	# What /v1/loads calls otherwise.
	step 'sglang_num_waiting_reqs{dp_rank="0"} 1' \
		'sglang_num_waiting_reqs{dp_rank="0"} 4
sglang_num_waiting_reqs{dp_rank="1"} 2' --step-summary sglang
	has sglang/num_queue_reqs 6
}

@test "vllm has the documented keys, and more with --all-keys" {
	local a='vllm:num_requests_running{w="1"} 4
vllm:kv_cache_usage_perc{w="1"} 0.2
vllm:num_requests_waiting_by_reason{w="1",reason="capacity"} 3
vllm:num_requests_waiting_by_reason{w="1",reason="deferred"} 9
vllm:request_success_total{w="1",finished_reason="stop"} 0
vllm:request_success_total{w="1",finished_reason="abort"} 0
vllm:prefix_cache_hits_total{w="1"} 0
vllm:prefix_cache_queries_total{w="1"} 0
vllm:prefix_cache_hits_total{w="2"} 0
vllm:prefix_cache_queries_total{w="2"} 0
vllm:engine_sleep_state{w="1",sleep_state="awake"} 0
vllm:engine_sleep_state{w="1",sleep_state="discard_all"} 1
vllm:kv_cache_usage_perc{w="2"} 0.4'
	local b
	b=$(sed 's/\(hits.*w="1".*\) 0/\1 10/; s/\(queries.*\) 0/\1 40/
		s/\(hits.*w="2".*\) 0/\1 30/; s/\(stop.*\) 0/\1 18/
		s/\(abort.*\) 0/\1 2/' <<<"$a")
	step "$a" "$b" --step-summary vllm
	[ "$(jq -c '[keys[] | select(startswith("vllm/"))]' <<<"$output")" = \
		'["vllm/kv_cache_usage_perc","vllm/num_requests_running","vllm/prefix_cache_hit_rate"]' ]
	step "$a" "$b" --step-summary vllm --all-keys
	has vllm/kv_cache_usage_perc_max 0.4 \
		vllm/num_requests_waiting_capacity 3 vllm/num_requests 20 \
		vllm/aborted_share 0.1 vllm/engines_asleep 1 \
		vllm/prefix_cache_hit_rate 0.5 \
		vllm/prefix_cache_hit_rate_least 0.25 \
		vllm/prefix_cache_hit_rate_greatest 0.75
}

@test "a gateway has its own keys" {
	step 'smg_http_responses_total{status_code="200"} 0
smg_http_responses_total{status_code="503"} 0
smg_worker_pool_size{worker_type="regular"} 3' 'smg_http_responses_total{status_code="200"} 18
smg_http_responses_total{status_code="503"} 2
smg_worker_pool_size{worker_type="regular"} 3
smg_engine_token_usage{worker="a"} 0.2
smg_engine_token_usage{worker="b"} 0.8
smg_worker_requests_active{worker="a"} 5
smg_worker_requests_active{worker="gone"} -1' --step-summary smg
	has smg/http_error_share 0.1 smg/num_workers 3 smg/token_usage 0.5 \
		smg/token_usage_max 0.8 smg/worker_requests_active 5
}

@test "--spread adds what the workers differ by" {
	local a b w
	for w in 1 2 3 4; do
		printf '%s{worker_addr="%s"} 0\n' $S:num_requests_total $w \
			>>"$TMP/a"
		printf '%s{worker_addr="%s",dp_rank="%s"} %s\n' \
			$S:num_requests_total $w '' $((w * w)) \
			$S:token_usage $w 0 0.$w $S:token_usage $w 1 0.$w \
			>>"$TMP/b"
	done
	a=$(cat "$TMP/a")
	b=$(cat "$TMP/b")
	step "$a" "$b" --step-summary sglang --spread
	has sglang/num_requests 30 sglang/num_requests_min 1 \
		sglang/num_requests_median 6.5 sglang/num_requests_max 16 \
		sglang/token_usage 0.25 sglang/token_usage_median 0.25
	step "$a" "$b" --step-summary sglang
	has sglang/num_requests_min -
}

@test "--within is the share of requests up to a bound that there is" {
	local h=$S:e2e_request_latency_seconds_bucket
	local a="$h{le=\"1\"} 0
$h{le=\"5\"} 0
$h{le=\"+Inf\"} 0"
	local b="$h{le=\"1\"} 4
$h{le=\"5\"} 9
$h{le=\"+Inf\"} 10"
	step "$a" "$b" --step-summary sglang --within e2e_seconds=5 \
		--within e2e_seconds=3
	has sglang/e2e_seconds_within_5 0.9 sglang/e2e_seconds_within_3 -
	assert_stderr_has '--within=e2e_seconds=3: no bucket ends there; the nearest bounds are 1 and 5'
	assert_stderr_lines 2
	assert_status 1
	step "$a" "$b" --step-summary sglang --within e2e_seconds=7
	assert_status 1
	assert_stderr_has '--within=e2e_seconds=7: no bucket ends there; the nearest bound is 5'
	step "$a" "$b" --step-summary sglang --within ttft_seconds=1
	assert_status 1
	assert_stderr_has '--within=ttft_seconds=1: the input has no histogram of it'
	local bound
	for bound in -1 1e400 nan inf 0x10 5x ' 5' ''; do
		run_split obs-aggregate --step-summary vllm \
			--within "ttft_seconds=$bound"
		assert_status 2
	done
	for bound in 0 -0 -1 1e400 nan; do
		run_split obs-aggregate --step-summary sglang --peak-tflops="$bound"
		assert_status 2
	done
	step "$a" "$b" --step-summary sglang --within e2e_seconds=5
	assert_status 0
	assert_stderr_lines 1
	# A histogram that restarted has its bounds all the same.
	step "$b" "$a" --step-summary sglang --within e2e_seconds=5
	[[ $stderr != *'no bucket'* ]] || fail_with "expected no complaint"
	run_split obs-aggregate --step-summary sglang --within x=1 "$TMP/stream"
	assert_status 2
}

@test "a step of nothing at all is not understood, and one of many has no keys" {
	local text
	for text in '' '# comments only' '# EOF' $'# EOF\n# EOF'; do
		printf '%s' "$text" >"$TMP/input"
		run_split obs-aggregate --step-summary sglang -o "$TMP/out" \
			"$TMP/input"
		assert_status 3
		[ ! -e "$TMP/out" ]
		assert_stderr_has 'no samples in the '
	done
	printf '%s\n' "$S:num_running_reqs 3" '# EOF' '# EOF' >"$TMP/input"
	run_split obs-aggregate --step-summary sglang "$TMP/input"
	assert_status 1
	assert_output_has 'num_running_reqs":3'
	assert_stderr_has 'no keys: a snapshot has no samples'
}

@test "the engine whose metrics they are is named" {
	printf '%s\n' "$S:num_running_reqs 3" "$S:num_queue_reqs 1" >"$TMP/input"
	run_split obs-aggregate --step-summary vllm "$TMP/input"
	assert_status 3
	assert_output $'{}\n'
	assert_stderr_lines 1
	assert_stderr_has 's metrics; use --step-summary sglang'
	echo 'other 3' >"$TMP/input"
	run_split obs-aggregate --step-summary vllm "$TMP/input"
	assert_status 3
	assert_stderr_has 'no metrics of vllm; found only others, such as other'
	# Nor is an earlier result.
	echo before >"$TMP/out"
	run_split obs-aggregate --step-summary vllm -o "$TMP/out" "$TMP/input"
	assert_status 3
	[ "$(cat "$TMP/out")" = before ]
	# What is understood of a state is not spoilt.
	echo "$S:num_requests_total 3" >"$TMP/sglang"
	run_split obs-aggregate --step-summary sglang --state "$TMP/s" "$TMP/sglang"
	cp "$TMP/s" "$TMP/before"
	run_split obs-aggregate --step-summary sglang --state "$TMP/s" "$TMP/input"
	assert_status 3
	cmp "$TMP/s" "$TMP/before"
}

@test "obs-perfsum reads an exposition by the same rules" {
	local q=$S:queue_time_seconds
	printf '%s\n' "# TYPE $q histogram" \
		"${q}_bucket{tp_rank=\"0\",le=\"1\"} 2" \
		"${q}_bucket{tp_rank=\"0\",le=\"+Inf\"} 4" \
		"${q}_sum{tp_rank=\"0\"} 6" "${q}_count{tp_rank=\"0\"} 4" \
		"${q}_bucket{tp_rank=\"1\",le=\"1\"} 0" \
		"${q}_bucket{tp_rank=\"1\",le=\"+Inf\"} 4" \
		"${q}_sum{tp_rank=\"1\"} 90" "${q}_count{tp_rank=\"1\"} 4" \
		>"$TMP/page"
	run_split obs-perfsum "$TMP/page"
	assert_status 0
	has perf/request/queue_time/mean 1.5 perf/request/queue_time/median 1
}

@test "where prefill and decode are apart each key is of its own side" {
	# side TYPE GENERATED VERIFIED
	side() {
		echo "$S:generation_tokens_total{w=\"$1\",engine_type=\"$1\"} $2
$S:spec_verify_calls_total{w=\"$1\",engine_type=\"$1\"} $3"
	}
	step "$(side prefill 0 0; side decode 0 0)" \
		"$(side prefill 100 100; side decode 300 100)" \
		--step-summary sglang
	has sglang/draft_mean_acceptance_length 3
	# Without one of the sides all count.
	step "$(side prefill 0 0; side unified 0 0)" \
		"$(side prefill 100 100; side unified 300 100)" \
		--step-summary sglang
	has sglang/draft_mean_acceptance_length 2
}
