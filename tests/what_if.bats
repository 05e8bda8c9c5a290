# obs-perfsum --what-if: rollouts simulated step by step (engine_sim.py), where
# what a remedy really does is known, and rollouts that were tampered with
# (what_if_check.py).

load test_helper

setup() {
	skip_without python3
	skip_without jq
	cd "$TMP" || return
}

check() {
	run_split python3 "$ROOT/tests/what_if_check.py" \
		"$OBS_BIN/obs-perfsum" "$1"
	[ "$status" -eq 0 ] || fail_with "$1"
}

simulate() {
	python3 "$ROOT/tests/engine_sim.py" "$@"
}

@test "prices hold what really happens in simulated fleets" {
	simulate check "$OBS_BIN/obs-perfsum" 100 116
}

@test "cuts and tools are priced without names of engines" {
	simulate check-unnamed "$OBS_BIN/obs-perfsum" 100 110
}

@test "the bill of the last sample adds up to the wall" {
	check bill
	check bill_parts
	check bill_imbalance
}

@test "one report has one figure for how slow an engine is" {
	check one_slowness
}

@test "the step, slots and limits of the simulated fleet are found" {
	check fitted
	check peers
	check limit
	check mixed
}

@test "a stall put into a dump is found, and its price is apart" {
	check stall
}

@test "the text has stalls, slow engines and how far off the model is" {
	check stall_shown
	check waves_shown
}

@test "a slow engine that has no model is named as among stragglers" {
	cp "$DATA/demo.pt" .
	run_split obs-perfsum --what-if --stragglers 1 -f table demo.pt
	assert_status 0
	assert_output_has 'slow engine 10.0.0.4:30000: 41.6 ms per token with prefill, others 20.8 ms; the sample below ran on it'
	run_split obs-perfsum --what-if -f table demo.pt
	[[ $(tr -s '\n ' ' ' <<<"$output") == 'demo.pt: 45.2 s; 10.0.0.4:30000 is slow (41.6 ms per token with prefill, others 20.8 ms); no remedy '* ]]
	# It has no model, and so proves nothing by being replayed.
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"replayed with each request's recorded duration: wall within 0.1%"* ]]
	[[ $output == *"may save nothing: cut at p90 (950 tokens): 45.2 s (41.1 - 49.2); rewards"* ]]
}

@test "engines that are not named are not priced" {
	check unnamed
	check pairs
}

@test "rollouts that the model does not describe are refused" {
	check waves
	check open_span
	check late
	check nothing
}

@test "missing groups leave only the upper end" {
	check groups
	check stop
}

@test "few engines, requests and tokens" {
	check one_engine
	check one_request
	check one_token
}

@test "odd and absent attributes" {
	check odd
}

@test "names and queues come from the logs of the engines" {
	check joined
}

@test "records that join no sample of the dump leave the prices as they are" {
	check stray
}

@test "an earlier rollout in resumed samples is dropped" {
	check resumed
}

@test "values of one's own are priced, fewer slots are not" {
	check own_values
}

@test "the figures are the same each time, and are summed up over dumps" {
	check same
}

@test "without token counts the bill has the activity of the breakdown" {
	cat >"$TMP/sessions" <<-'EOF'
		{"task_id":0,"session_id":0,"status":"accepted","submit_ts":1700000000.1,"finalized_ts":1700000004.3,"phases":{"generate":[{"start_ts":1700000000.1,"end_ts":1700000004.2}]}}
		{"task_id":0,"session_id":1,"status":"accepted","submit_ts":1700000000.1,"finalized_ts":1700000002.3,"phases":{"generate":[{"start_ts":1700000000.1,"end_ts":1700000002.2}]}}
	EOF
	[ "$(obs-perfsum --what-if --format json "$TMP/sessions" |
		jq -c '.bill.seconds | map_values(. * 1000 | round)')" = \
		'{"decode":4100,"other":100}' ]
	[ "$(obs-perfsum --stragglers 1 --format json "$TMP/sessions" |
		jq -c '.stragglers[0] | [.activity, (.activity_time * 1000 | round)]')" = \
		'["decode",4100]' ]
	run obs-perfsum --stragglers 1 --format table "$TMP/sessions"
	assert_status 0
	[ "${lines[1]}" = "the median sample ran 3.2 s; no sample records tokens" ]
}

