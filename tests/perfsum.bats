# obs-perfsum: options, formats, statuses, and what becomes of bad input.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
}

# One sample of JSON with a request that took so many seconds, further
# members of the sample, and further attributes of the request.
request() {
	printf '{%s"trace": {"events": [{"type": "span_end", "ts": 1, "name": "sglang_generate", "attrs": {"e2e_latency": %s%s}}]}}' \
		"${2:+$2, }" "$1" "${3:+, $3}"
}

dump_of() { # SECONDS...
	local seconds samples=()
	for seconds; do
		samples+=("$(request "$seconds")")
	done
	local IFS=,
	echo "{\"rollout_id\": 7, \"samples\": [${samples[*]}]}"
}

key() { # jq's word for one key of the output
	jq -c ".\"perf/$1\"" <<<"$output"
}

assert_key() {
	[ "$(key "$1")" = "$2" ] || fail_with "expected $2 for $1, not $(key "$1")"
}

@test "a request's latency gives mean, median, max and min" {
	dump_of 4 1 2 9 >dump.json
	run_split obs-perfsum --format json dump.json
	assert_status 0
	assert_key request/e2e_latency/mean 4
	assert_key request/e2e_latency/median 3
	assert_key request/e2e_latency/max 9
	assert_key request/e2e_latency/min 1
	assert_key request/count 4
	assert_key request/profiled_count 4
	[ "$(jq -c '[.dump, .rollout_id]' <<<"$output")" = '["dump.json",7]' ]
}

@test "what was never measured has no keys, and zero is not missing" {
	printf '{"samples": [%s, %s, %s]}' \
		"$(request 1 '' '"pd_prefill_retry_count": 0')" \
		"$(request 1 '' '"pd_prefill_retry_count": 0')" \
		"$(request 1 '' '"pd_prefill_retry_count": 3')" >dump.json
	run_split obs-perfsum --format json dump.json
	assert_key prefill/retry_count/mean 1
	assert_key prefill/retry_count/median 0
	assert_key prefill/retry_count/min 0
	[[ $output != *transfer_speed* ]]
}

@test "a dump without traces has empty counts and nothing else" {
	echo '{"samples": [{}, {"trace": null}, {"trace": {"events": null}},
		{"trace": {"events": []}}]}' >dump.json
	run_split obs-perfsum --format json dump.json
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "dump.json: no event of the samples has a time"
	assert_output "$(printf '%s\n' '{"dump":"dump.json","rollout_id":null,"perf/request/count":0,"perf/request/profiled_count":0}')"$'\n'
}

@test "a dump whose events lack times is reported and partly done" {
	local dump
	for dump in '{"samples": [{"trace": null, "index": 1}]}' \
		'{"kind": "gen_start", "sample_index": 0, "turn": 1,
			"group_index": 3}'; do
		run_split obs-perfsum <<<"${dump//$'\n'/ }"
		assert_status 1
		assert_stderr_lines 1
		assert_output_has '"perf/request/count":0'
		run_split trace-timeline -f cache <<<"${dump//$'\n'/ }"
		assert_status 1
		assert_stderr_lines 1
		assert_output_has '"rows":[]'
	done
	# Both times: the page is not fresh where the timeline is empty.
	echo '{"samples": [{"trace": {"events": []}}]}' >none.json
	for _ in 1 2; do
		run_split trace-timeline --no-serve none.json
		assert_status 1
		assert_stderr_has "none.json: no event of the samples has a time"
	done
}

@test "an event that is none, or has no usable time, is told" {
	local events='"x", {"ts": "x"}, {"ts": null}, {"name": "p"}' program
	local good='{"type": "span_start", "name": "s", "span_id": 1, "ts": 1},
		{"type": "span_end", "span_id": 1, "ts": 3}'
	local -A said=([0]="not an object" [1]="a time that is not a number"
		[2]="a time that is not a number" [3]="no time")
	for at in 0 1 2 3; do
		IFS='|' read -ra bad <<<"${events//, /|}"
		echo '{"samples": [{"trace": {"events": ['"$(printf '{"ts": 1}, %.0s' \
			$(seq 0 "$at"))${bad[at]}, $good"']}}]}' >dump.json
		for program in "obs-perfsum --breakdown -f json" \
			"trace-timeline -f cache"; do
			# shellcheck disable=SC2086 # words
			run_split $program dump.json
			assert_status 1
			assert_stderr_lines 1
			assert_stderr_has "dump.json: sample 0: event $((at + 1)): ${said[$at]}"
		done
		assert_output_has '"end":3.0'
	done
	# Of several the first is shown.
	echo '{"samples": [{"trace": {"events": [{"ts": "x"}, 1]}}]}' >dump.json
	run_split obs-perfsum dump.json
	assert_status 1
	assert_stderr_has "event 0: a time that is not a number; 1 more part of traces"
	assert_stderr_has "dump.json: no event of the samples has a time"
}

