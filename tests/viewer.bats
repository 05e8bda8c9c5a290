# The timeline page: in a real browser where there is one, and its functions
# under node alone.

load test_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# page DUMP: the page of a dump at $TMP/page.html
page() {
	trace-timeline --format html "$1" >"$TMP/page.html"
}

# see CHECK: look at the page, see tests/browser/page.mjs
see() {
	look page "$1" "$TMP/page.html"
}

# A dump whose every text wants to be more than text.
hostile_dump() {
	cat <<'END'
{"rollout_id": "</title><script>alert(1)</script>", "samples": [
{"index": 0, "group_index": 0, "status": "done\u2028\u2029",
 "label": "<!-- <script> x", "source": "\"><svg onload=alert(1)>",
 "reward": NaN, "trace": {"trace_id": "t", "events": [
  {"type": "span_start", "ts": 1700000000, "span_id": "a",
   "name": "</script><img src=x onerror=alert(1)>"},
  {"type": "span_end", "ts": 1700000001, "span_id": "a", "attrs":
   {"lone": "\ud800", "nul": "a\u0000b", "nan": NaN, "line": "x\u2028y",
    "__proto__": "<img src=x onerror=alert(1)>"}}]}}]}
END
}

@test "the viewer's functions do what they say" {
	skip_without node
	node "$ROOT/tests/browser/functions.mjs"
}

@test "the page opens from disk and lists the samples" {
	page "$DATA/timeline.json"
	see rows
}

@test "a click shows the span's times, parent and attributes" {
	page "$DATA/timeline.json"
	see click
}

@test "the parents in the details can be walked" {
	page "$DATA/timeline.json"
	see parents
}

@test "an expanded sample shows its prefill and decode lanes" {
	page "$DATA/timeline.json"
	see lanes
}

@test "points, open spans and orphans are told apart" {
	page "$DATA/timeline.json"
	see marks
}

@test "the wheel zooms at the pointer and a drag pans" {
	page "$DATA/timeline.json"
	see zoom
}

@test "keys zoom, pan and open the help" {
	page "$DATA/timeline.json"
	see keys
}

@test "the page follows the theme, and bars have their state's colour" {
	page "$DATA/timeline.json"
	see themes
}

@test "labels and buttons have names for screen readers" {
	page "$DATA/timeline.json"
	see accessible
}

@test "hostile text stays text" {
	hostile_dump >"$TMP/a'\"><b>.json"
	page "$TMP/a'\"><b>.json"
	run ! grep -E '<img|<svg|<!--|<b>' "$TMP/page.html"
	see hostile
}

@test "a dump without traces says so" {
	echo '{"samples": [{"index": 0}]}' >"$TMP/none.json"
	run_split trace-timeline -f html -o "$TMP/page.html" "$TMP/none.json"
	assert_status 1
	assert_stderr_has "no sample has a trace"
	see empty
}
