# obs-aggregate: snapshots, units of time, differences, step summaries.

load test_helper

# Run obs-aggregate on text from a pipe: no time of a file is known.
piped() {
	local text=$1
	shift
	printf '%s\n' "$text" >"$TMP/piped"
	mkfifo -m 600 "$TMP/pipe"
	cat "$TMP/piped" >"$TMP/pipe" &
	run_split obs-aggregate "$@" <"$TMP/pipe"
	rm "$TMP/pipe"
}

@test "of a histogram that began again all buckets did" {
	local stream='# TYPE h histogram
h_bucket{w="a",le="1"} 10 1000
h_bucket{w="a",le="+Inf"} 20 1000
h_count{w="a"} 20 1000
h_bucket{w="b",le="1"} 10 1000
h_bucket{w="b",le="+Inf"} 20 1000
h_count{w="b"} 20 1000
# EOF
# TYPE h histogram
h_bucket{w="a",le="1"} 12 2000
h_bucket{w="a",le="+Inf"} 15 2000
h_count{w="a"} 15 2000
h_bucket{w="b",le="1"} 11 2000
h_bucket{w="b",le="+Inf"} 25 2000
h_count{w="b"} 25 2000
# EOF'
	piped "$stream" --delta
	assert_status 0
	assert_output_has 'h_bucket{w="a",le="1"} 12 2000'
	assert_output_has 'h_bucket{w="a",le="+Inf"} 15 2000'
	assert_output_has 'h_bucket{w="b",le="1"} 1 2000'
	assert_stderr_has 'h_bucket{w="a",le="1"}: decreased'
	# Also of one whose buckets have no label but le.
	piped "${stream//w=\"a\",/}" --delta --match w=
	assert_output_has 'h_bucket{le="1"} 12 2000'
	assert_output_has 'h_bucket{le="+Inf"} 15 2000'
	# A sum goes down by what is below 0.
	piped '# TYPE h histogram
h_count 20 1000
h_sum 5 1000
# EOF
# TYPE h histogram
h_count 21 2000
h_sum 3 2000
# EOF' --delta
	assert_output_has 'h_count 1 2000'
}

@test "a lone body that ends in # EOF counts seconds" {
	piped $'a 1 1700000000.5\n# EOF'
	assert_status 0
	assert_output $'a 1 1700000000500\n'
	piped $'a 1 1700000000\n# EOF'
	assert_output $'a 1 1700000000000\n'
}

@test "several bodies, and one without # EOF, count milliseconds" {
	piped $'a 1 1700000000'
	assert_output $'a 1 1700000000\n'
	piped $'a 1 1700000000\n# EOF\na 2 1700000001\n# EOF'
	assert_output '# obs-scrape stream
a 1 1700000000
# EOF
a 2 1700000001
# EOF'$'\n'
}

@test "a fraction of a second is bad where there is no # EOF" {
	piped $'a 1 1700000000.5'
	assert_status 3
	assert_stderr_has 'stdin:1: column 5: expected a timestamp in milliseconds'
}

@test "--input decides by hand" {
	piped $'a 1 1700000000\n# EOF' --input text
	assert_output $'a 1 1700000000\n'
	piped $'a 1 1700000000' --input openmetrics
	assert_output $'a 1 1700000000000\n'
}

@test "an OpenMetrics counter and a text counter are one family" {
	printf '# TYPE r counter\nr_total 10 1.5\n# EOF\n' >"$TMP/om"
	printf '# TYPE r_total counter\nr_total 10 1500\n' >"$TMP/text"
	run_split obs-aggregate --by '' "$TMP/om@w=1" "$TMP/text@w=2" </dev/null
	assert_status 0
	assert_output $'# TYPE r_total counter\nr_total 20 1500\n'
}

@test "text behind # EOF is left out when files make one snapshot" {
	printf 'a 1\n# EOF\na 2\n' >"$TMP/x"
	printf 'b 1\n' >"$TMP/y"
	run_split obs-aggregate "$TMP/x" "$TMP/y" </dev/null
	assert_status 0
	assert_output $'a 1\nb 1\n'
	assert_stderr_has 'x:3: text after # EOF is ignored'
}

@test "a stream is answered snapshot by snapshot, as each ends" {
	mkfifo "$TMP/in" "$TMP/out"
	obs-aggregate <"$TMP/in" >"$TMP/out" &
	local pid=$!
	# bats itself uses 3
	exec 8>"$TMP/in" 9<"$TMP/out"
	local line
	printf '# obs-scrape stream\na 1 5\n# EOF\n' >&8
	for want in '# obs-scrape stream' 'a 1 5' '# EOF'; do
		read -r -t 10 line <&9
		[ "$line" = "$want" ]
	done
	printf 'a 2 6\n# EOF\n' >&8
	read -r -t 10 line <&9
	[ "$line" = 'a 2 6' ]
	exec 8>&-
	wait "$pid"
	exec 9<&-
}

