# What the timeline page answers: the verdict, the order of the samples, their
# columns and the charts.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at the page of waiting_dump, see
# tests/browser/answers.mjs
see() {
	waiting_page
	look answers "$1" "$TMP/page.html" "${2-}"
}

@test "curves are the sums of their intervals at every moment" {
	skip_without node
	node "$ROOT/tests/browser/curves.mjs"
}

@test "samples are in the order in which their own work ended, the last first" {
	see order
}

@test "the verdict says what was waited for and who held it up" {
	see verdict
}

@test "each clause of the verdict sets the filter and the order" {
	see clauses
}

@test "a clause of the verdict opens the panel, which has the answer" {
	see closed
}

@test "no line of the verdict begins or ends with a separator" {
	see separators
}

@test "the verdict is of the samples that a filter leaves" {
	see filtered
}

@test "heads sort the samples by their columns, and say in which direction" {
	see heads
}

@test "labels tell duration, tokens and tokens per second" {
	see labels
}

@test "a name is written once per run of bars, then tokens and speed" {
	see names
}

@test "header and panel give one bubble, of the samples shown" {
	see bubble
}

@test "charts show generations in flight, the queue and tokens per second" {
	see charts
}

@test "a click pins the cursor, and every chart says its value there" {
	see cursor
}

@test "the address keeps cursor and charts" {
	see address '#cursor=4000000&charts=0'
}

@test "the filter knows workers and tokens" {
	see filter
}
