# obs-top: which source says how many tokens an engine makes, and which snapshot
# --once shows.

load test_helper

top() {
	run_split obs-top "$@"
}

# stream ENDED_PER_SECOND [LENGTH]: an engine of SGLang that runs 8 requests and
# counts 100 tokens of each that ends, ten times a second. Its gauge says 900.
stream() {
	local n at ended
	echo "# obs-scrape stream"
	for ((n = 0; n <= ${2:-50}; n++)); do
		at=$((1800000000000 + n * 100)) ended=$((n * $1 / 10))
		printf 'sglang:num_running_reqs{worker_addr="a:1"} 8 %s
sglang:gen_throughput{worker_addr="a:1"} %s %s
sglang:num_requests_total{worker_addr="a:1"} %s %s
sglang:generation_tokens_total{worker_addr="a:1"} %s %s
# EOF
' $at "${GAUGE:-900.$n}" $at $ended $at $((ended * 100)) $at
	done
}

# engine KEY: of the only engine of the last JSON.
engine() {
	python3 -c 'import json, sys
value = json.loads(sys.argv[1])["engines"][0][sys.argv[2]]
print(value if value is None or isinstance(value, str) else "%.1f" % value)' \
		"$output" "$1"
}

# rate TOKENS PER_REQUEST FROM: what the last JSON must say.
rate() {
	[ "$(engine tokens_per_second) $(engine tokens_per_second_per_request) \
$(engine tokens_from)" = "$*" ] || fail_with "expected $*"
}

setup() {
	skip_without python3
}

@test "a counter that moves at a request's end is used if requests are short" {
	# 10 end per second, so each takes 0.8 s
	stream 10 >"$TMP/short"
	top --once --window 4 -f json <"$TMP/short"
	assert_status 0
	rate 1000.0 125.0 ended
	top --once --window 4 <"$TMP/short"
	[[ $output != *"~1,000"* && $output == *" 1,000 "* ]] || fail_with
}

@test "the engine's gauge is used, and marked, if requests are long" {
	# 1 ends per second, so each takes 8 s
	stream 1 >"$TMP/long"
	top --once --window 4 -f json <"$TMP/long"
	assert_status 0
	rate 900.4 112.5 gauge
	top --once --window 4 <"$TMP/long"
	assert_output_has " ~900 "
	assert_output_has "~ reported by the engine, not counted"
}

@test "a gauge that an idle engine left behind counts as 0" {
	# 900/s among 8 requests: 1000 tokens each take 9 s
	GAUGE=900.5 stream 0 80 >"$TMP/stale"
	top --once --window 8 -f json <"$TMP/stale"
	rate 900.5 112.6 gauge
	GAUGE=900.5 stream 0 100 >"$TMP/stale"
	top --once --window 10 -f json <"$TMP/stale"
	rate 0.0 0.0 gauge
}

@test "rates cover all of the window, however often the engines are asked" {
	local window at n
	# All that is counted is counted at first.
	for n in {0..80}; do
		at=$((1800000000000 + n * 100))
		printf 'sglang:generation_tokens_total{worker_addr="a:1"} %s %s
sglang:num_running_reqs{worker_addr="a:1"} 8 %s
# EOF
' $((n > 0 ? 8400 : 0)) $at $at
	done >"$TMP/often"
	for window in 1 3 5 7; do
		top --once --window $window -f json <"$TMP/often"
		rate $((8400 / window)).0 $((1050 / window)).0 ended
	done
}

@test "--once says which snapshot it shows" {
	stream 10 >"$TMP/stream"
	top --once --window 4 <"$TMP/stream"
	[ "$(tail -n 1 <<<"${output%$'\n'}")" = \
		"snapshot 41, the first with a full window of 4 s" ] || fail_with
	top --once <"$TMP/stream"
	assert_output_has "snapshot 51, the last: rates cover 5 s, less than the \
window of 10 s"
	top --once -f json <"$TMP/stream"
	assert_output_has '"window":10,"snapshot":51,'
	# As of engines that are asked every 2 s, and not to the millisecond.
	stream 10 20 | sed 's/ 1800000002000$/ 1800000001999/' >"$TMP/nearly"
	top --once --window 2 <"$TMP/nearly"
	assert_output_has "rates cover 1.999 s, less than the window of 2 s"
	stream 10 0 >"$TMP/one"
	top --once <"$TMP/one"
	assert_output_has "snapshot 1, the only one"
	assert_stderr_has "one snapshot only"
}

@test "a gauge that is infinite is unknown" {
	local at n
	for n in 0 1 2; do
		at=$((1800000000000 + n * 1000))
		printf 'sglang:num_running_reqs{worker_addr="a:1"} +Inf %s
sglang:num_queue_reqs{worker_addr="a:1"} 1e39 %s
sglang:token_usage{worker_addr="a:1"} -Inf %s
sglang:gen_throughput{worker_addr="a:1"} +Inf %s
# EOF
' $at $at $at $at
	done >"$TMP/infinite"
	top --once --window 1 <"$TMP/infinite"
	assert_status 0
	assert_output_has ", - tok/s, - running, "
	[[ ${output,,} != *inf* ]] || fail_with
	top --once --window 1 -f json <"$TMP/infinite"
	assert_status 0
	[ "$(engine running) $(engine kv_usage) $(engine tokens_per_second)" = \
		"None None None" ] || fail_with
}
