# profile-rollout: what engines are asked, and what is made of their answers.

load test_helper
load mock/engines.bash

teardown() {
	stop_engines
}

# start [OPTION]... and stop: on all that the router lists, as JSON
start() {
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--format json "$@"
}

stop() {
	run_split profile-rollout --router-url "$ROUTER" --action stop \
		--format json "$@"
}

# body INDEX: of the last start that an engine was sent
body() {
	asked "$1" /start_profile | tail -n 1 | sed 's/^[^{]*//'
}

@test "every engine starts, is told apart, and the spread is told" {
	start_engines sglang sglang
	run_split profile-rollout --router-url "$ROUTER" --action start
	assert_status 0
	assert_output_has "http://127.0.0.1:${PORT[0]}"
	assert_output_has "started"
	assert_output_has "Start profiling."
	[[ $output =~ "2 of 2 workers OK, requests sent within "[0-9.]+" ms" ]]
}

@test "the option line of slime's script works as it is" {
	start_engines sglang
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--num-steps 3 --output-dir /d --activities GPU CPU \
		--profile-by-stage --with-stack --record-shapes
	assert_status 0
	[ "$(body 0)" = '{"output_dir":"/d/127.0.0.1_'"${PORT[0]}"'",'`
		`'"num_steps":3,"profile_by_stage":true,"with_stack":true,'`
		`'"record_shapes":true,"activities":["GPU","CPU"]}' ] ||
		fail_with "$(body 0)"
}

@test "what is not given is left out, and JSON is called JSON" {
	start_engines sglang
	start
	[ "$(asked 0 /start_profile)" = '0 POST /start_profile auth=None '`
		`'type=application/json {"num_steps":3}' ]
	stop
	[ "$(asked 0 /stop_profile)" = '0 POST /stop_profile auth=None '`
		`'type=application/json {}' ]
}

@test "every field of newer engines has its option" {
	start_engines sglang
	start --num-steps 0 --start-step 7 --activities GPU,cuda_profiler \
		--merge-profiles --profile-prefix p --profile-id 9 \
		--profile-stages prefill,decode --no-with-stack \
		--no-record-shapes --shared-dir --output-dir /d
	assert_status 0
	[ "$(body 0)" = '{"output_dir":"/d","profile_prefix":"p",'`
		`'"profile_id":"9","start_step":7,"with_stack":false,'`
		`'"record_shapes":false,"merge_profiles":true,'`
		`'"activities":["GPU","CUDA_PROFILER"],'`
		`'"profile_stages":["prefill","decode"]}' ] ||
		fail_with "$(body 0)"
}

@test "an operand is an activity and nothing else" {
	run_split profile-rollout --worker h:1 --action start GPU /tmp
	assert_status 2
	assert_stderr_has "/tmp: expected an activity: CPU, GPU,"
	run_split profile-rollout --worker h:1 --action start --activities GPUS
	assert_status 2
}

@test "a second start finds it running, a second stop finds nothing to stop" {
	start_engines sglang
	start --num-steps 0
	assert_verdicts started
	start
	assert_status 4
	assert_verdicts already-running
	assert_stderr_has "already-running: Internal Server Error"
	stop
	assert_status 0
	assert_verdicts stopped
	stop
	assert_status 0
	assert_verdicts not-running
}

@test "what is profiling after a start counts those that were before" {
	start_engines sglang sglang
	start --only ":${PORT[0]}\$" --num-steps 0
	start --num-steps 0
	assert_status 1
	assert_stderr_has "profiling now: 2 of 2 workers, counting those that were already"
	start
	assert_status 4
	assert_stderr_has "profiling now: 2 of 2 workers, counting those that were already"
	stop
	assert_status 0
}

@test "after a timeout it is said that the start or the stop may still run" {
	start_engines sglang,delay=3,stop=3
	start --timeout 1.5 --num-steps 0
	assert_status 4
	assert_stderr_has "bytes received; it may have started"
	assert_stderr_has "profiling now: 0 of 1 worker; others may be, too"
	sleep 3
	stop -t 1.5
	assert_status 4
	assert_stderr_has "timeout after 1.5 s"
	assert_stderr_has "the stop may still run, engines answer once their traces are written"
}

@test "a compressed answer without its end is not taken for an answer" {
	start_engines sglang,cut=gzip
	start --num-steps 0
	assert_status 4
	assert_verdicts failed
	assert_stderr_has "truncated: the gzip data has no end"
	assert_stderr_has "profiling now: 0 of 1 worker; others may be, too"
}

