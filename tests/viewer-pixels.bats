# The timeline page as it is seen where a zoom of 125 % or a screen gives a CSS
# pixel no whole number of pixels.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK: rows of ten seconds full of spans, which are at 700 px about 0.4,
# 1.6 and 2.2 px wide, and some of 14 px with two names in turn.
# shellcheck disable=SC2016 # variables of jq
see() {
	local row='range(MANY) as $k | span("\($k)"; NAME; $k * 10 / MANY;
		($k + 1) * 10 / MANY; null; {})'
	local rows=() many
	for many in 1750 437 318; do
		rows+=("$(sed "s/MANY/$many/g; s/NAME/\"tool_call\"/" <<<"$row")")
	done
	rows+=("$(sed 's/MANY/50/g; s/NAME/["tool_call", "reward"][$k % 2]/' \
		<<<"$row")")
	rows "${rows[@]}"
	trace-timeline -q -o "$TMP/page.html" "$TMP/rows.json"
	look pixels "$1" "$TMP/page.html"
}

@test "dense spans of one name are one colour at any zoom" {
	see dense
}

@test "lines are sharp at any zoom" {
	see lines
}

@test "what is hit is what is seen at any zoom" {
	see hits
}
