# The timeline of a sample, rule by rule, on inputs of a few events.

load test_helper

# A dump of one sample with these events, each an object; further members of
# the sample and of the trace may be given.
sample() {
	printf '{"samples": [{"index": 0%s, "trace": {"attempt": 1%s, "events": [%s]}}]}\n' \
		"${2:+, $2}" "${3:+, $3}" "$1"
}

start() { # ID TIME [MEMBERS]
	printf '{"type": "span_start", "name": "%s", "span_id": "%s", "ts": %s%s}' \
		"$1" "$1" "$2" "${3:+, $3}"
}

end() {
	printf '{"type": "span_end", "name": "%s", "span_id": "%s", "ts": %s%s}' \
		"$1" "$1" "$2" "${3:+, $3}"
}

point() {
	printf '{"type": "event", "name": "%s", "ts": %s%s}' \
		"$1" "$2" "${3:+, $3}"
}

# Join with commas.
all() {
	local IFS=,
	echo "$*"
}

# Run trace-timeline on stdin; print what the jq filter says of the only row.
row() {
	# shellcheck disable=SC2016 # bash's own
	run_split bash -c 'trace-timeline --format cache | jq -c ".rows[0] | $1"' \
		- "$1"
}

setup() {
	skip_without jq
}

# Each item as [name, lane, start, display end].
PLACES='[.items[] | [.name, .lane, .start_ts // .ts, .display_end_ts]]'
CLIPPED='[.items[] | select(.state == "open_span")
	| [.name, .display_end_ts, .attrs.end_attrs.clipped_by]]'

@test "a span without a parent named belongs to the innermost open one" {
	sample "$(all "$(start a 1)" "$(start b 2)" "$(point p 2.5)" \
		"$(end b 3)" "$(end a 4)")" >"$TMP/in"
	row '[.items[] | [.name, .parent_span_id, .depth]]' <"$TMP/in"
	assert_output $'[["a",null,0],["b","a",1],["p","b",2]]\n'
}

@test "a parent named but unknown leaves a span at the top" {
	sample "$(all "$(start a 1 '"parent_span_id": "gone"')" "$(end a 2)")" \
		>"$TMP/in"
	row '.items[0] | [.parent_span_id, .parent_span_name, .depth]' <"$TMP/in"
	assert_output $'["gone",null,0]\n'
}

@test "an open span is shown to the last event of its own row" {
	sample "$(all "$(start a 1)" "$(point p 3.5)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["a",3.5,"row_end"]]\n'
}

@test "an open span is cut by the next sibling" {
	sample "$(all "$(start a 1 '"parent_span_id": "x"')" \
		"$(start b 2 '"parent_span_id": "x"')" "$(end b 3)" \
		"$(point p 9)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["a",2,"next_sibling_start"]]\n'
}

@test "siblings that start together do not cut each other" {
	sample "$(all "$(start a 1 '"parent_span_id": "x"')" \
		"$(start b 1 '"parent_span_id": "x"')" "$(point p 9)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["a",9,"row_end"],["b",9,"row_end"]]\n'
}

@test "an open span is cut where its nearest closed ancestor ends" {
	sample "$(all "$(start a 1)" "$(start b 2)" "$(start c 3)" \
		"$(end a 5)" "$(point p 9)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["b",5,"ancestor_end"],["c",5,"ancestor_end"]]\n'
}

@test "an ancestor that ended before an open span began does not cut it" {
	sample "$(all "$(start a 1)" "$(end a 2)" \
		"$(start b 3 '"parent_span_id": "a"')" "$(point p 9)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["b",9,"row_end"]]\n'
}

@test "an open span is never shown to end before it starts" {
	sample "$(all "$(point p 1)" "$(start a 4)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["a",4,"self"]]\n'
}

@test "of two reasons at the same time the row's end is given" {
	sample "$(all "$(start a 1)" "$(start b 2)" "$(end a 5)")" >"$TMP/in"
	row "$CLIPPED" <"$TMP/in"
	assert_output $'[["b",5,"row_end"]]\n'
}

