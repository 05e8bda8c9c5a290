# Which samples trace-timeline writes, how many dumps a page holds, and the
# browser that opens it.

load test_helper

setup() {
	skip_without jq
	export BROWSER=/nonexistent/browser
}

teardown() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# chosen OPTION... [DUMP]: the rows that they choose, as their places in the
# dump; in the demo without one.
chosen() {
	[ -f "${!#}" ] || set -- "$@" "$DATA/demo.pt"
	trace-timeline -q --format cache "$@" | jq -c '[.rows[].row_id]'
}

# about PAGE N [FILTER]: what the page says of its Nth dump.
about() {
	sed -n "s|.*id=\"data-$2-about\">\([^<]*\)</script>|\1|p" "$1" |
		base64 -d | gzip -dc | jq -c "${3:-.}"
}

# A dump of N samples; sample 1 ends last, the others ever earlier.
many() {
	seq "$1" | jq -c '{index: ., trace: {trace_id: "t", events: [
		{type: "event", name: "a", ts: 0},
		{type: "event", name: "b", ts: (1 / .)}]}}'
}

@test "--sample takes the samples for which all terms hold" {
	[ "$(chosen --sample 'source:CODE dur>45.1s index:5')" = '[5]' ]
	[ "$(chosen --sample '-source:math -source:code index:9')" = '[9]' ]
	[ "$(chosen --sample 'name:no-such-span')" = '[]' ]
}

@test "--sample and the page's search box choose the same" {
	skip_without node
	local terms=('source:math' '-source:"mat"' 'dur>40s dur<=45183274us'
		'reward>0 -status:truncated' 'name:tool' '-name:reward_model'
		'name:sglang_pd_decode dur>30s' '-attempt:1' 'attempt:0 name:gen'
		'name:generate -name:reward' 'group=2 index>=9' '9' '"9"'
		'gsm8k' '-math tokens>1' 'label:none' 'reward:none' 'REWARD_MODEL'
		'reward<0.5' 'reward.acc<1' 'name:generate -dur>42s' 'source=code status:comp')
	trace-timeline -o "$TMP/page.html" "$DATA/demo.pt"
	node "$ROOT/tests/browser/chosen.mjs" "$TMP/page.html" "${terms[@]}" \
		>"$TMP/page"
	for expression in "${terms[@]}"; do
		chosen --sample "$expression"
	done >"$TMP/program"
	paste -d ' ' "$TMP/program" <(printf '%s\n' "${terms[@]}")
	cmp "$TMP/program" "$TMP/page"
	# Not all or nothing everywhere.
	[ "$(sort -u "$TMP/page" | wc -l)" -gt 5 ]
}

@test "--sample says what it cannot read" {
	run_split trace-timeline --sample 'reward<x' "$DATA/demo.pt"
	assert_status 2
	assert_stderr_has '--sample: the value is not a number (character 1)'
}

@test "--top takes what ends last, of equal ones the first" {
	printf '%s\n' 3 5 5 1 5 | jq -c '{trace: {trace_id: "t", events: [
		{type: "event", name: "a", ts: 0},
		{type: "event", name: "b", ts: .}]}}' >"$TMP/in.jsonl"
	[ "$(chosen --top 2 "$TMP/in.jsonl")" = '[1,2]' ]
	[ "$(chosen --top 4 "$TMP/in.jsonl")" = '[0,1,2,4]' ]
	[ "$(chosen --top 1 --sample 'index<1' "$TMP/in.jsonl")" = '[0]' ]
	[ "$(chosen --top 99 "$TMP/in.jsonl")" = '[0,1,2,3,4]' ]
}

# A sample of group 0: its own work ends at END, the group's span at 10.
member() { # INDEX END
	jq -nc --argjson i "$1" --argjson until "$2" '
		def span($type; $name; $ts): {type: $type, name: $name,
			span_id: $name, ts: $ts};
		{index: $i, group_index: 0, trace: {trace_id: "t", events: [
			span("span_start"; "generate_and_rm_group"; 0),
			span("span_start"; "generate_and_rm"; 1),
			span("span_end"; "generate_and_rm"; $until),
			span("span_end"; "generate_and_rm_group"; 10)]}}'
}

