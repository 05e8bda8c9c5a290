# The logs of engines beside a dump: --with.

# shellcheck disable=SC2154 # run_split sets stderr

load test_helper

setup() {
	skip_without jq
	echo '{"samples":[' >"$TMP/dump.json"
	for i in 0 1 2 3; do
		[ "$i" -eq 0 ] || echo ,
		printf '{"index":%d,"trace":{"events":[{"type":"span_start","name":"sglang_generate","ts":%d,"span_id":"s"},{"type":"span_end","name":"sglang_generate","ts":%d,"span_id":"s","attrs":{"sglang_request_id":"r%d"%s}}]}}' \
			"$i" $((1000 + i)) $((1010 + i)) "$i" "${OWN-}"
	done >>"$TMP/dump.json"
	echo ']}' >>"$TMP/dump.json"
}

# log_of ID START END MORE: a request that ran from 1 s after its start, of
# which it was queued half a second, and was prefilled for another one.
log_of() {
	printf '{"request_parameters":"{}","id":"%s","finish_reason":{"type":"stop"},"prompt_tokens":7,"completion_tokens":50,"cached_tokens":2,"e2e_latency":%s,"request_received_ts":%s,"forward_entry_time":%s,"prefill_finished_time":%s,"queue_time":0.5,"request_finished_ts":%s%s}\n' \
		"$1" "$(calc "$3 - $2")" "$2" "$(calc "$2 + 1")" \
		"$(calc "$2 + 2")" "$3" "${4-}"
}

calc() {
	awk "BEGIN { printf \"%.17g\", $1 }"
}

# logs OFFSET...: of request I the log says that it was OFFSET later.
logs() {
	local i=0

	mkdir -p "$TMP/logs/e0" "$TMP/logs/e1"
	: >"$TMP/logs/e0/x.log"
	: >"$TMP/logs/e1/x.log"
	for offset; do
		log_of "r$i" "$(calc "1000 + $i + $offset")" \
			"$(calc "1010 + $i + $offset")" \
			>>"$TMP/logs/e$((i % 2))/x.log"
		i=$((i + 1))
	done
}

# with FILTER OPTION...: of the rows of the dump's timeline.
with() {
	local filter=$1

	shift
	run_split trace-timeline --format cache -o - "$@" "$TMP/dump.json"
	rows=$(jq -c "$filter" <<<"$output")
}

SPANS='[.rows[] | [.items[] | [.name, .start_ts, .end_ts]]]'
WORKERS='[.rows[].items[0].attrs.end_attrs.worker_addr]'

@test "a log gives a request its worker, its queue, prefill and decode" {
	logs 0 0 0 0
	with "$SPANS" --with "$TMP/logs/e0" --with "$TMP/logs/e1"
	assert_status 0
	assert_stderr_lines 0
	[ "$(jq -c '.[1]' <<<"$rows")" = '[["sglang_generate",1001,1011],["sglang_queue",1001.5,1002],["sglang_prefill",1002,1003],["sglang_decode",1003,1011]]' ]
	[ "$(jq length <<<"$rows")" -eq 4 ]
	run_split obs-perfsum --by worker --with "$TMP/logs/e0" \
		--with "$TMP/logs/e1" "$TMP/dump.json"
	assert_status 0
	[ "$(jq -sc '[.[] | [.worker, ."perf/request/count", ."perf/request/queue_time/mean", ."perf/request/e2e_latency/max"]]' <<<"$output")" = \
		'[["e0",2,0.5,10],["e1",2,0.5,10]]' ]
	# The same from standard input, which is read twice.
	[ "$(obs-perfsum --with "$TMP/logs/e0/x.log" <"$TMP/dump.json" |
		jq -c '[."perf/request/count", ."perf/request/profiled_count"]')" = '[4,2]' ]
}

