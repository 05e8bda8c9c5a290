# trace-timeline --format chrome: what importers of Chrome traces take.

load test_helper

# chrome: read a dump, print the events of its Chrome trace
chrome() {
	trace-timeline --format chrome "$@" >"$TMP/trace.json" || return
	python3 "$ROOT/tests/chrome_check.py" "$TMP/trace.json"
}

# span NAME START END: its two events; END may be missing
span() {
	local start='{"type": "span_start", "name": "%s", "ts": %s,
		"span_id": "%s", "parent_span_id": "none"}'
	local end=', {"type": "span_end", "name": "%s", "ts": %s,
		"span_id": "%s"}'

	# shellcheck disable=SC2059 # formats
	printf "$start" "$1" "$2" "$1"
	# shellcheck disable=SC2059
	[ $# -lt 3 ] || printf "$end" "$1" "$3" "$1"
}

# dump EVENTS...: a dump of one sample with these events
dump() {
	local IFS=,
	echo "{\"samples\": [{\"index\": 4, \"group_index\": 2, \"trace\":
		{\"events\": [$*]}}]}"
}

@test "times are exact microseconds from the earliest moment" {
	run_split chrome "$DATA/timeline.json"
	assert_status 0
	assert_output "earliest 1766101000.500000
X, group 5, sample 40, generate, 0, 10000000
X, group 5, sample 40, tool_call, 2000000, 1250001
X, group 5, sample 40, stuck, 5000000, 5000000, open
i, group 5, sample 40, sandbox_assign, 4000000
i, group 5, sample 40, lost, 6000000
X, group 5, sample 41, sglang_generate, 1000000, 8000000
X, group 5, sample 41 [P], sglang_generate [P], 1000000, 8000000
X, group 5, sample 41 [D], sglang_generate [D], 1000000, 8000000
"
}

@test "spans that overlap partly go to separate threads" {
	dump "$(span A 100 104)" "$(span B 102 106)" "$(span C 101 103)" \
		"$(span D 105 107)" >"$TMP/overlap.json"
	run_split chrome "$TMP/overlap.json"
	assert_status 0
	assert_output_has "A, 0, 4000000"
	assert_output_has "B, 2000000, 4000000"
	assert_output_has "C, 1000000, 2000000"
	run_split grep -c thread_name "$TMP/trace.json"
	[ "$(grep -o thread_name "$TMP/trace.json" | wc -l)" -eq 2 ]
}

@test "many spans that all overlap are still apart" {
	spans=()
	for i in $(seq 100 199); do
		spans+=("$(span "s$i" "$i" "$((i + 100)).5")")
	done
	dump "${spans[@]}" >"$TMP/many.json"
	run_split chrome "$TMP/many.json"
	assert_status 0
	[ "$(grep -o thread_name "$TMP/trace.json" | wc -l)" -eq 100 ]
}

@test "a span that never ends is marked open and ends with its sample" {
	dump "$(span gen 100)" "$(span reward 102 103)" >"$TMP/open.json"
	run_split chrome "$TMP/open.json"
	assert_status 0
	assert_output_has "gen, 0, 2000000, open"
}

@test "a dump without traces is still a trace" {
	echo '{"samples": []}' >"$TMP/none.json"
	run_split chrome "$TMP/none.json"
	assert_output_has "earliest 0.000000"
}