@test "an id that starts again loses its older start and keeps its place" {
	sample "$(all "$(start a 1)" "$(start b 1)" "$(start a 3)" \
		"$(point p 3)")" >"$TMP/in"
	row '[.open_span_count, (.items[] | select(.name == "a") | .start_ts)]' \
		<"$TMP/in"
	assert_output $'[2,3]\n'
}

@test "an end without a start is an orphan, and so is a second end" {
	sample "$(all "$(end x 1)" "$(start a 2)" "$(end a 3)" "$(end a 4)")" \
		>"$TMP/in"
	row '[.closed_span_count, .orphan_count, (.items[] |
		select(.state == "orphan_end") | [.type, .name, .span_id, .ts])]' \
		<"$TMP/in"
	assert_output \
		$'[1,2,["orphan_end","x","x",1],["orphan_end","a","a",4]]\n'
}

@test "an orphan keeps an empty id as it is" {
	sample "$(end "" 1)" >"$TMP/in"
	row '.items[0] | [.state, .span_id]' <"$TMP/in"
	assert_output $'["orphan_end",""]\n'
}

@test "a start without an id and an event of unknown type are points" {
	sample "$(all "$(start "" 1)" '{"type": "other", "ts": 2}' \
		'{"ts": 3}')" >"$TMP/in"
	row '[.point_event_count, (.items[] | .span_id)]' <"$TMP/in"
	assert_output $'[3,null,null,null]\n'
}

@test "ids compare as Python's: 1 is 1.0 and true, and is not \"1\"" {
	sample '{"type": "span_start", "name": "n", "span_id": 1, "ts": 1},
		{"type": "span_end", "name": "n", "span_id": true, "ts": 2},
		{"type": "span_start", "name": "n", "span_id": 1.0, "ts": 3},
		{"type": "span_end", "name": "n", "span_id": "1", "ts": 4}' \
		>"$TMP/in"
	row '[.closed_span_count, .open_span_count, .orphan_count]' <"$TMP/in"
	assert_output $'[1,1,1]\n'
}

@test "parents in a circle have depths from 1, and end" {
	sample "$(all "$(start a 1 '"parent_span_id": "c"')" "$(end a 2)" \
		"$(start b 1 '"parent_span_id": "a"')" "$(end b 2)" \
		"$(start c 1 '"parent_span_id": "b"')" "$(end c 2)")" >"$TMP/in"
	row '[.items[] | [.name, .depth]]' <"$TMP/in"
	assert_output $'[["b",1],["c",2],["a",3]]\n'
}

@test "an open span that is its own parent does not hang" {
	sample "$(all "$(start a 1 '"parent_span_id": "a"')" "$(point p 3)")" \
		>"$TMP/in"
	row '.items[0] | [.depth, .display_end_ts]' <"$TMP/in"
	assert_output $'[1,3]\n'
}

@test "points stand one below their parent, at the top when it is unknown" {
	sample "$(all "$(start a 1)" "$(point p 2 '"parent_span_id": "gone"')" \
		"$(point q 2)" "$(end a 3)")" >"$TMP/in"
	row '[.items[] | [.name, .lane]]' <"$TMP/in"
	assert_output $'[["a",0],["p",0],["q",1]]\n'
}

@test "an attempt is made an integer as Python's int() does" {
	sample "$(all "$(point a 1 '"attempt": "3"')" \
		"$(point b 2 '"attempt": 2.9')" "$(point c 3 '"attempt": true')" \
		"$(point d 4 '"attempt": null')" "$(point e 5)" \
		"$(point f 6 '"attempt": "-1_000 "')")" >"$TMP/in"
	row '[.attempt, [.items[].attempt]]' <"$TMP/in"
	assert_status 0
	assert_output $'[1,[3,2,1,0,1,-1000]]\n'
}

@test "an attempt that is no integer is told and shown as 0" {
	sample "$(point a 1 '"attempt": "x"')" >"$TMP/in"
	run_split trace-timeline --format cache "$TMP/in"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "sample 0: event 0: an attempt that is not an integer"
	[ "$(jq '.rows[0].items[0].attempt' <<<"$output")" = 0 ]
}

