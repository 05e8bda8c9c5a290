# The timeline page's controls, keys and address in a real browser.

# bats file_tags=browser

load test_helper

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# see SCRIPT CHECK [HASH]: look at the page of tests/data/view.json
see() {
	trace-timeline --format html "$DATA/view.json" >"$TMP/page.html"
	look "$1" "$2" "$TMP/page.html" "${3-}"
}

@test "samples are sorted by what is known of them" {
	see controls sort
}

@test "what is too long for its column is cut" {
	see controls columns
}

@test "samples are sorted by the value of an attribute" {
	see controls attribute
}

@test "what samples are sorted by is shown beside them" {
	see controls sortValues
}

@test "samples of a group stand together, with what is said of it" {
	see controls group
}

@test "a filter leaves samples out and says what is wrong with it" {
	see controls filter
}

@test "spans that a filter does not mean fade" {
	see controls fade
}

@test "points, open spans and orphans can be left out" {
	see controls kinds
}

@test "earlier attempts can be left out or fade" {
	see controls attempts
}

@test "the legend hides names and leaves one alone" {
	see controls legend
}

@test "a sample and all samples expand, and the address says so" {
	see controls expand
}

@test "the panel is resized, docked at the bottom and hidden" {
	see controls panel
}

@test "the plot has most of the window and shows 35 samples" {
	see controls room
}

@test "the overview tells how many samples run, its brush moves the window" {
	see controls overview
}

@test "a drag with Shift measures a range" {
	see controls measure
}

@test "the tip follows what the pointer is on" {
	see controls tip
}

@test "touchpads pan sideways and pinch" {
	see controls touchpad
}

@test "a double click fits a span" {
	see controls doubleClick
}

@test "all controls have names, and what is selected is announced" {
	see controls names
}

@test "W S A D, + − and 0 move the window" {
	see keys window
}

@test "arrows walk spans and samples" {
	see keys walk
}

@test "F, M, Enter and Esc are about the selection" {
	see keys selection
}

@test "E, G, P, T and ? do what the help says" {
	see keys rest
}

@test "/ goes to the search box, where keys write" {
	see keys search
}

@test "Home, End and Page scroll" {
	see keys scroll
}

@test "the focus walks along with the selection" {
	see keys focus
}

@test "the address restores filter, window, order, theme and selection" {
	local hash='#window=2000000,12000000&sort=index&down=1'
	hash+='&filter=source:code&selected=2,2&theme=dark&expanded=3'
	see controls restore "$hash"
}

@test "an address that makes no sense shows the page as it is" {
	local hash='#window=5,NaN&selected=99&sort=__proto__&hidden=%7B'
	hash+='&expanded=-1,x&theme=pink&side=foo&tab=constructor&dump=7'
	see controls nonsense "$hash"
}

@test "a dump of one instant can be looked at" {
	cat >"$TMP/instant.json" <<'DUMP'
{"samples": [{"index": 0, "trace": {"trace_id": "t", "events": [
 {"type": "event", "name": "alone", "ts": 1766101000}]}}]}
DUMP
	trace-timeline --format html "$TMP/instant.json" >"$TMP/page.html"
	look controls instant "$TMP/page.html"
}

@test "the page works from the built-in server" {
	local pid status=0
	cp "$DATA/view.json" "$TMP/"
	trace-timeline --port 0 "$TMP/view.json" >"$TMP/url" 3>&- &
	pid=$!
	until [ -s "$TMP/url" ]; do
		kill -0 "$pid"
		sleep 0.1
	done
	look controls sort "$(cat "$TMP/url")" || status=$?
	kill "$pid"
	return "$status"
}
