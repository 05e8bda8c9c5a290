# trace-timeline --metrics: what the engines did under the rollout.

load test_helper

setup() {
	skip_without jq
	# Two requests, from 1000 s to 1010 s and from 1004 s to 1008 s.
	printf '%s\n' \
		'{"index": 0, "group_index": 0, "trace": {"events": [
		{"type": "span_start", "name": "sglang_generate", "ts": 1000, "span_id": "a"},
		{"type": "span_end", "name": "sglang_generate", "ts": 1010, "span_id": "a"}]}}' \
		'{"index": 1, "group_index": 0, "trace": {"events": [
		{"type": "span_start", "name": "sglang_generate", "ts": 1004, "span_id": "b"},
		{"type": "span_end", "name": "sglang_generate", "ts": 1008, "span_id": "b"}]}}' |
		jq -c . >"$TMP/dump"
	stream 990 >"$TMP/stream"
}

# stream FIRST: two engines, a snapshot a second for 40 s, of which the first
# runs the two requests of the dump if FIRST is 990.
stream() {
	awk -v first="$1" 'BEGIN {
		print "# obs-scrape stream"
		for (i = 0; i < 40; i++) {
			t = first + i
			put("num_running_reqs", 0,
				(i > 10 && i <= 20) + (i > 14 && i <= 18))
			put("num_running_reqs", 1, 0)
			put("token_usage", 0, i / 100)
			put("odd_things_total", 0, 3 * i)
			print "# EOF"
		}
	}
	function put(name, worker, value) {
		printf "sglang:%s{worker_addr=\"e%d:30000\"} %s %d000\n",
			name, worker, value, t
	}'
}

# counters ARGUMENT...: each event as process, worker, second of the clock,
# unit and value.
counters() {
	local status=0
	trace-timeline --format chrome "$@" >"$TMP/trace" || status=$?
	jq -r '(.otherData.earliest_unix_s | tonumber) as $from |
		(.traceEvents | map(select(.name == "process_name") |
			{key: (.pid | tostring), value: .args.name}) |
			from_entries) as $name |
		.traceEvents[] | select(.ph == "C") |
		[$name[.pid | tostring], .name, .ts / 1e6 + $from] +
		(.args | to_entries[0] | [.key, .value]) | @tsv' "$TMP/trace"
	return "$status"
}

@test "counters move when requests begin and end, in the window alone" {
	run_split counters --metrics "$TMP/stream" "$TMP/dump"
	assert_status 0
	# A margin of 5%, and one point beyond either end.
	[ "$(grep -c 'engines: running requests	e0:30000' <<<"$output")" -eq 13 ]
	[ "$(grep -c 'e1:30000' <<<"$output")" -eq 13 ]
	grep -q $'engines: running requests\te0:30000\t1000\trequests\t0$' <<<"$output"
	grep -q $'engines: running requests\te0:30000\t1001\trequests\t1$' <<<"$output"
	grep -q $'engines: running requests\te0:30000\t1005\trequests\t2$' <<<"$output"
	grep -q $'engines: running requests\te0:30000\t1009\trequests\t1$' <<<"$output"
	grep -q $'engines: running requests\te0:30000\t1011\trequests\t0$' <<<"$output"
	grep -q $'engines: KV cache use\te0:30000\t1005\tfraction\t0.15$' <<<"$output"
	[[ $output != *odd* ]]
	[ "$(jq -r .otherData.earliest_unix_s "$TMP/trace")" = 999.000000 ]
}

@test "the three formats of a stream give the same counters" {
	python3 - "$TMP/stream" "$TMP/range" "$TMP/export" <<-'END'
		import json, re, sys
		series = {}
		for line in open(sys.argv[1]):
		    m = re.match(r'(\S+)\{worker_addr="(.*)"\} (\S+) (\d+)$', line)
		    if m:
		        series.setdefault(m.group(1, 2), []).append(m.group(3, 4))
		labels = [{"__name__": n, "worker_addr": w} for n, w in series]
		json.dump({"status": "success", "data": {"resultType": "matrix",
		    "result": [{"metric": l, "values": [[int(t) / 1e3, v] for v, t in p]}
		               for l, p in zip(labels, series.values())]}},
		    open(sys.argv[2], "w"))
		with open(sys.argv[3], "w") as f:
		    for l, p in zip(labels, series.values()):
		        print(json.dumps({"metric": l, "values": [float(v) for v, t in p],
		            "timestamps": [int(t) for v, t in p]}), file=f)
	END
	counters --metrics "$TMP/stream" "$TMP/dump" >"$TMP/want"
	[ "$(wc -l <"$TMP/want")" -eq 39 ]
	counters --metrics "$TMP/range" "$TMP/dump" | diff "$TMP/want" -
	counters --metrics - "$TMP/dump" <"$TMP/export" | diff "$TMP/want" -
}

