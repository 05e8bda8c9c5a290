# obs-perfsum over many rollouts: the trend table, parallel reading, progress,
# saved figures as input, TensorBoard, W&B, and use with GNU parallel.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
	export LC_ALL=C.UTF-8
}

# write_rollouts ID...: rollout_ID.json, whose requests took ID and ID + 2.
write_rollouts() {
	local id
	for id; do rollout "$id" "$id" "$((id + 2))" >"rollout_$id.json"; done
}

# Run a command with a terminal as its standard output; $output is what came.
on_terminal() {
	skip_without script
	run script -qec "$*" /dev/null
}

@test "several dumps make a row each, in the order of their numbers" {
	write_rollouts 10 9 100
	run_split obs-perfsum --format table rollout_10.json rollout_100.json \
		rollout_9.json
	assert_status 0
	[ "$(awk 'NR > 2 {print $1, $2, $3}' <<<"${output%$'\n'}")" = \
		$'9 2 10\n10 2 11\n100 2 101' ]
	[[ $output != *trend* ]]
}

@test "the first line names the rollout that took longest" {
	write_rollouts 10 9 100
	run_split obs-perfsum --format table rollout_*.json
	[ "${output%%$'\n'*}" = "rollout 100 has the longest request: 102 s, \
90.0 s over the median of 3 rollouts" ] || fail_with
	run_split obs-perfsum --format table rollout_9.json rollout_10.json
	[ "${output%%$'\n'*}" = "rollout 10 has the longest request: 12.0 s, \
1.00 s more than the other" ] || fail_with
	# The time of a rollout, where it is known, is better.
	printf '{"dump":"r_%s.pt","rollout_id":%s,"perf/rollout_time":%s,"perf/request/e2e_latency/max":%s}\n' \
		1 1 20 5 2 2 31 4 3 3 21.5 3 >saved.jsonl
	run_split obs-perfsum --format table saved.jsonl rollout_9.json
	[ "${output%%$'\n'*}" = "rollout 2 took longest: 31.0 s, 9.50 s over \
the median of 3 rollouts" ] || fail_with
	# Where all are alike, none is named.
	cp rollout_9.json rollout_8.json
	run_split obs-perfsum --format table rollout_8.json rollout_9.json
	[[ $output == " "*rollout* || $output == rollout\ \ * ]] || fail_with
}

# timed ID END: rollout_ID.json, whose one sample ran from 10 to END.
timed() {
	printf '{"rollout_id": %s, "samples": [{"trace": {"events": [
		{"type": "span_start", "name": "sglang_generate", "ts": 10, "span_id": "a"},
		{"type": "span_end", "name": "sglang_generate", "ts": %s, "span_id": "a", "attrs": {"e2e_latency": 1}}
		]}}]}' "$1" "$2" >"rollout_$1.json"
}

@test "a row has the wall time of its rollout" {
	timed 1 40
	timed 2 25.5
	run_split obs-perfsum --format table rollout_*.json
	assert_status 0
	[ "$(head -n 1 <<<"$output")" = "rollout 1 took longest: 30.0 s, \
14.5 s more than the other" ] || fail_with
	[[ $output =~ rollout\ +wall\ \(s\)\ +requests ]] || fail_with
	[ "$(awk 'NR > 2 {print $1, $2, $3}' <<<"${output%$'\n'}")" = \
		$'1 30 1\n2 15.5 1' ] || fail_with
	on_terminal obs-perfsum rollout_*.json
	[[ $output =~ wall\ \(s\)\ +█▁\ +15\.5\ +30 ]] || fail_with
	# Where no span tells it, it is absent.
	write_rollouts 3
	run_split obs-perfsum --format table rollout_*.json
	[ "$(awk 'NR > 2 {print $1, $2}' <<<"${output%$'\n'}")" = \
		$'1 30\n2 15.5\n3 2' ] || fail_with
	cp rollout_3.json copy.json
	run_split obs-perfsum --format table rollout_3.json copy.json
	[[ $output != *wall* ]] || fail_with
}

@test "evaluations stand apart, behind" {
	write_rollouts 1 2
	rollout 1 7 >rollout_eval_1.json
	run_split obs-perfsum --format table rollout_*.json
	[ "$(awk '{print $1}' <<<"${output%$'\n'}" | paste -sd' ')" = \
		"rollout rollout 1 2  eval 1" ]
}