@test "a stop after the steps ran out by themselves is a success" {
	start_engines sglang
	start --output-dir "$TMP/out"
	eventually compgen -G "$TMP/out/*/*.trace.json.gz"
	stop
	assert_status 0
	assert_verdicts not-running
}

@test "a sidecar tells the reason of its 500" {
	start_engines sidecar
	start
	start
	assert_verdicts already-running
	assert_stderr_has "Call /stop_profile first."
}

@test "some fail: each is told with its own reason, the rest are started" {
	start_engines dead sglang,refuse="num_steps is odd" bare gateway sglang
	start
	assert_status 1
	assert_verdicts "unreachable refused not-configured partly started"
	assert_stderr_has "Connection refused"
	assert_stderr_has "refused: num_steps is odd"
	assert_stderr_has "partly: Profile start: 0 succeeded, 1 failed: HTTP 500"
	assert_stderr_has "profiling now: 1 of 5 workers"
}

@test "a stop that nothing answers to is partial, one with nothing to stop not" {
	start_engines sglang,refuse_stop="There is no profile to stop" \
		sglang dead
	start --only ":${PORT[1]}\$" --num-steps 0
	stop
	assert_status 1
	assert_verdicts "not-running stopped unreachable"
	stop --only ":(${PORT[0]}|${PORT[1]})\$"
	assert_status 0
}

@test "none did it: status 4" {
	start_engines dead dead
	start
	assert_status 4
	assert_verdicts "unreachable unreachable"
}

@test "no worker to contact: status 3 by bad answers, 4 by none" {
	start_engines "other,status=200,says={}" "other,status=200,says=[]" \
		other,status=200,says=hello
	echo before >"$TMP/out"
	run_split profile-rollout --router-url "127.0.0.1:${PORT[0]}" \
		--action list -o "$TMP/out"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "has no list of workers"
	run_split profile-rollout --router-url "127.0.0.1:${PORT[2]}" \
		--action list -o "$TMP/out"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "not valid JSON"
	run_split profile-rollout --router-url "127.0.0.1:${PORT[1]}" \
		--action start
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has "lists no workers"
	for action in start list "start --dry-run"; do
		# shellcheck disable=SC2086 # words
		run_split profile-rollout -q --worker h:1x --action $action \
			-o "$TMP/out"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "h:1x: unreachable: the port"
	done
	[ "$(cat "$TMP/out")" = before ]
}

@test "an engine that hangs costs its own timeout only" {
	start_engines hang sglang
	local began=$SECONDS
	start --timeout 3
	assert_status 1
	assert_verdicts "timeout started"
	[ $((SECONDS - began)) -lt 60 ]
	assert_asked 0 /start_profile 1
}

@test "a start that was sent is not sent again, one that was not is" {
	start_engines hang dead
	start --timeout 2 --retries 2
	assert_verdicts "timeout unreachable"
	assert_asked 0 /start_profile 1
}

@test "ranks of one engine are one worker, which is asked once" {
	start_engines sglang,listed=4
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--num-steps 0
	assert_status 0
	assert_output_has "1 of 1 worker OK"
	assert_output_has "127.0.0.1:${PORT[0]}  regular      4  started"
	assert_asked 0 /start_profile 1
	stop
	assert_status 0
	assert_asked 0 /stop_profile 1
}

@test "a worker named twice is one worker with one rank" {
	start_engines sglang
	run_split profile-rollout --worker "127.0.0.1:${PORT[0]}" \
		--worker "http://127.0.0.1:${PORT[0]}/" --action list
	assert_status 0
	assert_output_has "127.0.0.1:${PORT[0]}  -         1  http"
	echo '{"workers": [{"url": "http://h:1@0", "dp_base_url": "http://h:1"},
		{"url": "http://h:1@1", "dp_base_url": "http://h:1"}]}' >"$TMP/w.json"
	python3 -u -m http.server --bind 127.0.0.1 --directory "$TMP" 0 \
		>"$TMP/http" 2>&1 3>&- &
	local http=$! i
	mv "$TMP/w.json" "$TMP/workers"
	for ((i = 0; i < 100; i++)); do
		grep -q "port [0-9]" "$TMP/http" && break
		sleep 0.05
	done
	run_split profile-rollout --action list \
		--router-url "http://127.0.0.1:$(grep -oE 'port [0-9]+' "$TMP/http" | cut -c6-)"
	kill "$http"
	assert_output_has "http://h:1  -         2  http://h:1"
}

