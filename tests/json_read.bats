# The JSON reader against Python's json module, on random lines.

# bats file_tags=long

load test_helper

# Read INPUT in blocks of so many bytes; errors become the word alone.
read_lines() {
	"$OBS_BIN/../unit/json_read" "$1" <"$TMP/input" |
		sed -E 's/^@?[0-9]+: .*/error/' >"$TMP/got-$1"
}

@test "random lines, good and broken, read as Python reads them" {
	local python
	python=$(python_with json) || skip "no python3"
	for seed in 1 2; do
		"$python" "$ROOT/tests/random_json.py" "$seed" 1000 \
			"$TMP/input" "$TMP/expected"
		for size in 1 13 65536; do
			read_lines "$size"
			cmp "$TMP/got-$size" "$TMP/expected"
		done
	done
}

@test "a dump over several lines is no file of records" {
	cat >"$TMP/dump.json" <<-'END'
		{"samples": [
		 {"index": 1, "trace": {"trace_id": "t", "events": [
		  {"type": "span_end", "name": "sglang_generate", "ts": 3, "attrs": {"e2e_latency": 2}}
		 ]}}]}
	END
	run_split obs-perfsum "$TMP/dump.json"
	assert_status 0
	[ -z "$stderr" ]
	assert_output_has '"perf/request/e2e_latency/mean":2.0'
	local alone=$output end
	end=$(stat -c %s "$TMP/dump.json")
	# What follows it is named, and costs nothing.
	printf 'x\n' >>"$TMP/dump.json"
	run_split obs-perfsum "$TMP/dump.json"
	assert_status 1
	assert_output "$alone"
	assert_stderr_has "dump.json: byte $end: what follows the dump, from here, is not read"
	run_split trace-timeline -f cache "$TMP/dump.json"
	assert_status 1
	[ "$(jq ".rows | length" <<<"$output")" = 1 ]
}