@test "--top takes who worked last, not who waited for them" {
	{
		member 0 3
		member 1 10
		member 2 4
		member 3 8 | jq -c '.group_index = 1'
	} >"$TMP/in.jsonl"
	[ "$(chosen --top 1 "$TMP/in.jsonl")" = '[1]' ]
	[ "$(chosen --top 2 "$TMP/in.jsonl")" = '[1,3]' ]
	[ "$(chosen --top 3 "$TMP/in.jsonl")" = '[1,2,3]' ]
	# The others of the group need not match for that.
	[ "$(chosen --top 1 --sample '-index:1 -index:3' "$TMP/in.jsonl")" = \
		'[2]' ]
}

@test "--top reads a pipe as it reads a file, and tells of a record once" {
	{
		many 3
		echo '{broken'
	} >"$TMP/in.jsonl"
	# shellcheck disable=SC2016 # of the inner shell
	run_split bash -c 'cat "$1" | trace-timeline --top 2 -f cache' - \
		"$TMP/in.jsonl"
	assert_status 1
	assert_stderr_lines 2
	assert_stderr_has "-: 2 of 3 samples"
	[ "$(jq -c '[.rows[].sample_index]' <<<"$output")" = '[1,2]' ]
}

@test "a page says of what its samples are a part" {
	run_split trace-timeline --top 2 --sample source:math \
		-o "$TMP/page.html" "$DATA/demo.pt"
	assert_status 0
	assert_stderr_has "demo.pt: 2 of 12 samples"
	[ "$(about "$TMP/page.html" 0 '[.rows, .of, .top, .filter, .cut]')" = \
		'[2,12,2,"source:math",null]' ]
}

@test "the cache beside a dump has all samples, the page those chosen" {
	cp "$DATA/demo.pt" "$TMP/d.pt"
	trace-timeline -q --top 2 --no-serve "$TMP/d.pt"
	[ "$(jq '.rows | length' "$TMP/d.trace_timeline_cache.json")" = 12 ]
	[ "$(about "$TMP/d.trace_timeline_viewer.html" 0 .rows)" = 2 ]
	run_split trace-timeline -v --top 2 --no-serve "$TMP/d.pt"
	assert_stderr_has "the page is up to date"
	trace-timeline -q --no-serve "$TMP/d.pt"
	[ "$(about "$TMP/d.trace_timeline_viewer.html" 0 .rows)" = 12 ]
}

@test "--split writes pages of N samples that know of each other" {
	run_split trace-timeline --split 5 -o "$TMP/p.html" "$DATA/demo.pt"
	assert_status 0
	assert_stderr_has "12 of 12 samples in 3 pages"
	for part in 1 2 3; do
		about "$TMP/p.$part.html" 0 '[.part, .rows, .more]'
	done >"$TMP/parts"
	diff - "$TMP/parts" <<<$'[1,5,true]\n[2,5,true]\n[3,2,false]'
	[ ! -e "$TMP/p.html" ]
	run_split trace-timeline --split 5 "$DATA/demo.pt"
	assert_status 2
	assert_stderr_has "--split needs --output FILE"
}

# bats test_tags=long
@test "a dump too large for a page is cut to what ends last, as said" {
	many 100003 >"$TMP/many.jsonl"
	run_split trace-timeline -o "$TMP/page.html" "$TMP/many.jsonl"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "holds the 100000 of 100003 samples that end last"
	[ "$(about "$TMP/page.html" 0 '[.rows, .of, .cut]')" = \
		'[100000,100003,"latest"]' ]
	# shellcheck disable=SC2016 # of the inner shell
	run_split bash -c 'cat "$1" | trace-timeline -o "$2"' - \
		"$TMP/many.jsonl" "$TMP/page.html"
	assert_status 1
	assert_stderr_has "holds the 100000 of 100003 samples that come first"
	run_split trace-timeline --split 60000 -o "$TMP/p.html" \
		"$TMP/many.jsonl"
	assert_status 0
	[ "$(about "$TMP/p.2.html" 0 .rows)" = 40003 ]
}

@test "several dumps are one page, less those that cannot be read" {
	echo nonsense >"$TMP/bad.json"
	run_split trace-timeline "$DATA/demo.pt" "$TMP/bad.json" \
		"$DATA/timeline.json" -f html
	assert_status 1
	assert_stderr_has "bad.json"
	printf '%s' "$output" >"$TMP/page.html"
	[ "$(about "$TMP/page.html" 0 .name)" = '"demo.pt"' ]
	[ "$(about "$TMP/page.html" 1 .name)" = '"timeline.json"' ]
	[ -z "$(about "$TMP/page.html" 2)" ]
	grep -q '<title>demo.pt and 2 more · timeline</title>' "$TMP/page.html"
	[ "$(parts "$TMP/page.html")" = "$(parts_of_two)" ]
}