@test "one screen for people says what to change and what it costs" {
	simulate dump 5 engines=2 slots=8 groups=12 size=8 turns=1 >odd.json
	python3 - >dump.json <<-EOF
	import sys
	sys.path.insert(0, "$ROOT/tests")
	sys.argv = ["", ""]
	import json, what_if_check
	json.dump(what_if_check.rollout()[0], sys.stdout)
	EOF
	run_split obs-perfsum --what-if --set cut=100 -f table dump.json
	assert_status 0
	[ "$(wc -l <<<"$output")" -le 24 ]
	[ "$(wc -L <<<"$output")" -le 100 ]
	assert_output_has "on 2 engines of 8 slots"
	head -n 2 <<<"$output" | tr -s '\n ' ' ' >verdict
	grep -qF 'dump.json: 39.3 s; best remedy: engines equal, 13.4 s (12.9 - 14.3 s), 66% less: repair or replace 10.0.0.1:30000 (decode steps 3 times as long)' verdict
	assert_output_has "queue while 10.0.0.0:30000 had no queue"
	# Equal engines, of which the head says 13.4 s, are other engines.
	assert_output_has $'\nlower bound for any routing, with the same answers and engines: 15.8 s; random routing '
	assert_output_has "--rollout-max-response-len"
	assert_output_has "--max-running-requests 16"
	[ "$(grep -oE 'wall|change' <<<"$(grep '^remedy' <<<"$output")" |
		sort | uniq -c | tr -s ' \n' ' ')" = " 2 change 1 wall " ]
	assert_output_has "of the tokens"
	assert_output_has "tool_median (no tool spans)"
	assert_output_has "together: engines equal 13.4 s, then cut at 100 tokens "
	run_split obs-perfsum --what-if -f table dump.json odd.json
	assert_status 0
	assert_output_has "saves, median"
	assert_output_has "engines_equal"
}

# dumps N: a directory of a rollout that is modelled, one that is not because a
# span is open, and N without a request.
dumps() {
	local i
	mkdir -p many
	simulate dump 5 engines=2 slots=8 groups=12 turns=1 >many/a.json
	jq -c '.samples[0].trace.events += [{"type": "span_start", "ts": 1700000001,
		"name": "open", "span_id": "open"}]' many/a.json >many/b.json
	for ((i = 0; i < $1; i++)); do
		jq -c '.samples[].trace.events |= map(.name = "other")' \
			many/a.json >"many/c$i.json"
	done
}

