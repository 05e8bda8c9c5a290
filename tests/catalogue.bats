# The catalogue of metrics: --explain, the glossary, and its own checks.

load test_helper

@test "--explain prints a metric under any of its names" {
	local name
	for name in sglang:token_usage sglang_token_usage token_usage \
		ray_sglang_token_usage; do
		run_split obs-aggregate --explain "$name"
		assert_status 0
		[ "${output%%$'\n'*}" = sglang:token_usage ]
		assert_output_has 'workers   mean'
		assert_output_has 'lowest rank counts'
		assert_output_has 'bad       above 0.9'
	done
	run_split obs-aggregate --explain vllm:gpu_cache_usage_perc
	assert_output_has 'now       vllm:kv_cache_usage_perc'
}

@test "--explain prints a name that several engines have for each" {
	run_split obs-aggregate --explain e2e_request_latency_seconds
	assert_status 0
	[ "$(grep -c '^[a-z]*:e2e_request' <<<"$output")" = 2 ]
}

@test "--explain says how series of each kind become one" {
	local name line
	while IFS='|' read -r name line; do
		run_split obs-aggregate --explain "$name"
		assert_status 0
		assert_output_has "$line"
	done <<-'END'
		sglang:utilization|  workers   neither added nor averaged: dropped
		router_mesh_store_hash|  workers   the value if all agree, else dropped
		sglang:hicache_host_pool_used_tokens|  workers   sum, by pool
		vllm:e2e_request_latency_seconds|  workers   sum of buckets, sum and count
		sglang:num_queue_reqs|  total     priority="" is the total of the others
		sglang:engine_startup_time|  now       sglang:startup_time_seconds{phase="scheduler_e2e"}
	END
}

@test "--explain of an alarm says what to do about it" {
	local alarm
	while read -r alarm; do
		run_split obs-aggregate --explain "$alarm"
		assert_status 0
		[ "${output%%$'\n'*}" = "$alarm" ]
		assert_output_has '  try       '
	done < <(grep -v '^#' "$ROOT/lib/metrics/rules.tsv" | sed 1d | cut -f1)
	run_split obs-aggregate --explain cap_bound
	assert_output 'cap_bound
  the cap on running requests causes the queue

  alarm of  one engine
  limit     0.6 fraction (--limit cap_bound=N)
  time      60 s (--limit cap_bound.for=N)
  needs     running requests, a queue and KV usage
  try       raise the cap on running requests
  if slow   the engine is slow, so its requests wait
  try then  do not raise its cap: fix or drain the slow engine, and send its requests to the others
'
}

@test "--explain suggests names like an unknown one" {
	run_split obs-aggregate --explain num_runing_reqs
	assert_status 2
	assert_output ''
	assert_stderr_lines 1
	assert_stderr_has 'did you mean sglang:num_running_reqs'
	run_split obs-aggregate --explain zzz
	assert_status 2
	assert_stderr_has 'obstools-metrics(7)'
	run_split obs-aggregate --explain token_usage "$TMP/x"
	assert_status 2
}

@test "the glossary has every metric, and mandoc accepts it" {
	skip_without mandoc
	"$ROOT/scripts/gen-metrics-page" "$ROOT/lib/metrics/engines.tsv" \
		"$ROOT/lib/metrics/steps.tsv" "$ROOT/lib/metrics/rules.tsv" \
		>"$TMP/page.7"
	mandoc -Tlint -Wwarning "$TMP/page.7"
	[ "$(grep -c '^\.It Cm .*(limit ' "$TMP/page.7")" = \
		"$(grep -v '^#' "$ROOT/lib/metrics/rules.tsv" | sed 1d | wc -l)" ]
	grep -v '^#' "$ROOT/lib/metrics/engines.tsv" | sed 1d | cut -f2 | sort \
		>"$TMP/rows"
	sed -n 's/^\.It Li \([^ ]*\) .*/\1/p' "$TMP/page.7" | grep -v / |
		sort >"$TMP/items"
	cmp "$TMP/rows" "$TMP/items"
}

# spoil SED: the catalogue so changed is found fault with.
spoil() {
	sed "$1" "$ROOT/lib/metrics/engines.tsv" >"$TMP/engines.tsv"
	run_split "$ROOT/scripts/check-catalogue" "$TMP/engines.tsv"
	assert_status 1
	assert_output_has "$2"
}

# bats test_tags=long
@test "check-catalogue finds what is wrong with a row" {
	"$ROOT/scripts/check-catalogue"
	spoil 's/^sglang\tsglang:token_usage\tgauge/&s/' 'type is gauges'
	spoil '/sglang:token_usage/p' 'stands on line'
	spoil 's/^\(sglang\tsglang:token_usage.*\)\tmean\t/\1\taverage\t/' \
		'op is average'
	spoil 's/\tvllm:kv_cache_usage_perc\tcurrent/&/;
		s/vllm:kv_cache_usage_perc\tgauge/vllm:kv_usage\tgauge/' \
		'now vllm:kv_cache_usage_perc, which is not in the catalogue'
	spoil 's/^\(process\tprocess_start.*\)\tmax\t/\1\tsum\t/' \
		'never added up'
	spoil 's/^\(sglang\tsglang:page_size\t.*\)tp_rank pp_rank moe_ep_rank/\1/' \
		'no label of a rank'
	spoil 's/^vllm\tvllm:num_preemptions\tcounter/&\tx/' 'columns'
}
