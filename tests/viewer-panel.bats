# The details and the panel beside the timeline's plot, in a real browser.

# bats file_tags=browser

load test_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# Three samples of two groups: an error, a failed sample with an open span and
# an orphan, and attributes of every size.
panel_dump() {
	local zero=1766101000
	jq -n --argjson zero "$zero" '
	def span(id; name; from; to; parent; attrs):
	  {type: "span_start", span_id: id, name: name, ts: ($zero + from),
	   parent_span_id: parent},
	  {type: "span_end", span_id: id, name: name, ts: ($zero + to),
	   attrs: attrs};
	def sample(index; group; source; status; reward; events):
	  {index: index, group_index: group, source: source, status: status,
	   reward: reward, trace: {trace_id: "t\(index)", events: events,
	     sample_id: (if index == 10 then "s-10" else index end)}};
	{rollout_id: 7, samples: [
	  sample(10; 1; "math"; "completed"; {accuracy: 0.5, format: 1}; [
	    span("a"; "generate"; 0; 10; null; {}),
	    span("b"; "sglang_generate"; 1; 4; "a"; {queue_time: 0.5}),
	    span("c"; "tool_call"; 4; 9; "a"; {error_type: "TimeoutError",
	      error_message: "<b>took</b> too long"})]),
	  sample(11; 1; "code"; "failed"; 0; [
	    span("a"; "sglang_generate"; 0; 20; null; {}),
	    {type: "span_start", span_id: "d", name: "stuck", ts: ($zero + 20)},
	    {type: "span_end", span_id: "nope", name: "lost",
	     ts: ($zero + 22)}]),
	  sample(12; 2; "math"; "completed"; 1; [
	    span("a"; "sglang_generate"; 0; 5; null; {big: "BIG",
	      note: "two\nlines", list: [range(150)], long: ("x" * 3000)}),
	    span("b"; "tool_call"; 5; 6; null; {})])
	]}' | sed 's/"BIG"/12345678901234567890/'
}

# see CHECK [HASH]: look at the page, see tests/browser/panel.mjs
see() {
	skip_without jq
	panel_dump >"$TMP/dump.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look panel "$1" "$TMP/page.html" "${2-}"
}

@test "statistics are those that the definitions say" {
	skip_without node
	node "$ROOT/tests/browser/statistics.mjs"
}

@test "the search box finds what its terms say" {
	skip_without node
	node "$ROOT/tests/browser/filter.mjs"
}

@test "span names are told by self time, sorted, gone to and filtered" {
	see names
}

@test "a measured range clips what is told of names" {
	see range '#measured=2000000,5000000'
}

@test "stragglers are told with what held them" {
	see stragglers
}

@test "errors are listed with their texts" {
	see errors
}

@test "open spans and orphans are explained" {
	see open
}

@test "tabs and heads work from the keyboard" {
	see keyboard
}

@test "a tab keeps the focus while it is counted anew" {
	see focusStays
}

@test "a wide panel has all columns" {
	see wide '#dock=bottom'
}

@test "details tell times, share, parents and children" {
	see details
}

@test "attributes fold, are cut when large, and copied with all digits" {
	see attributes
}
