# What the documentation shows is run: scripts/examples says how.

load test_helper

setup() {
	skip_without python3
}

# run_examples FILE...
run_examples() {
	run "$ROOT/scripts/examples" run "$OBS_BIN" "$@"
	echo "$output" | grep -v '^ok' >&2 || true
	assert_status 0
	[[ $output == *ok* ]] || fail_with "no example in $*"
}

@test "every program's man page has examples, and they work" {
	local page
	for page in "$ROOT"/man/*.1; do
		run_examples "$page"
	done
}

@test "the examples in --help work" {
	local program
	for program in $(programs); do
		run_examples "$OBS_BIN/$program"
	done
}

@test "README's recipes work, and its captures are what is printed" {
	run_examples "$ROOT/README.md"
}

@test "an example that fails, hangs or prints something else is told" {
	cat >"$TMP/a.md" <<-'END'
		```sh
		obs-perfsum rollout_42.pt | false
		```
		```console
		$ obs-perfsum rollout_42.pt | wc -l
		2
		$ echo last
		last
		```
	END
	run "$ROOT/scripts/examples" run "$OBS_BIN" "$TMP/a.md"
	assert_status 1
	[ "$(grep -c '^not ok' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 1 ]
	run "$ROOT/scripts/examples" renew "$OBS_BIN" "$TMP/a.md"
	assert_status 0
	sed -i 's/| false//' "$TMP/a.md"
	run "$ROOT/scripts/examples" run "$OBS_BIN" "$TMP/a.md"
	assert_status 0
}
