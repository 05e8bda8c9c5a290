# What the timeline page shows of the engines: --metrics and --profile.

# bats file_tags=browser

load test_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

setup() {
	# Two requests, from 1000 s to 1010 s and from 1004 s to 1008 s.
	printf '%s\n' \
		'{"index": 0, "group_index": 0, "trace": {"events": [{"type": "span_start", "name": "sglang_generate", "ts": 1000, "span_id": "a"}, {"type": "span_end", "name": "sglang_generate", "ts": 1010, "span_id": "a"}]}}' \
		'{"index": 1, "group_index": 0, "trace": {"events": [{"type": "span_start", "name": "sglang_generate", "ts": 1004, "span_id": "b"}, {"type": "span_end", "name": "sglang_generate", "ts": 1008, "span_id": "b"}]}}' \
		>"$TMP/dump"
	awk 'BEGIN {
		print "# obs-scrape stream"
		for (i = 0; i < 40; i++) {
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
			name, worker, value, 990 + i
	}' >"$TMP/stream"
	# A GPU that is busy from 1002 s to 1002.5 s and from 1003 s to 1003.5 s.
	cat >"$TMP/7-TP-0.trace.json" <<-'END'
	{"baseTimeNanoseconds": 1000000000000, "traceEvents": [
	  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 2000000.000, "dur": 500000.000, "args": {"correlation": 1}},
	  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 3000000.000, "dur": 500000.000, "args": {"correlation": 2}},
	  {"ph": "X", "cat": "user_annotation", "name": "step[DECODE bs=8]", "pid": 1, "tid": 1, "ts": 2000000.000, "dur": 550000.000}]}
	END
}

@test "the functions of the engines' charts do what they say" {
	skip_without node
	node "$ROOT/tests/browser/engines.mjs"
}

@test "metrics stand under the requests at the right time" {
	trace-timeline --metrics "$TMP/stream" --metric 'odd_*' -f html "$TMP/dump" \
		>"$TMP/page.html"
	look beside metrics "$TMP/page.html"
	look beside together "$TMP/page.html"
	look beside painted "$TMP/page.html"
	look beside slices "$TMP/page.html"
	look turns points "$TMP/page.html"
}

@test "what an engine reports after its last request is called stale" {
	# Requests on e0 to 5 s and on e1 to 10 s; e0 reports 2 to the end.
	jq -nc '
	def span(id; to; worker): {group_index: 0, trace: {events: [
	  {type: "span_start", name: "sglang_generate", ts: 1000, span_id: id},
	  {type: "span_end", name: "sglang_generate", ts: to, span_id: id,
	   attrs: {worker_addr: worker}}]}};
	span("a"; 1005; "http://e0:30000") + {index: 0},
	span("b"; 1010; "http://e1:30000") + {index: 1}' >"$TMP/stuck"
	awk 'BEGIN {
		print "# obs-scrape stream"
		for (i = 0; i < 20; i++) {
			printf "sglang:num_running_reqs{worker_addr=\"e0:30000\"} 2 %d000\n", 995 + i
			printf "sglang:num_running_reqs{worker_addr=\"e1:30000\"} 3 %d000\n", 995 + i
			print "# EOF"
		}
	}' >"$TMP/stuck.prom"
	trace-timeline --metrics "$TMP/stuck.prom" -f html "$TMP/stuck" \
		>"$TMP/page.html"
	look beside stale "$TMP/page.html"
}

# recorded AHEAD: a page of a rollout with its engines' recorded metrics
recorded() {
	skip_without python3
	python3 "$ROOT/tests/recorded_pair.py" "$TMP/dump" "$TMP/stream" "$1"
	run_split trace-timeline --metrics "$TMP/stream" -f html -o "$TMP/page.html" \
		"$TMP/dump"
}

@test "recorded counts of running requests move with the requests" {
	recorded 0
	assert_status 0
	look beside recorded "$TMP/page.html"
}

