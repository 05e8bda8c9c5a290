# What axe-core finds in the timeline page.

# bats file_tags=browser

load test_helper
load viewer_helper

setup() {
	[ -d "${XDG_CACHE_HOME:-$HOME/.cache}/obstools/axe/node_modules" ] ||
		skip "no axe-core"
}

# see CHECK [HASH]: see tests/browser/axe.mjs
see() {
	steps_dump
	trace-timeline -q -o "$TMP/page.html" "$TMP/steps.json"
	look axe "$1" "$TMP/page.html" "${2:-}"
}

@test "axe finds a button without a name" {
	see finds
}

@test "axe finds nothing serious in any tab" {
	see tabs
}

@test "axe finds nothing serious in menu, help and messages" {
	see windows
}

@test "axe finds nothing serious in a low window" {
	see low
}

@test "axe finds nothing serious on a phone" {
	see phone
}

@test "axe finds nothing serious in groups, lanes and notes" {
	see shown "#group=1&measured=1000000,5000000&cursor=2000000&notes=%5B%5B%22a%22,0,0,0%5D%5D"
	see shown "#by=worker&dock=bottom"
}

@test "axe finds nothing serious in a comparison" {
	steps_dump
	sed 's/"rollout_id": 9/"rollout_id": 10/' "$TMP/steps.json" \
		>"$TMP/more.json"
	trace-timeline -q -f html -o "$TMP/page.html" "$TMP/steps.json" \
		"$TMP/more.json"
	look axe compared "$TMP/page.html"
}
