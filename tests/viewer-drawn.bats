# What the timeline page draws is where and what it should be.

load test_helper
load viewer_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

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

@test "the clock at the pointer follows keys, wheel and width" {
	steps_dump
	see clock "$TMP/steps.json"
}

@test "one line goes through overview and rows at the pointer" {
	steps_dump
	see hair "$TMP/steps.json"
}