@test "a dump without generation requests is reported" {
	local dump='{"trace": {"events": [
		{"type": "span_start", "name": "x", "ts": 1, "span_id": "s"},
		{"type": "span_end", "name": "x", "ts": 2, "span_id": "s"}]}}'
	run_split obs-perfsum <<<"${dump//$'\n'/ }"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "-: no generation requests: "
	run_split obs-perfsum --breakdown <<<"${dump//$'\n'/ }"
	assert_status 0
	assert_stderr_lines 0
}

@test "booleans, text, NaN and infinities are no values; a request still counts" {
	printf '{"samples": [%s, %s, %s, %s, %s]}' "$(request true)" \
		"$(request '"1"')" "$(request NaN)" "$(request -Infinity)" \
		"$(request -0.0)" >dump.json
	run_split obs-perfsum --format json dump.json
	assert_key request/count 5
	assert_key request/profiled_count 1
	assert_key request/e2e_latency/min 0
}

@test "an end without attributes is no request; an empty object is one" {
	echo '{"trace": {"events": [
		{"type": "span_end", "ts": 1, "name": "sglang_generate"},
		{"type": "span_end", "ts": 1, "name": "sglang_generate", "attrs": null},
		{"type": "span_end", "ts": 1, "name": "sglang_generate", "attrs": {}},
		{"type": "span_start", "ts": 1, "name": "sglang_generate", "attrs": {}},
		{"type": "span_end", "ts": 1, "name": "sglang_generate_stream", "attrs": {}}]}}' |
		tr -d '\n' >dump.jsonl
	run_split obs-perfsum --format json dump.jsonl
	assert_key request/count 2
	assert_key request/profiled_count 0
}

@test "--percentiles interpolate between values" {
	dump_of 4 1 2 9 >dump.json
	run_split obs-perfsum -p 0,12.5,25,50,100 dump.json
	assert_status 0
	assert_key request/e2e_latency/p0 1
	assert_key request/e2e_latency/p25 1.75
	assert_key request/e2e_latency/p50 3
	assert_key request/e2e_latency/p12.5 1.375
	assert_key request/e2e_latency/p100 9
}