@test "over several dumps each reason has its number of dumps" {
	dumps 2
	run_split obs-perfsum --what-if -f table many/*.json
	assert_status 0
	assert_output_has "remedy         estimated in  sure in"
	grep -qE '^cut_p90 +1 of 4 ' <<<"$output"
	grep -qE '^tool_median +none of 4 ' <<<"$output"
	grep -qE '^engines_x2 +1 of 4 .* only a range in 1$' <<<"$output"
	output=$(tr '\n' ' ' <<<"$output" | tr -s ' ')
	assert_output_has "no remedy could be estimated: no closed generation spans (2 dumps)"
	assert_output_has "the rollout was not over: 1 open span (1 dump)"
	assert_output_has "no estimate for tool_median: no tool spans (1 dump); "
	run_split obs-perfsum --what-if -f json many/*.json
	[ "$(tail -n 1 <<<"${output%$'\n'}" | jq -c '.remedies[] |
		select(.id == "tool_median") |
		[.refused, (.reasons | to_entries | map(.value))]')" = \
		'[2,[1,1]]' ]
}

@test "what is saved of remedies has the metrics, and is read again" {
	dumps 0
	run_split obs-perfsum --what-if -p 75 --rollout-time 3 -f json many/a.json
	assert_status 0
	jq -e '."perf/request/e2e_latency/p75" > 0 and ."perf/rollout_time" == 3
		and ."perf/what_if/cut_p90/saves" >= 0
		and (.remedies | length) > 5' <<<"$output"
	printf %s "$output" >saved.json
	run_split obs-perfsum -f json saved.json
	assert_status 0
	[ "$(jq '."perf/rollout_time"' <<<"$output")" = 3 ]
	run_split obs-perfsum --fail-if 'what_if/cut_p90/saves > 1' saved.json
	assert_status 0
	# the last line is about both dumps, and no dump
	obs-perfsum --what-if -f json many/a.json many/b.json >saved.json
	run_split obs-perfsum -f json saved.json
	assert_status 0
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 2 ]
}

@test "what a table cannot show is a usage error" {
	local option
	dumps 0
	for option in --what-if --breakdown --stragglers=2; do
		run_split obs-perfsum $option -p 75 -f table many/a.json
		assert_status 2
		assert_stderr_has "does not show what -p adds"
		run_split obs-perfsum $option --rollout-time 3 -f table many/a.json
		assert_status 2
	done
	run_split obs-perfsum --fail-if 'what_if/cut_p90/saves > 0' many/a.json
	assert_status 2
	assert_stderr_has "needs --what-if"
}

@test "slots as they are have no price, a value given twice has one" {
	dumps 0
	run_split obs-perfsum --what-if --set slots=8 --set slots=16 \
		--set slots=16 --set cut=9 --set cut=9 -f json many/a.json
	assert_status 0
	[ "$(jq -c '[.remedies[] | select(.id == "slots_8") | .refused]' \
		<<<"$output")" = '["each engine already has 8 slots"]' ]
	[ "$(jq -c '[.remedies[].id | select(startswith("slots_1") or . == "cut_9")]' \
		<<<"$output")" = '["slots_16","cut_9"]' ]
}

@test "savings have keys for limits and other formats" {
	simulate dump 5 engines=2 slots=8 groups=12 turns=1 >dump.json
	run_split obs-perfsum --what-if -f tsv dump.json
	assert_status 0
	assert_output_has "what_if"
	run_split obs-perfsum --what-if \
		--fail-if 'what_if/stop_at_90/saves >= 0' dump.json
	assert_status 5
	run_split obs-perfsum --what-if \
		--fail-if 'what_if/stop_at_90/saves > 1' dump.json
	assert_status 0
}

@test "a limit on a remedy that is not priced is a usage error" {
	dumps 0
	local key option
	for key in what_if/nope/saves what_if/cut_7/saves what_if/slots_5/saves \
		what_if/engines_equal perf/what_if/saves what_if/cut_p90/wall; do
		run_split obs-perfsum --what-if --set cut=70 --set slots=7 \
			--fail-if "$key > 0" no-such-file
		assert_status 2
		assert_stderr_has "--fail-if=$key > 0: "
	done
	run_split obs-perfsum --what-if --fail-if 'what_if/nope/saves > 0' no
	assert_stderr_has "nope is not a remedy; remedies are cut_p99, cut_p95"
	# No remedy has such a key, with --what-if and without it.
	for key in what_if/nope what_if/wall what_if/cut_p95/wall; do
		for option in --what-if --quiet; do
			run_split obs-perfsum "$option" --fail-if "$key > 0" \
				many/a.json
			assert_status 2
			assert_stderr_lines 1
			assert_stderr_has "--fail-if=$key > 0: no metric has this key; did you mean what_if/cut_p9"
		done
	done
	run_split obs-perfsum --fail-if "cut_p95/saves > 0" many/a.json
	assert_stderr_has "did you mean what_if/cut_p95/saves?"
	run_split obs-perfsum --what-if=cut_p90 \
		--fail-if 'what_if/engines_equal/saves > 0' no
	assert_status 2
	assert_stderr_has "add engines_equal to --what-if"
	run_split obs-perfsum --what-if --set cut=70 \
		--fail-if 'perf/what_if/cut_70/saves < 0.001' many/a.json
	assert_status 0
	run_split obs-perfsum --what-if --set cut=70 \
		--fail-if 'what_if/cut_70/saves > 0.001' many/a.json
	assert_status 5
	run_split obs-perfsum --what-if \
		--fail-if 'what_if/tool_median/saves > 0' many/a.json
	assert_status 5
	assert_stderr_has "what_if/tool_median/saves > 0: this rollout has no estimate for this remedy"
}

@test "a remedy that saves no time is named, and one of each is singular" {
	# Of 12 groups 95% are all 12.
	simulate dump 5 engines=2 slots=8 groups=12 turns=1 >dump.json
	run_split obs-perfsum --what-if=stop_at_95 -f table dump.json
	assert_status 0
	assert_output_has "saves no time: stop at 95% of groups"
	run_split obs-perfsum --what-if=stop_at_90 -f table dump.json
	[[ $output != *"saves no time"* ]]
	run_split obs-perfsum --what-if --set cut=1 --set cut=2 -f table \
		dump.json
	assert_status 0
	assert_output_has "cut at 1 token "
	assert_output_has "cut at 2 tokens "
	jq -c '.samples |= .[:1] |
		del(.samples[].trace.events[].attrs | .worker_addr?, .queue_time?)' \
		dump.json >one.json
	run_split obs-perfsum --what-if=cut_p90 -f json one.json
	assert_output_has "1 answer is too few; it needs 10"
	jq -c '.samples |= .[:2]' dump.json >two.json
	jq -c '.samples[1].trace.events |= map(.ts += 60)' two.json >late.json
	run_split obs-perfsum --what-if -f table late.json
	assert_output_has "1 sample starts late: it is not one batch"
}

@test "usage of --what-if and --set" {
	echo '[]' >dump.json
	run_split obs-perfsum --what-if=nonsense dump.json
	assert_status 2
	assert_stderr_has "cut_p95"
	run_split obs-perfsum --set cut=5 dump.json
	assert_status 2
	assert_stderr_has "--set needs --what-if"
	for value in cut cut= cut=0 cut=x slots=-1 beds=4 cut=1e3; do
		run_split obs-perfsum --what-if --set "$value" dump.json
		assert_status 2
	done
	run_split obs-perfsum --what-if --set cut=1e9 dump.json
	assert_stderr_has "whole numbers from 1 to 1000000000"
	run_split obs-perfsum --what-if --set cut=1000000000 dump.json
	[ "$status" -ne 2 ]
	run_split obs-perfsum --what-if --set cut=1000000001 dump.json
	assert_status 2
	for option in --compare --by=status; do
		run_split obs-perfsum --what-if "$option" dump.json dump.json
		assert_status 2
	done
}

# bats test_tags=long
@test "prices hold what really happens in many simulated fleets" {
	simulate check "$OBS_BIN/obs-perfsum" 300 380
	simulate check-unnamed "$OBS_BIN/obs-perfsum" 300 340
}

# bats test_tags=long
@test "100,000 requests in bounded memory" {
	[[ $OBS_BIN != */san/bin ]] || skip "sanitizers need address space"
	check large
}