@test "a time may be text; what has no time is dropped" {
	sample "$(all "$(point a '" 2.5 "')" "$(point b '"1_0.5"')" \
		"$(point c null)" "$(point d '"x"')" "$(point e '[1]')" \
		"$(point f true)" 7 '"text"')" >"$TMP/in"
	row '[.items[] | [.name, .ts]]' <"$TMP/in"
	assert_output $'[["f",1],["a",2.5],["b",10.5]]\n'
}

@test "times are rounded to six decimals" {
	sample "$(all "$(start a 1700000000.1234567)" \
		"$(end a 1700000001.9999996)")" >"$TMP/in"
	row '[.items[0].start_ts, .items[0].end_ts, .duration]' <"$TMP/in"
	assert_output $'[1700000000.123457,1700000002,1.876543]\n'
}

@test "items are sorted by lane, start, display end and name" {
	sample "$(all "$(point z 2 '"parent_span_id": "x"')" \
		"$(point a 2 '"parent_span_id": "x"')" \
		"$(start s 2 '"parent_span_id": "x"')" "$(end s 3)" \
		"$(start r 1 '"parent_span_id": "x"')" "$(end r 9)" \
		"$(point low 0 '"parent_span_id": "r"')")" >"$TMP/in"
	row '[.items[].name]' <"$TMP/in"
	assert_output $'["r","a","z","s","low"]\n'
}

@test "NaN and infinities become null" {
	sample "$(all "$(start a 1 '"attrs": {"x": NaN, "y": [-Infinity]}')" \
		"$(end a 2)")" '"reward": NaN' >"$TMP/in"
	row '[.reward, .items[0].attrs.start_attrs]' <"$TMP/in"
	assert_output $'[null,{"x":null,"y":[null]}]\n'
}

@test "an event at NaN spoils no other event of its row" {
	sample "$(all "$(start a 1)" "$(point p NaN)" "$(end a 2)")" >"$TMP/in"
	row '[(.items[] | select(.name == "a") | .end_ts), (.items | length)]' \
		<"$TMP/in"
	assert_output $'[2,2]\n'
}

PD='"attrs": {"pd_prefill_forward_duration": 0.25, "pd_decode_forward_duration": 0.5,
	"pd_decode_transfer_duration": 0, "pd_decode_prealloc_duration": "1"}'

@test "PD timings of a span's end give two lanes below all others" {
	sample "$(all "$(start a 1)" "$(end a 2 "$PD")" "$(start b 3)" \
		"$(start c 3)" "$(end c 4)" "$(end b 4)")" >"$TMP/in"
	row '[.lane_count, (.items[] | select(.name | endswith("]")) |
		[.name, .lane, .depth, .span_id, .parent_span_id,
		.parent_span_name, .start_ts, .end_ts, .attrs.start_attrs])]' \
		<"$TMP/in"
	assert_output "$(printf '%s\n' '[4,["a [P]",2,2,"a:pd:prefill","a","a",1,2,{}],["a [D]",3,3,"a:pd:decode","a","a",1,2,{}]]')"$'\n'
}

@test "a PD lane has the durations above 0 and what it stands for" {
	sample "$(all "$(start a 1)" "$(end a 2.5 "$PD")")" >"$TMP/in"
	row '.items[2].attrs.end_attrs' <"$TMP/in"
	assert_output "$(printf '%s\n' '{"pd_decode_forward_duration":0.5,"timeline_pd_virtual_role":"decode","timeline_pd_parent_name":"a","timeline_pd_parent_duration":1.5}')"$'\n'
}

@test "open spans, PD spans themselves and starts give no PD lanes" {
	sample "$(all "$(start sglang_pd_prefill 1)" \
		"$(end sglang_pd_prefill 2 "$PD")" "$(start a 3 "$PD")" \
		"$(end a 4)" "$(start b 5 "$PD")")" >"$TMP/in"
	row '[.items[].name]' <"$TMP/in"
	assert_output $'["sglang_pd_prefill","a","b"]\n'
}