@test "--metric adds gauges and the rates of counters, and says what is not there" {
	run_split counters --metrics "$TMP/stream" --metric 'odd_*' "$TMP/dump"
	assert_status 0
	grep -q $'engines: sglang:odd_things_total\te0:30000\t1004\t/s\t3$' <<<"$output"
	run_split counters --metrics "$TMP/stream" --metric nothing "$TMP/dump"
	assert_status 1
	assert_stderr_has '--metric: no counter or gauge is named "nothing"'
}

@test "metrics of another time are reported with the distance" {
	stream 4610 >"$TMP/late"
	run_split counters --metrics "$TMP/late" "$TMP/dump"
	assert_status 1
	[ -z "$output" ]
	assert_stderr_has 'late: the metrics begin 1 hour after the rollout ends'
}

@test "what is wrong with a stream is said, and the rest is shown" {
	sed 's/^sglang:token_usage.* 1003000$/&x/' "$TMP/stream" >"$TMP/torn"
	run_split counters --metrics "$TMP/torn" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'torn:'
	grep -q $'engines: running requests\te0:30000\t1005\trequests\t2$' <<<"$output"
	sed 's/ [0-9]*000$//' "$TMP/stream" >"$TMP/bare"
	run_split counters --metrics "$TMP/bare" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'bare: skipped 40 snapshots without timestamps'
	run_split counters --metrics "$TMP/none" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'none: cannot open'
}

@test "expositions without # EOF are the same snapshots" {
	counters --metrics "$TMP/stream" --metric 'odd_*' "$TMP/dump" >"$TMP/whole"
	[ "$(wc -l <"$TMP/whole")" -gt 20 ]
	sed '/^#/d' "$TMP/stream" >"$TMP/plain"
	counters --metrics "$TMP/plain" --metric 'odd_*' "$TMP/dump" |
		diff "$TMP/whole" -
	# The TYPE before the first series belongs to the snapshot it begins.
	awk '/num_running_reqs\{worker_addr="e0/ {
		print "# TYPE sglang:odd counter"
		print "sglang:odd{worker_addr=\"e0:30000\"} " 2 * n++, $NF
	} !/^#/' "$TMP/stream" >"$TMP/typed"
	counters --metrics "$TMP/typed" --metric odd "$TMP/dump" >"$TMP/out"
	[ "$(grep -c 'engines: sglang:odd	' "$TMP/out")" -eq 13 ]
	[ "$(grep 'engines: sglang:odd	' "$TMP/out" | cut -f 4,5 | sort -u)" = \
		'/s	2' ]
}

@test "snapshots without times are counted, and values given twice" {
	sed 's/ [0-9]*$//; /^#/d' "$TMP/stream" >"$TMP/plain"
	run_split counters --metrics "$TMP/plain" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'plain: skipped 40 snapshots without timestamps'
	sed '/token_usage/p' "$TMP/stream" >"$TMP/twice"
	run_split counters --metrics "$TMP/twice" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'twice: skipped 40 values of series that a snapshot has twice; end each snapshot with "# EOF"'
}

@test "a clock that was set leaves the rates right" {
	awk '{ $0 = $0 } / 1005000$/ { later = 1 } / 1005000$/ && !said++ {
		print "# obs-scrape clock +3.000" }
		later && !/^#/ { sub(/[0-9]*000$/, $NF + 3000) } { print }' \
		"$TMP/stream" >"$TMP/set"
	grep -q ' 1008000$' "$TMP/set"
	[ "$(grep -c ' 100[567]000$' "$TMP/set")" -eq 0 ]
	counters --metrics "$TMP/set" --metric 'odd_*' "$TMP/dump" >"$TMP/out"
	[ "$(grep 'odd_things_total' "$TMP/out" | cut -f 5 | sort -u)" = 3 ]
}

@test "a worker without a name is called as its file" {
	sed 's/{[^}]*}//; /num_running_reqs 0/d' "$TMP/stream" >"$TMP/engine.prom"
	counters --metrics "$TMP/engine.prom" --metric 'odd_*' "$TMP/dump" \
		>"$TMP/out" || [ $? -eq 1 ]
	[ "$(cut -f 2 "$TMP/out" | sort -u)" = engine.prom ]
}