@test "integers past 2^53 come with their digits" {
	skip_without node
	echo '{"index": 9007199254740993, "reward": {"big": -12345678901234567890},
		"trace": {"trace_id": "t", "events": [{"ts": 1}]}}' |
		tr -d '\n' | trace-timeline >"$TMP/page.html"
	sed -n 's|.*id="data-0-rows">\([^<]*\)</script>|\1|p' \
		"$TMP/page.html" | base64 -d | gzip -dc >"$TMP/rows"
	# shellcheck disable=SC2016 # the mark's own
	grep -F '"index":{"$int":"9007199254740993"}' "$TMP/rows"
	# shellcheck disable=SC2016 # the mark's own
	grep -F '{"big":{"$int":"-12345678901234567890"}}' "$TMP/rows"
}

@test "the dumps of a page are chosen and compared in it" {
	trace-timeline -o "$TMP/page.html" "$DATA/demo.pt" "$DATA/timeline.json"
	look dumps "$TMP/page.html"
}

# A browser that writes down what it was asked for.
fake_browser() {
	export BROWSER=$TMP/browser OPENED=$TMP/opened
	cat >"$BROWSER" <<-'END'
		#!/bin/sh
		printf '%s\n' "$#" "$1" >"$OPENED.new"
		mv "$OPENED.new" "$OPENED"
	END
	chmod +x "$BROWSER"
}

opened() {
	eventually [ -e "$OPENED" ]
	[ "$(sed -n 1p "$OPENED")" = 1 ]
	sed -n 2p "$OPENED"
}

@test "--open starts the browser on the page that was written" {
	fake_browser
	trace-timeline --open -o "$TMP/a page.html" "$DATA/demo.pt"
	[ "$(opened)" = "$(realpath "$TMP/a page.html")" ]
	rm "$OPENED"
	cp "$DATA/demo.pt" "$TMP/d.pt"
	trace-timeline -q --open --no-serve "$TMP/d.pt"
	[ "$(opened)" = "$(realpath "$TMP/d.trace_timeline_viewer.html")" ]
}

@test "a browser that cannot be started is a warning" {
	run_split trace-timeline --open -o "$TMP/page.html" "$DATA/demo.pt"
	assert_status 0
	assert_stderr_has "cannot start /nonexistent/browser"
	run_split trace-timeline --open -f html "$DATA/demo.pt"
	assert_status 2
	assert_stderr_has "--open needs a page"
}

# The streams of a page and its script, in their order.
parts() {
	grep -oE '^<script>|id="data-[0-9]-[a-z]+"' "$1" |
		sed 's/id="data-//; s/"//'
}

# The script runs as soon as the first dump can be drawn.
parts_of_two() {
	printf '%s\n' 0-about 0-items 0-rows 0-strings 0-waits "<script>" \
		0-sizes 0-attrs 1-about 1-items 1-rows 1-strings 1-waits \
		1-sizes 1-attrs
}

@test "several dumps are served beside a list and a page of all" {
	skip_without curl
	fake_browser
	cp "$DATA/demo.pt" "$TMP/d.pt"
	cp "$DATA/timeline.json" "$TMP/t.json"
	trace-timeline -q --open --port 0 "$TMP/d.pt" "$TMP/t.json" \
		>"$TMP/urls" 3>&- &
	pid=$!
	local all
	all=$(opened)
	[ "$all" = "$(sed -n 3p "$TMP/urls")" ]
	curl -sf "$all" >"$TMP/all.html"
	[ "$(about "$TMP/all.html" 0 .rows)" = 12 ]
	[ "$(about "$TMP/all.html" 1 .name)" = '"t.json"' ]
	[ "$(parts "$TMP/all.html")" = "$(parts_of_two)" ]
	curl -sf "${all%/all.html}/" | grep -q '<a href="/all.html">'
	curl -sf "$(sed -n 2p "$TMP/urls")" |
		cmp - "$TMP/t.trace_timeline_viewer.html"
}