@test "a log is a file, a directory, a pattern, and may name its worker" {
	logs 0 0 0 0
	for words in "--with $TMP/logs/e0 --with $TMP/logs/e1" \
		"--with $TMP/logs/*" "--with $TMP/logs/*/x.log"; do
		set -f
		# shellcheck disable=SC2086 # words
		with "$WORKERS" $words
		set +f
		assert_status 0
		[ "$rows" = '["e0","e1","e0","e1"]' ]
	done
	with "$WORKERS" --with "10.0.0.1:30000=$TMP/logs/e0" \
		--with "b=$TMP/logs/e1/x.log"
	[ "$rows" = '["10.0.0.1:30000","b","10.0.0.1:30000","b"]' ]
	with "$WORKERS" --with "$TMP/logs/e0"
	assert_stderr_lines 0
	[ "$rows" = '[null,null,null,null]' ]
	with "$WORKERS" --with "a=-" <"$TMP/logs/e0/x.log"
	[ "$rows" = '["a",null,"a",null]' ]
	with "$WORKERS" --with "$TMP/none*"
	assert_status 4
	assert_stderr_has "none*: no file matches"
	mkdir "$TMP/empty"
	echo '# x' >"$TMP/empty/README"
	with "$WORKERS" --with "$TMP/empty"
	assert_status 3
	refute_output
}

@test "a file of a directory that gives nothing does not cost the others" {
	logs 0 0 0 0
	echo '{"resourceMetrics":[]}' >"$TMP/logs/e0/metrics.jsonl"
	with "$WORKERS" --with "$TMP/logs/*"
	assert_status 1
	assert_stderr_has "metrics.jsonl: OTLP telemetry without any spans"
	[ "$rows" = '["e0","e1","e0","e1"]' ]
	with "$WORKERS" --with "$TMP/logs/e0/metrics.jsonl"
	assert_status 3
}

@test "directories of one name are told apart by their paths" {
	logs 0 0 0 0
	mkdir -p "$TMP/a/logs" "$TMP/b/logs"
	cp "$TMP/logs/e0/x.log" "$TMP/a/logs"
	cp "$TMP/logs/e1/x.log" "$TMP/b/logs"
	with "$WORKERS" --with "$TMP/a/logs/" --with "$TMP/b/logs"
	[ "$rows" = "[\"$TMP/a/logs\",\"$TMP/b/logs\",\"$TMP/a/logs\",\"$TMP/b/logs\"]" ]
}

@test "what the dump says stays, what it lacks is added" {
	logs 0 0 0 0
	sed -i 's/"r1"/"r1","queue_time":0.25,"worker":"own","cached_tokens":null/' \
		"$TMP/dump.json"
	with '.rows[1].items[0].attrs.end_attrs | [.queue_time, .worker, .worker_addr, .cached_tokens, .completion_tokens, .finish_reason]' \
		--with "w=$TMP/logs/e1"
	[ "$rows" = '[0.25,"own",null,2,50,"stop"]' ]
	# A span with spans below it keeps them alone.
	sed -i 's/{"type":"span_end","name":"sglang_generate","ts":1011/{"type":"span_start","name":"own","ts":1004,"span_id":"c","parent_span_id":"s"},&/' \
		"$TMP/dump.json"
	with '[.rows[1].items[].name]' --with "$TMP/logs/e1"
	[ "$rows" = '["sglang_generate","own"]' ]
}

@test "a clock that differs by one time is set right, and that is said once" {
	logs 3.25 3.25 3.26 3.25
	with "$SPANS" --with "$TMP/logs/*"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "its clock is 3.25"
	[ "$(jq -c '.[1][1]' <<<"$rows")" = '["sglang_queue",1001.5,1002]' ]
	logs -7200 -7200 -7200 -7200
	with "$SPANS" --with "$TMP/logs/*"
	assert_stderr_has "its clock is 7200.000 s behind"
	[ "$(jq -c '.[3][3]' <<<"$rows")" = '["sglang_decode",1005,1013]' ]
}