@test "response lengths are summed whatever their size" {
	sample "$(all "$(point a 1 '"attrs": {"response_length": 99999999999999999999}')" \
		"$(point b 2 '"attrs": {"response_length": 9223372036854775807}')" \
		"$(point c 3 '"attrs": {"response_length": -2.9}')" \
		"$(point d 4 '"attrs": {"response_length": true}')" \
		"$(start s 5 '"attrs": {"response_length": "7"}')")" >"$TMP/in"
	# jq rounds integers of this size: read them as text.
	run_split bash -c 'trace-timeline --format cache |
		grep -oE "\"(total|max)_response_length\":[0-9]+"' <"$TMP/in"
	assert_output $'"total_response_length":109223372036854775805\n"max_response_length":99999999999999999999\n'
}

source_of() {
	sample "$(point p 1)" "$1" | trace-timeline --format cache |
		jq -c '.rows[0].source'
}

@test "the source is the sample's, else what its metadata says" {
	[ "$(source_of '"source": "s", "metadata": {"source": "m"}')" = '"s"' ]
	[ "$(source_of '"source": "", "metadata": {"source": "m"}')" = '"m"' ]
	[ "$(source_of '"metadata": {"source_name": "n"}')" = '"n"' ]
	[ "$(source_of '"metadata": {"a": 1, "reSource_id": 0}')" = 0 ]
	[ "$(source_of '"metadata": {"a_source": null, "x_source": ""}')" = null ]
	[ "$(source_of '"metadata": ["source"]')" = null ]
	[ "$(source_of '"source": false')" = false ]
}

@test "long text is cut by characters and tells its length" {
	local long
	long=$(printf 'é%.0s' {1..300})
	sample "$(point p 1)" "\"label\": \"$long\", \"status\": \"$long\",
		\"source\": \"${long:0:64}\"" >"$TMP/in"
	row '[.label, .status, .source] | map(length), (.[0] | .[256:])' \
		<"$TMP/in"
	assert_output $'[274,82,64]\n"...<truncated:300>"\n'
}

@test "a row's number is the sample's place, and no trace is no row" {
	printf '%s\n' '{"samples": [{"trace": null}, {"trace": {"events": []}},
		{"index": null, "trace": {"events": [{"ts": 1}]}}, {},
		{"trace": {"events": [{"ts": 2}]}}]}' >"$TMP/in"
	run_split trace-timeline --format cache "$TMP/in"
	assert_status 0
	[ "$(jq -c '[.sample_count, .global_start, .global_end,
		[.rows[] | [.row_id, .sample_index]]]' <<<"$output")" = \
		'[2,1,2,[[2,null],[4,4]]]' ]
}

@test "a dump without any row is whole, and its times are null" {
	run_split trace-timeline --format cache <<<'{"samples": []}'
	assert_status 0
	[ "$(jq -c '[.sample_count, .global_start, .rows]' <<<"$output")" = \
		'[0,null,[]]' ]
}

@test "partly overlapping spans keep their times, each on its lane" {
	sample "$(all "$(start A 0)" "$(start C 1 '"parent_span_id": "A"')" \
		"$(start B 2 '"parent_span_id": null')" "$(end C 3)" \
		"$(end A 4)" "$(end B 6)")" >"$TMP/in"
	row "$PLACES" <"$TMP/in"
	assert_output $'[["A",0,0,4],["C",1,1,3],["B",2,2,6]]\n'
	trace-timeline --format chrome <"$TMP/in" >"$TMP/chrome"
	[ "$(jq -c '[.traceEvents[] | select(.ph == "X") | [.name, .dur]] | sort' \
		"$TMP/chrome")" = '[["A",4000000],["B",4000000],["C",2000000]]' ]
}

@test "a span that never ends stays within its own row" {
	sample "$(all "$(start gen 0)" "$(start reward 2)" "$(end reward 3)" \
		"$(end orphan 2.5)" "$(end reward 3.5)")" |
		jq -c '.samples += [{"trace": {"events": [{"ts": 100}]}}]' >"$TMP/in"
	row '[.closed_span_count, .open_span_count, .orphan_count,
		(.items[] | select(.name == "gen") | .display_end_ts),
		(.items[] | select(.state == "closed_span") | .parent_span_id)]' \
		<"$TMP/in"
	assert_output $'[1,1,2,3.5,"gen"]\n'
}

