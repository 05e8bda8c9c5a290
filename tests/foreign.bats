# Files of engines and of other trainers, read as rollouts.

# shellcheck disable=SC2154 # run_split sets stderr

load test_helper

setup() {
	skip_without jq
}

# timeline FILE FILTER: a jq filter over the timeline's rows.
timeline() {
	run_split trace-timeline --format cache -o - "$1"
	rows=$(jq -c "$2" <<<"$output")
}

# figure KEY FILE
figure() {
	obs-perfsum --format json "$2" | jq -c ".\"perf/$1\""
}

log_line() { # ID SECONDS FINISH MORE
	printf '{"request_parameters": "{\\"text\\": \\"x\\"}", "id": "%s", "finish_reason": %s, "prompt_tokens": 3, "completion_tokens": 9, "e2e_latency": %s, "request_received_ts": 1000.0, "request_finished_ts": %s%s}' \
		"$1" "$3" "$2" "$(awk "BEGIN { print 1000 + $2 }")" "$4"
}

@test "SGLang's request log: a row per request, with its queue and prefill" {
	{
		log_line a 4 '{"type": "stop"}' ', "api_server_dispatch_finish_ts": 1000.1, "forward_entry_time": 1001.5, "queue_time": 1.0, "prefill_finished_time": 1002.0, "decode_throughput": 4.0'
		echo
		log_line b 2 '{"type": "abort", "status_code": 400, "message": "bad"}' ', "queue_time": -86401.0'
		echo
	} >"$TMP/x.log"
	timeline "$TMP/x.log" '[.rows[] | [.sample_index, .status, [.items[] | [.name, .start_ts, .end_ts]]]]'
	assert_status 0
	[ "$rows" = '[[0,"completed",[["sglang_generate",1000,1004],["sglang_dispatch",1000,1000.1],["sglang_queue",1000.5,1001.5],["sglang_prefill",1001.5,1002],["sglang_decode",1002,1004]]],[1,"failed",[["sglang_generate",1000,1002]]]]' ]
	[ "$(figure request/count "$TMP/x.log")" = 2 ]
	[ "$(figure request/e2e_latency/mean "$TMP/x.log")" = 3 ]
	# The queue time of a request that never ran is garbage.
	[ "$(figure request/queue_time/max "$TMP/x.log")" = 1 ]
}

@test "a torn record of the request log costs no other one" {
	{
		log_line a 4 '{"type": "stop"}' ''
		printf '\n{"request_parameters": "{}", "id": "torn", "finish_rea'
		log_line b 2 '{"type": "length"}' ''
		echo
	} >"$TMP/x.log"
	timeline "$TMP/x.log" '[.rows[].status]'
	assert_status 1
	[[ $stderr == *"x.log:2: "* ]]
	[ "$rows" = '["completed","truncated"]' ]
}

@test "what has no times is named, with its count and status 3" {
	printf '{"input": "q", "output": "a", "score": 1.0, "step": 3}\n%.0s' 1 2 3 \
		>"$TMP/3.jsonl"
	log_line a 4 '{"type": "stop"}' '' |
		sed 's/, "request_received_ts.*/}/' >"$TMP/x.log"
	for file in 3.jsonl x.log; do
		run_split trace-timeline --format cache -o - "$TMP/$file"
		assert_status 3
		assert_output ''
		[[ $stderr == *"ha"?*" no times"* ]]
	done
	run_split obs-perfsum "$TMP/3.jsonl"
	assert_status 3
	[[ $stderr == *"verl's rollout data, 3 samples: they have no times"* ]]
	# A request log without times still has latencies.
	[ "$(figure request/e2e_latency/max "$TMP/x.log")" = 4 ]
}

@test "NeMo-RL's lengths give the figures of a rollout of known length" {
	echo '{"content":["x"],"rewards":[1.0],"token_loss_mask":[[0,1,1,1,1]],"sample_loss_mask":[0.0],"idx":[0]}' \
		>"$TMP/n.jsonl"
	run_split obs-perfsum --rollout-time 2 --rollout-num-gpus 2 "$TMP/n.jsonl"
	assert_status 0
	[ "$(jq -c '[."perf/tokens_per_gpu_per_sec", ."perf/effective_tokens_per_gpu_per_sec"]' <<<"$output")" = '[1,0]' ]
}

@test "OTLP: a trace is a row, a repeated span counts once, PD sides are one request" {
	cat >"$TMP/t.jsonl" <<'EOF'
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"sglang"}}]},"scopeSpans":[{"spans":[
{"traceId":"AB","spanId":"01","name":"prefill Req 77","startTimeUnixNano":"1000000000","endTimeUnixNano":"3000000000","attributes":[{"key":"rid","value":{"stringValue":"77"}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":"1"}}]},
{"traceId":"ab","spanId":"02","parentSpanId":"01","name":"prefill_forward","startTimeUnixNano":"1500000000","endTimeUnixNano":"2000000000"},
{"traceId":"ab","spanId":"03","parentSpanId":"01","name":"prefill_transfer_kv_cache","startTimeUnixNano":"2000000000","endTimeUnixNano":"2750000000"},
{"traceId":"ab","spanId":"04","name":"decode Req 77","startTimeUnixNano":"1100000000","endTimeUnixNano":"9000000000","attributes":[{"key":"rid","value":{"stringValue":"77"}},{"key":"gen_ai.usage.completion_tokens","value":{"intValue":"11"}},{"key":"gen_ai.response.finish_reasons","value":{"stringValue":"[\"length\"]"}}]},
{"traceId":"ab","spanId":"04","name":"decode Req 77","startTimeUnixNano":"1100000000","endTimeUnixNano":"9000000000"}
]}]}]}
EOF
	timeline "$TMP/t.jsonl" '[.rows[] | [.status, .source] + [.items[].name]]'
	assert_status 0
	[ "$rows" = '[["truncated","sglang","prefill Req","decode Req","prefill_forward","prefill_transfer_kv_cache"]]' ]
	[ "$(figure request/count "$TMP/t.jsonl")" = 1 ]
	[ "$(figure request/e2e_latency/mean "$TMP/t.jsonl")" = 7.9 ]
	[ "$(figure prefill/forward_duration/mean "$TMP/t.jsonl")" = 1.25 ]
	# In both spellings, and it is known without a span.
	local key
	for key in resource{Spans,Metrics,Logs,_spans,_metrics,_logs}; do
		echo "{\"$key\":[]}" >"$TMP/m.jsonl"
		run_split obs-perfsum "$TMP/m.jsonl"
		assert_status 3
		[[ $stderr == *"OTLP telemetry without any spans"* ]] ||
			fail_with "$key"
	done
}

