# Each call of each program refused in turn: a sample of what `make torture`
# does whole.

load test_helper

@test "no program crashes, lies or leaves half a file when a call is refused" {
	local python fault=$OBS_BIN/../fault.so
	python=$(python_with json) || skip "no python3"
	[ -e "$fault" ] || skip "no $fault"
	"$python" "$ROOT/tests/torture.py" --most 5 "$OBS_BIN" "$fault" >&2
}

@test "a regex that lacks memory is no match that fails" {
	local fault=$OBS_BIN/../fault.so lacking=0
	[ -e "$fault" ] || skip "no $fault"
	export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
	printf 'a{x="1"} 1\na{x="2"} 2\n' >"$TMP/in"
	for n in $(seq 12 40); do
		OBS_FAULT=alloc:$n:12 LD_PRELOAD=$fault run_split \
			obs-aggregate --match 'x=~.' "$TMP/in"
		if [ "$status" -eq 0 ]; then
			assert_output $'a{x="1"} 1\na{x="2"} 2\n'
		else
			assert_status 3
			assert_stderr_has "out of memory"
			lacking=$((lacking + 1))
		fi
	done
	[ "$lacking" -gt 0 ]
}
