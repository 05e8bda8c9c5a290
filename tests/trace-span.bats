# trace-span: spans of commands, and what they leave in the trace file.

# shellcheck disable=SC2016 # expanded by shells inside
load test_helper

setup() {
	unset OBS_TRACE_ID OBS_TRACE_SAMPLE OBS_TRACE_GROUP OBS_TRACE_PARENT
	unset OBS_TRACE_ATTEMPT OBS_TRACE_FD
	export OBS_TRACE_FILE=$TMP/spans.jsonl
	skip_without jq
}

# The values of a jq filter over all records.
records() {
	jq -c "$1" "$OBS_TRACE_FILE"
}

assert_records() {
	[ "$(records "$1")" = "$2" ] || {
		records "$1" >&2
		echo "expected: $2" >&2
		cat "$OBS_TRACE_FILE" >&2
		return 1
	}
}

# Commands ------------------------------------------------------------------

# is_ended_by_term PID: a child of the test's.
is_ended_by_term() {
	local ended=0
	kill -TERM "$1"
	wait "$1" || ended=$?
	[ "$ended" -eq 143 ]
}

@test "a span is around the command, named by it or as it says" {
	trace-span true
	trace-span reward -- sh -c 'exit 0'
	trace-span -- true
	assert_records '[.type, .name]' '["span_start","true"]
["span_end","true"]
["span_start","reward"]
["span_end","reward"]
["span_start","true"]
["span_end","true"]'
	[ "$(records .span_id | uniq | wc -l)" -eq 3 ]
	[ "$(records .trace_id | uniq | wc -l)" -eq 3 ]
}

@test "standard input, output and error are the command's own" {
	run_split trace-span sh -c 'cat; echo err >&2' <<<'in'
	assert_status 0
	assert_output in$'\n'
	[ "${stderr%$'\n'}" = err ]
}

@test "the exit status passes through, and a failure has its attributes" {
	run_split trace-span sh -c 'exit 37'
	assert_status 37
	assert_records 'select(.type == "span_end").attrs' \
		'{"error_type":"exit_status","error_message":"exit status 37"}'
}

@test "a command killed by a signal takes trace-span with it by the same" {
	run_split trace-span sh -c 'kill -KILL $$'
	assert_status 137
	run_split python3 -c 'import subprocess, sys
print(subprocess.run(sys.argv[1:]).returncode)' trace-span sh -c 'kill -USR1 $$'
	assert_output $'-10\n'
	assert_records 'select(.type == "span_end").attrs.error_message' \
		$'"killed by SIGKILL"\n"killed by SIGUSR1"'
}

@test "a command that is not there is 127, one that cannot be run 126" {
	run_split trace-span no-such-command
	assert_status 127
	assert_stderr_lines 1
	assert_stderr_has "trace-span: no-such-command: No such file"
	touch "$TMP/plain"
	run_split trace-span "$TMP/plain"
	assert_status 126
	assert_records 'select(.type == "span_end").attrs.error_type' \
		$'"cannot_run"\n"cannot_run"'
}

@test "a script without an interpreter line runs, as a shell runs it" {
	echo 'echo $((6 * 7))' >"$TMP/script"
	chmod +x "$TMP/script"
	run_split trace-span "$TMP/script"
	assert_status 0
	assert_output $'42\n'
}

@test "a signal sent to trace-span reaches the command" {
	trace-span sh -c 'trap "echo term; exit 9" TERM; echo ready
		while :; do sleep 0.05; done' >"$TMP/out" &
	until grep -q ready "$TMP/out"; do sleep 0.05; done
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 9 ]
	grep -q term "$TMP/out"
}

@test "signals that were ignored stay ignored, others have their default" {
	sh -c 'grep -E "SigIgn|SigBlk" /proc/self/status' >"$TMP/plain"
	trace-span sh -c 'grep -E "SigIgn|SigBlk" /proc/self/status' >"$TMP/spanned"
	assert_same_file "$TMP/plain" "$TMP/spanned"
	(trap '' PIPE HUP
	sh -c 'grep SigIgn /proc/self/status' >"$TMP/plain"
	trace-span sh -c 'grep SigIgn /proc/self/status' >"$TMP/spanned")
	assert_same_file "$TMP/plain" "$TMP/spanned"
}

@test "in an interactive shell it stops, goes on and is interrupted as one job" {
	skip_without bash python3
	cat >"$TMP/job" <<-'EOF'
		trap 'echo got-cont' CONT
		trap 'echo got-int; exit 5' INT
		echo began
		while :; do sleep 0.1; done
	EOF
	run_split "$ROOT/tests/job_control.py" "trace-span job -- sh $TMP/job" \
		WAIT:began TYPE:^Z WAIT:Stopped 'WAIT:READY>' 'TYPE:fg\n' \
		WAIT:got-cont TYPE:^C WAIT:got-int 'WAIT:READY>' \
		'TYPE:echo status $?\n' 'WAIT:status 5' || true
	assert_status 0
	[ "$(grep -o got-int <<<"$output" | wc -l)" -eq 1 ]
	assert_records 'select(.type == "span_end").attrs.error_message' \
		'"exit status 5"'
}