@test "memory does not grow with the length of a stream" {
	skip_without /usr/bin/time
	snapshots() {
		echo '# obs-scrape stream'
		yes $'a{x="1"} 1 5\n# EOF' | head -n "$1"
	}
	peak() {
		snapshots "$1" | /usr/bin/time -f %M obs-aggregate --delta \
			2>&1 >"$TMP/out" | tail -n 1
	}
	local few many
	# Sanitizers keep freed memory, and stacks, for a while.
	export ASAN_OPTIONS=exitcode=99:quarantine_size_mb=1
	few=$(peak 20)
	many=$(peak 40000)
	[ "$many" -lt $((few + 4000)) ]
}

@test "a worker that restarts hides only itself from the increase" {
	printf '# TYPE t_total counter\nt_total{w="1"} %s\nt_total{w="2"} %s\n' \
		1000 900 >"$TMP/t0"
	printf '# TYPE t_total counter\nt_total{w="1"} %s\nt_total{w="2"} %s\n' \
		1050 20 >"$TMP/t1"
	run_split obs-aggregate --delta --by '' --format json \
		"$TMP/t0" "$TMP/t1" </dev/null
	assert_status 0
	assert_output_has '"resets":1,'
	assert_output_has '"labels":{},"value":70,'
	assert_stderr_has 't_total{w="2"}: decreased'
}

@test "a worker with a history adds nothing when it appears, or all of it" {
	printf 't_total{w="1"} 1000\n' >"$TMP/t0"
	printf 't_total{w="1"} 1050\nt_total{w="2"} 5000000\n' >"$TMP/t1"
	run_split obs-aggregate --delta --by '' "$TMP/t0" "$TMP/t1" </dev/null
	assert_output $'t_total 50\n'
	assert_stderr_has 't_total{w="2"}: new series, history unknown'
	run_split obs-aggregate --delta --by '' --new-series zero \
		"$TMP/t0" "$TMP/t1" </dev/null
	assert_output $'t_total 5000050\n'
}

@test "a worker that vanishes is counted" {
	printf 't_total{w="1"} 1\nt_total{w="2"} 2\n' >"$TMP/t0"
	printf 't_total{w="1"} 4\n' >"$TMP/t1"
	run_split obs-aggregate --delta -f json "$TMP/t0" "$TMP/t1" </dev/null
	assert_output_has '"vanished_series":1'
	assert_stderr_has 't_total{w="2"}: vanished'
}

@test "rates divide by the time between timestamps; gauges stay" {
	piped 't_total 100 10000
g 3 10000
# EOF
t_total 150 12000
g 4 12000
# EOF' --rate
	assert_status 0
	assert_output $'t_total 25 12000\ng 4 12000\n'
}

@test "snapshots less than a second apart have rates and differences, too" {
	local half='t_total 100 1700000000250
# EOF
t_total 150 1700000000750
# EOF'
	piped "$half" --rate
	assert_status 0
	assert_output $'t_total 100 1700000000750\n'
	piped "$half" --delta
	assert_status 0
	assert_output $'t_total 50 1700000000750\n'
	printf 't_total 100\n' >"$TMP/t0"
	printf 't_total 150\n' >"$TMP/t1"
	touch -d @1700000000.25 "$TMP/t0"
	touch -d @1700000000.75 "$TMP/t1"
	run_split obs-aggregate --rate "$TMP/t0" "$TMP/t1" </dev/null
	assert_status 0
	assert_output $'t_total 100\n'
}

@test "without a time between snapshots there are no rates" {
	printf 't_total 1\n# EOF\nt_total 2\n# EOF\n' >"$TMP/x"
	run_split obs-aggregate --rate <"$TMP/x"
	refute_output
	assert_stderr_has 'no rates'
}

@test "one snapshot alone has no difference" {
	piped 't_total 1' --delta
	assert_status 1
	refute_output
}

@test "--state keeps the last snapshot for the next run" {
	local state="$TMP/state"
	piped $'t_total 100 10000\ng 3 10000' --rate --state "$state"
	assert_status 0
	assert_output $'g 3 10000\n'
	piped $'t_total 150 12000' --rate --state "$state"
	assert_output $'t_total 25 12000\n'
	piped $'t_total 160 13000' --rate --state "$state" --prefix x_
	[ -e "$state" ]
	piped $'t_total 1' --rate --state "$TMP/none/state"
	assert_status 4
}

