# What the timeline page draws is where and what it should be.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK DUMP...: look at a page of dumps, see tests/browser/drawn.mjs
see() {
	local check=$1
	shift
	trace-timeline -q --output "$TMP/page.html" "$@"
	look drawn "$check" "$TMP/page.html"
}

@test "a time has the same place in overview, axis and rows" {
	steps_dump
	see oneScale "$TMP/steps.json"
}

@test "a link to a sample brings its row into view" {
	steps_dump
	see revealed "$TMP/steps.json"
}

@test "the help names every sign of a status" {
	steps_dump
	see signs "$TMP/steps.json"
}

@test "the clock at the pointer follows keys, wheel and width" {
	steps_dump
	see clock "$TMP/steps.json"
}

@test "one line goes through overview and rows at the pointer" {
	steps_dump
	see hair "$TMP/steps.json"
}

@test "spans of one depth that run at once have lanes of their own" {
	rows 'span("r"; "root"; 0; 10; null; {}),
		span("a"; "tool_a"; 0; 9; "r"; {}),
		span("b"; "reward_b"; 0.5; 9.5; "r"; {}),
		span("c"; "tool_c"; 9; 10; "r"; {}),
		span("i"; "inner"; 1; 2; "b"; {})' \
		'span("d"; "root"; 0; 10; null; {}),
		span("e"; "tool_d"; 1; 9; "d"; {})'
	see siblings "$TMP/rows.json"
}

@test "the halves of a request show its phases" {
	rows 'span("g"; "sglang_generate"; 0; 10; null; {
		pd_prefill_bootstrap_queue_duration: 0.1,
		pd_prefill_forward_duration: 0.1,
		pd_decode_transfer_duration: 0.5,
		pd_decode_forward_duration: 9})'
	see halves "$TMP/rows.json"
}

@test "few samples have high rows, many low ones" {
	rows 'span("g"; "sglang_generate"; 0; 10; null; {})'
	see heights "$TMP/rows.json"
	steps_dump
	see heights "$TMP/steps.json"
}

@test "the overview is as high as what is shown" {
	steps_dump
	see rescale "$TMP/steps.json"
}

@test "a name has one colour in rows and overview" {
	rows 'span("a"; "alpha"; 0; 10; null; {})' \
		'span("b"; "beta"; 0; 10; null; {})'
	see other "$TMP/rows.json"
}

@test "what is written on bars and axes can be read in both themes" {
	rows 'span("g"; "sglang_generate"; 0; 10; null; {}),
		span("h"; "prefill"; 10; 20; null; {}),
		span("i"; "tool_call"; 20; 30; null; {}),
		span("j"; "reward_model"; 30; 40; null; {}),
		span("k"; "queue"; 40; 50; null; {}),
		span("l"; "transfer"; 50; 60; null; {})' \
		'span("a"; "alpha"; 0; 10; null; {}),
		span("b"; "beta"; 10; 20; null; {}),
		span("c"; "gamma"; 20; 30; null; {}),
		span("d"; "delta"; 30; 40; null; {}),
		span("e"; "epsilon"; 40; 50; null; {}),
		span("f"; "zeta"; 50; 60; null; {})'
	see textContrast "$TMP/rows.json"
	waiting_dump >"$TMP/dump.json"
	trace-timeline -q -f html "$TMP/dump.json" >"$TMP/page.html"
	# A window without a line of the grid where the heads' words begin.
	look drawn textContrast "$TMP/page.html" \
		'#by=engine&tab=spread&window=300000,19000000'
}
