# What samples wait for, as the timeline page shows it, in a real browser.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at the page, see tests/browser/waiting.mjs
see() {
	waiting_dump >"$TMP/dump.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look waiting "$1" "$TMP/page.html" "${2-}"
}

@test "waits have pale striped colours of their own, light and dark" {
	see colours
}

@test "the legend names, hides and isolates waits" {
	see legend
}

@test "the address keeps which waits are hidden" {
	see hash '#hidden=%5B%5B%22group+wait%22%5D%5D'
}

@test "the tip names the wait under the pointer" {
	see tip
}

@test "a straggler has its worker, and those who waited folded under it" {
	see stragglers
}

@test "the details tell own work from waits, and whom a sample waited for" {
	see details
}

@test "samples are ordered by their own work and by what they waited" {
	see order
}

@test "the help names both waits" {
	see help
}

@test "what is said of waits stands out from its ground, light and dark" {
	waiting_dump >"$TMP/dump.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look room contrast "$TMP/page.html"
}
