# Each call of each program refused in turn: a sample of what `make torture`
# does whole.

load test_helper

setup() {
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0
	skip_without python3
}

# bats test_tags=long
@test "no program crashes, lies or leaves half a file when a call is refused" {
	local python fault=$OBS_BIN/../fault.so places=()
	python=$(python_with json)
	[ -e "$fault" ] || skip "no $fault"
	# A sanitizer sees more at each place: what leaks, most of all.
	[[ $OBS_BIN != */san/bin ]] || places=(--places)
	"$python" "$ROOT/tests/torture.py" --most 5 "${places[@]}" \
		"$OBS_BIN" "$fault" >&2
}

@test "a regex that lacks memory is no match that fails" {
	local fault=$OBS_BIN/../fault.so lacking=0
	[ -e "$fault" ] || skip "no $fault"
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

@test "a partial is not called damaged when memory is short" {
	local fault=$OBS_BIN/../fault.so n lacking=0
	[ -e "$fault" ] || skip "no $fault"
	# More values than are kept one by one, so that it has bins.
	"$ROOT/scripts/gen-rollout" json "$TMP/dump.jsonl" --samples 200
	obs-perfsum --partial "$TMP/dump.jsonl" >"$TMP/part"
	grep -q '"positive":"' "$TMP/part"
	for n in $(seq 1 8 400); do
		OBS_FAULT=alloc:$n:12 LD_PRELOAD=$fault run_split \
			obs-perfsum --merge-partials "$TMP/part"
		# shellcheck disable=SC2154 # run_split sets stderr
		[[ $stderr != *damaged* ]] || fail_with "call $n"
		[ "$status" -eq 0 ] || lacking=$((lacking + 1))
	done
	[ "$lacking" -gt 0 ]
}

@test "a count is not said to stand for +Inf where memory lacks for that" {
	local fault=$OBS_BIN/../fault.so n lacking=0
	[ -e "$fault" ] || skip "no $fault"
	{
		echo '# TYPE h histogram'
		seq -f 'h_bucket{x="a",le="%.0f"} 1' 16
		echo 'h_count{x="a"} 4'
	} >"$TMP/in"
	for n in $(seq 5 40); do
		OBS_FAULT=alloc:$n:12 LD_PRELOAD=$fault run_split \
			obs-aggregate --by x "$TMP/in"
		if [ "$status" -eq 0 ]; then
			assert_output_has 'h_bucket{x="a",le="+Inf"} 4'
		else
			assert_status 3
			assert_stderr_has "out of memory"
			lacking=$((lacking + 1))
		fi
	done
	[ "$lacking" -gt 5 ]
}

@test "a dump for which memory ran out is told once, in every format" {
	local fault=$OBS_BIN/../fault.so format n lacking=0
	[ -e "$fault" ] || skip "no $fault"
	for format in html cache chrome summary; do
		for n in $(seq 3 20); do
			OBS_FAULT=alloc:$n+:12 LD_PRELOAD=$fault run_split \
				trace-timeline -f "$format" "$DATA/demo.pt"
			[ "$status" -ne 0 ] || continue
			assert_status 3
			assert_stderr_lines 1
			assert_stderr_has "out of memory"
			lacking=$((lacking + 1))
		done
	done
	[ "$lacking" -gt 40 ]
}

@test "a file of which the system does not say what it is, is told" {
	local fault=$OBS_BIN/../fault.so n
	[ -e "$fault" ] || skip "no $fault"
	mkdir "$TMP/dbs"
	for n in 1 2; do
		python3 "$ROOT/tests/write_db.py" "$TMP/dbs/counter_$n.db" \
			'["a","a_total",{},"A",'$n']'
	done
	# Each file is asked for twice, the second time for its size.
	for n in 1 3; do
		OBS_FAULT=stat:$n:5 LD_PRELOAD=$fault run_split \
			obs-multiproc "$TMP/dbs"
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "/counter_$(((n + 1) / 2)).db: cannot stat: "
		assert_output_has "a_total $((2 - n / 2)).0"
	done
}

@test "no time of an input is guessed when the system does not say it" {
	local fault=$OBS_BIN/../fault.so program n refused=0
	[ -e "$fault" ] || skip "no $fault"
	printf '# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total %d\n# EOF\n' \
		1 2 >"$TMP/in"
	for program in "obs-aggregate -f json --step-summary vllm" \
		"obs-top --once"; do
		for n in $(seq 1 6); do
			# shellcheck disable=SC2086 # words
			OBS_FAULT=stat:$n:5 LD_PRELOAD=$fault run_split \
				$program <"$TMP/in"
			[[ $stderr == *"cannot stat: "* ]] || continue
			[ "$status" -ne 0 ]
			assert_output ''
			refused=$((refused + 1))
		done
	done
	[ "$refused" -eq 2 ]
}
