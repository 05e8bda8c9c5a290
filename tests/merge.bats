# trace-timeline --merge: engines' profiles and a rollout's spans on one clock.

load test_helper

setup() {
	cat >"$TMP/dump.json" <<-'END'
		{"samples": [{"index": 4, "group_index": 2, "trace": {"events": [
		{"type": "span_start", "name": "gen", "ts": 1787000000.25,
		 "span_id": "a"},
		{"type": "span_end", "name": "gen", "ts": 1787000001.5,
		 "span_id": "a"}]}}]}
	END
}

# trace NAME EVENTS [MORE]: a profile of the engine in directory NAME
trace() {
	mkdir -p "$TMP/$1"
	echo "{\"traceEvents\": [$2]${3:-, \"baseTimeNanoseconds\": $BASE}}" \
		>"$TMP/$1/7-TP-0.trace.json"
}
BASE=1782967788000000000

# x TS [PID [TID [MORE]]]: a complete event
x() {
	echo "{\"ph\":\"X\",\"name\":\"k\",\"ts\":$1,\"dur\":1.5,`
		`\"pid\":${2:-0},\"tid\":${3:-7}${4:-}}"
}

# merge [OPERAND]...: the merged events but metadata, a line each: process,
# thread, phase, name, ts as it is written, id
merge() {
	local code=0
	trace-timeline --merge "$@" "$TMP/dump.json" >"$TMP/merged" || code=$?
	[ "$code" -le 1 ] || return "$code"
	python3 - "$TMP/merged" <<-'END'
		import json, sys
		def refuse(constant):
		    raise ValueError(constant)
		t = json.load(open(sys.argv[1]), parse_constant=refuse,
		              parse_float=str)
		names = {e["pid"]: e["args"]["name"] for e in t["traceEvents"]
		         if e["name"] == "process_name"}
		print("from", t["otherData"]["earliest_unix_s"])
		for e in t["traceEvents"]:
		    assert type(e["pid"]) is int and type(e["tid"]) is int
		    if e["ph"] != "M":
		        print(names[e["pid"]], e["tid"], e["ph"], e["name"],
		              e["ts"], *([e["id"]] if "id" in e else []))
	END
	return "$code"
}

@test "both are on one clock, to the nanosecond" {
	trace w0 "$(x 4032212000000.123), $(x 4032212000250.001)"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	assert_output "from 1787000000.000000
group 2 1 X gen 250000
w0 TP-0 / 0 7 X k 0.123
w0 TP-0 / 0 7 X k 250.001
"
}

@test "a profile that is later than the rollout moves nothing" {
	trace w0 "$(x 4032213000000.5)"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_output "from 1787000000.250000
group 2 1 X gen 0
w0 TP-0 / 0 7 X k 750000.500
"
}

@test "without a base, or with 0, times are Unix time" {
	trace w0 "$(x 1787000001250000.5)" " "
	trace w1 "$(x 1787000001250000)" ', "baseTimeNanoseconds": 0'
	run_split merge "$TMP"/w?/*
	assert_output_has "w0 TP-0 / 0 7 X k 1000000.500"
	assert_output_has "w1 TP-0 / 0 7 X k 1000000.000"
}

@test "bases on either side of a boundary come to the same time" {
	trace w0 "$(x 4032212000000)"
	trace w1 "$(x 11921450000000)" ', "baseTimeNanoseconds": 1775078550000000000'
	run_split merge "$TMP"/w?/*
	assert_output_has "w0 TP-0 / 0 7 X k 0.000"
	assert_output_has "w1 TP-0 / 0 7 X k 0.000"
}

@test "equal pids of two files are two processes, named by file and device" {
	local names='{"ph":"M","name":"process_name","pid":0,"tid":0,
		"args":{"name":"python"}},
		{"ph":"M","name":"process_labels","pid":0,"tid":0,
		"args":{"labels":"GPU 0"}},
		{"ph":"M","name":"process_labels","pid":42,"tid":0,
		"args":{"labels":"CPU"}},
		{"ph":"M","name":"process_name","pid":42,"tid":0,
		"args":{"name":"sglang::\u0073"}}'
	trace w0 "$names, $(x 4032212000000), $(x 4032212000000 42 42)"
	trace w1 "$(x 4032212000000), $names"
	run_split merge "$TMP"/w?/*
	assert_status 0
	assert_output_has "w0 TP-0 / GPU 0 7 X k"
	assert_output_has "w0 TP-0 / sglang::s 42 42 X k"
	assert_output_has "w1 TP-0 / GPU 0 7 X k"
	[ "$(grep -o process_name "$TMP/merged" | wc -l)" -eq 5 ]
}

@test "text for pid and tid, negative and huge ones become numbers" {
	trace w0 "$(x 4032212000000 '"Traces"' '"Trace Profiler"'),
		$(x 4032212000000 -1 140012345678912), $(x 4032212000000 '""' '""')"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	assert_output_has "w0 TP-0 / Traces 2147483648 X k"
	assert_output_has "w0 TP-0 / -1 2147483649 X k"
	assert_output_has "w0 TP-0 / marks 2147483650 X k"
	grep -q '"name":"Trace Profiler"' "$TMP/merged"
}

@test "pids, tids, names and labels that are not text leave the JSON whole" {
	local odd='{"a": "b\"c", "d": ["\u00e9é"]}'
	trace w0 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5,
		\"args\":{\"name\":$odd}},
		{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":6,
		\"args\":{\"labels\":$odd}},
		$(x 4032212000000 5), $(x 4032212000000 6),
		$(x 4032212000000 "$odd" "$odd"), $(x 4032212000000 '["p"]')"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	assert_output_has "w0 TP-0 / $odd 5 7 X k"
	assert_output_has "w0 TP-0 / $odd 7 X k"
	assert_output_has "w0 TP-0 / $odd 2147483648 X k"
	assert_output_has 'w0 TP-0 / ["p"] 7 X k'
}

@test "flows stay together and do not meet those of another file" {
	local flow='{"ph":"s","id":77,"name":"a","pid":1,"tid":1,"ts":4032212000000},
		{"ph":"f","id":77,"name":"a","pid":0,"tid":7,"ts":4032212000001},
		{"ph":"s","id":"0x4d","name":"b","pid":0,"tid":7,"ts":4032212000001}'
	trace w0 "$flow"
	trace w1 "$flow"
	run_split merge "$TMP"/w?/*
	assert_output_has "w0 TP-0 / 1 1 s a 0.000 1099511627853"
	assert_output_has "w0 TP-0 / 0 7 f a 1.000 1099511627853"
	assert_output_has "w0 TP-0 / 0 7 s b 1.000 1099511627853"
	assert_output_has "w1 TP-0 / 1 1 s a 0.000 2199023255629"
}

@test "what is not renumbered stays as it was, in ASCII" {
	trace w0 "$(x 4032212000000 0 7 ',"args":{"a" : [1.50,"\"]}é"]}')"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	grep -qF '"args":{"a" : [1.50,"\"]}\u00e9"]}' "$TMP/merged"
	[ -z "$(LC_ALL=C tr -d '\0-\177' <"$TMP/merged")" ]
}

@test "gzip, an array, and many at once" {
	mkdir "$TMP/p"
	echo "[$(x 1787000000000000)]" | gzip >"$TMP/p/a.json.gz"
	echo "[$(x 1787000000000001)]" >"$TMP/p/b.trace.json"
	echo "{\"traceEvents\":[$(x 1787000000000002)]}" >"$TMP/p/c.json"
	run_split merge "$TMP/p/c.json" "$TMP/p/a.json.gz" "$TMP/p/b.trace.json"
	assert_status 0
	assert_output_has "p a.json.gz / 0 7 X k 0.000"
	assert_output_has "p b / 0 7 X k 1.000"
	assert_output_has "p c.json / 0 7 X k 2.000"
}

# profiles EXPRESSION: of Python, p being otherData.profiles of what was merged
profiles() {
	python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))["otherData"]["profiles"]
print(eval(sys.argv[2]))' "$TMP/merged" "$1"
}

@test "a torch file or a pickle in the place of a profile is named" {
	local program
	cd "$TMP" || return
	cp "$DATA/rollout/multi_attempt.pt" torch.trace.json
	printf '\x80\x04]\x94.' >pickle.trace.json
	printf '\x28\xb5\x2f\xfd0000' >zstd.trace.json
	for program in "profile-summary" "trace-timeline --format chrome --merge"; do
		# shellcheck disable=SC2086 # words
		run_split $program torch.trace.json "$DATA/rollout/multi_attempt.pt"
		assert_stderr_has "torch.trace.json: byte 0: not a profile: this is a torch file; obs-perfsum and trace-timeline read rollout dumps"
		# shellcheck disable=SC2086 # words
		run_split $program pickle.trace.json "$DATA/rollout/multi_attempt.pt"
		assert_stderr_has "pickle.trace.json: byte 0: not a profile: this is a pickle; "
		# shellcheck disable=SC2086 # words
		run_split $program zstd.trace.json "$DATA/rollout/multi_attempt.pt"
		assert_stderr_has "not a profile: zstd data; decompress it first"
	done
}

@test "what is not a profile is reported and left out" {
	trace w0 "$(x 4032212000000)"
	cd "$TMP"
	echo '{}' >empty.trace.json
	echo '[]' >list.trace.json
	echo '[{"index":1},{"index":2}]' >samples.trace.json
	echo '{"model_type":"llama","eos":[1,2]}' >config.trace.json
	cp dump.json copy.trace.json
	printf '{"index":1}\n{"index":2}\n' >lines.trace.json
	echo hello >no.trace.json
	: >nothing.trace.json
	printf '\037\213' >head.json.gz
	gzip -c w0/7-TP-0.trace.json | head -c 60 >torn.json.gz
	echo '{"traceEvents": [{"ph" 1}]}' >bad.trace.json
	mkdir dir.json.gz
	local files="empty.trace.json list.trace.json samples.trace.json
		config.trace.json copy.trace.json lines.trace.json no.trace.json
		nothing.trace.json head.json.gz torn.json.gz dir.json.gz
		none.json.gz"
	# shellcheck disable=SC2086 # names
	run_split merge w0/7-TP-0.trace.json $files
	assert_status 1
	assert_stderr_lines 13
	local none="not a profile: it has no traceEvents list"
	assert_stderr_has "empty.trace.json: $none"
	assert_stderr_has "config.trace.json: $none"
	assert_stderr_has "copy.trace.json: $none"
	assert_stderr_has "lines.trace.json: $none"
	none="not a profile: its list has no trace events"
	assert_stderr_has "list.trace.json: $none"
	assert_stderr_has "samples.trace.json: $none"
	assert_stderr_has "no.trace.json: byte 0: not a profile: expected '{' or '[', found 'h'"
	assert_stderr_has "nothing.trace.json: byte 0: not a profile: the file is empty"
	assert_stderr_has "head.json.gz: byte 2: the compressed file is truncated"
	assert_stderr_has "torn.json.gz: byte 60: the compressed file is truncated"
	assert_stderr_has "dir.json.gz: cannot read: Is a directory"
	assert_stderr_has "none.json.gz: cannot open"
	[ "$(profiles 'len(p)')" -eq 1 ]
}

@test "a profile that is cut keeps its complete events" {
	local events
	events="$(x 1787000000300000),
		$(x 1787000000300001)"
	cd "$TMP"
	echo "{\"traceEvents\": [$events" >end.trace.json
	echo "{\"traceEvents\": [$events, {\"ph\": \"X\", \"ts\"" >mid.trace.json
	echo "{\"traceEvents\": [$events]" >brace.trace.json
	echo "[$events," >array.trace.json
	for cut in end mid brace array; do
		run_split merge "$cut.trace.json"
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "$cut.trace.json: byte "
		assert_stderr_has ": truncated "
		assert_stderr_has "; kept 2 complete events"
		[ "$(grep -c "X k" <<<"$output")" -eq 2 ]
		[ "$(profiles 'p[0]["truncated"], p[0]["events"]')" = "(True, 2)" ]
	done
}

@test "so does one whose compressed file is torn or damaged" {
	trace w0 "$(x 4032212300000), $(x 4032212300001)"
	cd "$TMP"
	gzip -c w0/7-TP-0.trace.json >sum.json.gz
	printf '\377\377\377\377' | dd of=sum.json.gz bs=1 conv=notrunc \
		seek=$(($(stat -c %s sum.json.gz) - 8)) status=none
	{ gzip -c w0/7-TP-0.trace.json && echo more; } >more.json.gz
	{ gzip -c w0/7-TP-0.trace.json && printf '\0\0x'; } >zeros.json.gz
	for damaged in sum more zeros; do
		run_split merge "$damaged.json.gz"
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "$damaged.json.gz: byte "
		assert_stderr_has "the compressed file is damaged; kept 2 complete events"
		[ "$(grep -c "X k" <<<"$output")" -eq 2 ]
	done
	gzip -c w0/7-TP-0.trace.json | head -c -4 >cut.json.gz
	run_split merge cut.json.gz
	assert_status 1
	assert_stderr_has "the compressed file is truncated; kept 2 complete events"
}

@test "an extra comma and zeros after the gzip are accepted with a warning" {
	cd "$TMP"
	echo "{\"traceEvents\": [$(x 1787000000300000),]}" >comma.trace.json
	run_split merge comma.trace.json
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "comma.trace.json: ignored an extra comma"
	[ "$(grep -c "X k" <<<"$output")" -eq 1 ]
	{ echo "[$(x 1787000000300000)]" | gzip && head -c 600 /dev/zero; } \
		>zeros.json.gz
	run_split merge zeros.json.gz
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "zeros.json.gz: ignored zeros after the compressed data"
	[ "$(grep -c "X k" <<<"$output")" -eq 1 ]
}

@test "what is not quite JSON comes out as JSON" {
	local args='"a":NaN,"b":[Infinity,-Infinity,inf,-inf,nan,0.-32,],'
	args+='"path":"C:\dir\x","tab":"a	b"'
	trace w0 "$(x 4032212300000 0 7 ",\"args\":{$args}")"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	[ "$(grep -c "X k" <<<"$output")" -eq 1 ]
	grep -qF '"args":{"a":null,"b":[null,null,null,null,null,null],'`
		`'"path":"C:\\dir\\x","tab":"a\tb"}' "$TMP/merged"
}

@test "damaged events are skipped and reported" {
	trace w0 "$(x 4032212300000),
		{\"ph\":\"X\",\"name\":\"say \"hi\"\",\"ts\":4032212300000},
		$(x 4032212300001)"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "expected ',' or '}', found 'h'; skipped 1 damaged event"
	[ "$(grep -c "X k" <<<"$output")" -eq 2 ]
	[ "$(profiles 'p[0]["events_damaged"]')" -eq 1 ]
}

@test "durations that are negative, missing or no numbers become 0" {
	local event='{"ph":"X","name":"k","ts":4032212300000,"pid":0,"tid":7'
	trace w0 "$(x 4032212300000), $event,\"dur\":-1700000000002500},
		$event,\"dur\":null}, $event,\"dur\":\"soon\"}, $event},
		$event,\"dur\":\" 2.5 \"}, $event,\"dur\":1e15}"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_stderr_has "set 4 durations to 0 that were negative or not a number"
	assert_stderr_has "events lie up to 11574 days apart; one of its times is wrong"
	assert_stderr_lines 2
	assert_status 0
	python3 - "$TMP/merged" <<-'END'
		import json, sys
		t = json.load(open(sys.argv[1]))
		d = [e["dur"] for e in t["traceEvents"] if e["name"] == "k"]
		assert d == [1.5, 0, 0, 0, 0, 2.5, 1e15], d
	END
}

@test "a profile in which no event has a valid time is partly done" {
	trace w0 "$(x null), $(x '"soon"')"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_stderr_has "skipped 2 events without a valid time"
	assert_stderr_has "w0/7-TP-0.trace.json: no event has a valid time"
	run_split trace-timeline --merge "$TMP/w0/7-TP-0.trace.json" \
		"$TMP/dump.json"
	assert_status 1
}

@test "a record of a GPU that was never filled is skipped" {
	trace w0 "$(x 4032212300000), $(x 4032212300000 0 7 ',"cat":"kernel"'),
		{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"ts\":0,\"dur\":0}"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "skipped 1 event without a valid time"
	[ "$(grep -c "X k" <<<"$output")" -eq 2 ]
}

@test "a base may be a string or a double" {
	trace w0 "$(x 4032212300000.5)" \
		', "baseTimeNanoseconds": "1782967788000000000"'
	trace w1 "$(x 300000.5)" ', "baseTimeNanoseconds": 1.787e18'
	run_split merge "$TMP"/w?/*
	assert_status 0
	assert_stderr_lines 0
	assert_output_has "w0 TP-0 / 0 7 X k 50000.500"
	assert_output_has "w1 TP-0 / 0 7 X k 50000.500"
}

@test "clocks that do not overlap are reported, and by how much" {
	trace w0 "$(x 86400000000.0)" " "
	trace w1 "$(x 4032212000000)" ', "baseTimeNanoseconds": "soon"'
	trace w2 "$(x 4032215100000)"
	run_split merge "$TMP"/w?/*
	assert_status 0
	assert_stderr_lines 4
	local why="without baseTimeNanoseconds its times are taken as Unix time"
	assert_stderr_has "w0/7-TP-0.trace.json: the profile ends 56.6 years before the rollout begins; $why"
	assert_stderr_has "w1/7-TP-0.trace.json: ignored baseTimeNanoseconds, which is not a number"
	assert_stderr_has "w1/7-TP-0.trace.json: the profile ends 56.5 years before the rollout begins; $why"
	assert_stderr_has "w2/7-TP-0.trace.json: the profile begins 1.6 s after the rollout ends"
}

@test "a list of events that is empty is reported" {
	trace w0 ""
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "w0/7-TP-0.trace.json: no events"
}

@test "a pipe is refused, since a profile is read twice" {
	trace w0 "$(x 4032212000000)"
	run_split merge <(cat "$TMP/w0/7-TP-0.trace.json")
	assert_status 1
	assert_stderr_has "is a pipe, but profiles are read twice"
	mkfifo "$TMP/w0/pipe"
	run_split timeout 20 trace-timeline --merge "$TMP/w0/pipe" \
		"$TMP/dump.json" </dev/null
	assert_status 1
}

@test "an event without a time that can be read is left out and counted" {
	trace w0 "$(x 4032212000000), $(x '"late"'), $(x 1e300), $(x 4.03e12)"
	run_split merge "$TMP/w0/7-TP-0.trace.json"
	assert_status 0
	[ "$(grep -c "X k" <<<"$output")" -eq 2 ]
	grep -q '"events_without_time":2' "$TMP/merged"
}

# bats test_tags=long
@test "a large profile takes no memory to speak of" {
	[ -x /usr/bin/time ] || skip "no time(1)"
	[[ $OBS_BIN != *san* ]] || skip "sanitizers take memory of their own"
	"$ROOT/scripts/gen-profile" "$TMP/big-TP-0.trace.json.gz" 50
	run_split /usr/bin/time -q -f %M -o "$TMP/kb" trace-timeline \
		-o "$TMP/merged" --merge "$TMP/big-TP-0.trace.json.gz" \
		"$TMP/dump.json"
	assert_status 0
	[ "$(cat "$TMP/kb")" -lt 20000 ]
}

@test "--merge is for Chrome traces" {
	run_split trace-timeline --merge x.json --format html "$TMP/dump.json"
	assert_status 2
	assert_stderr_has "--merge is for --format chrome"
}

@test "--merge and --profile measure the same distance to the rollout" {
	local base why how
	printf '%s' '{"samples":[{"trace":{"events":[' \
		'{"type":"span_start","ts":1700000100,"name":"g","span_id":"a"},' \
		'{"type":"span_end","ts":1700000110,"name":"g","span_id":"a"}' \
		']}}]}' >"$TMP/dump.json"
	# The mark of the profiler's end lies inside the rollout.
	for base in '"baseTimeNanoseconds": 1700000000000000000, ' ''; do
		cat >"$TMP/p.trace.json" <<-END
			{$base"traceEvents": [
			{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 39000000,
			 "dur": 1000000, "pid": 0, "tid": 7, "args": {}},
			{"name": "Record Window End", "ph": "i", "s": "g",
			 "pid": "", "tid": "", "ts": 105000000}]}
		END
		why="1 minute before the rollout begins"
		[ -n "$base" ] || why="53.9 years before the rollout begins; without baseTimeNanoseconds its times are taken as Unix time"
		for how in "--merge $TMP/p.trace.json -f chrome" \
			"--profile $TMP/p.trace.json -f html"; do
			# shellcheck disable=SC2086 # several words
			run_split trace-timeline $how -o "$TMP/out" \
				"$TMP/dump.json"
			assert_stderr_lines 1
			assert_stderr_has "p.trace.json: the profile ends $why"
		done
	done
}
