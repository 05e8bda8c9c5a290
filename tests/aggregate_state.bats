# obs-aggregate --state: what one run leaves for the next.

load test_helper

# Run obs-aggregate on lines given as one text.
piped() {
	printf '%s\n' "$1" >"$TMP/input"
	shift
	run_split obs-aggregate "$@" <"$TMP/input"
}

setup() {
	STATE=$TMP/state
}

@test "a state that is cut anywhere is damaged, never another state" {
	local n whole left LC_ALL=C
	piped $'# TYPE t counter\nt{a="x"} 15 10000\nt{a="y"} 25 10000' \
		--delta --state "$STATE"
	IFS= read -rd '' whole <"$STATE" || true
	[ "${#whole}" -eq "$(stat -c %s "$STATE")" ]
	printf '# TYPE t counter\nt{a="x"} 35 20000\nt{a="y"} 35 20000\n' \
		>"$TMP/input"
	for ((n = 1; n < ${#whole} - 1; n++)); do
		printf %s "${whole:0:n}" >"$STATE"
		run_split obs-aggregate --delta --state "$STATE" <"$TMP/input"
		[ "$status" -eq 3 ] || fail_with "$n bytes: expected status 3"
		refute_output
		assert_stderr_lines 1
		assert_stderr_has 'the state file is damaged ('
		assert_stderr_has '); delete it to start again'
		IFS= read -rd '' left <"$STATE" || true
		[ "$left" = "${whole:0:n}" ] || fail_with "changed"
	done
	printf %s "$whole" >"$STATE"
	run_split obs-aggregate --delta --state "$STATE" <"$TMP/input"
	assert_status 0
	assert_output_has 't{a="y"} 10 20000'
}

@test "an empty state is one that was not written yet" {
	: >"$STATE"
	piped 't_total 5' --delta --state "$STATE"
	assert_stderr_has "created $STATE: differences begin with the next run"
	piped 't_total 7' --delta --state "$STATE"
	assert_output $'t_total 2\n'
}

@test "a file that is no state is left alone" {
	printf 't_total 1\n' >"$STATE"
	piped 't_total 5' --delta --state "$STATE"
	assert_status 3
	assert_stderr_has 'is damaged (its end is missing); delete it'
	[ "$(cat "$STATE")" = 't_total 1' ]
}

@test "of runs at the same time one alone reports an increase" {
	local i increases pids=()
	piped 't_total 100' --delta --state "$STATE"
	printf 't_total 170\n' >"$TMP/input"
	for i in {1..20}; do
		obs-aggregate -q --delta --state "$STATE" <"$TMP/input" \
			>"$TMP/out.$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	increases=$(cat "$TMP"/out.* | sort | uniq -c | tr -s ' ')
	[ "$increases" = $' 19 t_total 0\n 1 t_total 70' ] ||
		fail_with "increases: $increases"
	piped 't_total 171' --delta --state "$STATE"
	assert_output $'t_total 1\n'
}

@test "a run that finds the state in use says that it waits" {
	local holder second
	skip_without flock
	piped 't_total 1' --delta --state "$STATE"
	mkfifo "$TMP/held"
	obs-aggregate --delta --state "$STATE" <"$TMP/held" >"$TMP/first" &
	holder=$!
	exec {end}>"$TMP/held"
	while flock -n "$STATE" true; do
		sleep 0.01
	done
	obs-aggregate --delta --state "$STATE" <<<'t_total 9' >"$TMP/second" \
		2>"$TMP/err" {end}>&- &
	second=$!
	until grep -q 'waiting for another run' "$TMP/err"; do
		sleep 0.01
	done
	echo 't_total 4' >&"$end"
	exec {end}>&-
	wait "$holder" "$second"
	[ "$(cat "$TMP/first")" = 't_total 3' ]
	[ "$(cat "$TMP/second")" = 't_total 5' ]
}

@test "nothing but the state is left behind, and no empty one" {
	mkdir "$TMP/folder"
	STATE=$TMP/folder/state
	piped '# nothing' --delta --state "$STATE"
	assert_status 0
	[ -z "$(ls -A "$TMP/folder")" ]
	(umask 027 && obs-aggregate -q --delta --state "$STATE" <<<'t_total 1')
	[ "$(ls -A "$TMP/folder")" = state ]
	[ "$(stat -c %a "$STATE")" = 640 ]
}

@test "a state that is not there and not written is not called new" {
	piped '# nothing' --delta --state "$TMP/none"
	assert_status 0
	[ ! -e "$TMP/none" ]
	assert_stderr_lines 2
	assert_stderr_has "no samples; $TMP/none is not created"
}

@test "a folder that is not there is the one error" {
	piped 't_total 1' --delta --state "$TMP/none/state"
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has 'none/state: cannot open: No such file'
}

ENGINE='# TYPE sglang:prompt_tokens_total counter
sglang:prompt_tokens_total{w="1"} VALUE STAMP
# TYPE sglang:generation_tokens_total counter
sglang:generation_tokens_total{w="1"} 7 STAMP'

# engine VALUE STAMP OPTION...: a page of SGLang at that time.
engine() {
	local page=${ENGINE//VALUE/$1}
	piped "${page//STAMP/$2}" "${@:3}" --state "$STATE"
}

@test "a summary of the wrong engine leaves the state as it is" {
	engine 100 10000 --step-summary sglang
	engine 300 20000 --step-summary vllm
	assert_status 3
	assert_stderr_has "$STATE stays as it is"
	engine 500 30000 --step-summary sglang
	assert_status 0
	assert_output_has '"sglang/prompt_throughput_tok_s":20'
	assert_output_has '"seconds":20'
}

@test "a page without counters leaves the state as it is" {
	piped 't_total 5 10000' --delta --state "$STATE"
	piped $'# TYPE g gauge\ng 1' --delta --state "$STATE"
	assert_status 0
	assert_output $'# TYPE g gauge\ng 1\n'
	assert_stderr_has "no counters; $STATE stays as it is"
	piped 't_total 9 20000' --delta --state "$STATE"
	assert_output $'t_total 4 20000\n'
}

@test "--select, --drop and --match choose what is printed, not what is kept" {
	local option
	for option in --select=b_total --drop=a_total --match=w=2; do
		rm -f "$STATE"
		piped $'a_total{w="1"} 1\nb_total{w="2"} 1' --delta \
			--state "$STATE" "$option"
		piped $'a_total{w="1"} 5\nb_total{w="2"} 8' --delta \
			--state "$STATE" "$option"
		assert_output $'b_total{w="2"} 7\n'
		assert_stderr_lines 0
		piped $'a_total{w="1"} 6\nb_total{w="2"} 9' --delta \
			--state "$STATE"
		assert_output $'a_total{w="1"} 1\nb_total{w="2"} 1\n'
		piped 'a_total{w="1"} 6' --delta --state "$STATE" "$option"
		assert_stderr_has 'b_total{w="2"}: vanished'
	done
	engine 100 10000 --step-summary sglang --match w=none
	engine 400 20000 --step-summary sglang
	assert_output_has '"sglang/prompt_throughput_tok_s":30'
}

@test "a state of another day is used, with a warning" {
	piped 't_total 5 1700000000000' --rate --state "$STATE"
	piped 't_total 875123 1700875118000' --rate --state "$STATE"
	assert_status 0
	assert_output $'t_total 1 1700875118000\n'
	assert_stderr_lines 1
	assert_stderr_has \
		'the state is 10.1 days older than the input; increases cover 875118 s'
	piped 't_total 875124 1700875119000' --rate --state "$STATE"
	assert_stderr_lines 0
}

@test "a step without a known time says so, unless --window gives one" {
	engine 100 '' --step-summary sglang
	printf '%s\n' "${ENGINE//STAMP/}" | sed 's/VALUE/300/' >"$TMP/page"
	touch -d @1 "$TMP/page"
	run_split obs-aggregate --step-summary sglang --state "$STATE" \
		"$TMP/page"
	assert_status 0
	assert_stderr_has 'the time between the snapshots is unknown; no rates'
	[[ $output != *throughput* ]] || fail_with "no throughput"
	engine 500 '' --step-summary sglang --window 4
	assert_output_has '"sglang/prompt_throughput_tok_s":50'
	engine 900 '' --step-summary sglang --window 8000ms
	assert_output_has '"sglang/prompt_throughput_tok_s":50'
}

@test "a --window that is longer than the step is reported" {
	engine 100 10000 --step-summary sglang
	engine 500 20000 --step-summary sglang --window 8
	assert_output_has '"sglang/prompt_throughput_tok_s":50'
	assert_stderr_lines 0
	engine 900 30000 --step-summary sglang --window 40
	assert_status 0
	assert_output_has '"sglang/prompt_throughput_tok_s":10'
	assert_stderr_has '--window=40 is longer than the 10 s between the snapshots: rates are too low'
}

@test "a stream that is killed has remembered what it printed" {
	local reader
	mkfifo "$TMP/stream"
	obs-aggregate --delta --state "$STATE" <"$TMP/stream" >"$TMP/out" &
	reader=$!
	exec {end}>"$TMP/stream"
	printf '# obs-scrape stream\nt_total 1 1000\n# EOF\nt_total 5 2000\n# EOF\n' \
		>&"$end"
	until grep -q 't_total 4' "$TMP/out"; do
		sleep 0.01
	done
	until grep -q 't_total 5' "$STATE"; do
		sleep 0.01
	done
	kill "$reader"
	exec {end}>&-
	wait "$reader" || true
	piped 't_total 8 4000' --delta --state "$STATE"
	assert_output $'t_total 3 4000\n'
}

@test "a state is a regular file" {
	mkfifo "$TMP/fifo"
	local path
	for path in /dev/null /dev/full "$TMP/fifo"; do
		run_split timeout 10 obs-aggregate --delta --state "$path" \
			<<<'x_total 1'
		assert_status 3
		assert_stderr_has "$path: not a regular file"
	done
}

@test "a snapshot without anything to compare is passed over" {
	piped $'t_total 1 1000\n# EOF\n# EOF\nt_total 5 3000\n# EOF' --rate
	assert_output_has 't_total 2 3000'
	assert_stderr_lines 3
	assert_stderr_has 't_total{}: vanished'
	assert_stderr_has 'the time between the snapshots is unknown'
}
