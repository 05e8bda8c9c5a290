# What is not a rollout dump: it is named for what it is, with status 3, and
# nothing is written. No gate passes on it.

load test_helper

setup_file() {
	local python
	python=$(python_with torch sqlite3 || python_with sqlite3) || return 0
	"$python" "$ROOT/tests/make_others.py" "$BATS_FILE_TMPDIR/others"
}

setup() {
	[ -d "$BATS_FILE_TMPDIR/others" ] || skip "no python3"
	cd "$BATS_FILE_TMPDIR/others" || return
}

others() {
	find . -type f ! -name '*.says' -printf '%P\n' | sort
}

# A whole sample, on one line.
good() {
	echo '{"index": 0, "trace": {"trace_id": "a", "events": [
		{"type": "span_start", "name": "sglang_generate", "ts": 1,
		 "span_id": "s"},
		{"type": "span_end", "name": "sglang_generate", "ts": 2,
		 "span_id": "s", "attrs": {"e2e_latency": 1.0}}]}}' |
		tr -d '\n\t'
}

@test "it is one line that says what it is, and status 3" {
	local name program
	[ "$(others | wc -l)" -ge 60 ]
	for name in $(others); do
		for program in obs-perfsum "trace-timeline -f cache -o -"; do
			# shellcheck disable=SC2086 # with its options
			run_split $program "$name"
			assert_status 3
			assert_output ""
			assert_stderr_lines 1
			assert_stderr_has "${program%% *}: $name: "
			assert_stderr_has "$(<"$name.says")"
		done
	done
}

@test "from a pipe it is the same" {
	local name
	for name in $(others); do
		run_split obs-perfsum < <(cat "$name")
		assert_status 3
		assert_output ""
		assert_stderr_lines 1
		assert_stderr_has "$(<"$name.says")"
	done
}

@test "no page is written beside it" {
	local name before
	before=$(ls -A)
	for name in $(others); do
		run_split trace-timeline --no-serve "$name"
		assert_status 3
		assert_output ""
	done
	[ "$(ls -A)" = "$before" ]
}

@test "no gate passes on it" {
	local name
	good >"$TMP/good.jsonl"
	for name in verl.jsonl one.json error.json none2.pkl training4.pkl \
		x.safetensors; do
		run_split obs-perfsum --compare --threshold 5% \
			"$TMP/good.jsonl" "$name"
		assert_status 3
		assert_output ""
		run_split obs-perfsum --fail-if 'request/count > 100' "$name"
		assert_status 3
		run_split obs-perfsum --rollout-time 10 --rollout-num-gpus 8 \
			"$name"
		assert_status 3
		assert_output ""
	done
}

@test "beside a dump it costs itself only" {
	good >"$TMP/good.jsonl"
	run_split obs-perfsum "$TMP/good.jsonl" one.json
	assert_status 1
	assert_output_has '"perf/request/count":1,'
	assert_stderr_lines 1
}

@test "an empty list of samples is a dump, with a word" {
	local text
	for text in '{"samples": []}' '{"rollout_id": 3, "samples": []}' '[]'; do
		run_split obs-perfsum <<<"$text"
		assert_status 0
		assert_output_has '"perf/request/count":0,'
		assert_stderr_has "-: no samples: the list of samples is empty"
		run_split trace-timeline -f cache <<<"$text"
		assert_status 0
		assert_stderr_lines 1
	done
}

@test "samples nested by group give no rows, and are reported" {
	run_split obs-perfsum <<<"{\"samples\": [[$(good), $(good)], [$(good)]]}"
	assert_status 1
	assert_output_has '"perf/request/count":0,'
	assert_stderr_lines 1
	assert_stderr_has "-: its samples are lists"
	run_split trace-timeline -f cache <<<"{\"samples\": [[$(good)]]}"
	assert_status 1
	assert_output_has '"sample_count":0,'
}

@test "samples without a trace are a dump, with a word" {
	run_split obs-perfsum --rollout-time 5 <<<'{"response_length": 10}'
	assert_status 0
	assert_output_has '"perf/longest_sample_tokens_per_sec":2.0'
	assert_stderr_lines 1
	assert_stderr_has "-: no sample has a trace"
	run_split obs-perfsum <<<"$(good)"
	assert_stderr_lines 0
}

# What stands before the first sample has a place all the same.
@test "a sample keeps its place behind what is none" {
	{
		printf '{"note": 1}\n5\n{}\n'
		good
	} >"$TMP/dump.jsonl"
	run_split trace-timeline -f cache "$TMP/dump.jsonl"
	assert_output_has '"rows":[{"row_id":2,'
	jq -n --argjson s "$(good)" '[{"note": 1}, 5, [1], {}, $s, 7, $s]' \
		>"$TMP/dump.json"
	run_split trace-timeline -f cache "$TMP/dump.json"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "dump.json: skipped 4 elements, which are not samples"
	assert_output_has '"rows":[{"row_id":4,'
	assert_output_has '{"row_id":6,'
	run_split obs-perfsum "$TMP/dump.json"
	assert_output_has '"perf/request/count":2,'
}

@test "a text of many bad lines ends with one message that says so" {
	yes '{"a": x}' | head -n 10000 >"$TMP/bad.jsonl"
	run_split obs-perfsum "$TMP/bad.jsonl"
	assert_status 3
	assert_stderr_lines 12
	assert_stderr_has "bad.jsonl: 9 more bad records"
	assert_stderr_has "none of the first 20 lines can be read"
}