@test "a run without a sample leaves the state for the next" {
	local state="$TMP/state"
	piped $'t_total 100 10000' --delta --state "$state"
	piped '' --delta --state "$state"
	assert_status 0
	assert_stderr_has "no samples; $state stays as it is"
	piped '<html>' --delta --state "$state"
	assert_status 3
	piped $'t_total 150 12000' --delta --state "$state"
	assert_output $'t_total 50 12000\n'
}

@test "what could not be written out is not taken off the next difference" {
	local state="$TMP/state"
	piped $'t_total 100 10000' --delta --state "$state"
	mkdir "$TMP/taken"
	piped $'t_total 120 11000' --delta --state "$state" -o "$TMP/taken"
	assert_status 4
	piped $'t_total 150 12000' --delta --state "$state"
	assert_output $'t_total 50 12000\n'
}

@test "a damaged state is an error, not an empty one" {
	printf 'no exposition\n' >"$TMP/state"
	piped 't_total 1' --delta --state "$TMP/state"
	assert_status 3
	assert_stderr_has 'state:1: '
}

# Two snapshots of vLLM's metrics through Ray; each argument replaces a line.
vllm() {
	cat <<-EOF
		ray_vllm_num_requests_running{r="1"} 2
		ray_vllm_num_requests_running{r="2"} 3
		ray_vllm_kv_cache_usage_perc{r="1"} 0.25
		ray_vllm_kv_cache_usage_perc{r="2"} 0.75
		ray_vllm_generation_tokens{r="1"} $1
		ray_vllm_generation_tokens_total{r="1"} $1
		ray_vllm_generation_tokens_total{r="2"} $2
		ray_vllm_prefix_cache_hits_total{r="1"} $3
		ray_vllm_prefix_cache_queries_total{r="1"} $4
		ray_vllm_time_to_first_token_seconds_sum{r="1"} $5
		ray_vllm_time_to_first_token_seconds_count{r="1"} $6
		# EOF
	EOF
}

@test "a step of vLLM: gauges, rates, ratios, averages; counters count once" {
	piped "$(vllm 100 50 1 10 1.5 4; vllm 300 150 4 16 4.5 8)" \
		--step-summary vllm --window 10
	assert_status 0
	[ "$(tail -n 1 <<<"${output%$'\n'}" | cut -d, -f1-6)" = \
'{"vllm/num_requests_running":5,"vllm/kv_cache_usage_perc":0.5,'\
'"vllm/generation_throughput_tok_s":30,"vllm/prefix_cache_hit_rate":0.5,'\
'"vllm/ttft_seconds_avg":0.75,"seconds":null' ] ||
	[[ $output == *'"vllm/ttft_seconds_avg":0.75,"seconds":0.'* ]] ||
		fail_with "expected the documented scalars"
	[ "$(head -n 1 <<<"$output")" = \
'{"vllm/num_requests_running":5,"vllm/kv_cache_usage_perc":0.5}' ] ||
		fail_with "expected gauges alone from the first snapshot"
}

@test "a replica that restarted is left out of its step, never negative" {
	piped "$(vllm 100 50 1 10 1.5 4; vllm 20 150 0 2 0.5 1)" \
		--step-summary vllm --window 10
	assert_output_has '"vllm/generation_throughput_tok_s":10,'
	[[ $output != *prefix_cache_hit_rate* ]]
	[[ $output != *ttft* ]]
	assert_output_has '"resets":6'
	# What has no prefix is what the man page says.
	run python3 -c 'import json, sys
print(*[k for k in json.loads(sys.stdin.read().split()[-1])
        if "/" not in k])' <<<"$output"
	[ "$output" = 'seconds resets new_series vanished_series' ]
}

@test "no observation in a step leaves the average out" {
	piped "$(vllm 1 1 1 1 1 1; vllm 1 1 1 1 1 1)" --step-summary vllm \
		--window 10
	assert_status 0
	[[ $output != *ttft* ]]
	[[ $output != *hit_rate* ]]
	assert_output_has '"vllm/generation_throughput_tok_s":0,'
}

