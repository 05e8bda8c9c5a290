# The timeline page on narrow windows, for fingers, with forced colours,
# and with times and names that make no sense.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK: look at the page of a dump, see tests/browser/media.mjs
see() {
	trace-timeline -q --output "$TMP/page.html" "$2"
	look media "$1" "$TMP/page.html"
}

@test "a phone has room for the menu and the rows" {
	steps_dump
	see phone "$TMP/steps.json"
}

@test "a phone shows the order's name, whole labels, charts and rows" {
	steps_dump
	sed 's/"index": \([0-9]*\),/"index": 40\1,/' "$TMP/steps.json" \
		>"$TMP/thousands.json"
	see narrow "$TMP/thousands.json"
}

@test "a phone shows durations of samples without tokens" {
	echo '[{"index": 0, "trace": {"events": [
		{"type": "span_start", "name": "tool", "ts": 0, "span_id": "a"},
		{"type": "span_end", "name": "tool", "ts": 9, "span_id": "a"}]}}]' \
		>"$TMP/plain.json"
	see durations "$TMP/plain.json"
}

@test "buttons show their words on a phone" {
	steps_dump
	see words "$TMP/steps.json"
}

@test "details are a sheet on a phone" {
	steps_dump
	see sheet "$TMP/steps.json"
}

@test "all that can be pressed has room for a finger" {
	steps_dump
	see targets "$TMP/steps.json"
}

@test "forced colours leave the legend its own" {
	steps_dump
	see forced "$TMP/steps.json"
}

@test "the splitter says where it stands" {
	steps_dump
	see splitter "$TMP/steps.json"
}

@test "a filter that nothing matches says so" {
	steps_dump
	see nothing "$TMP/steps.json"
}

@test "a sample whose clock is off by a year does not hide the others" {
	local near='span("g"; "sglang_generate"; 0; 10; null; {})'
	local year='span("g"; "sglang_generate"; 31536000; 31536010; null; {})'
	local back='span("g"; "sglang_generate"; -31536000; -31535990; null; {})'

	rows "$near" "$near" "$near" "$near" "$year"
	see far "$TMP/rows.json"
	rows "$near" "$near" "$near" "$near" "$back"
	see far "$TMP/rows.json"
}

@test "a sample that took long is none whose clock is off" {
	local near='span("g"; "sglang_generate"; 0; 10; null; {})'

	rows "$near" "$near" "$near" "$near" \
		'span("g"; "sglang_generate"; 0; 1800; null; {})'
	see long "$TMP/rows.json"
}

@test "header and panel agree on times that are far apart" {
	rows 'span("g"; "a"; -4000000000000; -3999999999990; null; {})' \
		'span("g"; "a"; 4000000000000; 4000000000010; null; {})'
	see wall "$TMP/rows.json"
}

@test "names of joined signs, of nothing and of tricks can be read" {
	rows 'span("a"; "👩‍🔬"; 0; 1; null; {}), span("b"; "می‌خواهم"; 1; 2; null; {}),
		span("c"; " "; 2; 3; null; {}), span("d"; "a\u200db"; 3; 4; null; {}),
		span("e"; "x\u202ey"; 4; 5; null; {})'
	see names "$TMP/rows.json"
}

@test "buttons are called what is written on them" {
	steps_dump
	see spoken "$TMP/steps.json"
}