@test "a stop sent to trace-span alone stops the command as well" {
	# In a group of its own whose parent is in another one: to a group of
	# orphans, which ours may be, the system sends no stop.
	set -m
	trace-span sh -c 'echo $$; exec sleep 30' >"$TMP/pid" 3>&- &
	set +m
	until [ -s "$TMP/pid" ]; do sleep 0.05; done
	kill -TSTP $!
	until grep -q '^State:.T' "/proc/$!/status" &&
		grep -q '^State:.T' "/proc/$(cat "$TMP/pid")/status"; do
		sleep 0.05
	done
	kill -CONT $!
	until grep -q '^State:.S' "/proc/$(cat "$TMP/pid")/status"; do
		sleep 0.05
	done
	is_ended_by_term $!
}

@test "what the command sends its group does not come back to it" {
	setsid trace-span sh -c 'trap "echo got" TERM; kill -TERM 0
		sleep 0.2; sleep 0.2; exit 3' >"$TMP/out" || [ $? -eq 3 ]
	[ "$(cat "$TMP/out")" = got ]
	assert_records 'select(.type == "span_end").attrs.error_message' \
		'"exit status 3"'
}

@test "a signal ends the wait for output that others hold" {
	mkfifo "$TMP/held"
	trace-span --sglang-meta sh -c 'cat "$1" & echo $!' sh "$TMP/held" \
		>"$TMP/pid" &
	exec 8>"$TMP/held"
	until [ -s "$TMP/pid" ] && ! pgrep -P $! >"$TMP/left"; do
		sleep 0.05
	done
	is_ended_by_term $!
	exec 8>&-
	assert_records '[.type, .attrs]' \
		$'["span_start",null]\n["span_end",null]'
}

@test "a signal that ends the command does not wait for who reads it" {
	mkfifo "$TMP/slow"
	# More than the pipe to the reader takes.
	trace-span --sglang-meta sh -c 'head -c 100000 /dev/zero; : >"$1"
		exec sleep 100' sh "$TMP/written" >"$TMP/slow" &
	exec 8<"$TMP/slow"
	until [ -e "$TMP/written" ]; do sleep 0.05; done
	is_ended_by_term $!
	exec 8<&-
	assert_records 'select(.type == "span_end").attrs.error_message' \
		'"killed by SIGTERM"'
}

# Attributes ----------------------------------------------------------------

@test "attributes are numbers, literals, JSON or text" {
	trace-span --event e -a i=5 -a d=-2.5e-1 -a t=true -a n=null -a s=hi \
		-a zero=007 -a plus=+1 -a huge=1e999 -a e= -a 'u=é=1' \
		-a 'j:={"a": [1, {"b": "x"}],
 "c": null}' -a i=6
	assert_records .attrs '{"i":6,"d":-0.25,"t":true,"n":null,"s":"hi","zero":"007","plus":"+1","huge":"1e999","e":"","u":"é=1","j":{"a":[1,{"b":"x"}],"c":null}}'
}

@test "attributes go to the start, the end, and come from the command" {
	trace-span -a a=1 --end-attr b=2 sh -c \
		'printf "c=3\nd:=[4]\nb=5\nlast=x" >&$OBS_TRACE_FD'
	assert_records .attrs '{"a":1}
{"b":5,"c":3,"d":[4],"last":"x"}'
}

@test "a line of the command that is no attribute is said, not its failure" {
	run_split trace-span sh -c 'echo nonsense >&$OBS_TRACE_FD'
	assert_status 0
	assert_stderr_has "'nonsense' is not NAME=VALUE"
}

@test "a zero byte does not cut a line of the command short" {
	run_split trace-span sh -c \
		'printf "a=1\nb\0b=2\nc=3\0x\n\0d=4\n" >&$OBS_TRACE_FD'
	assert_status 0
	assert_stderr_lines 3
	assert_records 'select(.type == "span_end").attrs' '{"a":1}'
}

@test "a line of the command that is too long is said, those around it count" {
	run_split trace-span sh -c '{ echo a=1; printf big=
		head -c 1100000 /dev/zero | tr "\\0" x; echo; echo b=2; } >&$OBS_TRACE_FD'
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "skipped a line longer than 1048576 bytes"
	assert_records 'select(.type == "span_end").attrs' '{"a":1,"b":2}'
}

