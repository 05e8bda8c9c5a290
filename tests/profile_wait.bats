# profile-rollout --wait and what ends it early: traces that come, come late,
# are torn or never come, and engines that are left as they were found.

load test_helper
load mock/engines.bash

teardown() {
	stop_engines
}

start() {
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--output-dir "$TMP/out" --format json "$@"
}

# manifest EXPRESSION: of Python, m being the manifest and w its workers
manifest() {
	python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
w = m["workers"]
print(eval(sys.argv[2]))' "$TMP/out/manifest.json" "$1"
}

# await PATH COUNT: until the engines have had so many requests for it
await() {
	eventually were_asked "$@"
}

were_asked() {
	[ "$(asked '[0-9]+' "$1" | wc -l)" -ge "$2" ]
}

# interrupt COMMAND...: a while after it reached two engines; sets status
interrupt() {
	"$@" >"$TMP/stdout" 2>"$TMP/stderr" 3>&- &
	local pid=$!
	await /start_profile 2
	sleep 1
	kill -TERM "$pid"
	wait "$pid" && status=0 || status=$?
	output=$(<"$TMP/stdout")
	# shellcheck disable=SC2034 # what assert_stderr looks at
	stderr=$(<"$TMP/stderr")
}

@test "all traces come: they are listed with their events, and kept track of" {
	start_engines sglang,ranks=2 sglang,traces=late
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--output-dir "$TMP/out" --wait 20
	assert_status 0
	[ "$(grep -c "trace.json.gz .* 3  complete" <<<"$output")" -eq 3 ]
	[ "$(manifest '[len(x["files"]) for x in w]')" = "[2, 1]" ]
	[ "$(manifest 'w[0]["bytes"] == sum(f["bytes"] for f in w[0]["files"])')" \
		= True ]
	[ "$(manifest 'w[0]["status"], w[0]["role"]')" = \
		"('started', 'regular')" ]
}

@test "a torn trace is reported, and does not count" {
	start_engines sglang,traces=torn sglang
	start --wait 2
	assert_status 1
	assert_stderr_has "trace.json.gz: the compressed file is truncated"
	assert_stderr_has "complete traces: 0 of 1"
	[ "$(manifest '[f["complete"] for x in w for f in x["files"]]')" = \
		"[False, True]" ]
}

@test "an idle engine never ends: what may be the matter is said" {
	start_engines sglang,traces=never
	start --wait 1
	assert_status 1
	assert_stderr_has "an idle engine never finishes"
	assert_stderr_has "complete traces: 0 of 1"
}

@test "traces of an earlier profile do not count" {
	start_engines sglang,traces=never
	mkdir -p "$TMP/out/127.0.0.1_${PORT[0]}"
	echo '{"traceEvents":[]}' \
		>"$TMP/out/127.0.0.1_${PORT[0]}/old.trace.json"
	start --wait 1
	assert_status 1
	[ "$(manifest 'w[0]["files"]')" = "[]" ]
}

@test "a directory that cannot be read does not lose what the others have" {
	start_engines sglang,traces=never sglang
	mkdir "$TMP/out"
	local dir=$TMP/out/127.0.0.1_${PORT[0]}
	(until grep -q start_profile "$TMP/log"; do sleep 0.02; done
	ln -s "$dir" "$dir") 3>&- &
	start --wait 2
	assert_status 1
	assert_stderr_has "$dir: cannot read the directory: "
	assert_verdicts "started started"
	[ "$(manifest '[len(x["files"]) for x in w]')" = "[0, 1]" ]
}

@test "a stop waits for the traces of the profile that it stopped" {
	start_engines sglang,traces=never sglang
	mkdir -p "$TMP/out/127.0.0.1_${PORT[0]}" "$TMP/out/127.0.0.1_${PORT[1]}"
	tee "$TMP/out/127.0.0.1_${PORT[0]}/old.trace.json" \
		>"$TMP/out/127.0.0.1_${PORT[1]}/auto.trace.json" \
		<<<'{"traceEvents":[]}'
	start --num-steps 0 --only ":${PORT[0]}\$"
	run_split profile-rollout --router-url "$ROUTER" --action stop \
		--output-dir "$TMP/out" --wait 1
	assert_status 1
	assert_stderr_has "127.0.0.1_${PORT[0]}: complete traces: 0 of 1"
	assert_stderr_lines 1
	[ "$(manifest '[len(x["files"]) for x in w]')" = "[0, 1]" ]
}