@test "prime-rl: a row per trace, its reward weighted, an open agent is pending" {
	cat >"$TMP/p.jsonl" <<'EOF'
{"id":"e","env":{"name":"gsm"},"group":{"id":"g7"},"task":{"key":"task-1"},"traces":[{"id":"t","ok":true,"calls":[{"time":{"start":1005.0,"end":1006.5},"finish_reason":"length","usage":{"completion_tokens":40}}],"rewards":{"a":{"score":1.0,"weight":0.5},"b":null},"timing":{"start":1000.0,"agent":{"start":1004.0,"end":1007.0}}},{"id":"u","ok":false,"timing":{"agent":{"start":1004.0,"end":0.0}}}]}
EOF
	timeline "$TMP/p.jsonl" '[.rows[] | [.sample_index, .group_index, .status, .reward, .label, [.items[] | [.name, .start_ts, .end_ts]]]]'
	assert_status 0
	[ "$rows" = '[[0,"g7","truncated",0.5,"task-1",[["agent",1004,1007],["generate",1005,1006.5]]],[1,"g7","pending",null,"task-1",[["agent",1004,null]]]]' ]
	[ "$(figure request/e2e_latency/mean "$TMP/p.jsonl")" = 1.5 ]
}

@test "AReaL: phases lie in their session; events nest by containment" {
	echo '{"task_id":4,"session_id":2,"rank":0,"status":"accepted","submit_ts":1000.0,"finalized_ts":1009.0,"phases":{"generate":[{"start_ts":1001.0,"end_ts":1003.0}],"reward":[{"start_ts":1004.0,"end_ts":null}]}}' \
		>"$TMP/s.jsonl"
	timeline "$TMP/s.jsonl" '[.rows[] | [.sample_index, .group_index, .status, [.items[] | [.name, .parent_span_name, .end_ts]]]]'
	assert_status 0
	[ "$rows" = '[[2,4,"accepted",[["session",null,1009],["generate","session",1003],["reward","session",null]]]]' ]
	cat >"$TMP/e.jsonl" <<'EOF'
{"name":"inner","ph":"X","ts":2000000,"dur":1000000,"pid":1,"tid":2}
{"name":"outer","ph":"X","ts":1000000,"dur":5000000,"pid":1,"tid":2,"args":{"rank":3}}
{"name":"beside","ph":"X","ts":5000000,"dur":4000000,"pid":1,"tid":2}
{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"main"}}
EOF
	timeline "$TMP/e.jsonl" '[.rows[] | [.group_index, .label, [.items[] | [.name, .parent_span_name]]]]'
	assert_status 0
	[ "$rows" = '[[3,"main",[["outer",null],["beside",null],["inner","outer"]]]]' ]
}

@test "figures are the same whether other spans than requests are read or not" {
	event() { # NAME TS DUR TID ARGS
		printf '{"name": "%s", "ph": "X", "ts": %s, "dur": %s, "pid": 1, "tid": %s, "args": {%s}}\n' "$@"
	}
	{
		event idle 0 5 1 ''
		# A PD timing is of the request around it, whatever lies between.
		event sglang_generate 0 100 2 '"e2e_latency": 2.5'
		event between 20 50 2 ''
		event sglang_pd_prefill_forward 30 10 2 '"pd_prefill_forward_duration": 0.5'
	} >"$TMP/traces.jsonl"
	[ "$(figure prefill/forward_duration/mean "$TMP/traces.jsonl")" = 0.5 ]
	[ "$(figure request/profiled_count "$TMP/traces.jsonl")" = 1 ]
	obs-perfsum --format json "$TMP/traces.jsonl" >"$TMP/few" 2>/dev/null
	obs-perfsum --format json --breakdown "$TMP/traces.jsonl" >"$TMP/all" 2>/dev/null
	[ "$(jq -cS 'with_entries(select(.key | startswith("perf/")))' "$TMP/few")" = \
		"$(jq -cS 'with_entries(select(.key | startswith("perf/")))' "$TMP/all")" ]

	# What is only idle has times, though no requests.
	event idle 0 5 1 '' >"$TMP/idle.jsonl"
	run_split obs-perfsum --format json "$TMP/idle.jsonl"
	assert_status 0
	[[ $stderr != *"no event of the samples has a time"* ]]
}

