# obs-aggregate --alarms, and the rules for Prometheus, which come from the same
# table: tests/alarm_cases.py has series for each alarm.

load test_helper

RULES=$ROOT/scripts/prometheus/rules.yml

cases() {
	python3 "$ROOT/tests/alarm_cases.py" "$@"
}

# alarms ARGUMENT...: --alarms as JSON on $TMP/stream.
alarms() {
	run_split obs-aggregate --alarms --format json "$@" "$TMP/stream"
}

# snapshots TEXT...: $TMP/stream, 10 seconds apart.
snapshots() {
	local text line n=0
	for text; do
		while read -r line; do
			echo "$line $((1800000000000 + n * 10000))"
		done <<<"$text"
		echo "# EOF"
		n=$((n + 1))
	done >"$TMP/stream"
}

# begun: which alarms began, when and of whom.
begun() {
	jq -r 'select(.event == "begin") | "\(.time - 1800000000) \(.alarm) \(.worker)"' \
		<<<"$output"
}

@test "each alarm begins and ends when it should, and no other does" {
	local name
	for name in $(cases names); do
		cases stream "$name" >"$TMP/stream"
		alarms -q
		assert_status 0
		printf %s "$output" | cases check "$name" >"$TMP/wrong" ||
			fail_with "$name: $(cat "$TMP/wrong")"
	done
}

@test "every alarm has a case in which it begins, and a line in the manual" {
	local alarm
	for name in $(cases names); do
		cases stream "$name" | obs-aggregate --alarms -q
	done >"$TMP/all"
	while read -r alarm; do
		grep -q "  begin  $alarm  " "$TMP/all" ||
			fail_with "$alarm never begins"
	done < <(grep -v '^#' "$ROOT/lib/metrics/rules.tsv" | sed 1d | cut -f1)
	while IFS=$'\t' read -r alarm _ limit _ time _; do
		grep -q "^\.It Li $alarm Ta .* Ta $limit Ta $time\$" \
			"$ROOT/man/obs-aggregate.1" ||
			fail_with "$alarm $limit $time is not in the manual"
	done < <(grep -v '^#' "$ROOT/lib/metrics/rules.tsv" | sed 1d)
}

@test "a line has the worker, since when, the value, its limit, and what to try" {
	cases stream kv_full >"$TMP/stream"
	run_split obs-aggregate --alarms -q "$TMP/stream"
	assert_status 0
	assert_output "2027-01-15T08:02:40.000Z  begin  kv_full  w1  since \
2027-01-15T08:01:40.000Z  0.95 fraction (limit 0.9 for 60 s)  KV usage 95%, 3 \
waiting, 0 retracted: the KV cache is full; try: run fewer requests, lower \
their token limit, or give the cache more memory
2027-01-15T08:05:00.000Z  end  kv_full  w1  since 2027-01-15T08:01:40.000Z  0.7 \
fraction (limit 0.9 for 60 s)  KV usage 70%, 3 waiting, 0 retracted
"
}

@test "JSON has a line per change, and the worker of a fleet is null" {
	cases stream imbalance >"$TMP/stream"
	alarms -q
	jq -se '.[0] == {time: 1800000110, event: "begin", alarm: "imbalance",
		worker: null, since: 1800000050, value: .[0].value, limit: 2,
		unit: "times the mean", text: "w3 runs 20 requests, w1 runs 1, the mean is 7.33: the router sends most requests to few engines",
		try: "look at the policy of the router"} and
		(.[0].value - 20 / (22 / 3) | fabs) < 1e-12 and
		.[1].event == "end" and length == 2' <<<"$output" >"$TMP/ok"
}

@test "limits and times are changed, and --fail-on ends with 5" {
	cases stream stalled >"$TMP/stream"
	alarms -q --limit stalled.for=1m
	[ "$(jq -r 'select(.event == "begin").time' <<<"$output")" = 1800000260 ]
	alarms -q --limit stalled.for=60000ms
	[ "$(jq -r 'select(.event == "begin").time' <<<"$output")" = 1800000260 ]
	alarms -q --limit stalled.for=0.5h
	assert_output ''
	alarms -q --limit stalled=8
	assert_output ''
	alarms -q --fail-on stalled --fail-on down
	assert_status 5
	alarms -q --fail-on any
	assert_status 5
	alarms -q --fail-on kv_full
	[ "$(wc -l <<<"${output%$'\n'}")" = 2 ]
}