@test "what cannot be a name or a directory of a worker's is a usage error" {
	local words
	for words in "--output-dir=" "--profile-id=" "--profile-id=a/b" \
		"--profile-prefix=../x" $'--profile-prefix=\xff' $'--output-dir=/\xff' \
		"--with-stack --no-with-stack" "--record-shapes --no-record-shapes"; do
		# shellcheck disable=SC2086 # words
		run_split profile-rollout --worker h:1 --action start $words
		assert_status 2
	done
	run_split profile-rollout --worker h:1 start
	assert_status 2
	assert_stderr_has "start: did you mean --action start?"
	run_split profile-rollout --worker '' --action list
	assert_stderr_has "'': "
}

@test "a worker's own address in the router's place is a worker" {
	start_engines sglang
	ROUTER=http://127.0.0.1:${PORT[0]}
	start
	assert_status 0
	assert_verdicts started
}

@test "workers come from options and from standard input, too" {
	start_engines sglang sglang
	run_split profile-rollout --action list --worker "127.0.0.1:${PORT[0]}/"
	assert_status 0
	assert_output_has "http://127.0.0.1:${PORT[0]}"
	run_split profile-rollout --action start --worker - \
		<<<"127.0.0.1:${PORT[1]} # the second"
	assert_status 0
	assert_asked 1 /start_profile 1
	run_split profile-rollout --action stop <<<"127.0.0.1:${PORT[1]}"
	assert_status 0
	assert_asked 1 /stop_profile 1
	assert_asked 0 /start_profile 0
}

@test "a gRPC worker is reached through the HTTP port beside it" {
	run_split profile-rollout --action start --dry-run \
		--worker grpc://127.0.0.1:9 --worker 127.0.0.1:9/pre
	assert_status 0
	assert_output_has "POST http://127.0.0.1:10/start_profile"
	assert_output_has "POST http://127.0.0.1:9/pre/start_profile"
	run_split profile-rollout --action start --dry-run \
		--sidecar-port 8 --worker grpc://127.0.0.1:9
	assert_output_has "POST http://127.0.0.1:8/start_profile"
}

@test "an address that means nothing is told and not guessed" {
	start_engines sglang
	run_split profile-rollout --action start --worker "::1:30000" \
		--worker "127.0.0.1:${PORT[0]}"
	assert_status 1
	assert_stderr_has "::1:30000: unreachable: "
}

@test "vLLM gets no body, and 404 means that it was not set up for it" {
	start_engines vllm bare
	start --engine vllm
	assert_status 1
	assert_verdicts "started not-configured"
	[ "$(asked 0 /start_profile)" = \
		'0 POST /start_profile auth=None type=None ' ]
}

@test "keys: the router's and the workers' are apart, and none is printed" {
	start_engines sglang,key=w0rker sglang,key=other
	echo w0rker >"$TMP/worker"
	echo r0uter >"$TMP/router"
	start -v --worker-key-file "$TMP/worker" --router-key-file "$TMP/router"
	assert_status 1
	assert_verdicts "started unauthorized"
	assert_stderr_has "unauthorized: Forbidden"
	[[ $output$stderr != *w0rker* && $output$stderr != *r0uter* ]]
	grep -q "^router GET /workers auth=Bearer r0uter" "$TMP/log"
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--dry-run --worker-key-file "$TMP/worker"
	[[ $output$stderr != *w0rker* ]]
	assert_output_has "Authorization: Bearer"
}

@test "a key that an engine sends back is not printed, not even cut short" {
	start_engines sglang,key=k,tell=1 sglang,key=k,tell=230
	echo w0rker-s3cret >"$TMP/worker"
	start --worker-key-file "$TMP/worker"
	assert_status 4
	assert_stderr_has "unauthorized: Forbidden: .Bearer ****"
	[[ $output$stderr != *w0r* ]]
}