@test "miles: turns are paired, the queue ends with the first generation" {
	cat >"$TMP/m.jsonl" <<'EOF'
{"ts":1000.0,"kind":"attempt_start","sample_index":5,"group_index":1,"turn":-1,"weight_version":"","detail":""}
{"ts":1002.0,"kind":"gen_start","sample_index":5,"group_index":1,"turn":-1,"weight_version":"","detail":""}
{"ts":1009.0,"kind":"attempt_end","sample_index":5,"group_index":1,"turn":-1,"weight_version":"","detail":"completed"}
{"ts":1002.5,"kind":"gen_start","sample_index":5,"group_index":1,"turn":1,"weight_version":"7","detail":""}
{"ts":1004.0,"kind":"gen_end","sample_index":5,"group_index":1,"turn":1,"weight_version":"7","detail":""}
{"ts":1004.5,"kind":"tool_end","sample_index":5,"group_index":1,"turn":1,"weight_version":"","detail":""}
EOF
	timeline "$TMP/m.jsonl" '[.rows[] | [.sample_index, .status, .orphan_count, [.items[] | select(.type == "span") | [.name, .start_ts, .end_ts]]]]'
	assert_status 0
	[ "$rows" = '[[5,"completed",1,[["attempt",1000,1009],["queue",1000,1002],["generate",1002.5,1004]]]]' ]
	cat >"$TMP/ph.jsonl" <<'EOF'
{"name":"train","t0":1000.0,"t1":-1.0,"node":"n","gpus":[0],"rank":0,"role":"train"}
{"name":"train","t0":1000.0,"t1":1005.0,"node":"n","gpus":[0],"rank":0,"role":"train"}
EOF
	timeline "$TMP/ph.jsonl" '[.rows[] | [.label, [.items[] | [.name, .end_ts]]]]'
	assert_status 0
	[ "$rows" = '[["n rank 0 gpu 0",[["train",1005]]]]' ]
}

@test "formats are detected on standard input, behind a torn first line as well" {
	{
		printf '{"request_parameters": "x", "id\n'
		log_line a 4 '"stop"' ''
		echo
	} >"$TMP/x.log"
	run_split obs-perfsum --format json <"$TMP/x.log"
	assert_status 1
	[ "$(jq '."perf/request/count"' <<<"$output")" = 1 ]
}

# breakdown FILTER FILE, which the page agrees with.
breakdown() {
	obs-perfsum --breakdown --stragglers 100 --format json "$2" \
		>"$TMP/perfsum.json"
	trace-timeline -q --format html "$2" >"$TMP/page.html"
	node "$ROOT/tests/browser/breakdown.mjs" "$TMP/page.html" \
		"$TMP/perfsum.json"
	jq -c ".breakdown | $1" "$TMP/perfsum.json"
}

@test "the own time of a generation span decodes, also of an open one" {
	skip_without node
	cat >"$TMP/m.jsonl" <<'END'
{"ts":1000.0,"kind":"attempt_start","sample_index":5,"turn":-1}
{"ts":1001.0,"kind":"gen_start","sample_index":5,"turn":1}
{"ts":1004.0,"kind":"gen_end","sample_index":5,"turn":1}
{"ts":1004.0,"kind":"tool_start","sample_index":5,"turn":1}
{"ts":1006.0,"kind":"tool_end","sample_index":5,"turn":1}
{"ts":1007.0,"kind":"attempt_end","sample_index":5,"turn":-1,"detail":"completed"}
{"ts":1002.0,"kind":"attempt_start","sample_index":6,"turn":-1}
{"ts":1003.0,"kind":"gen_start","sample_index":6,"turn":1}
{"ts":1008.0,"kind":"mark","sample_index":6,"turn":1}
END
	[ "$(breakdown '[.activities | to_entries[] | select(.value > 0) | [.key, .value]]' "$TMP/m.jsonl")" = \
		'[["tool",2],["decode",8],["other",3]]' ]
	# In a trainer's own dump a name says all.
	echo '{"samples":[{"trace":{"events":[{"type":"span_start","name":"generate","ts":1,"span_id":1},{"type":"span_end","name":"generate","ts":3,"span_id":1,"request":{},"attrs":{"queue_time":1}}]}}]}' \
		>"$TMP/d.json"
	[ "$(breakdown '[.activities | to_entries[] | select(.value > 0) | .key]' "$TMP/d.json")" = '["other"]' ]
	[ "$(figure request/count "$TMP/d.json" 2>/dev/null)" = 0 ]
}

# span TRACE ID PARENT NAME FROM TO ATTRIBUTE VALUE
span() {
	printf '{"traceId":"%s","spanId":"%s","parentSpanId":"%s","name":"%s","startTimeUnixNano":"%s000000000","endTimeUnixNano":"%s000000000","attributes":[{"key":"%s","value":{"stringValue":"%s"}}]}' \
		"$@"
}

@test "OTLP: what is of no sample counts for none, here and on the page" {
	skip_without node
	{
		printf '{"resourceSpans":[{"scopeSpans":[{"spans":['
		span aa 02 01 trajectory 1001 1005 traj_id t1
		echo -n ,
		span aa 03 01 train 1005 1090 step 1
		echo -n ,
		span aa 01 '' pipeline_step 1001 1090 step 1
		echo ']}]}]}'
	} >"$TMP/t.jsonl"
	[ "$(breakdown '[.samples, .wall]' "$TMP/t.jsonl")" = '[1,4]' ]
	run_split trace-timeline --format summary "$TMP/t.jsonl"
	assert_output_has "rows        2"
	assert_output_has "wall 4.000 s; #"
	assert_output_has "sample time 4.000 s"
	run_split obs-perfsum --breakdown --format table "$TMP/t.jsonl"
	assert_output_has "t.jsonl: 1 sample"
}