@test "text that looks like markup comes through as text" {
	sample "$(point '</script><img src=x onerror=alert(1)>' 1)" \
		'"label": "<!-- <script> x", "status": "a\u2028\u2029"' >"$TMP/in"
	row '[.items[0].name, .label, .status]' <"$TMP/in"
	assert_output $'["</script><img src=x onerror=alert(1)>","<!-- <script> x","a\u2028\u2029"]\n'
}

@test "-o leaves no file when the dump breaks off, and keeps the old one" {
	printf '{"samples": [{"trace": {"events": [{"ts": 1}]}}, {"tr' >"$TMP/in"
	echo old >"$TMP/out"
	run_split trace-timeline --format cache -o "$TMP/out" "$TMP/in"
	assert_status 3
	assert_stderr_lines 1
	[ "$(cat "$TMP/out")" = old ]
	[ "$(find "$TMP" -name '.out*' | wc -l)" -eq 0 ]
}

@test "what an event cannot be is told once a sample, by its place" {
	sample "$(all "$(point a 1)" "$(end b 2 '"attrs": "text"')" \
		"$(point c 3 '"attrs": [1]')")" >"$TMP/in"
	run_split trace-timeline --format cache "$TMP/in"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "$TMP/in: sample 0: event 1: attributes that are not an object"
}

@test "a summary cuts times at 4e12 seconds" {
	run_split trace-timeline -f summary <<<'{"samples": [{"trace": {"events":
		[{"ts": -8e307}, {"ts": 8e307}]}}]}'
	assert_status 0
	assert_output_has "wall 8000000000000.000 s;"
}

@test "a PD lane belongs to the span it splits, also of an id used twice" {
	sample "$(all "$(start a 1)" \
		"$(end a 2 '"attrs": {"pd_prefill_forward_duration": 0.5}')" \
		"$(start a 3 '"attrs": {}' | sed 's/"name": "a"/"name": "b"/')" \
		"$(end a 4)")" >"$TMP/in"
	row '[.items[] | select(.span_id | test(":pd:")) |
		[.name, .parent_span_name]]' <"$TMP/in"
	assert_output $'[["a [P]","a"]]\n'
}

@test "a value too deep to be read again is not written, nor is its dump" {
	local deep format
	deep="$(printf '[%.0s' {1..950})$(printf ']%.0s' {1..950})"
	{
		point p 1 "\"attrs\": {\"deep\": $deep}" >"$TMP/event"
		sample "$(cat "$TMP/event")" >"$TMP/in"
	}
	for format in cache html chrome; do
		run_split trace-timeline -f $format "$TMP/in"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "$TMP/in: sample 0: has more than 900 levels; \
obstools(7) tells how to raise LIMIT_DEPTH_WRITTEN"
	done
	run_split trace-timeline -f cache --sample=-index:0 "$TMP/in"
	assert_status 0
	run_split trace-timeline -f summary "$TMP/in"
	assert_status 0
}

@test "--sample chooses the samples that a worker served" {
	local n
	for n in 1 1 2; do
		sample "$(all "$(start sglang_generate 1)" \
			"$(end sglang_generate 2 \
				'"attrs": {"worker_addr": "http://w'$n':80"}')")" |
			jq -c '.samples[]'
	done >"$TMP/in"
	run_split trace-timeline -f summary --sample worker:w1 "$TMP/in"
	assert_status 0
	assert_stderr_has "2 of 3 samples"
	run_split trace-timeline -f summary --sample worker=w2:80 "$TMP/in"
	assert_stderr_has "1 of 3 samples"
}

# bats test_tags=long
@test "random traces, whole and torn, read as slime's viewer reads them" {
	local python
	python=$(python_with decimal pickle) || skip "no python3"
	run_split "$python" "$ROOT/tests/random_traces.py" 1 100
	assert_status 0
	assert_output $'0 dumps differ\n'
}