@test "a usage error says which alarms there are" {
	local option
	for option in --limit=nothing=1 --limit=down --limit=down=x \
		--limit=down.for=soon --limit=kv_full=-1 --limit=kv_full=inf \
		--limit=down.for=-1s --fail-on=nothing; do
		run_split obs-aggregate --alarms "$option" /dev/null
		assert_status 2
		assert_stderr_lines 1
		assert_stderr_has 'the alarms are down, stalled, kv_full'
	done
	for option in --limit=down=1 --fail-on=any; do
		run_split obs-aggregate "$option" /dev/null
		assert_status 2
		assert_stderr_has 'need --alarms'
	done
	for option in --by=x --rate --delta --quantile=0.5 --step-summary=vllm \
		--format=prom --format=table --state="$TMP/state"; do
		run_split obs-aggregate --alarms "$option" /dev/null
		assert_status 2
	done
}

@test "a cap binds an engine from nine tenths of the most that it ran" {
	local state
	for state in '10 0' '8 5' '9 5'; do
		echo "sglang:num_running_reqs{worker_addr=\"a\"} ${state% *}
sglang:num_queue_reqs{worker_addr=\"a\"} ${state#* }
sglang:token_usage{worker_addr=\"a\"} 0.3" >"$TMP/${state% *}"
	done
	snapshots "$(<"$TMP/10")" "$(<"$TMP/8")" "$(<"$TMP/9")"
	alarms -q --limit cap_bound.for=0 --limit queue_growing=100
	[ "$(begun)" = '20 cap_bound a' ]
}

@test "a fleet is only imbalanced when an engine has less than half the mean" {
	# The mean is 5, of which 13 is more than twice: 3 are no less than half.
	local name fleet=()
	for name in 3 2; do
		fleet+=("$(printf 'sglang:num_running_reqs{worker_addr="%s"} %s\n' \
			a "$name" b 3 c 3 d 3 e 13)")
	done
	snapshots "${fleet[@]}"
	alarms -q --limit imbalance.for=0
	[ "$(begun)" = '10 imbalance null' ]
}

@test "where next to nothing hits the prefix cache no engine is behind" {
	local i few=() many=()
	# hits A B C: of a hundred queries each.
	hits() {
		printf 'vllm:num_requests_running{worker_addr="%s"} 1\n' a b c
		printf 'vllm:prefix_cache_hits_total{worker_addr="%s"} %s\n' \
			a $((i * $1)) b $((i * $2)) c $((i * $3))
		printf 'vllm:prefix_cache_queries_total{worker_addr="%s"} %s\n' \
			a $((i * 100)) b $((i * 100)) c $((i * 100))
	}
	for i in {0..13}; do
		few+=("$(hits 14 14 1)")
		many+=("$(hits 15 15 1)")
	done
	snapshots "${few[@]}"
	alarms -q
	assert_output ''
	snapshots "${many[@]}"
	alarms -q
	[ "$(begun)" = '120 hit_rate_low c' ]
}

@test "an engine with fewer than four requests has no pace" {
	local running i moments
	for running in 3 4; do
		moments=()
		for i in {0..5}; do
			moments+=("$(printf 'vllm:num_requests_running{worker_addr="%s"} %d\n' \
				a 8 b 8 c "$running"
			printf 'vllm:inter_token_latency_seconds_sum{worker_addr="%s"} %d\n' \
				a "$i" b "$i" c $((3 * i))
			printf 'vllm:inter_token_latency_seconds_count{worker_addr="%s"} %d\n' \
				a $((99 * i)) b $((99 * i)) c $((99 * i)))")
		done
		snapshots "${moments[@]}"
		alarms -q
		begun >"$TMP/$running"
	done
	[ "$(<"$TMP/3")" = '' ]
	[ "$(<"$TMP/4")" = '40 slow_engine c' ]
}

@test "what is not known for two snapshots ends an alarm, for one it does not" {
	local running='sglang:num_running_reqs{worker_addr="a"} 3
sglang:num_queue_reqs{worker_addr="a"} 3'
	local full="$running
sglang:token_usage{worker_addr=\"a\"} 0.95"
	snapshots "$full" "$running" "$full" "$running" "$running" "$running"
	alarms -q --limit kv_full.for=0
	[ "$(jq -r '"\(.time - 1800000000) \(.event) \(.alarm) \(.text)"' \
		<<<"$output")" = '0 begin kv_full KV usage 95%, 3 waiting, 0 retracted: the KV cache is full
40 end kv_full no longer known' ]
}

@test "a worker that is gone for more than an hour is no longer watched" {
	local second
	echo 'up{worker_addr="gone"} 1 1800000000000' >"$TMP/stream"
	for second in 0 10 20 30 3600 3601 3700; do
		printf 'up{worker_addr="a"} 1 %d000\n# EOF\n' \
			$((1800000000 + second))
	done >>"$TMP/stream"
	alarms -q
	[ "$(jq -r '"\(.time - 1800000000) \(.event) \(.worker) \(.text)"' \
		<<<"$output")" = '30 begin gone no answer in 3 snapshots: the engine does not answer
3601 end gone not seen for an hour, no longer watched' ]
}

# As in the recordings of two days, one after the other.
@test "what was not seen for more than an hour counts for no alarm" {
	local gap at
	for gap in 3600 3601 31536000; do
		for at in 0 10 $((10 + gap)) $((20 + gap)) $((70 + gap)); do
			printf '%s{worker_addr="a"} %s '$((1800000000 + at))'000\n' \
				sglang:num_running_reqs 3 \
				sglang:num_queue_reqs 3 sglang:token_usage 0.95
			echo '# EOF'
		done >"$TMP/stream"
		alarms -q
		# After 60 seconds.
		[ "$(jq -r '"\(.time - 1800000000) \(.event) \(.alarm) \(.since - 1800000000)"' \
			<<<"$output")" = "$([ "$gap" -gt 3600 ] &&
			echo "$((70 + gap)) begin kv_full $((10 + gap))" ||
			echo "$((10 + gap)) begin kv_full 0")" ]
	done
}

@test "a worker that does not answer has no other alarm" {
	local full='sglang:num_running_reqs{worker_addr="a"} 3
sglang:num_queue_reqs{worker_addr="a"} 3
sglang:token_usage{worker_addr="a"} 0.95'
	snapshots "$full" 'up{worker_addr="a"} 0' 'up{worker_addr="a"} 0'
	alarms -q --limit kv_full.for=0 --limit down=1
	[ "$(jq -r '"\(.time - 1800000000) \(.event) \(.alarm)"' \
		<<<"$output")" = '0 begin kv_full
10 begin down
10 end kv_full' ]
	[[ $(tail -n 1 <<<"${output%$'\n'}") = *'"text":"1 scrape failed"'* ]]
	# One or two may fail, and a third need not be in the snapshot at all.
	alarms --limit kv_full.for=0
	[ "$(jq -r .alarm <<<"$output")" = kv_full ]
	assert_stderr_has 'down, a: no answer in 2 snapshots so far; the alarm begins after 3 (--limit down)'
	snapshots "$full" 'up{worker_addr="a"} 0' 'up{worker_addr="a"} 0' \
		'up{worker_addr="b"} 1' 'up{worker_addr="b"} 1' "$full"
	run_split obs-aggregate --alarms -q "$TMP/stream"
	assert_output "2027-01-15T08:00:30.000Z  begin  down  a  since \
2027-01-15T08:00:10.000Z  3 snapshots (limit 3)  no answer in 3 snapshots: the \
engine does not answer; try: look at the log of the engine
2027-01-15T08:00:50.000Z  end  down  a  since 2027-01-15T08:00:10.000Z  0 \
snapshots (limit 3)  it answers again
"
}

@test "an imbalanced model is told, whatever the others have" {
	# The mean of a is 4.33, of which w1 is nobody's half: 10 is 2.3 times it;
	# that of b is 5, of which 13 is more, but nobody has less than half.
	snapshots "$(printf 'sglang:num_running_reqs{worker_addr="w%s",model_name="%s"} %s\n' \
		1 a 1 2 a 2 3 a 10 4 b 3 5 b 3 6 b 3 7 b 3 8 b 13)"
	alarms -q --limit imbalance.for=0
	[ "$(begun)" = '0 imbalance null' ]
	[ "$(jq -r .text <<<"$output")" = 'w3 runs 10 requests, w1 runs 1, the mean is 4.33: the router sends most requests to few engines' ]
	# Of two the worse one, in either order.
	local models
	for models in 'x y' 'y x'; do
		snapshots "$(printf 'sglang:num_running_reqs{worker_addr="w%s",model_name="%s"} %s\n' \
			1 "${models% *}" 1 2 "${models% *}" 2 3 "${models% *}" 10 \
			4 "${models#* }" 1 5 "${models#* }" 1 6 "${models#* }" 10)"
		alarms -q --limit imbalance.for=0
		[[ $(jq -r .text <<<"$output") = 'w6 runs 10 requests, w4 runs 1, the mean is 4:'* ]]
	done
}

@test "a growing queue is compared with that of the time before, no earlier" {
	local i moments=()
	for i in {0..7}; do
		moments+=("sglang:num_queue_reqs{worker_addr=\"a\"} $((i == 7 ? 12 : i / 7))")
	done
	snapshots "${moments[@]}"
	alarms -q
	[ "$(begun)" = '70 queue_growing a' ]
	[ "$(jq -r '"\(.since - 1800000000) \(.text)"' <<<"$output")" = '10 12 waiting, 0 were 60 s earlier: more requests arrive than the engine serves' ]
}

@test "an engine that runs nothing is not bound by its cap" {
	snapshots 'sglang:num_running_reqs{worker_addr="a"} 0
sglang:num_queue_reqs{worker_addr="a"} 5
sglang:token_usage{worker_addr="a"} 0.3'
	alarms -q --limit cap_bound.for=0
	assert_output ''
}

@test "without a counter of retractions none are judged, however long" {
	local i moments=()
	for i in {0..7}; do
		moments+=('sglang:num_running_reqs{worker_addr="a"} 8')
	done
	snapshots "${moments[@]}"
	alarms
	assert_output ''
	assert_stderr_has 'not evaluated for lack of data: stalled, kv_full, queue_growing, cap_bound, slow_engine, hit_rate_low, retractions, aborts, imbalance, weights_behind'
}

@test "one snapshot shows what is wrong now, and says what it cannot show" {
	snapshots 'sglang:num_running_reqs{worker_addr="a"} 3
sglang:num_queue_reqs{worker_addr="a"} 3
sglang:token_usage{worker_addr="a"} 0.95
up{worker_addr="b"} 0'
	alarms --limit kv_full.for=0
	assert_status 1
	[ "$(jq -r '[.alarm, .worker] | join(" ")' <<<"$output")" = "kv_full a" ]
	assert_stderr_has 'down, b: no answer in 1 snapshot so far; the alarm begins after 3 (--limit down)'
	assert_stderr_has 'one snapshot only'
	assert_stderr_has 'not evaluated for lack of data: stalled, queue_growing'
	alarms -v --fail-on stalled
	assert_status 1
	assert_stderr_has '--fail-on=stalled: not evaluated; it needs running'
	[[ ${stderr:-} != *'--fail-on=aborts'* ]]
	assert_stderr_has 'aborts was not evaluated: it needs counters'
	assert_stderr_has 'kv_full, a: the condition has held for 0 s so far; the alarm begins after 60 s (--limit kv_full.for)'
	# Of any alarm nobody wants to know which one could not be judged.
	alarms --fail-on any --limit kv_full.for=0
	assert_status 5
	[[ ${stderr:-} != *'--fail-on='* ]]
}

@test "two files are two snapshots" {
	local running='sglang:num_running_reqs{worker_addr="a"} 3'
	local tokens='sglang:realtime_tokens_total{worker_addr="a",mode="decode"}'
	printf '%s\n' "$running 1800000000000" "$tokens 9 1800000000000" >"$TMP/1"
	printf '%s\n' "$running 1800000040000" "$tokens 9 1800000040000" >"$TMP/2"
	run_split obs-aggregate --alarms -f jsonl "$TMP/1" "$TMP/2"
	assert_status 0
	jq -e '.alarm == "stalled" and .since == 1800000000 and .value == 3' \
		<<<"$output" >"$TMP/ok"
	# Without timestamps they have the time when they were written.
	sed -i 's/ [0-9]*$//' "$TMP/1" "$TMP/2"
	touch -d @1800000000 "$TMP/1"
	touch -d @1800000040 "$TMP/2"
	run_split obs-aggregate --alarms -f jsonl "$TMP/1" "$TMP/2"
	jq -e '.alarm == "stalled" and .since == 1800000000' \
		<<<"$output" >"$TMP/ok"
	# Of one that stands still nothing is known.
	touch -d @1800000000 "$TMP/2"
	run_split obs-aggregate --alarms "$TMP/1" "$TMP/2"
	assert_status 1
	assert_output ''
	assert_stderr_has '1 snapshot skipped'
}

@test "an engine that a torn last snapshot lacks is not down" {
	local both='sglang:num_running_reqs{worker_addr="a"} 3
sglang:num_running_reqs{worker_addr="b"} 3'
	snapshots "$both" "$both" "$both"
	sed -i '1i # obs-scrape stream' "$TMP/stream"
	head -n -2 "$TMP/stream" >"$TMP/torn"
	mv "$TMP/torn" "$TMP/stream"
	alarms --limit down=1 --fail-on down
	assert_status 0
	assert_output ''
	assert_stderr_has 'the last snapshot is incomplete; skipped'
	# Whole, it would be.
	echo '# EOF' >>"$TMP/stream"
	alarms --limit down=1 --fail-on down
	assert_status 5
	[ "$(jq -r '.alarm + .worker' <<<"$output")" = downb ]
}

@test "nothing that alarms are judged by is not a fleet that is well" {
	echo 'node_load1 3' >"$TMP/stream"
	alarms
	assert_status 3
	assert_output ''
	assert_stderr_has 'no metric that an alarm uses'
	: >"$TMP/empty"
	run_split obs-aggregate --alarms "$TMP/empty"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "$TMP/empty: no samples in the input"
	run_split obs-aggregate -q --alarms "$TMP/empty"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has 'no samples: no alarm was evaluated'
	run_split obs-aggregate --delta "$TMP/empty"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "$TMP/empty: no samples in the input"
	echo before >"$TMP/out"
	run_split obs-aggregate --alarms -o "$TMP/out" "$TMP/stream"
	assert_status 3
	[ "$(cat "$TMP/out")" = before ]
}

@test "a snapshot that is late, doubled, torn or empty changes nothing" {
	local running='sglang:num_running_reqs{worker_addr="a"} 3'
	local tokens='sglang:realtime_tokens_total{worker_addr="a",mode="decode"} 9'
	local all="$running
$tokens"
	snapshots "$all" "$all" "$all" "$all" "$all" "$all"
	alarms -q
	[ "$(jq -r .time <<<"$output")" = 1800000030 ]
	# The third comes again, and then the second.
	awk -v RS='# EOF\n' '{ s[NR] = $0 RS; printf "%s%s", $0, RS }
		NR == 3 { printf "%s%s", s[3], s[2] }' "$TMP/stream" >"$TMP/again"
	mv "$TMP/again" "$TMP/stream"
	alarms -q
	assert_status 1
	[ "$(jq -r .time <<<"$output")" = 1800000030 ]
	# One that lacks the worker; what it did since is not known at 30.
	snapshots "$all" "$all" "${running/\"a\"/\"b\"}" "$all" "$all" "$all"
	alarms -q
	[ "$(jq -r '[.worker, .event, .time] | @csv' <<<"$output")" = \
		'"a","begin",1800000040
"b","begin",1800000050' ]
	# An empty one has no time: nobody answered, 10 seconds later.
	snapshots "$all" "$all" "" "$all" "$all" "$all"
	alarms -q
	[ "$(jq -r .event <<<"$output")" = begin ]
	snapshots "$all" "$all" "" "" "" ""
	alarms -q
	jq -se '.[0].alarm == "down" and .[0].time == 1800000040 and
		.[0].since == 1800000010 and length == 1' <<<"$output" >"$TMP/ok"
}

@test "an engine that went idle is not stalled, one with nothing queued may be" {
	local text='sglang:num_running_reqs{worker_addr="a"} 1
sglang:num_queue_reqs{worker_addr="a"} 0
sglang:token_usage{worker_addr="a"} 0.1
sglang:gen_throughput{worker_addr="a"} 88.5
sglang:num_requests_total{worker_addr="a"} 4
sglang:generation_tokens_total{worker_addr="a"} 400'
	local all=("$text" "$text" "$text")
	snapshots "${all[@]}"
	alarms -q --limit stalled.for=1s
	assert_output ''
	snapshots "${all[@]}" "$text"
	alarms -q --limit stalled.for=1s
	[ "$(jq -r .alarm <<<"$output")" = stalled ]
	# With a queue it is at once.
	snapshots "${all[@]//num_queue_reqs\{worker_addr=\"a\"\} 0/num_queue_reqs\{worker_addr=\"a\"\} 2}"
	alarms -q --limit stalled.for=1s
	[ "$(jq -r .time <<<"$output")" = 1800000010 ]
}

@test "a worker that restarts or is new is not judged by its counters" {
	local running='sglang:num_running_reqs{worker_addr="a"} 3'
	local tokens='sglang:realtime_tokens_total{worker_addr="a",mode="decode"}'
	snapshots "$running
$tokens 100" "$running
$tokens 0" "$running
$tokens 50"
	alarms -q --limit stalled.for=0
	assert_output ''
}

@test "the only worker needs no name, and a strange one does no harm" {
	snapshots 'up 0'
	run_split obs-aggregate --alarms -q --limit down=1 "$TMP/stream"
	assert_output_has '  down  the worker  since '
	alarms -q --limit down=1
	jq -e '.worker == ""' <<<"$output" >"$TMP/ok"
	snapshots 'up{worker_addr="a\nb\"é"} 0'
	run_split obs-aggregate --alarms -q --limit down=1 "$TMP/stream"
	assert_output_has '  down  a?b"é  since '
	alarms -q --limit down=1
	jq -e '.worker == "a\nb\"é"' <<<"$output" >"$TMP/ok"
}

@test "more workers than can be watched are an error, not memory without end" {
	seq -f 'sglang:num_running_reqs{worker_addr="w%.0f"} 1' 10000 \
		>"$TMP/stream"
	alarms -q
	assert_status 1
	echo 'sglang:num_running_reqs{worker_addr="more"} 1' >>"$TMP/stream"
	alarms
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has 'more than 10000 workers'
}

@test "a large fleet of as many models takes no time that grows with its square" {
	awk 'BEGIN {
		for (n = 1; n <= 3; n++) {
			for (i = 0; i < 9999; i++)
				printf "sglang:num_running_reqs{worker_addr=\"w%d\"," \
					"model_name=\"m%d\"} 1 180000000%d000\n", i, i, n
			print "# EOF"
		}
	}' >"$TMP/stream"
	# It took a minute when each was compared with all.
	run_split cpu_limit 20 obs-aggregate --alarms -q "$TMP/stream"
	assert_status 0
}

@test "lines come as soon as an alarm begins" {
	cases stream stalled >"$TMP/stream"
	mkfifo "$TMP/in" "$TMP/out"
	obs-aggregate --alarms -q <"$TMP/in" >"$TMP/out" 3>&- &
	local aggregate=$! line
	exec 5>"$TMP/in" 6<"$TMP/out"
	awk '{ print } /# EOF/ { if (++n == 24) exit }' "$TMP/stream" >&5
	read -r -t 30 line <&6
	[[ $line = *'  begin  stalled  w1  '* ]]
	exec 5>&-
	cat <&6 >"$TMP/rest"
	wait "$aggregate"
}

@test "a slow engine left alone stays slow, until it has no requests" {
	cases stream slow_engine_is_left >"$TMP/stream"
	alarms -q
	[ "$(jq -r 'select(.event == "end") | [.value, .text] | @csv' \
		<<<"$output")" = ',"it had no requests; compared until 2027-01-15T08:03:10.000Z"' ]
	# It still has some when the input ends: nothing ends, and one snapshot
	# without any does not change that.
	awk '{ print } /# EOF/ && ++n == 51 { exit }' "$TMP/stream" >"$TMP/cut"
	run_split obs-aggregate --alarms -f json "$TMP/cut"
	[ "$(jq -r .event <<<"$output")" = begin ]
	[[ ${stderr:-} != *slow_engine* ]]
	run_split obs-top --once -f json --window 1h <"$TMP/cut"
	[ "$(jq -r '.alarms[].text' <<<"$output")" = '267 ms per token, the fleet takes 88.9 ms; compared until 2027-01-15T08:03:10.000Z, then no other engine ran 4 requests or more: its tokens take longer than those of the other engines' ]
	[ "$(jq -c '[.engines[].alarms]' <<<"$output")" = '[["slow_engine"],[]]' ]
	run_split obs-top --once --window 1h <"$TMP/cut"
	assert_output_has '! w2: slow_engine for 8 m: 267 ms per token, the fleet takes 88.9 ms; compared until 2027-01-15T08:03:10.000Z, then no other engine ran 4 requests or more; try: compare'
	# While it is compared there is nothing to add.
	run_split obs-top --once --window 60s <"$TMP/cut"
	assert_output_has '! w2: slow_engine for 50 s: 267 ms per token, the fleet takes 88.9 ms; try: compare'
}

@test "a comparison stands for an hour, no longer" {
	local second w1
	for second in 0 20 40 3600 3640 3641 3642; do
		w1=$((second > 40 ? 0 : 8))
		printf 'sglang:%s %d000\n' \
			"num_running_reqs{worker_addr=\"w1\"} $w1" $((1800000000 + second)) \
			"gen_throughput{worker_addr=\"w1\"} 900" $((1800000000 + second)) \
			"num_running_reqs{worker_addr=\"w2\"} 8" $((1800000000 + second)) \
			"gen_throughput{worker_addr=\"w2\"} 300" $((1800000000 + second))
		echo "# EOF"
	done >"$TMP/stream"
	alarms -q --fail-on slow_engine
	assert_status 5
	[ "$(jq -r 'select(.alarm == "slow_engine") |
		"\(.time - 1800000000) \(.event) \(.worker) \(.text)"' <<<"$output")" = \
		'40 begin w2 26.7 ms per token, the fleet takes 8.89 ms: its tokens take longer than those of the other engines
3642 end w2 no other engine ran 4 requests or more; compared until 2027-01-15T08:00:40.000Z' ]
}

@test "the end tells of a slow engine that could not be compared for long" {
	cases stream slow_engine_not_for_long >"$TMP/stream"
	alarms
	assert_output ''
	assert_stderr_has 'slow_engine, w2: the condition was true once, at 2027-01-15T08:03:20.000Z (5 times the median), then no other engine ran 4 requests or more; the alarm begins after 30 s (--limit slow_engine.for)'
	cases stream slow_engine_is_left >"$TMP/stream"
	run_split obs-top --events --limit slow_engine.for=5m <"$TMP/stream"
	assert_output ''
	assert_stderr_has 'slow_engine, w2: the condition was true for 180 s until 2027-01-15T08:03:10.000Z (3 times the median), then no other engine ran 4 requests or more; the alarm begins after 300 s (--limit slow_engine.for)'
	run_split obs-top --once --window 1h --limit slow_engine.for=5m \
		<"$TMP/stream"
	assert_stderr_lines 1
	assert_stderr_has 'slow_engine, w2: the condition was true for 180 s'
	# Two snapshots, before and after.
	snapshots "$(printf 'sglang:%s\n' \
		'num_running_reqs{worker_addr="a"} 8' \
		'gen_throughput{worker_addr="a"} 900' \
		'num_running_reqs{worker_addr="b"} 8' \
		'gen_throughput{worker_addr="b"} 300')" \
		"$(printf 'sglang:num_running_reqs{worker_addr="%s"} 0\n' a b)"
	alarms --limit slow_engine.for=2s
	assert_stderr_has 'slow_engine, b: the condition was true once, at 2027-01-15T08:00:00.000Z (3 times the median), then it had no requests; the alarm begins after 2 s (--limit slow_engine.for)'
	# Any condition that was lost is told of.
	snapshots "$(printf 'sglang:%s\n' \
		'num_running_reqs{worker_addr="a"} 3' \
		'num_queue_reqs{worker_addr="a"} 3' \
		'token_usage{worker_addr="a"} 0.95')" \
		'sglang:num_running_reqs{worker_addr="a"} 3' \
		'sglang:num_running_reqs{worker_addr="a"} 3'
	alarms
	assert_output ''
	assert_stderr_has 'kv_full, a: the condition was true once, at 2027-01-15T08:00:00.000Z (0.95 fraction), then it was not known; the alarm begins after 60 s (--limit kv_full.for)'
}

@test "nobody is advised to raise the cap of a slow engine" {
	local queue='sglang:num_queue_reqs{worker_addr="%s"} 5
sglang:token_usage{worker_addr="%s"} 0.3
sglang:num_running_reqs{worker_addr="%s"} %d
sglang:gen_throughput{worker_addr="%s"} %d\n'
	local full alone
	# shellcheck disable=SC2059
	full=$(printf "$queue" a a a 8 a 900 b b b 8 b 300)
	# shellcheck disable=SC2059
	alone=$(printf "$queue" a a a 1 a 900 b b b 8 b 300)
	snapshots "$full" "$alone" "$alone"
	alarms -q --limit cap_bound.for=0
	[ "$(jq -r 'select(.alarm == "cap_bound" and .event == "begin") |
		[.worker, .text, .try] | join("; ")' <<<"$output")" = \
		'a; 5 waiting, 8 running of at most 8, KV usage 30%: the cap on running requests causes the queue; raise the cap on running requests
b; 5 waiting, 8 running of at most 8, KV usage 30%: the engine is slow, so its requests wait; do not raise its cap: fix or drain the slow engine, and send its requests to the others' ]
	# It is known to be slow from the last comparison.
	alarms -q --limit cap_bound.for=20s
	[ "$(jq -r 'select(.alarm == "cap_bound") | [.worker, .try] | join("; ")' \
		<<<"$output")" = \
		'b; do not raise its cap: fix or drain the slow engine, and send its requests to the others' ]
	run_split obs-top --once -f json --window 1h \
		--limit cap_bound.for=20s <"$TMP/stream"
	[ "$(jq -r '.alarms[].try' <<<"$output")" = \
		'do not raise its cap: fix or drain the slow engine, and send its requests to the others' ]
}

@test "the rules for Prometheus are made from the table as it is" {
	"$ROOT/scripts/gen-prometheus-rules" >"$TMP/rules.yml"
	cmp "$TMP/rules.yml" "$RULES" ||
		fail_with "run scripts/gen-prometheus-rules >scripts/prometheus/rules.yml"
}

# bats test_tags=long
@test "Prometheus and --alarms agree on the same series" {
	skip_without promtool
	cases promtool "$RULES" >"$TMP/test.yml"
	run_split promtool test rules "$TMP/test.yml"
	assert_status 0
	# The comparison finds a difference.
	sed 's/kv_usage:ratio > 0.9/kv_usage:ratio > 0.96/' "$RULES" \
		>"$TMP/rules.yml"
	cases promtool "$TMP/rules.yml" kv_full >"$TMP/test.yml"
	run ! promtool test rules "$TMP/test.yml"
}