@test "AReaL's performance trace has no wall clock: that is said, or refused" {
	echo '{"name":"a","ph":"X","ts":5e6,"dur":1e6,"pid":1,"tid":2}' \
		>"$TMP/e.jsonl"
	run_split trace-timeline --format summary "$TMP/e.jsonl"
	assert_status 0
	assert_stderr_lines 0
	echo '{"name":"a","ph":"X","ts":7e6,"dur":1e6,"pid":2,"tid":2}' \
		>>"$TMP/e.jsonl"
	for program in "trace-timeline --format summary" \
		"obs-perfsum --breakdown"; do
		# shellcheck disable=SC2086 # with an option
		run_split $program "$TMP/e.jsonl"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "times of different processes cannot be compared"
	done
	echo '{"type":"event","name":"r","sample_id":1,"ts":5}' >"$TMP/records"
	for program in trace-timeline obs-perfsum; do
		run_split "$program" --with "$TMP/records" "$TMP/e.jsonl"
		assert_status 2
		refute_output
		assert_stderr_has "AReaL's performance trace has no wall-clock times"
	done
	echo '{"traceEvents":[]}' >"$TMP/x.trace.json"
	run_split trace-timeline --merge "$TMP/x.trace.json" -o "$TMP/out" \
		"$TMP/e.jsonl"
	assert_status 2
	assert_stderr_has "--merge: $TMP/e.jsonl: AReaL's performance trace"
	[ ! -e "$TMP/out" ]
}

@test "a negative queue_time in a dump is reported once, with its count" {
	for at in 1 2 3; do
		printf '{"trace":{"events":[{"type":"span_end","name":"sglang_generate","ts":%s,"attrs":{"queue_time":%s}}]}}\n' \
			"$at" "$((at * 2 - 5))"
	done >"$TMP/d.jsonl"
	run_split obs-perfsum "$TMP/d.jsonl"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "2 requests have a negative queue_time"
	[ "$(jq '."perf/request/queue_time/min"' <<<"$output")" = -3 ]
}

@test "a negative queue_time in SGLang's log is left out, and counted" {
	{
		log_line a 1 '{"type": "stop"}' ', "queue_time": 0.5'
		echo
		log_line b 2 '{"type": "abort"}' ', "queue_time": -86401.0'
		echo
	} >"$TMP/x.log"
	for program in "obs-perfsum -f json" "trace-timeline -f cache"; do
		# shellcheck disable=SC2086 # with an option
		run_split $program "$TMP/x.log"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "x.log: 1 figure is negative and is skipped: queue_time"
	done
	log_line c 3 '{"type": "stop"}' ', "queue_time": -3' >>"$TMP/x.log"
	run_split obs-perfsum "$TMP/x.log"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "x.log: 2 figures are negative and are skipped, such as queue_time"
	[ "$(jq -c '[."perf/request/count",
		."perf/request/queue_time/min"]' <<<"$output")" = '[3,0.5]' ]
	# Of one given up before it ran, 0 is no time in a queue.
	log_line d 4 '{"type": "abort"}' ', "queue_time": 0' >"$TMP/y.log"
	run_split obs-perfsum "$TMP/y.log"
	assert_stderr_lines 0
	[[ $output != *queue_time* ]]
}

@test "what a format cannot tell is not shown as zero" {
	printf '{"session_id":%s,"submit_ts":1000.0,"finalized_ts":100%s.0}\n' \
		1 2 2 4 >"$TMP/s.jsonl"
	run_split obs-perfsum --breakdown --stragglers 1 -f table "$TMP/s.jsonl"
	assert_status 0
	[[ $output != *"samples waited"* ]] || fail_with
	assert_output_has $'\nthe median sample ran 3.0 s; no sample records tokens\n'
	echo '{"session_id":3,"submit_ts":1000.0,"finalized_ts":1004.0,"phases":{"reward":[{"start_ts":1001.0,"end_ts":1003.5}]}}' \
		>>"$TMP/s.jsonl"
	run_split obs-perfsum --breakdown -f table "$TMP/s.jsonl"
	assert_output_has $'\nsamples waited 2.500 s for rewards\n'
	# Without times there is nothing to break down, not 0 s.
	echo '{"request_parameters": "{}", "id": "a", "finish_reason": {"type": "stop"}, "completion_tokens": 9, "e2e_latency": 2.5}' \
		>"$TMP/x.log"
	for option in --breakdown "--stragglers 2" "--breakdown --stragglers 2"; do
		# shellcheck disable=SC2086 # with a value
		run_split obs-perfsum $option -f table "$TMP/x.log"
		assert_status 0
		assert_output_has "x.log: 1 sample; no sample has times"
		[[ $output != *0.000* && $output != *wall* ]] || fail_with
	done
}

@test "a file that tells no lengths has samples nevertheless" {
	echo '{"session_id":1,"submit_ts":1000.0,"finalized_ts":1002.0}' \
		>"$TMP/s.jsonl"
	run_split obs-perfsum --breakdown --format table "$TMP/s.jsonl"
	assert_output_has "s.jsonl: 1 sample"
	run_split obs-perfsum --rollout-time 5 --rollout-num-gpus 1 \
		"$TMP/s.jsonl"
	[ "$(jq 'has("perf/rollout_time")' <<<"$output")" = false ]
}

@test "a line has one message, however many torn records are in it" {
	{
		log_line a 1 '"stop"' ''
		log_line b 2 '"stop"' ''
		log_line c 3 '"stop"' ''
		echo ' rest'
		log_line d 4 '"stop"' ', "x": {"y": '
		echo
		printf '{"request_parameters":%.0s' {1..40000}
		log_line e 5 '"stop"' ''
		echo
	} >"$TMP/x.log"
	run_split cpu_limit 20 obs-perfsum "$TMP/x.log"
	assert_status 1
	assert_stderr_lines 3
	assert_stderr_has "x.log:1: two records on one line"
	assert_stderr_has "x.log:2: not a complete JSON object"
	assert_stderr_has "x.log:3: "
	# The last record of a line counts, whatever it is nested in.
	[ "$(jq -c '[."perf/request/count", ."perf/request/e2e_latency/max"]' <<<"$output")" = '[4,5]' ]
}