@test "what has no id is numbered by its name, else ordered by it" {
	write_rollouts 3
	jq -c '.rollout_id = null' rollout_3.json >step_12.json
	jq -c '.rollout_id = "a"' rollout_3.json >last.json
	run_split obs-perfsum --format table last.json step_12.json rollout_3.json
	[ "$(awk 'NR > 1 {print $NF}' <<<"${output%$'\n'}" | paste -sd' ')" = \
		"rollout_3.json step_12.json last.json" ]
	[ "$(awk 'NR == 3 {print $1}' <<<"$output")" = 12 ]
}

@test "a terminal gets bars over time, of blocks or of ASCII by the locale" {
	write_rollouts 1 2 3 4 5 6 7 8
	on_terminal obs-perfsum rollout_*.json
	[[ $output =~ request/e2e_latency/mean\ \(s\)\ +▁▂▃▄▅▆▇█\ +2\ +9 ]]
	unset LC_ALL LANG
	LC_CTYPE=C on_terminal obs-perfsum rollout_*.json
	[[ $output =~ request/e2e_latency/mean\ \(s\)\ +_\.:-=\+\*#\ +2\ +9 ]]
	on_terminal obs-perfsum rollout_1.json
	[[ $output != *trend* ]]
}

@test "a long run of rollouts makes at most sixty bars" {
	local id
	for id in $(seq 150); do
		printf '{"dump":"r_%s.pt","rollout_id":%s,"perf/request/e2e_latency/mean":%s}\n' \
			"$id" "$id" "$id"
	done >run.jsonl
	cp run.jsonl again.jsonl
	on_terminal obs-perfsum run.jsonl again.jsonl
	[ "$(grep -c 'r_150.pt' <<<"$output")" -eq 2 ]
	[ "$(grep e2e_latency <<<"$output" | grep -o '[▁▂▃▄▅▆▇█]' | wc -l)" -eq 60 ]
}

@test "a missing figure leaves a gap and no made-up number" {
	write_rollouts 1 2
	ATTRS='{"queue_time": 0.5}' rollout 3 1 >rollout_3.json
	run_split obs-perfsum --format table rollout_*.json
	[ "$(awk 'NR > 2 {print NF}' <<<"${output%$'\n'}" | paste -sd' ')" = \
		"6 6 8" ]
}

@test "-j changes neither the order nor a byte, of messages either" {
	local jobs
	write_rollouts $(seq 30)
	echo bad >rollout_7.json
	{
		rollout 5 1
		echo '{"trace": '
	} >rollout_5.json
	obs-perfsum -j 1 rollout_*.json missing.json >want 2>want.err || true
	[ "$(wc -l <want.err)" -eq 3 ]
	for jobs in 2 3 16; do
		run_split obs-perfsum -j "$jobs" rollout_*.json missing.json
		assert_status 1
		[ "$output" = "$(cat want)"$'\n' ]
		[ "${stderr%$'\n'}" = "$(cat want.err)" ]
	done
}

@test "-j 4 is one after the other where standard input is one of them" {
	write_rollouts 1 2
	run_split obs-perfsum -j 4 rollout_1.json - rollout_2.json < \
		<(rollout 9 1)
	assert_status 0
	[ "$(jq -c .rollout_id <<<"$output" | paste -sd' ')" = "1 9 2" ]
}

@test "a table of several dumps shortens long names, other formats do not" {
	local name
	name=$(printf 'run/%s' some_long_directory_{1..6})
	mkdir -p "$name"
	cp "$DATA/demo.pt" "$name/rollout_8.pt"
	cp "$DATA/demo.pt" "$name/rollout_9.pt"
	run_split obs-perfsum -f table "$name"/*.pt
	assert_status 0
	[ "$(wc -L <<<"$output")" -le 120 ]
	grep -qE ' run/s[^ ]*\.\.\.[^ ]*out_8\.pt$' <<<"$output"
	run_split obs-perfsum -f json "$name"/*.pt
	[ "$(jq -r .dump <<<"$output" | head -n 1)" = "$name/rollout_8.pt" ]
}

@test "when no dump can be read the status says why, with threads too" {
	echo bad >a.json
	run_split obs-perfsum -j 2 a.json missing.json
	assert_status 4
	assert_stderr_lines 2
	refute_output
}

@test "--progress says how far it is, on stderr alone" {
	write_rollouts 1 2 3
	run_split obs-perfsum --progress rollout_*.json
	assert_status 0
	[[ $stderr =~ obs-perfsum:\ dumps\ read:\ [0-3]\ of\ 3 ]]
	[ "$(jq -c .rollout_id <<<"$output" | paste -sd' ')" = "1 2 3" ]
	run_split obs-perfsum rollout_*.json
	[ -z "$stderr" ] || fail_with "expected nothing on stderr"
}

@test "saved figures read back give the same JSON and the same table" {
	write_rollouts 1 2 3
	obs-perfsum -p 90 rollout_*.json "$DATA/demo.pt" >saved.jsonl
	run_split obs-perfsum saved.jsonl
	assert_status 0
	assert_output "$(cat saved.jsonl)"$'\n'
	obs-perfsum -f table -p 90 rollout_*.json >want
	head -n 3 saved.jsonl | jq -s . >array.json
	run_split obs-perfsum -f table -p 90 array.json /dev/fd/3 3< \
		<(obs-perfsum -p 90 rollout_4.json 2>/dev/null || true)
	[ "$(sed -n 2,5p <<<"$output")" = "$(tail -n +2 want)" ]
}

@test "a torn line of saved figures costs only itself" {
	write_rollouts 1 2
	obs-perfsum rollout_1.json >saved.jsonl
	echo '{"dump": "x", "perf/' >>saved.jsonl
	obs-perfsum rollout_2.json >>saved.jsonl
	run_split obs-perfsum saved.jsonl
	assert_status 1
	assert_stderr_has "saved.jsonl:2: "
	[ "$(jq -c .rollout_id <<<"$output" | paste -sd' ')" = "1 2" ]
}

@test "the rows of GNU parallel, a process a dump, are those of one process" {
	skip_without parallel
	write_rollouts $(seq 12)
	obs-perfsum rollout_*.json >want
	parallel --keep-order obs-perfsum ::: rollout_*.json >run.jsonl
	assert_same_file want run.jsonl
	run_split obs-perfsum --format table run.jsonl rollout_1.json
	assert_status 0
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 15 ]
}

# Print the events of a file: its name's parts, then a line a scalar, checking
# every length and CRC on the way with nothing but the standard library.
read_events() {
	python3 - "$@" <<'END'
import re, struct, sys

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff

assert crc32c(b"123456789") == 0xe3069283

def masked(data):
    c = crc32c(data)
    return (((c >> 15) | (c << 17)) + 0xa282ead8) & 0xffffffff

def records(raw):
    at = 0
    while at < len(raw):
        n, crc = struct.unpack_from("<QI", raw, at)
        assert crc == masked(raw[at:at + 8])
        data = raw[at + 12:at + 12 + n]
        assert struct.unpack_from("<I", raw, at + 12 + n)[0] == masked(data)
        yield data
        at += 16 + n

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at

def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            n = {1: 8, 5: 4}.get(key & 7)
            if n is None:
                n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        yield key >> 3, value

for path in sys.argv[1:]:
    assert re.search(r"/events\.out\.tfevents\.\d{10}\.[^/]+\.\d+\.\d+$", path)
    for i, record in enumerate(records(open(path, "rb").read())):
        event = list(fields(record))
        one = dict(event)
        assert 1.7e9 < struct.unpack("<d", one[1])[0] < 1e10
        if i == 0:
            assert one[3] == b"brain.Event:2", one
            continue
        assert one[2] < 1 << 63
        for number, value in fields(one[5]):
            assert number == 1
            scalar = dict(fields(value))
            print(one[2], scalar[1].decode(),
                  "%.6g" % struct.unpack("<f", scalar[2])[0])
END
}

@test "--tensorboard writes an event file: a step a rollout, its id" {
	write_rollouts 7 8 300
	run_split obs-perfsum --tensorboard runs/a -j 2 rollout_{7,8,300}.json
	assert_status 0
	[ "$(jq -c .rollout_id <<<"$output" | paste -sd' ')" = "7 8 300" ]
	run_split read_events runs/a/*
	assert_status 0
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 18 ]
	assert_output_has "7 perf/request/count 2"
	assert_output_has "8 perf/request/e2e_latency/mean 9"
	assert_output_has "300 perf/request/e2e_latency/max 302"
}

@test "every run has an event file of its own; evaluations have tags of their own" {
	write_rollouts 7
	cp rollout_7.json eval_7.json
	obs-perfsum --tensorboard runs rollout_7.json
	obs-perfsum --tensorboard runs --step 1099511627776 eval_7.json
	[ "$(find runs -type f | wc -l)" -eq 2 ]
	run_split read_events runs/*
	assert_status 0
	assert_output_has "7 perf/request/e2e_latency/mean 8"
	assert_output_has "1099511627776 eval/perf/request/e2e_latency/mean 8"
}

@test "--tensorboard writes steps in their order, whatever that of the operands" {
	write_rollouts 1 2 10 11 100
	rollout 2 7 >eval_2.json
	run_split obs-perfsum -j 3 --tensorboard runs rollout_100.json \
		rollout_1.json rollout_10.json eval_2.json rollout_11.json \
		rollout_2.json
	assert_status 0
	[ "$stderr" = "" ]
	[ "$(jq -c .rollout_id <<<"$output" | paste -sd' ')" = \
		"100 1 10 2 11 2" ]
	[ "$(read_events runs/* | sed -n 's/ .*latency.mean / /p' |
		paste -sd,)" = "1 2,2 3,2 7,10 11,11 12,100 101" ]
}

@test "--step is the step of one rollout, be the second in the same file" {
	write_rollouts 1 2
	obs-perfsum --format jsonl rollout_1.json rollout_2.json >saved.jsonl
	run_split obs-perfsum --tensorboard runs --step 5 saved.jsonl
	assert_status 2
	assert_stderr_has "--step needs a single rollout"
	[ -z "$(find runs -type f)" ]
}

@test "--tensorboard warns of two rollouts with the same step" {
	write_rollouts 7 8
	cp rollout_7.json again.json
	run_split obs-perfsum --tensorboard runs again.json rollout_8.json \
		rollout_7.json
	assert_status 0
	assert_stderr_has "rollout_7.json: step 7 is that of again.json, too"
	[ "$(read_events runs/* | grep -c '^7 perf/request/count 2$')" -eq 2 ]
}

@test "TensorBoard's own reader, where there is one, reads the event file" {
	local python
	python=$(python_with tensorboard) || skip "no python3 with tensorboard"
	write_rollouts 7
	obs-perfsum --tensorboard runs rollout_7.json
	"$python" - <<'END'
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
reader = EventAccumulator("runs")
reader.Reload()
point, = reader.Scalars("perf/request/e2e_latency/mean")
assert (point.step, point.value) == (7, 8.0), point
END
}

@test "a rollout without an id has no step; nothing read makes no event file" {
	write_rollouts 1
	jq -c '.rollout_id = null' rollout_1.json >a.json
	run_split obs-perfsum --tensorboard runs a.json
	assert_status 1
	assert_stderr_has "a.json: has no rollout_id to be its step; give --step"
	[ ! -e runs ]
	run_split obs-perfsum --tensorboard runs missing.json
	[ ! -e runs ]
	run_split obs-perfsum --tensorboard runs --step 4 a.json
	assert_status 0
	: >file
	run_split obs-perfsum --tensorboard file/runs rollout_1.json
	assert_status 4
	assert_stderr_has "file/runs: cannot create: Not a directory"
	run_split obs-perfsum --step 4 a.json
	assert_status 2
	run_split obs-perfsum --tensorboard runs --step 4 a.json rollout_1.json
	assert_status 2
}

# A module wandb that prints what it is given.
write_wandb() {
	mkdir modules
	cat >modules/wandb.py <<-'EOF'
		import json
		class Run:
		    def log(self, figures, step):
		        print(json.dumps([step, figures]))
		    def finish(self):
		        print("finished")
		def init(**args):
		    print(json.dumps(args))
		    return Run()
	EOF
}

# wandb_log: with that module
wandb_log() {
	PYTHONPATH=modules run_split "$ROOT/scripts/wandb-log"
}

@test "scripts/wandb-log logs the figures, a step a rollout" {
	skip_without python3
	write_rollouts 10 9
	cp rollout_9.json eval_9.json
	write_wandb
	obs-perfsum rollout_10.json rollout_9.json eval_9.json >run.jsonl
	PYTHONPATH=modules run_split "$ROOT/scripts/wandb-log" project=rl id=x \
		<run.jsonl
	assert_status 0
	[ "$(head -n 1 <<<"$output")" = '{"project": "rl", "id": "x"}' ]
	[ "$(grep '^\[' <<<"$output" | jq -c '[.[0],
		.[1]["perf/request/e2e_latency/mean"],
		.[1]["eval/perf/request/e2e_latency/mean"]]' | paste -sd' ')" = \
		'[9,10,null] [9,null,10] [10,11,null]' ]
	assert_output_has finished
	PYTHONPATH=modules run_split "$ROOT/scripts/wandb-log" <<<'{"a": 1}'
	assert_status 3
	refute_output
	assert_stderr_has "wandb-log: line 1: not a line of obs-perfsum"
	PYTHONPATH=modules run_split "$ROOT/scripts/wandb-log" </dev/null
	assert_status 3
	assert_stderr_has "no rollouts on standard input"
	run_split "$ROOT/scripts/wandb-log" rl </dev/null
	assert_status 2
}

@test "wandb-log names groups apart, and rejects lines that would overwrite" {
	skip_without python3
	write_wandb
	cat >groups.jsonl <<-'EOF'
		{"dump": "r", "rollout_id": 3, "status": "ok/1", "perf/a": 1, "perf/b": null}
		{"dump": "r", "rollout_id": 3, "status": null, "perf/a": 2}
	EOF
	wandb_log <groups.jsonl
	assert_status 0
	assert_output_has '[3, {"status/ok_1/perf/a": 1}]'
	assert_output_has '[3, {"status/null/perf/a": 2}]'
	printf '%s\n' '{"dump": "r", "rollout_id": 3, "perf/a": 1}' '' \
		'{"dump": "other", "rollout_id": 3, "perf/a": 2}' >twice.jsonl
	wandb_log <twice.jsonl
	assert_status 3
	refute_output
	assert_stderr_has "line 3: step 3 has perf/a already, of line 1"
	# The real thing: each group has its own metrics.
	obs-perfsum --by attempt --breakdown "$DATA/rollout/multi_attempt.pt" |
		jq -c '.rollout_id = 4' >by.jsonl
	wandb_log <by.jsonl
	assert_status 0
	assert_output_has '[4, {"attempt/0/perf/request/'
	assert_output_has '[4, {"attempt/1/perf/request/'
}

@test "wandb-log rejects lines that are not of obs-perfsum, without a traceback" {
	skip_without python3
	local line
	write_wandb
	for line in '{"dump": "r", "rollout_id": 3}' \
		'{"dump": 5, "rollout_id": 3, "perf/a": 1}' \
		'{"dump": "r", "rollout_id": 3.5, "perf/a": 1}' \
		'{"dump": "r", "rollout_id": true, "perf/a": 1}' \
		'{"dump": "r", "rollout_id": 1e999, "perf/a": 1}' \
		'[1]' '3' $'\xff\xfe{' "$(printf '[%.0s' {1..100000})"; do
		wandb_log <<<"$line"
		assert_status 3
		refute_output
		assert_stderr_lines 1
		assert_stderr_has "wandb-log: line 1: not a line of obs-perfsum"
	done
	# A reader that left ends the help by SIGPIPE, without a word.
	python3 - "$ROOT/scripts/wandb-log" <<-'EOF'
		import os, signal, subprocess, sys
		reader, writer = os.pipe()
		os.close(reader)
		done = subprocess.run([sys.argv[1], "--help"], stdout=writer,
		                      stderr=subprocess.PIPE)
		assert done.returncode == -signal.SIGPIPE, done
		assert done.stderr == b"", done
	EOF
}

# An exposition of two engines' histograms.
write_metrics() {
	cat >metrics <<-'EOF'
		# TYPE sglang:e2e_request_latency_seconds histogram
		sglang:e2e_request_latency_seconds_bucket{engine="0",le="1.0"} 2
		sglang:e2e_request_latency_seconds_bucket{engine="0",le="2.0"} 6
		sglang:e2e_request_latency_seconds_bucket{engine="0",le="+Inf"} 8
		sglang:e2e_request_latency_seconds_sum{engine="0"} 14
		sglang:e2e_request_latency_seconds_count{engine="0"} 8
		sglang:e2e_request_latency_seconds_bucket{engine="1",le="1.0"} 0
		sglang:e2e_request_latency_seconds_bucket{engine="1",le="2.0"} 2
		sglang:e2e_request_latency_seconds_bucket{engine="1",le="+Inf"} 2
		sglang:e2e_request_latency_seconds_sum{engine="1"} 3.5
		sglang:e2e_request_latency_seconds_count{engine="1"} 2
		# TYPE sglang:kv_transfer_alloc_ms histogram
		sglang:kv_transfer_alloc_ms_bucket{le="10.0"} 4
		sglang:kv_transfer_alloc_ms_bucket{le="+Inf"} 4
		sglang:kv_transfer_alloc_ms_sum 12
		sglang:kv_transfer_alloc_ms_count 4
		# TYPE sglang:per_stage_req_latency_seconds histogram
		sglang:per_stage_req_latency_seconds_sum{stage="prefill_bootstrap"} 6
		sglang:per_stage_req_latency_seconds_count{stage="prefill_bootstrap"} 3
		sglang:per_stage_req_latency_seconds_sum{stage="decode_waiting"} 60
		sglang:per_stage_req_latency_seconds_count{stage="decode_waiting"} 3
		# TYPE sglang:num_running_reqs gauge
		sglang:num_running_reqs 3
	EOF
}

@test "Prometheus text gives the same keys from histograms, quantiles marked" {
	write_metrics
	run_split obs-perfsum -p 90 metrics
	assert_status 0
	jq -e '. == {dump: "metrics", rollout_id: null,
		"perf/request/count": 10,
		"perf/request/e2e_latency/mean": 1.75,
		"perf/request/e2e_latency/median": 1.5,
		"perf/request/e2e_latency/p90": 2,
		"perf/prefill/bootstrap_queue_duration/mean": 2,
		"perf/prefill/alloc_wait_duration/mean": 0.003,
		"perf/prefill/alloc_wait_duration/median": 0.005,
		"perf/prefill/alloc_wait_duration/p90": 0.009,
		approximate: ["perf/request/e2e_latency/median",
			"perf/request/e2e_latency/p90",
			"perf/prefill/alloc_wait_duration/median",
			"perf/prefill/alloc_wait_duration/p90"]}' <<<"$output"
	[ "$(obs-perfsum metrics | obs-perfsum)" = "$(obs-perfsum metrics)" ]
	[ "$(obs-perfsum - <metrics | jq .dump)" = '"-"' ]
}

@test "vLLM's and Ray's spellings give the keys that mean the same" {
	local prefix
	for prefix in vllm: vllm_ ray_vllm_; do
		sed "s/sglang:/$prefix/" >metrics <<-'EOF'
			sglang:e2e_request_latency_seconds_sum 14
			sglang:e2e_request_latency_seconds_count 7
			sglang:request_queue_time_seconds_sum{engine="0"} 1
			sglang:request_queue_time_seconds_count{engine="0"} 4
		EOF
		run_split obs-perfsum metrics
		assert_status 0
		[ "$(jq -c '[."perf/request/count", ."perf/request/e2e_latency/mean",
			."perf/request/queue_time/mean"]' <<<"$output")" = '[7,2,0.25]' ]
	done
}

@test "Prometheus text without such histograms, or damaged, is said" {
	printf '# HELP up x\nup 1\n' >metrics
	run_split obs-perfsum metrics
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "metrics: it has no request latency histogram of SGLang or vLLM"
	write_metrics
	sed -i '5s/14/x/; 7s/$/ {/' metrics
	run_split obs-perfsum metrics
	assert_status 1
	assert_stderr_has "metrics:5: "
	assert_stderr_has "metrics:7: "
	run_split obs-perfsum --strict metrics
	assert_status 3
	assert_stderr_lines 1
	printf 'sglang:queue_time_seconds_count NaN\nsglang:queue_time_seconds_sum 1\n' >metrics
	run_split obs-perfsum metrics
	assert_status 3
}

@test "a dump and Prometheus text can be compared, without intervals" {
	write_metrics
	rollout 1 1 1 1 1 1 >a.json
	run_split obs-perfsum --compare a.json metrics
	assert_status 0
	jq -e '.resamples == null and any(.changes[];
		.key == "perf/request/e2e_latency/mean" and .change == 0.75)' \
		<<<"$output"
}
