# Whether all of the timeline page has room and can be read, in a real browser.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK: look at the page of sixty samples, see tests/browser/room.mjs
see() {
	steps_dump
	trace-timeline --format html "$TMP/steps.json" >"$TMP/page.html"
	look room "$1" "$TMP/page.html"
}

@test "the details of all samples are not cut" {
	skip_without python3
	"$ROOT/scripts/gen-fleet" "$TMP/fleet.json" --slots 8 --groups 10
	trace-timeline -f html "$TMP/fleet.json" >"$TMP/page.html"
	look room details "$TMP/page.html"
}

@test "nothing overlaps and no text is clipped, in wide and narrow windows" {
	see room
}

@test "every text stands out from its ground, light and dark" {
	see contrast
}

@test "so does that of charts, lanes, flame, flags and a comparison" {
	waiting_dump >"$TMP/a.json"
	jq '(.. | numbers | select(. == 1766101018)) = 1766101019' "$TMP/a.json" \
		>"$TMP/b.json"
	for t in 1766101001 1766101009 1766101019; do
		printf 'sglang:num_running_reqs{worker_addr="e%s"} %s %s.5\n' \
			0 2 "$t" 1 1 "$t"
		echo '# EOF'
	done >"$TMP/stream"
	trace-timeline -q --metrics "$TMP/stream" -o "$TMP/page.html" "$TMP/a.json" \
		"$TMP/b.json"
	look room contrastOfParts "$TMP/page.html" \
		'#cursor=4000000&notes=%5B%5B%22why%22%2C0%2C0%2C-1%5D%2C%5B%22then%22%2C0%2C4000000%5D%5D'
}

@test "nothing moves by itself for those who ask for no motion" {
	see still
}

@test "Tab comes to every control, and is seen there" {
	see focus
}

@test "a low window shows what took the time, and a filter moves no plot" {
	see low
}