@test "a line of two records is none, but in SGLang's log; wrong types are lost" {
	cat >"$TMP/s.jsonl" <<'END'
{"session_id":[1],"submit_ts":1000,"task_id":{"a":1},"status":5}
{"session_id":2,"submit_ts":1000}{"session_id":3,"submit_ts":1000}
{"session_id":4,"submit_ts":"x","phases":{"generate":[{"start_ts":1,"end_ts":2}]}}
END
	timeline "$TMP/s.jsonl" '[.rows[] | [.sample_index, .group_index, .status, [.items[].name]]]'
	assert_status 1
	assert_stderr_lines 1
	[ "$rows" = '[[0,null,null,["session"]],[4,null,null,["generate"]]]' ]
	cat >"$TMP/p.jsonl" <<'END'
{"traces":[],"id":"e","env":{"id":"x"}}
{"id":"f","env":{"id":"x"},"ok":false,"errors":[{}]}
{"traces":[{"timing":{"agent":{"start":5,"end":6}}}]}
END
	timeline "$TMP/p.jsonl" '[.rows[] | [.row_id, [.items[].name]]]'
	assert_status 0
	assert_stderr_lines 0
	[ "$rows" = '[[0,["agent"]]]' ]
}

@test "rotated files of OTLP and miles are one input, whatever lies between" {
	{
		printf '{"resourceSpans":[{"scopeSpans":[{"spans":['
		span aa 02 01 prefill_waiting 1001 1002 x y
		echo ']}]}]}'
	} >"$TMP/a.jsonl"
	{
		printf '{"resourceSpans":\n[{"scopeSpans":[{"spans":['
		span aa 01 '' 'Req r1' 1001 1011 gen_ai.request.id r1
		printf ','
		span aa 02 01 prefill_waiting 1001 1002 x y
		echo ']}]}]}'
	} >"$TMP/b.json"
	echo '{"session_id":1,"submit_ts":1000.0,"finalized_ts":1002.0}' \
		>"$TMP/s.jsonl"
	run_split obs-perfsum "$TMP/a.jsonl" "$TMP/s.jsonl" "$TMP/b.json"
	[ "$(jq -sc '[.[] | [(.dump | split("/") | last), ."perf/request/count", ."perf/request/queue_time/max"]]' <<<"$output")" = \
		'[["a.jsonl",1,1],["s.jsonl",0,null]]' ]
	run_split trace-timeline --format cache "$TMP/a.jsonl" "$TMP/b.json"
	[ "$(jq -c '[.rows[] | [.items[] | [.name, .depth]]]' <<<"$output")" = \
		'[[["Req r1",0],["prefill_waiting",1]]]' ]
	# A page of both is made of no one file, and is never fresh.
	trace-timeline --no-serve "$TMP/a.jsonl" "$TMP/b.json"
	run_split trace-timeline -v --no-serve "$TMP/a.jsonl"
	[[ $stderr != *"is fresh"* ]]
	echo '{torn' >>"$TMP/a.jsonl"
	run_split obs-perfsum "$TMP/b.json" "$TMP/a.jsonl"
	assert_status 1
	assert_stderr_has "a.jsonl:2: "
	printf '%s\n' '{"ts":1000.0,"kind":"attempt_start","sample_index":5}' \
		>"$TMP/10.jsonl"
	printf '%s\n' '{"ts":1009.0,"kind":"attempt_end","sample_index":5,"detail":"completed"}' \
		>"$TMP/11.jsonl"
	run_split trace-timeline --format cache "$TMP/10.jsonl" "$TMP/11.jsonl"
	[ "$(jq -c '[.rows[] | [.status, .orphan_count, .duration]]' <<<"$output")" = \
		'[["completed",0,9]]' ]
}

@test "records of another format are read, too, which is said once" {
	{
		log_line a 4 '{"type": "stop"}' ''
		echo
		echo '{"session_id":7,"submit_ts":1000.0,"finalized_ts":1009.0,"phases":{"generate":[{"start_ts":1001.0,"end_ts":1003.0}]}}'
		echo '{"ts":1000.0,"kind":"attempt_start","sample_index":5}'
		log_line b 2 '{"type": "length"}' ''
		echo
		echo '{"session_id":8,"submit_ts":1000.0}'
		echo '{"other":1}'
		echo '{"ts":1004.0,"kind":"attempt_end","sample_index":5,"detail":"aborted"}'
	} >"$TMP/x"
	run_split trace-timeline --format cache - <"$TMP/x"
	assert_status 1
	assert_stderr_lines 3
	assert_stderr_has ":2: another format starts here: AReaL's session trace"
	assert_stderr_has ":3: another format starts here: miles' trajectories"
	assert_stderr_has ":6: not a record of SGLang's request log"
	[ "$(jq -c '[.rows[] | [.row_id, .sample_index, .status]]' <<<"$output")" = \
		'[[0,0,"completed"],[1,7,null],[2,1,"truncated"],[3,8,null],[4,5,"aborted"]]' ]
	[ "$(obs-perfsum <"$TMP/x" 2>/dev/null |
		jq -c '[."perf/request/count", ."perf/request/e2e_latency/min"]')" = '[3,2]' ]
	# What only the last line says is said, too.
	{
		log_line a 4 '{"type": "stop"}' ''
		echo
		echo '{"resourceMetrics":[]}'
	} >"$TMP/x"
	run_split obs-perfsum "$TMP/x"
	assert_stderr_has "x:2: another format starts here"
}

# peak FILE: the most memory that a timeline of it needs, in KB.
peak() {
	python3 - "$OBS_BIN/trace-timeline" "$1" <<'END'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "--format", "cache", "-o", "/dev/null",
                sys.argv[2]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}