@test "a malformed attribute is a usage error before the command runs" {
	for bad in x =1 'x:={' ':=1'; do
		run_split trace-span -a "$bad" touch "$TMP/ran"
		assert_status 2
		assert_stderr_has NAME=VALUE
	done
	[ ! -e "$TMP/ran" ]
	[ ! -e "$OBS_TRACE_FILE" ]
}

# Whose it is ---------------------------------------------------------------

@test "commands inside are recorded below, of the same sample and group" {
	trace-span --sample 17 --group 2 outer -- sh -c \
		'cd / && trace-span inner -- trace-span --event deep'
	assert_records '[.type, .name, .sample_id, .group_id, .attempt]' \
		'["span_start","outer",17,2,0]
["span_start","inner",17,2,0]
["event","deep",17,2,0]
["span_end","inner",17,2,0]
["span_end","outer",17,2,0]'
	jq -se '.[1].parent_span_id == .[0].span_id and
		.[2].parent_span_id == .[1].span_id and
		(.[0] | has("parent_span_id") | not)' "$OBS_TRACE_FILE"
}

@test "several samples get one span each, another sample begins anew" {
	trace-span -s 1,2 -s x batch -- sh -c 'trace-span -s 2 other -- true'
	assert_records 'select(.type == "span_start") |
		[.name, .sample_id, has("parent_span_id")]' \
		'["batch",1,false]
["batch",2,false]
["batch","x",false]
["other",2,false]'
}

@test "places of a list that are empty name no sample" {
	OBS_TRACE_SAMPLE=',3,,x,' trace-span --event e
	OBS_TRACE_SAMPLE=',2' OBS_TRACE_ID=t,,u trace-span --event f
	assert_records '[.name, .trace_id, .sample_id]' \
		'["e",null,3]
["e",null,"x"]
["f","t",null]
["f",null,2]
["f","u",null]'
	rm "$OBS_TRACE_FILE"
	# Who names none is told from others who do not either.
	for list in "," ",,"; do
		OBS_TRACE_SAMPLE=$list OBS_TRACE_ID=$list trace-span --event e
	done
	[ "$(records .trace_id | grep -cx '"[0-9a-f]\{32\}"')" -eq 2 ]
	[ "$(records .trace_id | sort -u | wc -l)" -eq 2 ]
}

@test "a next attempt comes after the last one in the file" {
	trace-span -s 4 gen -- true
	for _ in 1 2; do
		trace-span -s 4 --next-attempt gen -- trace-span --event inside
	done
	trace-span -s 5 --next-attempt gen -- true
	assert_records 'select(.type != "span_end") | [.sample_id, .attempt]' \
		'[4,0]
[4,1]
[4,1]
[4,2]
[4,2]
[5,1]'
}

# The file ------------------------------------------------------------------

@test "without a file the command runs and nothing is recorded" {
	unset OBS_TRACE_FILE
	run_split trace-span sh -c 'echo "${OBS_TRACE_FILE-none}"; exit 3'
	assert_status 3
	assert_output $'none\n'
	[ -z "$stderr" ]
}

@test "a file that cannot be appended to is said and does not stop anything" {
	mkfifo "$TMP/fifo"
	for file in "$TMP" "$TMP/no/such" "$TMP/fifo"; do
		run_split trace-span --file "$file" sh -c 'echo ran'
		assert_status 0
		assert_output $'ran\n'
		assert_stderr_lines 1
	done
}

@test "a full disk loses records, not the command" {
	run_split trace-span --file /dev/full sh -c 'echo ran'
	assert_status 0
	assert_output $'ran\n'
	assert_stderr_has "2 records could not be written"
}

@test "a limit on files loses records, not the command" {
	skip_with_counters
	run_split sh -c '(ulimit -f 0
		trace-span --file "$1" sh -c "echo ran" 2>&1) | cat' \
		sh "$TMP/limited"
	assert_output $'ran\ntrace-span: 2 records could not be written\n'
}

@test "a torn end does not damage what is appended behind it" {
	printf '{"type":"span_sta' >"$OBS_TRACE_FILE"
	trace-span --event after
	[ "$(wc -l <"$OBS_TRACE_FILE")" -eq 2 ]
	# A writer that had the file open then did not see the torn record.
	printf '{"type":"span_start","name":"a{' >>"$OBS_TRACE_FILE"
	printf '{"type":"event","name":"glued","ts":5,"trace_id":"a"}\n' \
		>>"$OBS_TRACE_FILE"
	run_split trace-span --collect "$OBS_TRACE_FILE"
	assert_status 1
	assert_stderr_lines 2
	assert_stderr_has "spans.jsonl:1: "
	assert_stderr_has "spans.jsonl:3: a truncated record before a complete one"
	[ "$(jq -c '[.samples[].trace.events[].name]' <<<"$output")" = \
		'["after","glued"]' ]
}

