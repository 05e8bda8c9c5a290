# Rows by engine or by another attribute on the timeline page.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at the page of waiting_dump, see tests/browser/lanes.mjs
see() {
	waiting_page
	look lanes "$1" "$TMP/page.html" "${2-}"
}

@test "spans are packed onto as few lanes as run at once" {
	skip_without node
	node "$ROOT/tests/browser/rows_by.mjs"
}

@test "a key shows rows by engine, a lane per slot, with how full it was" {
	see engines
}

@test "spans on lanes are drawn and found where they are" {
	see hits '#by=engine'
}

@test "keys walk over lanes and engines, and to a sample" {
	see keys '#by=engine'
}

@test "each request is with the engine that served it" {
	rows 'span("a"; "sglang_generate"; 0; 4; null; {worker: "a:1"}),
		span("b"; "sglang_generate"; 4; 9; null; {worker: "b:1"})' \
		'span("a"; "sglang_generate"; 5; 7; null; {worker: "a:1"}),
		span("b"; "sglang_generate"; 8; 9; null; {})'
	trace-timeline -q -f html "$TMP/rows.json" >"$TMP/page.html"
	look lanes walks "$TMP/page.html" '#by=engine'
}

@test "an engine has no more slots than it ran at once by its own clock" {
	rows 'span("a"; "sglang_generate"; 0; 4; null; {worker: "a:1", e2e_latency: 3.6})' \
		'span("a"; "sglang_generate"; 0.1; 8.5; null; {worker: "a:1", e2e_latency: 8, queue_time: 3.5})'
	trace-timeline -q -f html "$TMP/rows.json" >"$TMP/page.html"
	look lanes slots "$TMP/page.html" '#by=engine'
}

@test "lanes keep to the filter and to the legend" {
	see filter '#by=engine'
}

@test "rows by a field or an attribute are chosen in the menu" {
	see choose
}
