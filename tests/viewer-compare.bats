# Several dumps in one timeline page: compared, and as a strip of steps.

# bats file_tags=browser

load test_helper
load viewer_helper

# step ROLLOUT SAMPLE...: a dump of samples, each INDEX:GROUP:SECONDS:TOKENS
step() {
	local rollout=$1
	shift
	skip_without jq
	printf '%s\n' "$@" | jq -Rn --argjson rollout "$rollout" '
	  {rollout_id: $rollout, samples: [inputs | split(":") |
	    map(tonumber) as [$index, $group, $seconds, $tokens] |
	    {index: $index, group_index: $group, status: "completed",
	     trace: {trace_id: "t\($index)", events: [
	      {type: "span_start", span_id: "s", name: "sglang_generate",
	       ts: 1766101000},
	      {type: "span_end", span_id: "s", name: "sglang_generate",
	       ts: (1766101000 + $seconds), attrs: {
	        completion_tokens: $tokens, e2e_latency: $seconds}}]}}]}'
}

# see CHECK [ARGUMENT...]: look at a page of two steps
see() {
	step 1 0:0:4:100 1:0:2:100 2:1:5:50 >"$TMP/a.json"
	step 2 0:0:3:100 1:0:6:300 2:2:1:50 >"$TMP/b.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$TMP/a.json" \
		"$TMP/b.json"
	look compare "$1" "$TMP/page.html" "${@:2}"
}

# agree CHECK A B: look at a page of both, with what obs-perfsum says of them
agree() {
	local check=$1
	shift
	skip_without jq
	obs-perfsum --compare --percentiles 95 -f json "$@" >"$TMP/changes.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$@"
	look compare "$check" "$TMP/page.html" "" "$TMP/changes.json"
}

@test "the page's changes are those of obs-perfsum --compare, to the digit" {
	agree parity "$DATA/demo.pt" "$DATA/rollout/train_streaming.pt"
	agree parity "$DATA/rollout/train_group_rm.pt" \
		"$DATA/rollout/multi_attempt.pt"
}

@test "so are they where a trace keeps figures apart from its attributes" {
	local n
	for n in 1 2; do
		for i in 0 1 2 3 4 5 6 7; do
			printf '{"request_parameters": "{}", "id": "%s", "finish_reason": {"type": "stop"}, "prompt_tokens": 3, "completion_tokens": 9, "e2e_latency": %s, "request_received_ts": 1000.0, "request_finished_ts": 1009.0, "queue_time": 0.%s}\n' \
				"$i" "$((i % 5 + n)).$i" "$((n + i))"
		done >"$TMP/$n.log"
	done
	agree parity "$TMP/1.log" "$TMP/2.log"
}

@test "so are they where requests end with no attributes, or none are there" {
	local n end
	for n in 1 2; do
		for i in 0 1 2 3 4 5 6 7; do
			end=', "attrs": {}'
			[ "$i" -gt "$((2 * n))" ] || end=
			[ "$i" -lt 6 ] || end=", \"attrs\": {\"e2e_latency\": $((i * n))}"
			printf '{"index": %s, "trace": {"events": [{"type": "span_start", "name": "sglang_generate", "ts": 10, "span_id": "a"}, {"type": "span_start", "name": "sglang_pd_decode", "ts": 10, "span_id": "b"}, {"type": "span_end", "name": "sglang_pd_decode", "ts": 11, "span_id": "b", "attrs": {"pd_decode_forward_duration": %s}}, {"type": "span_end", "name": "sglang_generate", "ts": 12, "span_id": "a"%s}]}}\n' \
				"$i" "$((i + n))" "$end"
		done >"$TMP/$n.jsonl"
	done
	agree parity "$TMP/1.jsonl" "$TMP/2.jsonl"
	[ "$(jq '.changes[] | select(.key == "perf/request/count") | [.from, .to]' \
		-c "$TMP/changes.json")" = '[5,3]' ]
}

@test "the table of requests has the verdicts of obs-perfsum" {
	agree verdicts "$DATA/demo.pt" "$DATA/rollout/train_streaming.pt"
}

@test "samples of one index and group are paired, with the change of each" {
	see pairs
}

@test "a comparison is of what the filter and the range leave" {
	see scope
}

@test "what is compared is kept in the address" {
	see kept
}

@test "a strip of steps has wall time, tail and verdict, and goes there" {
	see strip
}

@test "a comparison fits a phone, and forced colours keep its curves apart" {
	see narrow
}

@test "pairs and intervals come out right without a browser" {
	skip_without node
	node "$ROOT/tests/browser/pairs.mjs"
}
