# A timeline page that is still being read.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK: sixty samples whose page comes in two parts, see
# tests/browser/early.mjs
see() {
	steps_dump
	trace-timeline -q --output "$TMP/page.html" "$TMP/steps.json"
	look early "$1" "$TMP/page.html"
}

@test "rows are drawn before the attributes are read" {
	see rest
}

# Attributes that no compression makes small.
noise() {
	head -c 900000 /dev/urandom | base64 -w 3000 | jq -Rn '
		{samples: [inputs | {index: input_line_number, trace: {
			trace_id: "t", events: [{type: "event", name: "a",
				ts: input_line_number, attrs: {noise: .}}]}}]}'
}

@test "a long stream comes in pieces, and is read with the last one" {
	noise >"$TMP/noise.json"
	trace-timeline -q --output "$TMP/page.html" "$TMP/noise.json"
	[ "$(grep -c 'id="data-0-attrs' "$TMP/page.html")" -eq 3 ]
	# A browser does nothing else while it reads one.
	[ "$(awk '{ if (length > most) most = length } END { print most }' \
		"$TMP/page.html")" -lt 525000 ]
	look early pieces "$TMP/page.html"
}

@test "notes are listed once all dumps are known" {
	steps_dump
	cp "$TMP/steps.json" "$TMP/more.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$TMP/steps.json" \
		"$TMP/more.json"
	look early notes "$TMP/page.html" \
		"#tab=notes&notes=%5B%5B%22a%22,1,0,0%5D,%5B%22b%22,2,0,0%5D%5D"
}

@test "a page without its end says so, and keeps the rows" {
	see torn
}
