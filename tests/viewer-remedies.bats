# The page's tab of what remedies would have saved, in a real browser.

# bats file_tags=browser

load test_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# see CHECK [HASH]: look at the page of a fleet, see tests/browser/remedies.mjs
see() {
	skip_without python3
	"$ROOT/scripts/gen-fleet" "$TMP/dump.json" --slots 8 --groups 10
	obs-perfsum --what-if "$TMP/dump.json" >"$TMP/prices.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look remedies "$1" "$TMP/page.html" "${2-}"
}

@test "the page has the prices of obs-perfsum" {
	see figures
}

@test "the tab shows the bill, prices and what to change" {
	see shows
}

@test "the table of a wide panel breaks no word" {
	see wide "#side=560"
}

@test "the verdict names the best remedy, of whole rollouts" {
	see best
}

@test "the verdict begins with engines that stalled or have slow steps" {
	see engines
}

@test "a stall begins the second line of the verdict" {
	skip_without python3
	python3 - >"$TMP/dump.json" <<-EOF
	import json, sys
	sys.path.insert(0, "$ROOT/tests")
	sys.argv = ["", ""]
	import what_if_check
	json.dump(what_if_check.stalled(), sys.stdout)
	EOF
	obs-perfsum --what-if "$TMP/dump.json" >"$TMP/prices.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look remedies stalled "$TMP/page.html" ""
}

@test "the verdict says what a remedy loses, or that none has a price" {
	see words
}

@test "a remedy of which a range is known has it in each column" {
	see ranges
}

@test "the legend has queueing that no span is named after" {
	see legend
}

@test "choosing a remedy shades what it would take away" {
	see chooses
}

@test "a link shows a remedy" {
	see linked '#tab=whatif&remedy=cut_p90'
}

@test "a part of a rollout has no prices" {
	skip_without python3
	"$ROOT/scripts/gen-fleet" "$TMP/dump.json" --slots 8 --groups 10
	echo '{}' >"$TMP/prices.json"
	trace-timeline --format html --top 5 "$TMP/dump.json" >"$TMP/page.html"
	look remedies none "$TMP/page.html"
}