@test "a percentile asked for twice is one key" {
	dump_of 4 1 2 9 >dump.json
	run_split obs-perfsum -p 50,50.0,0.5,p50 dump.json
	assert_status 0
	[ "$(grep -o 'e2e_latency/p50"' <<<"$output" | wc -l)" -eq 1 ]
}

@test "--percentiles are numpy's" {
	local python
	python=$(python_with numpy json) || skip "no python3 with numpy"
	"$python" - >want <<'END'
import json, numpy
values = numpy.random.default_rng(1).lognormal(size=1000)
event = {"type": "span_end", "ts": 1, "name": "sglang_generate"}
with open("dump.json", "w") as f:
    json.dump([{"trace": {"events": [dict(event, attrs={"e2e_latency": v})]}}
               for v in values], f)
print(repr([float(numpy.mean(values))]
           + [float(numpy.percentile(values, p)) for p in (1, 37.5, 90, 99)]))
END
	run_split obs-perfsum --percentiles=p1,37.5,.9,99 dump.json
	assert_status 0
	"$python" - "$output" <<'END'
import json, sys
put = json.loads(sys.argv[1])
want = json.load(open("want"))
have = [put["perf/request/e2e_latency/" + k]
        for k in ("mean", "p1", "p37.5", "p90", "p99")]
assert have == want, (have, want)
END
}

@test "percentiles that are none are a usage error" {
	local text
	for text in "" x 101 -1 -0.5 "50," "50,,90" nan 95% p101 p; do
		run_split obs-perfsum --percentiles="$text" /dev/null
		assert_status 2
		assert_stderr_has "--percentiles="
		assert_stderr_has "from 0 to 100, such as 0.95, 95 or p95"
	done
}

@test "--rollout-time gives rates of tokens and of the longest samples" {
	cat >dump.json <<'END'
{"samples": [
	{"response_length": 100, "loss_mask": [1, 1, 0], "non_generation_time": 2},
	{"response_length": 100, "loss_mask": null, "non_generation_time": 4},
	{"response_length": 50, "loss_mask": [], "non_generation_time": 0}]}
END
	run_split obs-perfsum --rollout-time 10 --rollout-num-gpus 4 dump.json
	assert_status 0
	assert_key rollout_time 10
	assert_key tokens_per_gpu_per_sec 6.25
	assert_key longest_sample_tokens_per_sec 10
	assert_key non_generation_time/mean 2
	assert_key non_generation_time/median 2
	assert_key non_generation_time/max 4
	assert_key longest_sample_non_generation_time 3
	assert_key longest_sample_tokens_per_sec_without_non_generation \
		14.285714285714286
	# Effective lengths: 2, 100 for want of a mask, and 0.
	assert_key effective_tokens_per_gpu_per_sec 2.55
	assert_key longest_effective_sample_tokens_per_sec 10
	assert_key longest_effective_sample_non_generation_time 4
	assert_key longest_effective_sample_tokens_per_sec_without_non_generation \
		16.666666666666668
}

@test "without non-generation time its keys are left out" {
	echo '{"samples": [{"response_length": 10}]}' >dump.json
	run_split obs-perfsum --rollout-time 10 dump.json
	[[ $output != *non_generation* && $output != *per_gpu* ]]
	assert_key longest_sample_tokens_per_sec 1
}

@test "samples without a length give no rate of 0 tokens" {
	local request
	request=$(request 1.5 | jq -c 'del(.response_length)')
	printf '%s\n' "$request" "$request" >dump.jsonl
	run_split obs-perfsum --rollout-time 10 --rollout-num-gpus 4 dump.jsonl
	assert_status 0
	assert_key rollout_time 10
	[[ $output != *tokens_per* ]]
	printf '%s\n' "$request" "$(jq -c '.response_length = 40' <<<"$request")" \
		>dump.jsonl
	run_split obs-perfsum --rollout-time 10 --rollout-num-gpus 4 dump.jsonl
	assert_key tokens_per_gpu_per_sec 1
}

@test "--rollout-num-gpus without --rollout-time is a usage error" {
	run_split obs-perfsum --rollout-num-gpus 4 /dev/null
	assert_status 2
	assert_stderr_has "--rollout-time"
}

@test "json and jsonl are an object a line and dump, in order" {
	dump_of 1 >a.json
	dump_of 2 >b.json
	for format in json jsonl; do
		run_split obs-perfsum -f "$format" b.json a.json
		assert_status 0
		[ "$(jq -c '[.dump, ."perf/request/e2e_latency/max"]' <<<"$output")" = \
			$'["b.json",2]\n["a.json",1]' ]
	done
}

@test "the table has a metric a row" {
	dump_of 4 1 2 9 >dump.json
	run_split obs-perfsum --format table dump.json
	assert_status 0
	assert_output_has dump.json
	grep -qE '^request/e2e_latency \(s\) +4 +3 +9 +1$' <<<"$output"
}

@test "stdin may be a document, an array, lines or a pickle" {
	local want
	dump_of 1 3 >document
	jq -c .samples document >array
	jq -c '.samples[]' document >lines
	want='[2,3,1]'
	for form in document array lines; do
		run_split obs-perfsum - <"$form"
		assert_status 0
		[ "$(jq -c '[."perf/request/count",
			."perf/request/e2e_latency/max",
			."perf/request/e2e_latency/min"]' <<<"$output")" = "$want" ]
	done
	run_split obs-perfsum < <(cat "$DATA/demo.pt")
	assert_status 0
	[ "$(jq '."perf/request/count" > 0' <<<"$output")" = true ]
}

@test "a bad line is named and passed over" {
	{
		request 1
		printf '\n{"trace": \n'
		request 3
		printf '\n[1]\n'
	} >lines
	run_split obs-perfsum lines
	assert_status 1
	assert_stderr_lines 2
	assert_stderr_has "obs-perfsum: lines:2: "
	assert_stderr_has "obs-perfsum: lines:4: "
	assert_key request/count 2
}

@test "--strict stops at a bad line" {
	{
		request 1
		printf '\n{"trace": \n'
		request 3
	} >lines
	run_split obs-perfsum --strict lines
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "lines:2: "
	refute_output
}

@test "one bad dump among good ones costs only itself" {
	dump_of 1 >a.json
	echo 'not a dump' >bad.json
	dump_of 2 >b.json
	run_split obs-perfsum a.json bad.json missing.json b.json
	assert_status 1
	assert_stderr_lines 2
	assert_stderr_has "obs-perfsum: bad.json: "
	assert_stderr_has "obs-perfsum: missing.json: cannot open: No such file"
	[ "$(jq -r .dump <<<"$output")" = $'a.json\nb.json' ]
}

@test "what is no dump is one line and status 3" {
	: >empty
	echo '<html>' >page
	printf '\x80\x02}q\x00X\x07\x00\x00\x00samplesq' >short
	printf 'PK\x03\x04 and no more' >archive
	printf '\x80\x09N.' >newer
	printf '\x80\x02\xff.' >code
	head -c 3000 "$DATA/demo.pt" >half
	for name in empty page short archive newer code half; do
		run_split obs-perfsum "$name"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "obs-perfsum: $name: "
		refute_output
	done
}

@test "damage within a pickle is told by its byte" {
	printf '\x80\x02]q\x00(K\x01K\x02\xff' >dump
	run_split obs-perfsum dump
	assert_status 3
	assert_stderr_has "dump: byte 10: unknown opcode 0xff"
}

@test "the good samples before a damage are not given for the whole" {
	local whole
	whole=$(dump_of 1 2 3)
	printf '%s' "${whole:0:-40}" >dump.json
	run_split obs-perfsum dump.json
	assert_status 3
	assert_stderr_lines 1
	refute_output
}

@test "a dump that cannot be opened is status 4" {
	run_split obs-perfsum missing.pt
	assert_status 4
	assert_stderr_lines 1
	run_split obs-perfsum .
	assert_status 4
	assert_stderr_lines 1
}

@test "a full disk is one line and status 4" {
	local status=0
	dump_of 1 >dump.json
	obs-perfsum dump.json >/dev/full 2>err || status=$?
	[ "$status" -eq 4 ]
	[ "$(wc -l <err)" -eq 1 ]
	grep -q 'No space left' err
}

@test "-o writes the file whole, or leaves what was there" {
	dump_of 1 >dump.json
	run_split obs-perfsum -o out dump.json
	assert_status 0
	refute_output
	[ "$(jq '."perf/request/count"' out)" -eq 1 ]
	echo bad >bad
	run_split obs-perfsum -o out bad
	assert_status 3
	[ "$(jq '."perf/request/count"' out)" -eq 1 ]
	rm out
	run_split obs-perfsum -o out bad
	[ ! -e out ]
	[ "$(find . -name '.out*' | wc -l)" -eq 0 ]
	run_split obs-perfsum -o no/such/out dump.json
	assert_status 4
	assert_stderr_lines 1
}

@test "a reader that leaves ends it quietly" {
	dump_of 1 >dump.json
	local i names=()
	for i in $(seq 300); do
		cp dump.json "dump_$i.json"
		names+=("dump_$i.json")
	done
	(
		trap - PIPE
		status=0
		obs-perfsum -p "$(seq -s, 0 99)" "${names[@]}" 2>err ||
			status=$?
		echo "$status" >status
	) | head -c 1 >/dev/null
	[ "$(cat status)" -eq 141 ]
	[ ! -s err ]
}

@test "the same dump gives the same bytes" {
	[ "$(obs-perfsum "$DATA/demo.pt" | md5sum)" = \
		"$(obs-perfsum "$DATA/demo.pt" | md5sum)" ]
}

@test "with nothing to read on a terminal it shows how it is used" {
	skip_without script
	run -2 script -qec "obs-perfsum" /dev/null
	[[ $output == *"Usage: obs-perfsum"* ]]
}

@test "a line of JSONL may be a trace carrier or an SGLang response" {
	cat >"$TMP/mixed.jsonl" <<-'EOF'
		{"text":"ok","meta_info":{"id":"r","e2e_latency":2.0,"queue_time":0.5,"pd_transfer_total_mb":8,"finish_reason":{"type":"stop"}}}
		{"version":1,"trace_id":"t","sample_id":7,"attempt":0,"events":[{"type":"span_end","name":"sglang_generate","ts":1.0,"attrs":{"e2e_latency":4.0}}]}
		{"index":3,"trace":{"events":[{"type":"span_end","name":"sglang_generate","ts":1.0,"attrs":{"e2e_latency":6.0}}]}}
	EOF
	run_split obs-perfsum "$TMP/mixed.jsonl"
	assert_status 0
	jq -e '."perf/request/count" == 3 and
		."perf/request/e2e_latency/mean" == 4 and
		."perf/request/queue_time/mean" == 0.5 and
		."perf/prefill/transfer_total_mb/max" == 8' <<<"$output"
	run_split trace-timeline --format cache "$TMP/mixed.jsonl"
	assert_status 0
	jq -e '[.rows[].sample_index] == [7, 3]' <<<"$output"
}

@test "what is none of the inputs is told by naming them" {
	echo bad >"$TMP/bad"
	run_split obs-perfsum "$TMP/bad"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "bad: not a rollout dump: this is plain text"
	gzip -c bad >bad.gz
	run_split obs-perfsum bad.gz
	assert_status 3
	assert_stderr_has "bad.gz: not a rollout dump: this is gzip data; decompress it first"
	for text in null 42 -1e3 true '"text"' ' NaN '; do
		run_split obs-perfsum <<<"$text"
		assert_status 3
		assert_stderr_has "-: not a rollout dump: this is a single JSON value"
	done
}

@test "samples that share a line all count, and those behind a torn one" {
	local whole torn
	whole=$(dump_of 1 2 4 | jq -c '.samples[]')
	torn='{"index": 9, "metadata": {"a": 1}, "trace": {"trace_id": "t", '
	{
		sed -n 1,2p <<<"$whole" | tr -d '\n'
		printf '\n%s"eve' "$torn"
		sed -n 3p <<<"$whole"
	} >dump.jsonl
	run_split obs-perfsum dump.jsonl
	assert_status 1
	assert_key request/count 3
	assert_key request/e2e_latency/max 4
	assert_stderr_lines 1
	assert_stderr_has "dump.jsonl:2: "
	# What ends the line may be a part of what is torn.
	{
		sed -n 1p <<<"$whole"
		printf '{"index": 8, "trace": %s\n' \
			"$(sed -n 2p <<<"$whole" | jq -c '.trace')"
	} >dump.jsonl
	run_split obs-perfsum dump.jsonl
	assert_status 1
	assert_key request/count 1
}

@test "saved metrics say what -p and --rollout-time cannot add" {
	obs-perfsum -f json "$DATA/demo.pt" >saved.json
	run_split obs-perfsum -f json -p 90,99 saved.json
	assert_status 1
	assert_stderr_has 'saved.json: holds only metrics, without p90; -p needs the dump'
	assert_stderr_has 'saved.json: holds only metrics, without p99; -p needs the dump'
	[ "${output%$'\n'}" = "$(cat saved.json)" ]
	run_split obs-perfsum --compare --rollout-time 50 saved.json \
		"$DATA/demo.pt"
	assert_status 1
	assert_stderr_has 'saved.json: holds only metrics; --rollout-time needs the dump'
	# What they hold is enough.
	obs-perfsum -f json -p 90 --rollout-time 50 "$DATA/demo.pt" >saved.json
	run_split obs-perfsum -f json -p 90 --rollout-time 50 saved.json
	assert_status 0
	[ -z "${stderr:-}" ]
	run_split obs-perfsum --partial -p 90 "$DATA/demo.pt"
	assert_status 2
	assert_stderr_has '-p cannot be combined with --partial; give it to --merge-partials'
}

@test "of options that exclude each other, the two that were given are named" {
	local pair
	for pair in '--by=status --tensorboard=b' '--by=status --fail-if=x>1' \
		'--compare --breakdown' '--compare --stragglers=2' \
		'--compare --by=status' '--compare --tensorboard=b' \
		'--what-if --compare' '--what-if --by=status' \
		'--what-if --partial' '--what-if --merge-partials' \
		'--partial --by=status' '--partial --compare' \
		'--partial --tensorboard=b' '--fail-if=x>1 --partial' \
		'--partial --format=json' '--partial --rollout-time=5' \
		'--merge-partials --by=status' '--merge-partials --compare' \
		'--merge-partials --tensorboard=b' \
		'--merge-partials --rollout-time=5'; do
		# shellcheck disable=SC2086 # two options
		run_split obs-perfsum $pair "$DATA/demo.pt"
		assert_status 2
		assert_stderr_has "$(sed 's/=[^ ]*//g; s/ / cannot be combined with /' <<<"$pair")"
	done
	[ ! -e b ]
}