# bats test_tags=long
@test "16 processes with 250 spans each lose and tear nothing" {
	# shellcheck disable=SC2016 # expanded by the inner shell
	seq 16 | xargs -P 16 -I{} sh -c 'i=0
		while [ $i -lt 250 ]; do
			i=$((i + 1))
			trace-span -s {} -a i=$i work -- true || exit 255
		done'
	[ "$(grep -c '^{.*}$' "$OBS_TRACE_FILE")" -eq 8000 ]
	run_split trace-span --collect "$OBS_TRACE_FILE"
	assert_status 0
	[ "$(jq -c '[.samples[].trace.events | length] | unique' <<<"$output")" = \
		'[500]' ]
	[ "$(jq '[.samples[].trace.events[].attrs.i | numbers] | add' \
		<<<"$output")" -eq 502000 ]
}

# What SGLang said ----------------------------------------------------------

# generation FILE: what passes is FILE, then the span's attributes.
generation() {
	trace-span --sglang-meta sglang_generate -- cat "$DATA/sglang/$1" \
		>"$TMP/passed"
	cmp "$DATA/sglang/$1" "$TMP/passed"
}

@test "an answer of /generate passes unchanged and leaves its timings" {
	generation generate.json
	assert_records 'select(.name == "sglang_generate" and
		.type == "span_end").attrs' \
		'{"prompt_tokens":8192,"completion_tokens":402,"cached_tokens":0,"queue_time":0.012,"e2e_latency":7.902,"finish_reason":"stop","sglang_request_id":"req-1"}'
	assert_records 'select(.name | startswith("sglang_pd")) |
		select(.type != "span_start") | [.name, .attrs]' \
		"$(cat "$DATA/sglang/generate.pd")"
	trace-timeline --format cache "$OBS_TRACE_FILE" |
		jq -c '.rows[0] | .start as $start | .items[] |
			select(.type == "span" and .lane > 0) |
			[.name, .parent_span_name,
			 ((.start_ts - $start) * 1000 | round),
			 ((.end_ts - $start) * 1000 | round)]' >"$TMP/laid"
	assert_same_file "$DATA/sglang/generate.laid" "$TMP/laid"
}

@test "a stream of events is passed on, and its last values count" {
	generation stream.sse
	assert_records 'select(.type == "span_end").attrs' \
		'{"prompt_tokens":5,"completion_tokens":3,"cached_tokens":1,"queue_time":0.01,"e2e_latency":0.5,"finish_reason":"length","sglang_request_id":"req-2"}'
	rm "$OBS_TRACE_FILE"
	generation chat.sse
	assert_records 'select(.type == "span_end").attrs' \
		'{"prompt_tokens":9,"completion_tokens":4,"cached_tokens":8,"finish_reason":"stop","sglang_request_id":"c-1"}'
}

@test "JSONL and lists of answers are read, and the last one counts" {
	local answers='{"meta_info":{"id":"a","e2e_latency":1}}
{"meta_info":{"id":"b","queue_time":2}}'
	for text in "$answers" "[${answers/$'\n'/,}]"; do
		rm -f "$OBS_TRACE_FILE"
		trace-span --sglang-meta sh -c 'printf %s "$1"' sh "$text" \
			>"$TMP/passed"
		[ "$(cat "$TMP/passed")" = "$text" ]
		assert_records 'select(.type == "span_end").attrs' \
			'{"queue_time":2,"sglang_request_id":"b"}'
	done
}