@test "a dry run sends nothing" {
	start_engines sglang
	run_split profile-rollout --router-url "$ROUTER" --action start -n
	assert_status 0
	assert_output "POST http://127.0.0.1:${PORT[0]}/start_profile
Content-Type: application/json

{\"num_steps\":3}

"
	assert_asked 0 /start_profile 0
	run_split profile-rollout --action start --dry-run \
		--worker "::1:30000" --worker 127.0.0.1:9
	assert_status 1
	assert_stderr_has "::1:30000: unreachable: "
}

@test "by stage is refused on PD workers, by the router's word or their own" {
	start_engines sglang,role=prefill sglang,role=decode sglang
	start --profile-by-stage
	assert_status 2
	assert_stderr_has "2 of 3 are"
	run_split profile-rollout --action start --profile-by-stage \
		--worker "127.0.0.1:${PORT[1]}"
	assert_status 2
	assert_asked '[012]' /start_profile 0
	start --profile-by-stage --force
	assert_status 0
	assert_asked '[012]' /start_profile 3
	start --profile-by-stage --num-steps 0
	assert_status 2
}

@test "roles are profiled one after the other" {
	start_engines sglang,role=prefill sglang,role=decode sglang
	start --role prefill
	assert_status 0
	assert_verdicts started
	start --role decode
	assert_status 0
	assert_asked 0 /start_profile 1
	assert_asked 1 /start_profile 1
	assert_asked 2 /start_profile 0
	run_split profile-rollout --action list --role prefill \
		--worker "127.0.0.1:${PORT[0]}" --worker "127.0.0.1:${PORT[1]}"
	assert_status 0
	[ -z "$stderr" ]
	assert_output_has "${PORT[0]}"
	[[ $output != *"${PORT[1]}"* ]]
}

@test "one that does not tell its role is not left out in silence" {
	start_engines dead sglang,role=prefill
	run_split profile-rollout --action start --role prefill \
		--worker "127.0.0.1:${PORT[0]}" --worker "127.0.0.1:${PORT[1]}"
	assert_status 1
	assert_stderr_has "${PORT[0]}: skipped, its role is unknown: "
	assert_asked 1 /start_profile 1
}

@test "all or nothing: those that started are stopped again" {
	start_engines sglang sglang dead
	start --num-steps 0 --all-or-nothing
	assert_status 4
	assert_verdicts "stopped stopped unreachable"
	assert_stderr_has "stopping the workers that were started: 2"
	assert_asked '[01]' /stop_profile 2
}

@test "all or nothing: one that took the request and hung up is stopped, too" {
	start_engines drop sglang,refuse=no
	start --num-steps 0 --all-or-nothing
	assert_status 4
	assert_verdicts "stopped refused"
	assert_asked 0 /stop_profile 1
	start --only ":${PORT[0]}\$"
	assert_verdicts failed
}

@test "all or nothing, and all: nothing is stopped" {
	start_engines sglang sglang
	start --num-steps 0 --all-or-nothing
	assert_status 0
	assert_asked '[01]' /stop_profile 0
}

@test "status asks and changes nothing" {
	start_engines sglang,ranks=8,role=decode dead vllm
	run_split profile-rollout --router-url "$ROUTER" --action status \
		--format json
	assert_status 1
	assert_verdicts "reachable unreachable unknown"
	assert_output_has '"ranks":8'
	assert_asked '[02]' /st.*_profile 0
	run_split profile-rollout --router-url "$ROUTER" --action status \
		--format json --engine vllm
	assert_verdicts "unknown unreachable reachable"
}

@test "status of what is not an engine says what answered, and fails" {
	start_engines "other,says=<html>nginx</html>" other,status=200,says=hello
	run_split profile-rollout --worker "127.0.0.1:${PORT[0]}" --action status
	assert_status 4
	assert_output_has "0 of 1 worker OK"
	assert_stderr_has "127.0.0.1:${PORT[0]}: unknown: not known to be an engine: HTTP status 404, an HTML page"
	run_split profile-rollout --worker "127.0.0.1:${PORT[1]}" --action status
	assert_status 4
	assert_stderr_has "unknown: not known to be an engine: HTTP status 200, hello"
}

@test "200 with what no engine says is not a start or a stop" {
	start_engines "other,status=200,says=[]" "other,status=200,says={}" sglang
	start --num-steps 0
	assert_status 1
	assert_verdicts "failed failed started"
	assert_stderr_has "failed: not an engine's answer: []"
	stop
	assert_status 1
	assert_verdicts "failed failed stopped"
}

@test "jsonl is an object a worker" {
	start_engines sglang dead
	run_split profile-rollout --router-url "$ROUTER" --action start \
		--format jsonl
	assert_status 1
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 2 ]
	while read -r line; do
		python3 -m json.tool <<<"$line" >/dev/null
	done <<<"${output%$'\n'}"
}

@test "what does not go together is refused" {
	run_split profile-rollout --worker h:1
	assert_status 2
	assert_stderr_has "--action is missing"
	run_split profile-rollout --worker h:1 --action start --wait
	assert_status 2
	assert_stderr_has "--wait needs --output-dir"
	for stages in "" prefill,,decode "decode," "$(printf '%064d' 0)"; do
		run_split profile-rollout --worker h:1 --action start \
			--profile-stages "$stages"
		assert_status 2
		assert_stderr_has "--profile-stages: expected names"
	done
	run_split profile-rollout --worker h:1 --action start --only '('
	assert_status 2
}

@test "nobody is left to ask: status 4" {
	start_engines sglang
	start --only nobody
	assert_status 4
	assert_stderr_has "no worker matches --only or --role"
	run_split profile-rollout --router-url 127.0.0.1:9 --action start
	assert_status 4
}