@test "metrics of another host's clock stay where they were recorded" {
	recorded 0.7
	assert_status 0
	look beside recorded "$TMP/page.html" "" 0.7
	recorded 3600
	assert_status 1
	assert_stderr_has 'stream: the metrics begin 59.9 minutes after the rollout ends'
	[ "$(grep -c 'id="data-0-beside"' "$TMP/page.html")" -eq 0 ]
}

# bats test_tags=long
@test "32 engines' metrics of ten minutes and 8 profiles take little of a page" {
	skip_without python3
	local n all with profiles=()
	"$ROOT/scripts/gen-rollout" json "$TMP/d.jsonl" --samples 4096
	"$ROOT/scripts/gen-stream" --workers 32 --snapshots 600 \
		--start 1766101000 "$TMP/stream"
	for n in 0 1 2 3 4 5 6 7; do
		"$ROOT/scripts/gen-profile" "$TMP/$n-TP-$n.trace.json" 2 \
			$((100 + n)) $((1766101060 + 60 * n)) --ops 1 >/dev/null
		profiles+=(--profile "$TMP/$n-TP-$n.trace.json")
	done
	trace-timeline -q -f html -o "$TMP/without.html" "$TMP/d.jsonl"
	trace-timeline -q -f html -o "$TMP/with.html" --metrics "$TMP/stream" \
		"${profiles[@]}" "$TMP/d.jsonl"
	all=$(wc -c <"$TMP/without.html")
	with=$(wc -c <"$TMP/with.html")
	echo "$with of $all bytes"
	[ "$with" -gt "$all" ]
	[ "$((10 * with))" -le "$((14 * all))" ]
}

@test "lines of many engines have one list of their colors" {
	awk 'BEGIN {
		print "# obs-scrape stream"
		for (i = 0; i < 40; i++) {
			for (e = 0; e < 10; e++)
				printf "sglang:num_running_reqs{worker_addr=\"e%d:30000\"} %d %d000\n", e, 2 * e + 1, 990 + i
			print "# EOF"
		}
	}' >"$TMP/stream"
	trace-timeline --metrics "$TMP/stream" -f html "$TMP/dump" >"$TMP/page.html"
	look beside key "$TMP/page.html"
}

@test "lines of few engines have a list of their colors on a phone, too" {
	trace-timeline --metrics "$TMP/stream" --metric 'odd_*' -f html "$TMP/dump" \
		>"$TMP/page.html"
	look beside phone "$TMP/page.html"
}

@test "hostile names of metrics, workers and profiles are shown, not obeyed" {
	local evil='</script><img src=x onerror=alert(1)>'
	sed "s|e0:30000|$evil|" "$TMP/stream" >"$TMP/evil"
	sed "s|DECODE bs=8|$evil|" "$TMP/7-TP-0.trace.json" >"$TMP/<img src=x>.json"
	trace-timeline --metrics "$TMP/evil" --profile "$TMP/<img src=x>.json" \
		-f html "$TMP/dump" >"$TMP/page.html"
	look beside hostile "$TMP/page.html"
}

@test "a profile's GPU stands under the requests at the right time" {
	trace-timeline --profile "$TMP/7-TP-0.trace.json" -f html "$TMP/dump" \
		>"$TMP/page.html"
	look beside gpus "$TMP/page.html"
}

@test "GPUs that ran collectives have a list of their colors" {
	sed 's/gemm/ncclDevKernel_AllReduce/' "$TMP/7-TP-0.trace.json" \
		>"$TMP/8-TP-1.trace.json"
	trace-timeline --profile "$TMP/7-TP-0.trace.json" \
		--profile "$TMP/8-TP-1.trace.json" -f html "$TMP/dump" \
		>"$TMP/page.html"
	look beside collectives "$TMP/page.html"
}