@test "a byte order mark is passed over, in JSON and in a stream" {
	for text in '{"meta_info":{"queue_time":2}}' \
		'data: {"meta_info":{"queue_time":2}}'; do
		rm -f "$OBS_TRACE_FILE"
		trace-span --sglang-meta printf '\357\273\277%s' "$text" \
			>"$TMP/passed"
		[ "$(wc -c <"$TMP/passed")" -eq $((3 + ${#text})) ]
		assert_records 'select(.type == "span_end").attrs' \
			'{"queue_time":2}'
	done
}

@test "each byte passes at once, before the answer ends" {
	mkfifo "$TMP/in" "$TMP/out"
	trace-span --sglang-meta cat <"$TMP/in" >"$TMP/out" &
	exec 8>"$TMP/in" 9<"$TMP/out"
	printf 'data: {"x' >&8
	read -r -N 9 -t 20 got <&9
	[ "$got" = 'data: {"x' ]
	exec 8>&-
	wait $!
	exec 9<&-
}

@test "what is no answer passes unchanged, and is said" {
	head -c 300000 /dev/urandom >"$TMP/noise"
	run_split sh -c 'trace-span --sglang-meta cat "$1" >"$2"' sh \
		"$TMP/noise" "$TMP/passed"
	assert_status 0
	assert_stderr_lines 1
	cmp "$TMP/noise" "$TMP/passed"
	run_split trace-span --sglang-meta sh -c 'echo "<html>502</html>"; exit 22'
	assert_status 22
	assert_output $'<html>502</html>\n'
}

@test "a reader that leaves ends the command by SIGPIPE, as without" {
	run_split bash -c 'trace-span --sglang-meta yes | head -n 1
		echo "${PIPESTATUS[0]}"'
	assert_output $'y\n141\n'
	run_split sh -c 'trace-span --sglang-meta echo hi >/dev/full'
	assert_status 4
	assert_stderr_has "No space left"
}

# Reading -------------------------------------------------------------------

# A small rollout by trace-span: nested, failed, open, with points.
record_rollout() {
	for sample in 0 1; do
		trace-span -s "$sample" -g 0 generate_and_rm -- sh -c '
			trace-span --sglang-meta sglang_generate -- \
				cat "$DATA/sglang/generate.json" >"$TMP/answer"
			trace-span --event tool_call -a "tool=py é"
			trace-span reward -- sh -c "exit 2"
			trace-span left_open -- sh -c "kill -KILL \$PPID"
			exit 0' 2>"$TMP/killed"
	done
	trace-span --event alone -a n=1
}

@test "the cache of what was recorded is what slime's viewer computes" {
	record_rollout
	trace-span --collect "$OBS_TRACE_FILE" >"$TMP/samples.json"
	python3 "$ROOT/tests/slime_viewer.py" "$TMP/samples.json" >"$TMP/expected"
	[ "$(jq '[.[].open_span_count] | add' "$TMP/expected")" -eq 2 ]
	for input in "$TMP/samples.json" "$OBS_TRACE_FILE"; do
		trace-timeline --format cache "$input" >"$TMP/cache"
		jq -S --indent 1 --slurpfile expected "$TMP/expected" \
			'[.rows, $expected[0]] | transpose | map(. as $pair |
			 $pair[0] | with_entries(select(.key as $key |
			 $pair[1] | has($key))))' "$TMP/cache" >"$TMP/rows"
		jq -S --indent 1 . "$TMP/expected" >"$TMP/expected.rows"
		assert_same_file "$TMP/expected.rows" "$TMP/rows"
	done
}

@test "obs-perfsum counts recorded requests like a trainer's" {
	record_rollout
	run_split obs-perfsum "$OBS_TRACE_FILE"
	assert_status 0
	[ "$(jq -c '[."perf/request/count", ."perf/request/profiled_count",
		."perf/request/e2e_latency/max",
		."perf/prefill/forward_duration/mean",
		."perf/prefill/retry_count/max"]' <<<"$output")" = \
		'[2,2,7.902,0.96,0]' ]
}

@test "the Chrome trace of what was recorded is one" {
	record_rollout
	trace-timeline --format chrome "$OBS_TRACE_FILE" >"$TMP/chrome.json"
	python3 "$ROOT/tests/chrome_check.py" "$TMP/chrome.json"
}

@test "records join a dump's samples by trace id, else by index" {
	trace-timeline --format cache "$DATA/demo.pt" >"$TMP/plain"
	id=$(jq -r '.rows[2].trace_id' "$TMP/plain")
	index=$(jq -r '.rows[5].sample_index' "$TMP/plain")
	trace-span --trace-id "$id" --event by_trace
	trace-span --sample "$index" --event by_index
	trace-span --sample 999 --event by_none
	trace-timeline --format cache --with "$OBS_TRACE_FILE" "$DATA/demo.pt" \
		>"$TMP/mixed"
	[ "$(jq -c '[.rows[] | .row_id as $row | .items[].name |
		select(startswith("by_")) | [$row, .]]' "$TMP/mixed")" = \
		'[[2,"by_trace"],[5,"by_index"],[12,"by_none"]]' ]
	# Rows without records are as before.
	[ "$(jq -c '.rows[0,1,3]' "$TMP/plain")" = \
		"$(jq -c '.rows[0,1,3]' "$TMP/mixed")" ]
	generation generate.json
	[ "$(obs-perfsum --with "$OBS_TRACE_FILE" "$DATA/demo.pt" |
		jq '."perf/request/count"')" -eq \
		$(($(obs-perfsum "$DATA/demo.pt" |
			jq '."perf/request/count"') + 1)) ]
}

@test "records of any trace join a sample whose trace the dump lacks" {
	trace-span --trace-id t1 -s 1 --event first
	trace-span --trace-id t2 -s 1 --event second
	trace-span -s 2 --event bare
	echo '{"samples":[{"index":1},{"response":"x"},{}]}' >"$TMP/dump.json"
	trace-timeline --format cache --with "$OBS_TRACE_FILE" "$TMP/dump.json" \
		>"$TMP/mixed"
	[ "$(jq -c '[.rows[] | [.row_id, .sample_index, .items[].name]]' \
		"$TMP/mixed")" = '[[0,1,"first","second"],[2,2,"bare"]]' ]
}

