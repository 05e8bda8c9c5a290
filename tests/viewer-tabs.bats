# The tabs of the timeline page that look at all samples together.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at the page of waiting_dump, see tests/browser/tabs.mjs
see() {
	waiting_page
	look tabs "$1" "$TMP/page.html" "${2-}"
}

@test "the critical path follows who held whom up" {
	skip_without node
	node "$ROOT/tests/browser/critical.mjs"
}

@test "the tab of the critical path shows its parts, and goes to them" {
	see critical
}

@test "the critical path adds up to the wall time of every bundled dump" {
	local dump
	for dump in "$DATA"/demo.pt "$DATA"/rollout/train_*.pt; do
		trace-timeline -q -f html "$dump" >"$TMP/page.html"
		look tabs sums "$TMP/page.html"
	done
}

@test "distributions put samples and boxes in their places" {
	skip_without node
	node "$ROOT/tests/browser/spread.mjs"
}

@test "a box that is brushed leaves its samples, and the address keeps it" {
	see spread
}

@test "many dots are drawn in slices, and a box over them" {
	see manyDots
}

@test "what is exported has the fields, quoted and in range" {
	skip_without node
	node "$ROOT/tests/browser/export.mjs"
}

@test "the tab of exports saves files and a picture" {
	see export
}

@test "the aggregate counts every moment and span once" {
	skip_without node
	node "$ROOT/tests/browser/flame.mjs"
}

@test "the tab of the aggregate zooms by clicks and keys, and filters" {
	see flame
}

@test "the view as vectors is well-formed and has what is drawn" {
	see vectors
}

@test "vectors are safe against hostile names" {
	waiting_dump | jq '.samples[0].source = "<script>&\u0001\ufffe]]>" |
		.samples[1].index = "\"/><svg onload=x>" |
		(.. | objects | select(.name? == "sglang_generate")).name =
			"</text><script>a&b\u0007"' >"$TMP/<&>.json"
	trace-timeline -q -f html "$TMP/<&>.json" >"$TMP/page.html"
	look tabs vectors "$TMP/page.html"
}
