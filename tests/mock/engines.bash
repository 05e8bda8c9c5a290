# Engines for one test. Load it after test_helper and call stop_engines from
# teardown.

# start_engines KIND[,OPTION=VALUE]...: see tests/mock/engines. Sets ROUTER and
# PORT, the engines' ports.
start_engines() {
	python3 "$ROOT/tests/mock/engines" "$TMP" "$@" >&2 3>&- &
	ENGINES=$!
	eventually [ -s "$TMP/ports" ]
	mapfile -t PORT <"$TMP/ports"
	# shellcheck disable=SC2034 # of the tests
	ROUTER=http://127.0.0.1:${PORT[-1]}
}

stop_engines() {
	[ -z "${ENGINES:-}" ] || kill "$ENGINES"
}

# asked INDEX PATH: the requests that an engine had for a path, a line each.
asked() {
	grep -E "^$1 [A-Z]+ $2 " "$TMP/log" || true
}

# verdicts: "VERDICT ..." of the JSON output, in order of the router's list
# shellcheck disable=SC2154 # run sets output
verdicts() {
	jq -r '[.workers[].status] | join(" ")' <<<"$output"
}

assert_verdicts() {
	[ "$(verdicts)" = "$1" ] || fail_with "expected $1, not $(verdicts)"
}

assert_asked() {
	[ "$(asked "$1" "$2" | wc -l)" -eq "$3" ] ||
		fail_with "expected $3 requests for $2 to engine $1"
}
