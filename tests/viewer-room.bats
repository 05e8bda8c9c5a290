# Whether all of the timeline page has room and can be read, in a real browser.

load test_helper
load viewer_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# see CHECK: look at the page of sixty samples, see tests/browser/room.mjs
see() {
	steps_dump
	trace-timeline --format html "$TMP/steps.json" >"$TMP/page.html"
	look room "$1" "$TMP/page.html"
}

@test "nothing overlaps and no text is clipped, in wide and narrow windows" {
	see room
}

@test "every text stands out from its ground, light and dark" {
	see contrast
}

@test "nothing moves by itself for those who ask for no motion" {
	see still
}

@test "Tab comes to every control, and is seen there" {
	see focus
}