@test "a timeline of many requests needs no more memory than one of few" {
	[[ $OBS_BIN != */san/bin ]] || skip "sanitizers keep what is freed"
	seq 200000 | awk '{
		printf "{\"task_id\": 1, \"session_id\": %d, \"submit_ts\": ", $1
		printf "%d, \"finalized_ts\": %d}\n", 1e9 + $1, 1e9 + $1 + 5
	}' >"$TMP/many"
	head -n 2000 "$TMP/many" >"$TMP/few"
	(($(peak "$TMP/many") < $(peak "$TMP/few") + 2000))
}

# latency_is SECONDS FILE: the mean of its requests.
latency_is() {
	obs-perfsum --format json "$2" |
		jq -e ".\"perf/request/e2e_latency/mean\" == $1" >/dev/null
}

@test "a first record of megabytes is detected, wherever its keys stand" {
	local long

	long=$(head -c 1500000 /dev/zero | tr '\0' x)
	{
		printf '{"nodes": ["%s"], "calls": [{"time": ' "$long"
		echo '{"start": 1, "end": 2}}], "timing": {"start": 1}}'
	} >"$TMP/late"
	latency_is 1 "$TMP/late"
	latency_is 1 - <"$TMP/late"
	# shellcheck disable=SC2002 # a pipe, which cannot seek
	cat "$TMP/late" | latency_is 1 -
	# Behind a torn record as long, and in an object over many lines.
	{
		printf '{"nodes": ["%s\n' "$long"
		sed 's/"end": 2/"end": 4/' "$TMP/late"
	} >"$TMP/torn"
	latency_is 3 "$TMP/torn"
	printf '{\n"more": "%s",\n"resourceSpans": [{"scopeSpans": [{"spans": [{
		"traceId": "a", "spanId": "b", "name": "llm_request",
		"startTimeUnixNano": "1000000000", "endTimeUnixNano": "3000000000",
		"attributes": [{"key": "gen_ai.request.id",
			"value": {"stringValue": "r"}}]}]}]}]}\n' "$long" \
		>"$TMP/pretty"
	latency_is 2 "$TMP/pretty"
	# Many members before those that tell.
	{
		printf '{'
		seq 400 | sed 's/.*/"k&": &,/'
		echo '"session_id": 7, "submit_ts": 1, "finalized_ts": 3}'
	} | tr -d '\n' >"$TMP/many"
	timeline "$TMP/many" '[.rows[].sample_index]'
	assert_status 0
	[ "$rows" = '[7]' ]
	# slime's own, which may be as long, is not kept to look for others.
	printf '{"rollout_id": 3, "samples": [{"prompt": "%s", "trace": {}}]}' \
		"$long" >"$TMP/slime"
	run_split obs-perfsum --format json "$TMP/slime"
	assert_output_has '"rollout_id":3,"perf/request/count":0'
}

@test "an index of a wrong type is none, and what is no trace has no number" {
	printf '%s\n' \
		'{"ts": 1, "kind": "a", "sample_index": null, "group_index": 5}' \
		'{"ts": 2, "kind": "b", "sample_index": -1, "group_index": 5}' \
		'{"ts": 3, "kind": "c", "sample_index": [2], "group_index": 5}' \
		'{"ts": 4, "kind": "d", "sample_index": 9, "group_index": 5}' \
		>"$TMP/miles"
	timeline "$TMP/miles" '[.rows[] | [.sample_index, [.items[].name]]]'
	assert_status 0
	[ "$rows" = '[[0,["a","b","c"]],[9,["d"]]]' ]
	printf '%s\n' '{"ts": 1, "kind": "a", "sample_index": 3.0}' \
		'{"ts": 2, "kind": "b", "sample_index": 4.0}' \
		'{"ts": 3, "kind": "c", "sample_index": 3}' >"$TMP/miles"
	timeline "$TMP/miles" '[.rows[] | [.sample_index, [.items[].name]]]'
	assert_status 0
	[ "$rows" = '[[3,["a","c"]],[4,["b"]]]' ]
	printf '%s\n' \
		'{"traces": [7, {"timing": {"agent": {"start": 1, "end": 2}}}]}' \
		'{"traces": [{"timing": {"agent": {"start": 3, "end": 4}}}, null]}' \
		>"$TMP/prime"
	timeline "$TMP/prime" '[.rows[] | [.sample_index, .start]]'
	assert_status 1
	assert_stderr_has "prime:1: 1 of 2 traces are not objects and are ignored"
	[ "$rows" = '[[0,1],[1,3]]' ]
}

@test "an object with the keys of a format, but not its types, is none" {
	echo '{"timing": [], "calls": []}' >"$TMP/odd"
	run_split obs-perfsum "$TMP/odd"
	assert_status 3
	assert_stderr_has "an object with the keys of prime-rl's rollouts"
}

@test "AReaL: events of threads may alternate, with arguments of their own" {
	local n=0 one two
	one='"args": {"rank": 0, "k": 1}' two='"args": {"rank": 1}'

	while read -r where args; do
		n=$((n + 1))
		printf '{"ph": "X", "name": "e%d", "ts": %d000000, "dur": 9, %s, %s}\n' \
			"$n" "$n" "$where" "$args"
	done >"$TMP/traces" <<-END
		"pid":1,"tid":2 $one
		"pid":1,"tid":2 $one
		"pid":1,"tid":3 $one
		"pid":1,"tid":2 $two
		"pid":"1","tid":2 $one
		"pid":4,"tid":2 $two
		"pid":1,"tid":2 "args": 5
		"pid":1,"tid":3 $two
	END
	timeline "$TMP/traces" '[.rows[] | [.group_index,
		[.items[] | [.name, .attrs.end_attrs.rank, .attrs.end_attrs.k]]]]'
	[ "$rows" = '[[0,[["e1",0,1],["e2",0,1],["e4",1,null],["e5",0,1],["e7",null,null]]],[0,[["e3",0,1],["e8",1,null]]],[1,[["e6",1,null]]]]' ]
}