@test "positions of speculative decoding count from 1 in the keys" {
	local a='vllm:spec_decode_num_drafts_total 10
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 5
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="1"} 2
# EOF'
	local b=${a//num_drafts_total 10/num_drafts_total 20}
	b=${b//\} 5/\} 13}
	b=${b//\} 2/\} 5}
	piped "$a"$'\n'"$b" --step-summary vllm --key-prefix vllm/train
	assert_output_has '"vllm/train/draft_acceptance_rate_pos_1":0.8'
	assert_output_has '"vllm/train/draft_acceptance_rate_pos_2":0.3'
}

@test "a step of SGLang in either spelling of names" {
	local prefix
	for prefix in sglang: sglang_; do
		piped "${prefix}num_queue_reqs 4 1000
${prefix}token_usage{w=\"1\"} 0.2 1000
${prefix}token_usage{w=\"2\"} 0.4 1000
${prefix}generation_tokens_total 100 1000
${prefix}e2e_request_latency_seconds_bucket{le=\"1\"} 1 1000
${prefix}e2e_request_latency_seconds_bucket{le=\"2\"} 1 1000
${prefix}e2e_request_latency_seconds_bucket{le=\"+Inf\"} 1 1000
# EOF
${prefix}generation_tokens_total 300 3000
${prefix}e2e_request_latency_seconds_bucket{le=\"1\"} 1 3000
${prefix}e2e_request_latency_seconds_bucket{le=\"2\"} 11 3000
${prefix}e2e_request_latency_seconds_bucket{le=\"+Inf\"} 11 3000
# EOF" --step-summary sglang
		assert_status 0
		assert_output_has '{"sglang/num_queue_reqs":4,"sglang/token_usage":0.3'
		assert_output_has '"sglang/generation_throughput_tok_s":100,'
		assert_output_has '"sglang/e2e_seconds_p50":1.5,'
	done
}

@test "a step can be text, too" {
	piped 'vllm:num_requests_waiting 3' --step-summary vllm --format prom
	assert_output $'# TYPE vllm_num_requests_waiting gauge
vllm_num_requests_waiting 3\n'
}

@test "one snapshot alone leaves an earlier result of --rate as it is" {
	echo before >"$TMP/out"
	piped 't_total 1' --rate -o "$TMP/out"
	assert_status 1
	assert_stderr_has 'one snapshot only'
	[ "$(cat "$TMP/out")" = before ]
}

# What a step has no keys from -------------------------------------------

VLLM=$'vllm:generation_tokens_total 5 1000
vllm:num_requests_running 2 1000'
SGLANG=$'sglang:prompt_tokens_total 5 1000
sglang:num_running_reqs 2 1000'

@test "a step summary of another engine names the one that is there" {
	piped "$SGLANG" --step-summary vllm
	assert_status 3
	assert_output $'{}\n'
	assert_stderr_lines 1
	assert_stderr_has "no metrics of vllm: these are sglang's metrics; use --step-summary sglang"
	piped "$VLLM" --step-summary sglang
	assert_status 3
	assert_stderr_has "no metrics of sglang: these are vllm's metrics; use --step-summary vllm"
	piped $'up 1\ngo_goroutines 5' --step-summary vllm
	assert_status 3
	assert_stderr_has 'no metrics of vllm; found only others, such as up'
	piped 'vllm:unheard_of 1' --step-summary vllm
	assert_status 3
	assert_stderr_has 'no metrics of vllm; found only others, such as vllm:unheard_of'
	piped $'vllm:corrupted_requests_total 1 1000\n# EOF
vllm:corrupted_requests_total 1 2000\n# EOF' --step-summary vllm
	assert_status 1
	assert_stderr_has "no keys: the summary does not use the metrics of vllm \
in the input (1, such as vllm:corrupted_requests_total)"
}

@test "a first step of counters alone has no key yet, and that is no failure" {
	piped 'vllm:generation_tokens_total 5 1000' --step-summary vllm
	assert_status 0
	assert_output $'{}\n'
	assert_stderr_lines 1
	assert_stderr_has 'no keys yet: increases of counters are known from the second'
}

@test "replicas that still write the older names count in a step, once" {
	page() {
		printf 'vllm:%s %s\n' "${@:2}" >"$TMP/$1"
	}
	page old gpu_cache_usage_perc 0.4
	page mid gpu_cache_usage_perc 0.6 kv_cache_usage_perc 0.6
	page new kv_cache_usage_perc 0.8
	cd "$TMP" || return
	run_split obs-aggregate --step-summary vllm old@w=1 mid@w=2 new@w=3
	assert_status 0
	assert_output $'{"vllm/kv_cache_usage_perc":0.6}\n'
	run_split obs-aggregate --step-summary vllm new@w=3 mid@w=2 old@w=1
	assert_output $'{"vllm/kv_cache_usage_perc":0.6}\n'
	page before gpu_prefix_cache_hits_total 10 \
		gpu_prefix_cache_queries_total 100 \
		time_per_output_token_seconds_sum 4 \
		time_per_output_token_seconds_count 8
	page after gpu_prefix_cache_hits_total 40 \
		gpu_prefix_cache_queries_total 160 \
		time_per_output_token_seconds_sum 7 \
		time_per_output_token_seconds_count 14
	run_split obs-aggregate -q --step-summary vllm --state s before
	run_split obs-aggregate -q --step-summary vllm --state s after
	assert_output_has '"vllm/prefix_cache_hit_rate":0.5,'
	assert_output_has '"vllm/tpot_seconds_avg":0.5,'
}
