# A timeline page that is still being read.

load test_helper
load viewer_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# see CHECK: sixty samples whose page comes in two parts, see
# tests/browser/early.mjs
see() {
	steps_dump
	trace-timeline -q --output "$TMP/page.html" "$TMP/steps.json"
	look early "$1" "$TMP/page.html"
}

@test "rows are drawn before the attributes are read" {
	see rest
}

@test "a page without its end says so, and keeps the rows" {
	see torn
}
