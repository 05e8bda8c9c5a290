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

@test "notes are listed once all dumps are known" {
	steps_dump
	cp "$TMP/steps.json" "$TMP/more.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$TMP/steps.json" \
		"$TMP/more.json"
	look early notes "$TMP/page.html" \
		"#tab=notes&notes=%5B%5B%22a%22,1,0,0%5D,%5B%22b%22,2,0,0%5D%5D"
}

@test "a page without its end says so, and keeps the rows" {
	see torn
}
