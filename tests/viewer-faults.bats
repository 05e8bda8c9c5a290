# What made other viewers hard to use or blank is not so on the timeline page.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK DUMP...: look at a page of dumps, see tests/browser/faults.mjs
see() {
	local check=$1
	shift
	trace-timeline -q --output "$TMP/page.html" "$@"
	look faults "$check" "$TMP/page.html"
}

# One sample of the events that a jq program gives.
dump() {
	skip_without jq
	jq -n "{samples: [{index: 0, trace: {trace_id: \"t\",
		events: [$1]}}]}" >"$TMP/dump.json"
}

@test "nothing moves under a click" {
	steps_dump
	see still "$TMP/steps.json"
}

@test "a drag moves the rows with the pointer and selects nothing" {
	steps_dump
	see drag "$TMP/steps.json"
}

@test "the filter looks at names, errors and attributes" {
	steps_dump
	see filter "$TMP/steps.json"
}

@test "rewards of several parts can be read" {
	steps_dump
	see rewards "$TMP/steps.json"
}

# bats test_tags=long
@test "70,000 points over 70 seconds are no single dot" {
	dump 'range(70000) | {type: "event", name: "tick",
		ts: (1766101000 + . / 1000)}'
	see points "$TMP/dump.json"
}

# bats test_tags=long
@test "a sample of 150,000 items is drawn and walked" {
	dump 'range(75000) |
		{type: "span_start", span_id: "\(.)", name: "turn",
		 ts: (1766101000 + . / 100)},
		{type: "event", name: "step", ts: (1766101000.002 + . / 100)},
		{type: "span_end", span_id: "\(.)", name: "turn",
		 ts: (1766101000.009 + . / 100)}'
	see many "$TMP/dump.json"
}

@test "times that are no numbers leave the others to be seen" {
	cat >"$TMP/nan.json" <<'DUMP'
{"samples": [{"index": 0, "reward": NaN, "trace": {"trace_id": "t", "events": [
 {"type": "event", "name": "bad", "ts": NaN},
 {"type": "span_start", "name": "good", "ts": 1766101000, "span_id": "a"},
 {"type": "span_end", "name": "good", "ts": 1766101001, "span_id": "a"}]}},
 {"index": 1, "trace": {"trace_id": "t", "events": [
 {"type": "event", "name": "bad", "ts": NaN}]}}]}
DUMP
	see nan "$TMP/nan.json"
}

# An hour: a generation, within it a tool call of a microsecond; and a
# sample whose second span has no end.
hour() {
	cat >"$TMP/hour.json" <<'DUMP'
{"samples": [{"index": 0, "trace": {"trace_id": "t", "events": [
 {"type": "span_start", "name": "wait", "ts": 1766101000, "span_id": "a"},
 {"type": "span_start", "name": "tool_call", "ts": 1766102000, "span_id": "b"},
 {"type": "span_end", "name": "tool_call", "ts": 1766102000.000001,
  "span_id": "b"},
 {"type": "span_end", "name": "wait", "ts": 1766104600, "span_id": "a"}]}},
 {"index": 1, "trace": {"trace_id": "t", "events": [
 {"type": "span_start", "name": "generate", "ts": 1766101000, "span_id": "c"},
 {"type": "span_end", "name": "generate", "ts": 1766102000, "span_id": "c"},
 {"type": "span_start", "name": "stuck", "ts": 1766102500, "span_id": "d"},
 {"type": "event", "name": "late", "ts": 1766104500}]}}]}
DUMP
}

@test "a span of a microsecond in an hour is drawn, hit and fitted" {
	hour
	see slivers "$TMP/hour.json"
}

@test "open spans are hatched" {
	hour
	see hatching "$TMP/hour.json"
}

@test "the axis begins at 0 and has labels at any length" {
	hour
	see axis "$TMP/hour.json"
}

@test "a file's name may have any sign" {
	hour
	mv "$TMP/hour.json" "$TMP/a#b\"c%20?d.json"
	(cd "$TMP" && trace-timeline -q --no-serve "a#b\"c%20?d.json")
	mv "$TMP"/a*.html "$TMP/x#y\"z?.html"
	look faults axis "$TMP/x#y\"z?.html"
}

@test "a page says what it leaves out" {
	steps_dump
	see leftOut --top 5 "$TMP/steps.json"
}

@test "several dumps are chosen from and compared" {
	steps_dump
	see dumps "$TMP/steps.json" "$DATA/timeline.json"
}

@test "another dump is opened before the one before was counted" {
	steps_dump
	see switched "$TMP/steps.json" "$DATA/timeline.json"
}

@test "a browser too old for the page is told so" {
	see broken "$DATA/timeline.json"
}

@test "rows of traces of threads are called threads" {
	printf '%s\n' \
		'{"name":"train","ph":"X","ts":1000000,"dur":9000000,"pid":1,"tid":2}' \
		'{"name":"load","ph":"X","ts":1000000,"dur":5000000,"pid":1,"tid":3}' \
		>"$TMP/traces.jsonl"
	trace-timeline -f html "$TMP/traces.jsonl" >"$TMP/page.html"
	look faults threads "$TMP/page.html"
}
