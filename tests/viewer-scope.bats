# What the timeline page's panel counts.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK HASH DUMP...: look at the page of dumps, see tests/browser/scope.mjs
see() {
	local check=$1 hash=$2
	shift 2
	trace-timeline -q --output "$TMP/page.html" "$@"
	look scope "$check" "$TMP/page.html" "$hash"
}

two_samples() {
	rows 'span("a"; "sglang_generate"; 0; 4; null; {}),
		span("b"; "tool_call"; 0; 1; "a"; {error: "exit 1"}),
		{type: "span_start", span_id: "c", name: "stuck", ts: 1766101001}' \
		'span("a"; "sglang_generate"; 6; 10; null; {}),
		span("b"; "tool_call"; 9; 10; "a"; {error: "exit 1"}),
		{type: "span_start", span_id: "c", name: "stuck", ts: 1766101009}'
}

@test "a measured range applies to all of the panel" {
	two_samples
	see measured "#measured=0,2000000" "$TMP/rows.json"
}

@test "what the legend hides leaves the panel" {
	two_samples
	see hidden "" "$TMP/rows.json"
}

@test "a comparison writes names whole" {
	rows 'span("a"; "sglang_pd_decode_forward_of_a_long_name"; 0; 4; null; {})'
	mv "$TMP/rows.json" "$TMP/one.json"
	two_samples
	see compared "" "$TMP/one.json" "$TMP/rows.json"
}