@test "many charts leave room for the rows, on one x" {
	local i many=()
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		cp "$TMP/7-TP-0.trace.json" "$TMP/7-TP-$i.trace.json"
		many+=(--profile "$TMP/7-TP-$i.trace.json")
	done
	trace-timeline --metrics "$TMP/stream" "${many[@]}" -f html "$TMP/dump" \
		>"$TMP/page.html"
	look beside many "$TMP/page.html"
	look turns many "$TMP/page.html"
}

@test "a profile of another time is reported with the distance, and not shown" {
	sed 's/1000000000000/4600000000000/' "$TMP/7-TP-0.trace.json" \
		>"$TMP/late.trace.json"
	run_split trace-timeline --profile "$TMP/late.trace.json" -f html -o "$TMP/p" \
		"$TMP/dump"
	assert_status 1
	assert_stderr_has 'late.trace.json: the profile begins 59.9 minutes after the rollout ends'
	[ "$(grep -c 'id="data-0-beside"' "$TMP/p")" -eq 0 ]
}

@test "--merge and --profile measure the same distance of clocks" {
	# From the first event that counts, not from marks of the profiler.
	cat >"$TMP/late.trace.json" <<-'END'
	{"baseTimeNanoseconds": 1060000000000, "traceEvents": [
	  {"ph": "i", "cat": "x", "name": "start", "pid": 0, "tid": 7, "ts": 1000000.000, "s": "t"},
	  {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1500000.000, "dur": 900000.0},
	  {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 5000000.000, "dur": 500000.000, "args": {"correlation": 1}},
	  {"ph": "i", "cat": "x", "name": "Record Window End", "pid": 0, "tid": 7, "ts": 9000000.000, "s": "t"}]}
	END
	local option
	for option in --merge --profile; do
		run_split trace-timeline "$option" "$TMP/late.trace.json" \
			-o "$TMP/out" "$TMP/dump"
		assert_stderr_has 'late.trace.json: the profile begins 55 s after the rollout ends'
	done
}

@test "a profile of which nothing is shown is reported" {
	sed 's/"kernel"/"cpu_op"/; /user_annotation/d; s/}},$/}}/' \
		"$TMP/7-TP-0.trace.json" | sed '$ s/$/]}/; 2 s/$/,/' >"$TMP/cpu.json"
	jq . "$TMP/cpu.json" >/dev/null
	run_split trace-timeline --profile "$TMP/cpu.json" -f html -o "$TMP/p" \
		"$TMP/dump"
	assert_status 1
	assert_stderr_has 'cpu.json: the profile has no GPU activity and no steps at the time of the rollout'
}

@test "a page with a profile is not taken for the page next to the dump" {
	local page=$TMP/dump.trace_timeline_viewer.html
	cp "$TMP/dump" "$TMP/dump.json"
	trace-timeline --profile "$TMP/7-TP-0.trace.json" -o "$page" "$TMP/dump.json"
	grep -q 'data-0-beside' "$page"
	trace-timeline -q --no-serve "$TMP/dump.json"
	[ "$(grep -c 'id="data-0-beside"' "$page")" -eq 0 ]
}

@test "--profile is for pages, and what cannot be read is said" {
	run_split trace-timeline --profile "$TMP/7-TP-0.trace.json" --split 1 \
		-o "$TMP/p.html" "$TMP/dump"
	assert_status 2
	assert_stderr_has '--profile cannot be combined with --split'
	run_split trace-timeline --profile - -f html -o "$TMP/p" - <"$TMP/dump"
	assert_status 2
	assert_stderr_has 'standard input given twice'
	run_split trace-timeline --profile= -f html "$TMP/dump"
	assert_status 2
	assert_stderr_has '--profile needs a file'
	run_split trace-timeline --profile "$TMP/7-TP-0.trace.json" -f chrome \
		"$TMP/dump"
	assert_status 2
	assert_stderr_has '--profile is for --format html; use --merge'
	run_split trace-timeline --profile "$TMP/none.json" -f html -o "$TMP/p" \
		"$TMP/dump"
	assert_status 1
	assert_stderr_has 'none.json: cannot open'
	[ -s "$TMP/p" ]
}