@test "requests that lie outside by any time get no spans, and that is said" {
	logs 30 0 -12 0
	with '[.rows[].items | length]' --with "$TMP/logs/*"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "2 requests lie outside of their spans"
	[ "$rows" = '[1,4,1,4]' ]
	# Their attributes join nevertheless.
	[ "$(obs-perfsum -q --with "$TMP/logs/*" "$TMP/dump.json" |
		jq '."perf/request/profiled_count"')" -eq 4 ]
}

@test "requests of no dump are counted in one line; none at all is a failure" {
	logs 0 0 0 0
	log_of other 5 6 >>"$TMP/logs/e0/x.log"
	run_split obs-perfsum --with "$TMP/logs/*" "$TMP/dump.json"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "obs-perfsum: --with: 1 of the 5 requests in the logs belongs to no request of $TMP/dump.json"
	log_of other 5 6 >"$TMP/x.log"
	run_split obs-perfsum --with "$TMP/x.log" "$TMP/dump.json"
	assert_status 1
	assert_stderr_has "obs-perfsum: $TMP/x.log: the one request in the logs does not have the ID of a request in $TMP/dump.json"
	cp "$TMP/x.log" "$TMP/y.log"
	run_split obs-perfsum --with "w1=$TMP/x.log" --with "w2=$TMP/y.log" \
		"$TMP/dump.json"
	assert_stderr_has "obs-perfsum: --with: none of the 2 requests in the logs"
	# The name of a worker is no part of a file's name.
	echo '{"type":"event","name":"r","sample_id":0,"ts":1}' >"$TMP/r.jsonl"
	run_split obs-perfsum --with "w1=$TMP/r.jsonl" "$TMP/dump.json"
	[[ $stderr != *w1=* ]] || fail_with "w1="
	printf '{"request_parameters":"{}","id":"r1"' >>"$TMP/logs/e0/x.log"
	run_split obs-perfsum --with "$TMP/logs/*" "$TMP/dump.json"
	assert_status 1
	assert_stderr_has "x.log:4: "
}

@test "of several requests of one ID the one that overlaps most joins" {
	{
		log_of r1 990 1001.5
		log_of r1 1001 1010.5
		log_of r1 1010 1020
	} >"$TMP/x.log"
	with '.rows[1].items[0].attrs.end_attrs.e2e_latency' --with "$TMP/x.log"
	[ "$rows" = 9.5 ]
	assert_stderr_has "2 of the 3 requests in the logs"
	# Of two that overlap equally, with different attributes, the first.
	{
		log_of r1 1002 1004 ',"weight_version":"a"'
		log_of r1 1006 1008 ',"weight_version":"b"'
	} >"$TMP/x.log"
	with '.rows[1].items[0].attrs.end_attrs.weight_version' \
		--with "$TMP/x.log"
	[ "$rows" = '"a"' ]
	# Retries: each span has its own record.
	sed -i 's/"r1"}/"r0"}/' "$TMP/dump.json"
	{
		log_of r0 1000 1009
		log_of r0 1001.5 1011
	} >"$TMP/x.log"
	with '[.rows[:2][].items[0].attrs.end_attrs.e2e_latency]' \
		--with "$TMP/x.log"
	[ "$rows" = '[9,9.5]' ]
}

@test "both engines of a disaggregated request join its span" {
	cat >"$TMP/p.log" <<'END'
{"request_parameters":"{}","id":"r1","finish_reason":{"type":"length"},"prompt_tokens":7,"completion_tokens":1,"e2e_latency":3,"request_received_ts":1001,"forward_entry_time":1002,"prefill_finished_time":1003,"queue_time":0.5,"request_finished_ts":1004}
END
	cat >"$TMP/d.log" <<'END'
{"request_parameters":"{}","id":"r1","finish_reason":{"type":"stop"},"completion_tokens":50,"e2e_latency":9,"request_received_ts":1002,"forward_entry_time":1004.5,"request_finished_ts":1011,"decode_throughput":7.5}
END
	run_split obs-perfsum --with "p=$TMP/p.log" --with "d=$TMP/d.log" \
		"$TMP/dump.json"
	assert_status 0
	[ "$(jq -c '[."perf/request/count", ."perf/request/e2e_latency/max", ."perf/prefill/forward_duration/max", ."perf/prefill/transfer_queue_duration/max", ."perf/decode/forward_duration/max"]' <<<"$output")" = \
		'[4,9,2,1,6.5]' ]
	with "$SPANS" --with "p=$TMP/p.log" --with "d=$TMP/d.log"
	[ "$(jq -c '.[1]' <<<"$rows")" = '[["sglang_generate",1001,1011],["sglang_queue",1001.5,1002],["sglang_prefill",1002,1003],["sglang_decode",1004.5,1011]]' ]
}

@test "a response of SGLang and spans of OTLP are joined by their IDs, too" {
	logs 0 0 0 0
	echo '{"meta_info":{"id":"r1","e2e_latency":4}}' >"$TMP/dump.json"
	[ "$(obs-perfsum -q --with "$TMP/logs/e1" "$TMP/dump.json" |
		jq -c '[."perf/request/e2e_latency/max", ."perf/request/queue_time/max"]')" = '[4,0.5]' ]
	setup
	cat >"$TMP/t.json" <<'END'
{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"aa","spanId":"01","name":"Req r1","startTimeUnixNano":"1001000000000","endTimeUnixNano":"1011000000000","attributes":[{"key":"rid","value":{"stringValue":"r1"}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":"9"}}]},{"traceId":"aa","spanId":"02","parentSpanId":"01","name":"prefill_waiting","startTimeUnixNano":"1001000000000","endTimeUnixNano":"1002000000000"}]}]}]}
END
	with "$SPANS" --with "w=$TMP/t.json"
	[ "$(jq -c '.[1]' <<<"$rows")" = '[["sglang_generate",1001,1011],["sglang_queue",1001,1002]]' ]
}

@test "--with without a path is a usage error" {
	local given program
	for given in "" = W=; do
		for program in obs-perfsum trace-timeline; do
			run_split "$program" --with "$given" "$TMP/dump.json"
			assert_status 2
			refute_output
			assert_stderr_has "--with: "
			assert_stderr_has "no path is given"
		done
	done
}

@test "files that cannot join are refused, with why" {
	echo '{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":2}' >"$TMP/x"
	run_split obs-perfsum --with "$TMP/x" "$TMP/dump.json"
	assert_status 2
	assert_stderr_has "has no wall-clock times"
	echo '{"session_id":1,"submit_ts":5}' >"$TMP/x"
	run_split obs-perfsum --with "$TMP/x" "$TMP/dump.json"
	assert_status 3
	assert_stderr_has "its records have no request IDs"
}

@test "a directory without logs says what is in it, and what to do" {
	mkdir -p "$TMP/top/e0" "$TMP/other" "$TMP/none"
	log_of r1 0 5 >"$TMP/top/e0/x.log"
	echo text >"$TMP/other/notes"
	run_split obs-perfsum --with "$TMP/top/" "$TMP/dump.json"
	assert_status 3
	assert_stderr_has "the directory has no files, but 1 directory; for their files, use --with '$TMP/top/*'"
	run_split obs-perfsum --with "$TMP/top/*" "$TMP/dump.json"
	assert_status 0
	run_split obs-perfsum --with "$TMP/none" "$TMP/dump.json"
	assert_status 3
	assert_stderr_has "none: the directory has no files"
	run_split obs-perfsum --with "$TMP/other" "$TMP/dump.json"
	assert_status 3
	assert_stderr_has "other: the one file in it is not an engine's log"
	# Beside a useful one it is a part that failed.
	run_split obs-perfsum --with "$TMP/other" --with "$TMP/top/e0" \
		"$TMP/dump.json"
	assert_status 1
	assert_stderr_has "other: the one file in it is not an engine's log"
}

@test "a log that two options name is read once" {
	mkdir -p "$TMP/e0"
	log_of r1 0 5 >"$TMP/e0/x.log"
	run_split obs-perfsum --with "$TMP/e0" --with "$TMP/e0/x.log" \
		"$TMP/dump.json"
	assert_status 0
	assert_stderr_has "x.log: this file is given twice; it is read once"
	: >"$TMP/empty"
	run_split obs-perfsum -q --with "$TMP/empty" "$TMP/dump.json"
	assert_status 1
	assert_stderr_has "empty: no trace records: the file is empty"
}