@test "a clock that was wrong is named with its sample" {
	local event='{"type": "event", "name": "n", "ts": '
	{
		for ts in 1700000000 1700000001 1700000002; do
			echo "{\"trace\": {\"events\": [$event$ts}]}}"
		done
		echo "{\"trace\": {\"events\": [$event-5}, ${event}1700000003}]}}"
	} >"$TMP/dump.jsonl"
	for format in cache html chrome summary; do
		run_split trace-timeline -f "$format" -o "$TMP/out" "$TMP/dump.jsonl"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "dump.jsonl: sample 3 has times 19676 days before"
	done
	run_split obs-perfsum --breakdown "$TMP/dump.jsonl"
	assert_status 0
	assert_stderr_has "dump.jsonl: sample 3 has times 19676 days before"
	# Seconds from the start of a run, and a rollout of six days, are fine.
	sed -i 's/17000000/1/g; s/-5/100/' "$TMP/dump.jsonl"
	run_split trace-timeline -f summary "$TMP/dump.jsonl"
	assert_stderr_lines 0
	sed -i 's/"ts": 100}, /"ts": 518400}, /' "$TMP/dump.jsonl"
	run_split trace-timeline -f summary "$TMP/dump.jsonl"
	assert_stderr_lines 0
}

@test "standard input twice is a usage error of every program" {
	local program words
	for program in obs-perfsum "trace-timeline -f summary" \
		profile-summary "trace-span --collect"; do
		for words in "- -" "- /dev/stdin" "x - y -"; do
			# shellcheck disable=SC2086 # words
			run_split $program $words <"$DATA/demo.pt"
			assert_status 2
			refute_output
			assert_stderr_has "standard input given twice"
		done
	done
	run_split trace-timeline --with /dev/stdin - <"$DATA/demo.pt"
	assert_status 2
}

@test "options that could not act are usage errors" {
	local dump=$DATA/demo.pt options
	for options in "--no-serve -o $TMP/x" "-f html --rebuild" \
		"-f cache --port 0" "-o $TMP/x --host ::1"; do
		# shellcheck disable=SC2086 # each is several arguments
		run_split trace-timeline $options "$dump"
		assert_status 2
		refute_output
		assert_stderr_has "cannot be combined with --"
		[ ! -e "$TMP/x" ]
	done
	run_split trace-timeline --port 0 - <"$dump"
	assert_status 2
	assert_stderr_has '--port needs a dump that is a file'
	run_split trace-timeline --no-serve --port 0 "$dump"
	assert_status 2
	assert_stderr_has '--port cannot be combined with --no-serve'
}

@test "--split writes files only, and names those an earlier run left" {
	local name
	for name in /dev/full /dev/stdout "$TMP"; do
		run_split trace-timeline --split 1 -o "$name" "$DATA/demo.pt" \
			>"$TMP/regular"
		assert_status 2
		assert_stderr_has "\"$name\" is not a regular file"
	done
	trace-timeline -q --split 1 -o "$TMP/s.html" "$DATA/demo.pt"
	[ -e "$TMP/s.3.html" ]
	run_split trace-timeline --split 1000 -o "$TMP/s.html" "$DATA/demo.pt"
	assert_status 0
	assert_stderr_has 's.2.html is a page of an earlier run'
	assert_stderr_has 's.3.html is a page of an earlier run'
	rm "$TMP"/s.[2-9]*.html
	run_split trace-timeline --split 1000 -o "$TMP/s.html" "$DATA/demo.pt"
	assert_status 0
	[ "$(grep -c 'earlier run' <<<"${stderr:-}")" -eq 0 ]
}

@test "no page is written next to a descriptor or a device" {
	local name
	exec 7<"$DATA/demo.pt"
	for name in /dev/stdin /dev/fd/7 /proc/self/fd/7 /dev/./stdin; do
		run_split trace-timeline --no-serve "$name" <"$DATA/demo.pt"
		assert_status 2
		refute_output
		assert_stderr_has "$name: no files are written next to it"
		run_split trace-timeline -f summary -o - "$name" <"$DATA/demo.pt"
		assert_status 0
	done
	exec 7<&-
	[ -z "$(find /dev -maxdepth 1 -name '*trace_timeline*')" ]
}