@test "a page with records is not what a dump's own page is made of" {
	cp "$DATA/demo.pt" "$TMP/a.pt"
	trace-span -s 5 --event only_with
	for more in "--with $OBS_TRACE_FILE" ''; do
		trace-timeline --no-serve --rebuild "$TMP/a.pt" 2>"$TMP/log"
		# shellcheck disable=SC2086 # words
		trace-timeline $more -o "$TMP/a.trace_timeline_viewer.html" \
			"$TMP/a.pt"
		trace-timeline -v --no-serve "$TMP/a.pt" 2>>"$TMP/fresh"
	done
	[ "$(grep -c "a.pt: the page is up to date" "$TMP/fresh")" -eq 1 ]
}

@test "standard input cannot be both the dump and its records" {
	for words in '--with - -' '--with -' '--with - --with - dump'; do
		for program in trace-timeline obs-perfsum; do
			# shellcheck disable=SC2086 # words
			run_split "$program" $words <"$DATA/demo.pt"
			assert_status 2
			assert_stderr_has "standard input can be read once"
		done
	done
	trace-span -s 999 --event e
	[ "$(trace-timeline -f cache --with - "$DATA/demo.pt" \
		<"$OBS_TRACE_FILE" | jq .sample_count)" -eq 13 ]
	[ "$(trace-timeline -f cache --with "$OBS_TRACE_FILE" \
		<"$DATA/demo.pt" | jq .sample_count)" -eq 13 ]
}

@test "records that cannot be read fail --with, a bad line is left out" {
	run_split trace-timeline --format summary --with "$TMP/none" \
		"$DATA/demo.pt"
	assert_status 4
	assert_stderr_has "$TMP/none: cannot open"
	echo nonsense >"$TMP/bad"
	run_split trace-timeline --format summary --with "$TMP/bad" \
		"$DATA/demo.pt"
	assert_status 3
	refute_output
	assert_stderr_lines 1
	assert_stderr_has "$TMP/bad:1: "
	run_split trace-timeline --format summary --with "$DATA/demo.pt" \
		"$DATA/demo.pt"
	assert_status 3
	refute_output
	assert_stderr_lines 1
	assert_stderr_has "demo.pt: no trace records: this is a zip archive"
	echo '{"type":"event","name":"x","ts":1,"trace_id":"a"}' >>"$TMP/bad"
	run_split trace-timeline --format summary --with "$TMP/bad" \
		"$DATA/demo.pt"
	assert_status 1
	assert_stderr_has "$TMP/bad:1: "
	assert_output_has "rows        13"
	: >"$TMP/empty"
	run_split trace-timeline --format summary --with "$TMP/empty" \
		"$DATA/demo.pt"
	assert_status 1
	assert_stderr_has "$TMP/empty: no trace records: the file is empty"
	cp "$DATA/demo.pt" "$TMP/other.pt"
	run_split obs-perfsum --with "$TMP/bad" "$DATA/demo.pt" "$TMP/other.pt"
	assert_status 2
}

