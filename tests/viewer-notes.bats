# Notes on spans, samples and moments of the timeline page.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at a page, see tests/browser/notes.mjs
see() {
	waiting_page
	look notes "$1" "$TMP/page.html" "${2-}"
}

# encoded JSON: it as a part of an address
encoded() {
	jq -rn --arg text "$1" '$text | @uri'
}

@test "notes are read and written, and what is none is left out" {
	skip_without node
	node "$ROOT/tests/browser/notes.mjs"
}

@test "notes on a sample, a span and a moment survive a reload" {
	see kept
}

@test "a press outside of a note's words is a click, and they are kept" {
	see pressed
}

@test "a place has one note" {
	see again
}

@test "without a selection the tab says how to add a note" {
	see nothing
}

@test "no more is noted than the address has room for" {
	skip_without jq
	# Seventeen notes of 200 letters, and one that leaves room for four.
	see full "#notes=$(encoded "$(jq -cn '
		def filled($last): [range(17) | ["a" * 200, 0, 0, .]] +
			[["b" * $last, 0, 1, -1]];
		def room: 4000 - ("notes=" + (tojson | @uri) | length);
		filled(filled(1) | room - 3)')")"
}

@test "an address from elsewhere is harmless" {
	skip_without jq
	see hostile "#notes=$(encoded '[["<img src=x onerror=alert(1)>",0,999999,0],
		["x",7,0,0],["y",0,0,99999],7,["moment",0,1e6],["z",0,1e999]]')"
	see nothing "#notes=$(encoded '[[[[[[[')"
	see nothing "#notes=%00%ff%u1234"
}

# see_two CHECK [HASH]: look at a page of two dumps
see_two() {
	waiting_dump >"$TMP/a.json"
	waiting_dump >"$TMP/b.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$TMP/a.json" "$TMP/b.json"
	look notes "$1" "$TMP/page.html" "${2-}"
}

@test "a note of one dump leads there from another" {
	see_two dumps
}

@test "of two dumps asked for the later one is shown" {
	see_two raced "#dump=0.5"
}