@test "a span that ends before it starts is reported, and has no negative length" {
	sample "$(all "$(start a 10)" "$(end a 9.7)" "$(start b 10)" \
		"$(end b 12)")" >"$TMP/dump.json"
	for format in cache html chrome summary; do
		run_split trace-timeline -f "$format" -o "$TMP/out.$format" \
			"$TMP/dump.json"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "dump.json: sample 0 has a span that ends before it starts; its duration counts as 0"
	done
	jq -e '[.traceEvents[].dur // 0 | select(. < 0)] == []' "$TMP/out.chrome"
	grep -E '^a +1 +0\.000 ' "$TMP/out.summary"
	run_split obs-perfsum --breakdown "$TMP/dump.json"
	assert_stderr_has "has a span that ends before it starts"
	jq -e '.breakdown.spans[] | select(.name == "a") | .total == 0' <<<"$output"
}

@test "times in another unit than seconds are named" {
	local unit zeros
	while read -r zeros unit; do
		sample "$(all "$(start a 1700000000"$zeros")" \
			"$(end a 1700000001"$zeros")")" >"$TMP/dump.json"
		run_split trace-timeline -f summary "$TMP/dump.json"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "look like $unit, but are read as seconds"
	done <<-END
		000 milliseconds
		000000 microseconds
		000000000 nanoseconds
	END
	sample "$(all "$(start a 99999999998)" "$(end a 99999999999)")" \
		>"$TMP/dump.json"
	run_split trace-timeline -f summary "$TMP/dump.json"
	assert_stderr_lines 0
}

@test "a time that is NaN or infinite is reported with its sample" {
	local time
	for time in NaN Infinity -Infinity; do
		sample "$(all "$(start a 1)" "$(end a "$time")")" >"$TMP/dump.json"
		for program in "trace-timeline -f summary" \
			"obs-perfsum --breakdown"; do
			# shellcheck disable=SC2086 # words
			run_split $program "$TMP/dump.json"
			assert_status 0
			assert_stderr_lines 1
			assert_stderr_has "dump.json: sample 0 has a time that is NaN or infinite"
		done
	done
}

@test "a dump whose times are all NaN or infinite is partly done" {
	local time program
	for time in NaN Infinity -Infinity; do
		sample "$(all "$(start a "$time")" "$(end a "$time")")" \
			>"$TMP/dump.json"
		for program in "trace-timeline -f summary" \
			"obs-perfsum --breakdown" "obs-perfsum --what-if"; do
			# shellcheck disable=SC2086 # words
			run_split $program "$TMP/dump.json"
			assert_status 1
			assert_stderr_has "dump.json: all times of the samples are NaN or infinite"
		done
	done
}

@test "one time that can be used makes a dump of NaN usable" {
	sample "$(all "$(start a NaN)" "$(start b 1)" "$(start c Infinity)" \
		"$(start d -Infinity)")" >"$TMP/dump.json"
	run_split trace-timeline -f summary "$TMP/dump.json"
	assert_status 0
	assert_stderr_has "sample 0 has a time that is NaN or infinite"
}

@test "a part of a trace that cannot be used is reported by both programs" {
	local huge
	huge=1$(printf '0%.0s' {1..400})
	sample "$(all "$(start a 1)" "$(end a 2)" "$(point p "$huge")")" \
		>"$TMP/dump.json"
	for program in "trace-timeline -f summary" "obs-perfsum --breakdown"; do
		# shellcheck disable=SC2086 # words
		run_split $program "$TMP/dump.json"
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "dump.json: sample 0: event 2: a time past the largest number"
	done
}

@test "an empty operand is a usage error" {
	local program
	for program in obs-perfsum trace-timeline profile-summary \
		"trace-span --collect"; do
		# shellcheck disable=SC2086 # words
		run_split $program "$DATA/demo.pt" ''
		assert_status 2
		refute_output
		assert_stderr_has "operand 2 is empty"
	done
}