@test "miles: an index far beyond the others keeps its row among them later" {
	local far='"kind": "a", "sample_index": 5000'

	{
		echo "{\"ts\": 1, $far}"
		for ((i = 0; i < 2000; i++)); do
			echo "{\"ts\": 2, \"kind\": \"b\", \"sample_index\": $i}"
		done
		echo "{\"ts\": 3, $far}"
		echo "{\"ts\": 4, $far.0}"
		echo '{"ts": 5, "kind": "b", "sample_index": "7"}'
		echo '{"ts": 6, "kind": "b", "sample_index": 5001}'
		echo '{"ts": 7, "kind": "b", "sample_index": 1999}'
	} >"$TMP/miles"
	timeline "$TMP/miles" '[.rows[] | [.sample_index, (.items | length)]]
		| [length, .[0], .[1], .[1999], .[2000], .[2001], .[2002]]'
	assert_status 0
	[ "$rows" = '[2003,[5000,3],[0,1],[1998,1],[1999,2],["7",1],[5001,1]]' ]
}

@test "miles: processes may take turns in any order" {
	local role i=0

	while read -r name rank gpus; do
		i=$((i + 1))
		role=train
		[ "$rank" = 3 ] && role=rollout
		printf '{"name": "%s", "t0": %d, "t1": %d, "node": "n", "gpus": %s, "rank": %s, "role": "%s"}\n' \
			"$name" "$i" "$((i + 1))" "$gpus" "$rank" "$role"
	done >"$TMP/phases" <<-END
		a 0 [0]
		b 1 [1]
		c 0 [0]
		d 1 [1]
		e 0 [0,1]
		f 1 [1]
		g 0 [0]
		h 3 [1]
		i 1 [1]
		j 0 [0,
		k 0 [0]
		l 3 [1]
	END
	timeline "$TMP/phases" '[.rows[] | [.label, ([.items[].name] | add)]]'
	assert_status 1
	assert_stderr_has "phases:10: not a complete JSON object"
	[ "$rows" = '[["n rank 0 gpu 0","acgk"],["n rank 1 gpu 1","bdfi"],["n rank 0 gpu 0,1","e"],["n rank 3 gpu 1","hl"]]' ]
}

@test "miles: a phase that began at 10 is the one that began at 10.0" {
	local who='"node": "n", "gpus": [0], "rank": 0, "role": "train"'

	printf '%s\n' "{\"name\": \"train\", \"t0\": 10, \"t1\": -1.0, $who}" \
		"{\"name\": \"train\", \"t0\": 10.0, \"t1\": 12.0, $who}" \
		"{\"name\": \"train\", \"t0\": \"10\", \"t1\": 13.0, $who}" \
		"{\"name\": \"train\", \"t0\": 10.5, \"t1\": 14.0, $who}" \
		>"$TMP/phases"
	timeline "$TMP/phases" '[.rows[] | [.items[] | [.start_ts, .end_ts]]]'
	[ "$rows" = '[[[10,12],[10.5,14]]]' ]
}

@test "what a file has that cannot be used is counted, each kind in one line" {
	cat >"$TMP/s.jsonl" <<'EOF'
{"task_id":0,"session_id":0,"submit_ts":100.0,"finalized_ts":110.0,"phases":{"generate":[{"end_ts":105.0},{"start_ts":106.0,"end_ts":104.0}]}}
{"task_id":0,"session_id":1,"submit_ts":null,"finalized_ts":110.0,"phases":{"reward":[{"start_ts":null,"end_ts":109.0}]}}
EOF
	run_split obs-perfsum "$TMP/s.jsonl"
	assert_status 0
	assert_stderr_has "s.jsonl: 3 spans end without a start: their durations are unknown"
	assert_stderr_has "s.jsonl: 1 figure is negative and is skipped: e2e_latency"
	[[ $output == *'"perf/request/count":1,'* ]]
	[[ $output != *e2e_latency* ]]
	timeline "$TMP/s.jsonl" '[.rows[].orphan_count]'
	[ "$rows" = '[1,2]' ]
	cat >"$TMP/p.jsonl" <<'EOF'
{"name":"train","t0":1.0,"t1":2.0,"node":"n","gpus":[0],"rank":0,"role":"train"}
{"name":"train","t0":null,"t1":2.0,"node":"n","gpus":[0],"rank":0,"role":"train"}
{"name":"train","t0":null,"t1":-1.0,"node":"n","gpus":[0],"rank":0,"role":"train"}
EOF
	timeline "$TMP/p.jsonl" '[.rows[].closed_span_count]'
	assert_status 1
	[ "$rows" = '[1]' ]
	assert_stderr_has "p.jsonl: 1 event has no usable time and is skipped"
	assert_stderr_has "p.jsonl: 1 span ends without a start: its duration is unknown"
}

@test "a request without an end, and negative figures, are counted, not summed" {
	{
		log_line a 4 '{"type": "stop"}' ''
		echo
		echo '{"request_parameters":"{}","id":"b","finish_reason":{"type":"stop"},"completion_tokens":9,"request_received_ts":1000.0}'
		echo '{"request_parameters":"{}","id":"c","finish_reason":{"type":"stop"},"completion_tokens":-9,"e2e_latency":-2.0,"decode_throughput":-1.0,"request_received_ts":1000.0,"request_finished_ts":1001.0}'
	} >"$TMP/x.log"
	timeline "$TMP/x.log" '[.rows[].sample_index]'
	assert_status 1
	[ "$rows" = '[0,2]' ]
	assert_stderr_has "x.log: 1 request has a start but no usable end: it is counted, but not shown"
	assert_stderr_has "x.log: 3 figures are negative and are skipped, such as e2e_latency"
	[ "$(figure request/count "$TMP/x.log")" = 3 ]
	[ "$(figure request/e2e_latency/min "$TMP/x.log")" = 4 ]
	[ "$(figure decode/throughput/min "$TMP/x.log")" = null ]
	# Of a dump they count as the trainer counts them, with a word.
	echo '{"trace":{"events":[{"type":"span_end","name":"sglang_generate","ts":1,"attrs":{"e2e_latency":-1.5}}]}}' \
		>"$TMP/d.jsonl"
	run_split obs-perfsum "$TMP/d.jsonl"
	assert_status 0
	assert_stderr_has "d.jsonl: a request has a negative e2e_latency; it counts as it is"
}

@test "OTLP and prime-rl: spans without a start are counted" {
	echo '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"1","name":"x","endTimeUnixNano":"9"},{"traceId":"a","spanId":"2","name":"y","startTimeUnixNano":"1","endTimeUnixNano":"9"}]}]}]}' \
		>"$TMP/t.jsonl"
	run_split trace-timeline --format cache -o - "$TMP/t.jsonl"
	assert_status 0
	assert_stderr_has "t.jsonl: 1 span ends without a start"
	echo '{"traces":[{"timing":{"agent":{"start":0.0,"end":5.0},"setup":{"start":1.0,"end":2.0}},"calls":[{"time":{"end":4.0}}]}]}' \
		>"$TMP/p.jsonl"
	run_split trace-timeline --format cache -o - "$TMP/p.jsonl"
	assert_status 0
	assert_stderr_has "p.jsonl: 2 spans end without a start"
}

@test "records that hold no times are not called unreadable" {
	echo '{"ph":"i","name":"x","pid":1,"tid":1}' >"$TMP/t.jsonl"
	run_split obs-perfsum "$TMP/t.jsonl"
	assert_status 3
	assert_stderr_has "t.jsonl: AReaL's performance trace: no times in its 1 record"
	echo '{"traces":[]}' >"$TMP/p.jsonl"
	run_split obs-perfsum "$TMP/p.jsonl"
	assert_status 3
	assert_stderr_has "no traces in its 1 record"
}

@test "a file given twice is read once where files are summed, with a word" {
	printf '{"ts":%s,"kind":"%s","sample_index":1,"turn":-1}\n' \
		1 gen_start 3 gen_end >"$TMP/m.jsonl"
	ln "$TMP/m.jsonl" "$TMP/n.jsonl"
	run_split obs-perfsum "$TMP/m.jsonl" "$TMP/n.jsonl"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "n.jsonl: this file is given twice; it is read once"
	[ "$(jq '."perf/request/count"' <<<"$output")" = 1 ]
	run_split obs-perfsum --partial "$DATA/demo.pt" "$DATA/./demo.pt"
	assert_stderr_has "this file is given twice"
	[ "$(jq .dumps <<<"$output")" = 1 ]
	printf '%s\n' "$output" >"$TMP/part"
	run_split obs-perfsum --merge-partials "$TMP/part" "$TMP/part"
	assert_status 0
	assert_stderr_has "part: this file is given twice; it is read once"
	[ "$(jq '."perf/request/count"' <<<"$output")" = \
		"$(figure request/count "$DATA/demo.pt")" ]
}

@test "OTLP documents in a row are all read" {
	one() { # ID
		printf '{\n "resourceSpans": [{"scopeSpans": [{"spans": [\n  {"traceId": "%s", "spanId": "1", "name": "x",\n   "startTimeUnixNano": "1", "endTimeUnixNano": "9"}]}]}]\n}' "$1"
	}
	{ one a && one b && echo && one c; } >"$TMP/t.json"
	timeline "$TMP/t.json" '[.rows[].trace_id]'
	assert_status 0
	[ "$rows" = '["a","b","c"]' ]
	local size
	size=$(wc -c <"$TMP/t.json")
	echo ' {"resourceSpans": [' >>"$TMP/t.json"
	timeline "$TMP/t.json" '[.rows[].trace_id]'
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "t.json: byte $((size + 1)): the rest is not a complete JSON object"
	[ "$rows" = '["a","b","c"]' ]
}

@test "of many bad records ten are reported, and the number of the rest" {
	{
		printf '{"ts":%s,"kind":"%s","sample_index":1,"turn":-1}\n' \
			1 gen_start 3 gen_end
		printf 'x\n%.0s' {1..500}
	} >"$TMP/m.jsonl"
	for program in obs-perfsum trace-timeline; do
		run_split "$program" -o "$TMP/out.json" "$TMP/m.jsonl"
		assert_status 1
		assert_stderr_lines 11
		assert_stderr_has "m.jsonl:12: not a complete JSON object"
		assert_stderr_has "m.jsonl: 490 more bad records"
	done
	# So are those of saved metrics, and of Prometheus text.
	{
		obs-perfsum -f json "$DATA/demo.pt"
		printf '{"dump": "x"}\n%.0s' {1..11}
	} >"$TMP/saved.jsonl"
	run_split obs-perfsum "$TMP/saved.jsonl"
	assert_status 1
	assert_stderr_lines 11
	assert_stderr_has "saved.jsonl: 1 more bad record"
}

@test "a trace that failed twice was at its second attempt" {
	echo '{"traces":[{"id":"t","ok":false,"errors":[{"type":"a"},{"type":"b"}],"timing":{"agent":{"start":10.0,"end":12.0}}}]}' \
		>"$TMP/p.jsonl"
	timeline "$TMP/p.jsonl" '[.rows[].attempt]'
	assert_status 0
	[ "$rows" = '[1]' ]
}