@test "one directory for all: as many traces as all have ranks" {
	start_engines sglang,ranks=2 sglang
	start --shared-dir --wait 20
	assert_status 0
	[ "$(manifest 'len(m["files"])')" -eq 3 ]
	[ "$(find "$TMP/out" -name '*.gz' | wc -l)" -eq 3 ]
}

@test "one that hangs does not keep the others waiting for long" {
	start_engines hang sglang
	local began=$SECONDS
	start --wait 20 --timeout 3
	assert_status 1
	assert_stderr_lines 2
	[ "$(manifest '[len(x["files"]) for x in w]')" = "[0, 1]" ]
	[ $((SECONDS - began)) -lt 38 ]
}

@test "a stop waits as well, and its own timeout is long" {
	start_engines sglang,stop=1,ranks=2
	start --num-steps 0
	run_split profile-rollout --router-url "$ROUTER" --action stop \
		--output-dir "$TMP/out" --wait 20
	assert_status 0
	[ "$(grep -c "trace.json.gz .* complete" <<<"$output")" -eq 2 ]
}

@test "a signal while waiting stops the engines, and ends by the signal" {
	start_engines sglang sglang
	interrupt profile-rollout --router-url "$ROUTER" --action start \
		--num-steps 0 --output-dir "$TMP/out" --wait
	[ "$status" -eq 143 ] || fail_with "expected status 143"
	assert_stderr_has "stopping the workers that were started: 2; interrupt"
	assert_asked '[01]' /stop_profile 2
	[ "$(manifest '[x["status"] for x in w]')" = "['stopped', 'stopped']" ]
}

@test "a signal while starting stops those that may have started" {
	start_engines sglang sglang,delay=10 dead
	interrupt profile-rollout --router-url "$ROUTER" --action start \
		--num-steps 0
	[ "$status" -eq 143 ] || fail_with "expected status 143"
	assert_asked '[01]' /stop_profile 2
}

@test "a second signal leaves at once" {
	start_engines sglang,stop=30
	profile-rollout --router-url "$ROUTER" --action start --num-steps 0 \
		--output-dir "$TMP/out" --wait >/dev/null 2>&1 3>&- &
	local pid=$!
	await /start_profile 1
	sleep 1
	kill -TERM "$pid"
	await /stop_profile 1
	local began=$SECONDS
	kill -TERM "$pid"
	wait "$pid" && status=0 || status=$?
	[ "$status" -eq 143 ]
	[ $((SECONDS - began)) -lt 25 ]
}

@test "where the outcome cannot be written, nothing is left profiling" {
	start_engines sglang
	for format in table json; do
		profile-rollout --router-url "$ROUTER" --action start \
			--num-steps 0 --format "$format" >/dev/full \
			2>"$TMP/stderr" && status=0 || status=$?
		[ "$status" -eq 4 ]
		grep -q "No space left on device" "$TMP/stderr"
	done
	assert_asked 0 /stop_profile 2
}

@test "a full disk under the manifest is told" {
	start_engines sglang
	start --wait 20
	assert_status 0
	chmod a-w "$TMP/out"
	[ ! -w "$TMP/out" ] || skip "root writes everywhere"
	start --wait 20
	assert_status 1
	chmod u+w "$TMP/out"
}

@test "--summary prints what the GPUs did, of the complete traces only" {
	start_engines sglang,ranks=2 sglang,traces=torn
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--output-dir "$TMP/out" --wait 2 --summary
	assert_status 1
	[ "$(grep -c '^[^ ]*trace.json.gz: ' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^! gpu-bound: the GPU was busy 100% of 1.50 µs' \
		<<<"$output")" -eq 2 ]
	[[ $output == *complete*gpu-bound* ]]
}

@test "--summary needs --wait and the table" {
	run_split profile-rollout --worker localhost:1 --action start --summary
	assert_status 2
	assert_stderr_has "--summary needs --wait"
	run_split profile-rollout --worker localhost:1 --action start --summary \
		--output-dir "$TMP/out" --wait 1 --format json
	assert_status 2
	assert_stderr_has "--summary needs --format table"
}
