# scripts/demo, as make demo calls it: what it shows, and that nothing of it
# goes on.

load test_helper

setup() {
	mkdir "$TMP/build"
	ln -s "$OBS_BIN" "$TMP/build/bin"
}

# Processes that stand in the test's directory.
left_over() {
	find /proc/[0-9]*/cwd -lname "$TMP/build*" 2>/dev/null
}

nothing_goes_on() {
	[ -z "$(left_over)" ]
}

shows() {
	grep -qE -- "$1" <<<"$output" || fail_with "expected $1"
}

@test "the demo plays every program on engines and a dump, and ends clean" {
	local program
	skip_without python3
	run_split "$ROOT/scripts/demo" "$TMP/build/bin"
	assert_status 0
	for program in obs-scrape obs-aggregate obs-top obs-serve profile-rollout \
		obs-perfsum trace-timeline; do
		shows "^\\\$ (.*\| )?$program "
	done
	shows '^http://127.0.0.1:[0-9]+	http://127.0.0.1:[0-9]+/metrics$'
	shows '"sglang/generation_throughput_tok_s":[1-9]'
	[ "$(grep -c '^up{.*} 1$' <<<"$output")" -eq 4 ]
	[ "$(grep -c '^4 of 4 workers OK' <<<"$output")" -eq 3 ]
	shows '^10$'
	shows '^request/count +12'
	if command -v prometheus promtool >/dev/null; then
		shows '^\{\} => [0-9]+ @'
	fi
	[ -s "$TMP/build/demo/rollout_2.trace_timeline_viewer.html" ]
	# The pause of start-prometheus, a sleep of a second, may outlast it.
	eventually nothing_goes_on
}

@test "without python3 the demo shows what it can" {
	mkdir "$TMP/some"
	ln -s /usr/bin/* "$TMP/some"
	rm "$TMP"/some/python3*
	PATH=$TMP/some run_split "$ROOT/scripts/demo" "$TMP/build/bin"
	assert_status 0
	shows '^# No python3 here'
	shows '^request/count +12'
}

@test "a demo that is stopped takes everything it started with it" {
	skip_without python3
	"$ROOT/scripts/demo" "$TMP/build/bin" >"$TMP/out" 2>&1 3>&- &
	demo=$!
	eventually grep -q '^# All workers on one endpoint' "$TMP/out"
	[ -n "$(left_over)" ]
	kill "$demo"
	status=0
	wait "$demo" || status=$?
	[ "$status" -eq 143 ]
	# The pause of start-prometheus, a sleep of a second, may outlast it.
	eventually nothing_goes_on
}