@test "records on another clock than the dump are reported, and how far off" {
	local at
	dump() {
		echo "{\"samples\":[{\"index\":1,\"trace\":{\"events\":[{\"type\":`
			`\"event\",\"name\":\"x\",\"ts\":1787000000}]}}]}" >"$TMP/dump.json"
	}
	record() {
		echo "{\"type\":\"event\",\"name\":\"r\",\"sample_id\":1,\"ts\":$1}" \
			>"$TMP/records"
	}
	dump
	# shellcheck disable=SC2086 # with an option
	for program in trace-timeline "obs-perfsum --breakdown"; do
		record 86400
		run_split $program --with "$TMP/records" "$TMP/dump.json"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "$TMP/records: the recording ends 56.6 years before the dump begins"
		record 1787007200
		run_split $program --with "$TMP/records" "$TMP/dump.json"
		assert_stderr_has "$TMP/records: the recording begins 2 hours after the dump ends"
		for at in 1786999941 1787000000 1787000059; do
			record "$at"
			run_split $program --with "$TMP/records" "$TMP/dump.json"
			assert_stderr_lines 0
		done
	done
}

@test "stray records far from the dump's time are skipped, and that is said" {
	local at program
	echo '{"samples":[{"index":1,"trace":{"trace_id":"t","events":[
		{"type":"span_start","name":"g","span_id":"a","ts":1787000000},
		{"type":"span_end","name":"g","span_id":"a","ts":1787000010}]}}]}' |
		tr -d '\n' >"$TMP/dump.json"
	# records TRACE TIME...: one in the dump's time, and others.
	records() {
		local trace=$1
		shift
		printf '{"type":"event","name":"r","trace_id":"t","ts":%s}\n' \
			1787000005 >"$TMP/records"
		printf '{"type":"event","name":"r","trace_id":"'"$trace"'","ts":%s}\n' \
			"$@" >>"$TMP/records"
	}
	wall() {
		run_split obs-perfsum --breakdown -f json --with "$TMP/records" \
			"$TMP/dump.json"
		assert_status 0
		[ "$(jq -c '[.breakdown.wall, .breakdown.samples]' <<<"$output")" = "$1" ]
	}
	# Of a sample that is not in the dump; from a minute on.
	records other 1787086410
	wall '[10,1]'
	assert_stderr_lines 1
	assert_stderr_has "$TMP/records: skipped 1 of the 2 records, up to 1 day after the time of the dump"
	records other 1786999930
	sed 's/other/late/; s/1786999930/1787000090/; 1d' "$TMP/records" \
		>"$TMP/late"
	cat "$TMP/late" >>"$TMP/records"
	wall '[10,1]'
	assert_stderr_has "skipped 2 of the 3 records, up to 1.17 minutes before and up to 1.33 minutes after the time of the dump"
	records other 1787000050
	wall '[50,2]'
	assert_stderr_lines 0
	# Of one that is; from an hour on.
	records t 1787086410 1787001810
	wall '[1810,1]'
	assert_stderr_lines 1
	assert_stderr_has "skipped 1 of the 3 records, up to 1 day after"
	run_split trace-timeline -f cache -o - --with "$TMP/records" \
		"$TMP/dump.json"
	assert_status 0
	assert_stderr_has "skipped 1 of the 3 records, up to 1 day after"
	[ "$(grep -o 1787086410 <<<"$output" | wc -l)" -eq 0 ]
	records t 1787001810
	wall '[1810,1]'
	assert_stderr_lines 0
}

@test "--collect reads several files and stdin, and says what it cannot read" {
	trace-span --file "$TMP/a" -s 1 --event a
	trace-span --file "$TMP/b" -s 1 --event b
	run_split trace-span --collect "$TMP/a" - "$TMP/none" <"$TMP/b"
	assert_status 1
	assert_stderr_lines 1
	[ "$(jq -c '[.samples[] | .index, (.trace.events[].name)]' \
		<<<"$output")" = '[1,"a","b"]' ]
	run_split trace-span --collect "$TMP/none"
	assert_status 4
	refute_output
}

@test "a name without -- before its command is told from a command" {
	run_split trace-span reward ./score.sh
	assert_status 127
	assert_stderr_has "reward: No such file or directory; is '--' missing before"
	run_split trace-span reward -- ./no-such-file x
	assert_status 127
	[[ $stderr != *missing* ]]
}

@test "nothing is appended to a dump, and an empty --file is reported" {
	cp "$DATA/demo.pt" "$TMP/demo.pt"
	printf '\x80\x02}.' >"$TMP/dump.pkl"
	for file in demo.pt dump.pkl; do
		cp "$TMP/$file" "$TMP/before"
		run_split trace-span --file "$TMP/$file" --event e
		assert_status 0
		assert_stderr_has "cannot record: not a file of text"
		cmp "$TMP/before" "$TMP/$file"
	done
	run_split trace-span --file '' --event e
	assert_status 0
	assert_stderr_has "--file is empty: nothing is recorded"
}

@test "records behind a torn first line are read by every program" {
	local line program
	trace-span --file "$TMP/good" a -- true
	for line in '{"type":"span_st' garbage '{"a":' '12 x'; do
		{
			echo "$line"
			cat "$TMP/good"
		} >"$TMP/torn"
		for program in "obs-perfsum --breakdown -f json" \
			"trace-timeline -f cache -o -"; do
			# shellcheck disable=SC2086 # words
			run_split $program "$TMP/torn"
			assert_status 1
			assert_stderr_has "$TMP/torn:1: "
			assert_output_has '"a"'
		done
	done
}

@test "options may follow the files of --collect, but not a command" {
	cd "$TMP" || return
	trace-span --file a a -- true
	trace-span --file b b -- true
	run_split trace-span --collect a -o out b
	assert_status 0
	refute_output
	[ "$(jq '.samples | length' out)" -eq 2 ]
	run_split trace-span --collect a --bogus
	assert_status 2
	assert_stderr_has "unknown option --bogus"
	run_split trace-span --collect a --event e
	assert_status 2
	assert_stderr_has "--collect records nothing"
	run_split trace-span --collect -- a -o
	assert_status 1
	assert_stderr_has "-o: cannot open"
	run_split trace-span echo -o out
	assert_status 0
	assert_output $'-o out\n'
}

@test "--collect writes nothing when no line is a record" {
	printf '%s\n' '{}' '{"type":"event","ts":NaN}' \
		'{"type":"event","ts":1e999}' >"$TMP/rubbish"
	: >"$TMP/empty"
	for words in "$TMP/rubbish" "$TMP/empty $TMP/rubbish" "$DATA/demo.pt" \
		"$DATA/view.json"; do
		# shellcheck disable=SC2086 # words
		run_split trace-span --collect -o "$TMP/out" $words
		assert_status 3
		[ "$(wc -l <<<"$stderr")" -le 3 ] || fail_with "$words"
		[ ! -e "$TMP/out" ]
	done
	run_split trace-span --collect "$TMP/rubbish"
	refute_output
	assert_stderr_has "$TMP/rubbish: no trace records: none of its 3 lines is one; line 1: "
	for words in '# TYPE t gauge' '# HELP t T' '# obs-scrape stream'; do
		printf '%s\nt 1\n' "$words" >"$TMP/metrics"
		run_split trace-span --collect "$TMP/metrics"
		assert_status 3
		assert_stderr_has "$TMP/metrics: no trace records: this is Prometheus text, which trace-timeline --metrics shows"
	done
	run_split trace-span --collect "$TMP/none" "$TMP/empty"
	assert_status 4
	refute_output
}

@test "--collect of an empty file is empty, and says so" {
	run_split trace-span --collect </dev/null
	assert_status 0
	assert_output $'{"samples":[]}\n'
	assert_stderr_has "-: no trace records: the file is empty"
}

@test "--collect says ten of many bad lines, then how many more" {
	seq 100 >"$TMP/a"
	trace-span --file "$TMP/a" -s 1 --event a
	run_split trace-span --collect "$TMP/a"
	assert_status 1
	assert_stderr_lines 11
	assert_stderr_has "$TMP/a: 90 more bad records"
	[ "$(jq -c '[.samples[].index]' <<<"$output")" = '[1]' ]
	# A sample that an earlier file has, too, is one.
	trace-span --file "$TMP/b" -s 1 --event b
	echo x >>"$TMP/b"
	run_split trace-span --collect "$TMP/a" "$TMP/b"
	assert_stderr_has "$TMP/b:2: "
	[[ $stderr != *"none of"* ]]
}

@test "options that make no sense together are usage errors" {
	for words in '' 'NAME --' '--event e true' '--event e --sglang-meta' \
		'--event e --end-attr a=1' '--collect --event e' '-o x true'; do
		# shellcheck disable=SC2086 # words
		run_split trace-span $words </dev/null
		assert_status 2
	done
}

@test "deep records and attributes need no more stack than there is" {
	local deep
	deep=$(printf '[%.0s' {1..890})1$(printf ']%.0s' {1..890})
	echo "{\"type\":\"event\",\"name\":\"x\",\"ts\":1,\"attrs\":{\"d\":$deep}}" \
		>"$TMP/deep"
	for limit in 64 192 8192; do
		(
			ulimit -s "$limit"
			trace-span --collect "$TMP/deep" | grep -c '\[\[1\]\]'
			trace-span --file "$TMP/file" -a "d:=$deep" x -- true
		)
	done
	[ "$(grep -c '\[\[1\]\]' "$TMP/file")" -eq 3 ]
}

@test "records of which none can be used end each reader with status 3" {
	local program line
	for line in '{"type":"event","ts":NaN}' \
		'{"type":"event","ts":1,"name":"'$'\x1b''"}' \
		'{"type":"span_start","ts":-Infinity,"trace_id":"a"}'; do
		printf '%s\n' "$line" >"$TMP/records"
		for program in obs-perfsum "trace-timeline -f summary" \
			"trace-span --collect"; do
			# shellcheck disable=SC2086 # words
			run_split timeout 20 $program "$TMP/records"
			assert_status 3
			refute_output
			[ "$(wc -l <<<"$stderr")" -le 3 ]
		done
	done
}

@test "records behind a byte order mark are read by each program" {
	printf '\xef\xbb\xbf%s\n' '{"type":"event","name":"x","ts":1,"trace_id":"a"}' \
		>"$TMP/records"
	for program in "obs-perfsum --breakdown" "trace-timeline -f summary" \
		"trace-span --collect"; do
		# shellcheck disable=SC2086 # words
		run_split $program "$TMP/records"
		assert_status 0
		assert_stderr_lines 0
	done
}

@test "--collect reads a file that is given twice once, with a warning" {
	trace-span --file "$TMP/a" -s 1 --event a
	run_split trace-span --collect "$TMP/a" "$TMP/./a"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "a: this file is given twice; it is read once"
	[ "$(jq -c '[.samples[].trace.events[].name]' <<<"$output")" = '["a"]' ]
}