@test "a file that is not metrics is named in a line or a few" {
	printf 'PK\x03\x04' >"$TMP/zip"
	seq 1 400 | sed 's/$/ \x01\x02/' >>"$TMP/zip"
	run_split counters --metrics "$TMP/zip" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'zip: this is a'
	assert_stderr_lines 1
	seq 1 400 | sed 's/^/words of prose, line /' >"$TMP/prose"
	run_split counters --metrics "$TMP/prose" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'prose: none of 400 lines is valid; this is not metrics'
	assert_stderr_lines 12
	sed '/./q' "$TMP/stream" | cat - "$TMP/prose" "$TMP/stream" >"$TMP/mixed"
	run_split counters --metrics "$TMP/mixed" "$TMP/dump"
	assert_status 1
	assert_stderr_has 'mixed:11: '
	assert_stderr_has 'mixed: 390 more bad lines'
	assert_stderr_lines 11
}

@test "metrics of which none is shown are reported" {
	printf 'up{instance="e0"} 1 %s\n# EOF\n' 1002.5 1004.5 >"$TMP/up"
	run_split counters --metrics "$TMP/up" "$TMP/dump"
	assert_status 1
	[ -z "$output" ]
	assert_stderr_has 'up: none of its metrics is shown: they have no finite values, or --metric has to name them'
	run_split counters --metrics "$TMP/up" --metric up "$TMP/dump"
	assert_status 0
	[ -n "$output" ]
	run_split trace-timeline --metrics= -f html "$TMP/dump"
	assert_status 2
	assert_stderr_has '--metrics needs a file'
}

@test "values that cannot be drawn are left out and counted" {
	sed 's/\(token_usage.*}\) [^ ]* \(1003000\|1005000\)$/\1 +Inf \2/' \
		"$TMP/stream" >"$TMP/infinite"
	run_split counters --metrics "$TMP/infinite" "$TMP/dump"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has 'infinite: skipped 2 infinite values'
	counters --metrics "$TMP/stream" "$TMP/dump" >"$TMP/all"
	[ "$(diff <(printf '%s\n' "$output") "$TMP/all" | grep -c '^>')" = 2 ]
	sed 's/} [^ ]* \([0-9]*\)$/} NaN \1/' "$TMP/stream" >"$TMP/nan"
	run_split counters --metrics "$TMP/nan" "$TMP/dump"
	assert_status 1
	[ -z "$output" ]
	assert_stderr_has 'nan: none of its metrics is shown: they have no finite'
}

@test "--metrics is for pages and Chrome traces, and reads stdin once" {
	run_split trace-timeline --metrics "$TMP/stream" -f cache "$TMP/dump"
	assert_status 2
	assert_stderr_has '--metrics is for --format html and chrome'
	run_split trace-timeline --metrics - --format chrome - <"$TMP/dump"
	assert_status 2
	assert_stderr_has 'standard input given twice'
	run_split trace-timeline --metric 'x*' --format chrome "$TMP/dump"
	assert_status 2
	assert_stderr_has '--metric needs --metrics FILE'
	run_split trace-timeline --metrics "$TMP/stream" --split 1 -o "$TMP/p.html" \
		"$TMP/dump"
	assert_status 2
	assert_stderr_has '--metrics cannot be combined with --split'
}

# on_terminal ARG...: the output and the status of trace-timeline whose standard
# output is a terminal.
on_terminal() {
	run python3 -c 'import os, pty, sys
status = pty.spawn(sys.argv[1:])
print("status", os.waitstatus_to_exitcode(status))' trace-timeline "$@"
}

@test "no page is written to a terminal" {
	local option
	cp "$DATA/demo.pt" "$TMP/d.pt"
	: >"$TMP/none"
	for option in --metrics --profile --with; do
		on_terminal "$option" "$TMP/none" "$TMP/d.pt" </dev/null
		assert_output_has "$option writes one page: use --output FILE"
		assert_output_has "status 2"
		run_split trace-timeline --no-serve "$option" "$TMP/none" \
			"$TMP/d.pt"
		assert_status 2
		refute_output
		assert_stderr_has "$option writes one page: use --output FILE instead of --no-serve"
	done
	on_terminal -f summary "$TMP/d.pt" </dev/null
	assert_output_has "status 0"
	assert_output_has 'wall 45.183 s'
}
