# What a scroll of the timeline page draws, and what follows its first rows.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [SCRIPT]: look at eighty samples, which wait for a slot at first and for the
# slowest of their group at last; every ninth one has an open span, too.
see() {
	skip_without jq
	jq -n '
	def begin(id; name; from; parent): {type: "span_start", span_id: id,
	  name: name, ts: (1766101000 + from), parent_span_id: parent};
	def span(id; name; from; to; parent; attrs): begin(id; name; from; parent),
	  {type: "span_end", span_id: id, ts: (1766101000 + to), attrs: attrs};
	{rollout_id: 7, samples: [range(80) as $i | {index: $i,
	  group_index: (($i / 8) | floor), status: "completed", reward: 1,
	  trace: {trace_id: "t\($i)", events: [
	    span("g"; "generate_and_rm_group"; 0; 30; null; {}),
	    span("c"; "generate_and_rm"; 0; 12 + $i % 8 * 2; "g"; {}),
	    span("s"; "sglang_generate"; 2 + $i % 5; 9 + $i % 4; "c";
	      {completion_tokens: (100 + $i)}),
	    span("t"; "tool_call"; 9 + $i % 4; 11 + $i % 8 * 2; "c"; {}),
	    {type: "event", name: "checkpoint", ts: (1766101004 + $i % 6)},
	    if $i % 9 == 0 then begin("o"; "stuck"; 11; "g") else empty end
	  ]}}]}' >"$TMP/moved.json"
	trace-timeline -q -o "$TMP/page.html" "$TMP/moved.json"
	look "${2:-moved}" "$1" "$TMP/page.html"
}

@test "a scroll draws the rows that come into view, and no others" {
	see drawsNew
}

@test "a scroll uses the labels that leave the view, and keeps their order" {
	see labels
}

@test "the overview of a dump is counted once, after its figures" {
	see countedOnce counting
}

@test "a verdict that comes late and is long takes its room from the rows" {
	see roomOfVerdict counting
}

@test "a zoom leaves the labels as they are" {
	see labelsRest
}

@test "labels look the same while they scroll and at rest" {
	see sameLabels
}

@test "a press on labels that scroll is one on the row that is seen" {
	see pressMoving
}

@test "labels whose letters a canvas has not scroll as a list" {
	see otherLetters
}

@test "a scroll leaves the focus on its row" {
	see focus
}

@test "after a scroll the rows look as if all of them were drawn" {
	see same
}

@test "so they do on screens with more pixels" {
	see sharp
}
