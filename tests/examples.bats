# What the documentation shows is run: scripts/examples says how.

load test_helper

setup() {
	skip_without python3
}

# All at once: documents share examples, and examples their data.
setup_file() {
	command -v python3 >/dev/null || return 0
	# shellcheck disable=SC2046 # names without blanks
	"$ROOT/scripts/examples" run "$OBS_BIN" "$ROOT"/man/*.[17] \
		"$ROOT/README.md" $(programs | sed "s|^|$OBS_BIN/|") \
		>"$BATS_FILE_TMPDIR/said" || true
}

# worked FILE: it has examples, and none failed.
worked() {
	local name=${1##*/}
	# Of those that failed, with what they said.
	sed -nE "/^not ok /,/^ok /{/^ok /!p}" "$BATS_FILE_TMPDIR/said" >&2
	grep -q "^ok $name " "$BATS_FILE_TMPDIR/said" ||
		fail_with "no example in $name"
	! grep -q "^not ok $name " "$BATS_FILE_TMPDIR/said"
}

@test "every program's man page has examples, and they work" {
	local page
	for page in "$ROOT"/man/*.1; do
		worked "$page"
	done
}

@test "the examples in the guides work" {
	local page
	for page in "$ROOT"/man/*.7; do
		! grep -q '^\.Sh EXAMPLES' "$page" || worked "$page"
	done
}

@test "the examples in --help work" {
	local program
	for program in $(programs); do
		worked "$program"
	done
}

@test "README's recipes work, and its captures are what is printed" {
	worked README.md
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
