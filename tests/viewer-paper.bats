# The timeline page on paper.

load test_helper
load viewer_helper

# see CHECK DUMP: look at the page of a dump, see tests/browser/paper.mjs
see() {
	trace-timeline -q --output "$TMP/page.html" "$2"
	look paper "$1" "$TMP/page.html"
}

@test "all rows are printed" {
	steps_dump
	see print "$TMP/steps.json"
}

@test "a page that has loaded can be printed" {
	skip_without python3
	"$ROOT/scripts/gen-fleet" "$TMP/fleet.json" --slots 8 --groups 10
	see printed "$TMP/fleet.json"
}

@test "paper has verdict, tables and notes, and no controls" {
	steps_dump
	see paper "$TMP/steps.json"
}
