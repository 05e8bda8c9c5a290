#!/usr/bin/env bats
load test_helper

# A file that is given twice, as itself, by another path or by a link, counts
# once.

setup() {
	cd "$TMP" || return
	mkdir d
}

# undated OUTPUT: without when it was made, which a page packs into its first
# part.
undated() {
	local about
	about=$(sed -nE 's/.* id="data-0-about">([^<]*)<.*/\1/p' <<<"$1")
	if [ -n "$about" ]; then
		sed '/ id="data-0-about">/d' <<<"$1"
		base64 -d <<<"$about" | zcat
	else
		echo "$1"
	fi | sed -E 's/"generated(_at)?":[0-9.]+,//'
}

# once COMMAND... -- NAME AGAIN...: with the file and its other names the
# command prints what it prints with the file alone, and names the repeats.
once() {
	local command=() name alone
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	name=$1
	run_split "${command[@]}" "$name"
	assert_status 0
	alone=$(undated "$output")
	ln -s "$name" link
	run_split "${command[@]}" "$name" link "d/../$name"
	rm link
	assert_status 0
	output=$(undated "$output")
	assert_output "$alone"
	assert_stderr_lines 2
	assert_stderr_has "link: this file is given twice; it is read once"
	assert_stderr_has "d/../$name: this file is given twice"
}

@test "a dump given twice is one dump" {
	cp "$DATA/demo.pt" .
	once obs-perfsum -f jsonl -- demo.pt
	once obs-perfsum --stragglers 2 -f table -- demo.pt
	once trace-timeline -f cache -- demo.pt
	once trace-timeline -f html -o - -- demo.pt
	once trace-timeline --no-serve -- demo.pt
	cp demo.pt copy.pt
	run_split obs-perfsum -f jsonl demo.pt copy.pt
	assert_status 0
	[ -z "$stderr" ]
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 2 ]
	# A comparison has two sides.
	run_split obs-perfsum --compare demo.pt demo.pt
	assert_status 0
	[ -z "$stderr" ]
}

@test "an exposition given twice is one, unless its labels differ" {
	printf '# TYPE g gauge\ng 2\n' >a.prom
	once obs-aggregate -f prom -- a.prom
	once obs-aggregate --op sum -f prom -- a.prom
	cp a.prom b.prom
	run_split obs-aggregate --op sum --by '' a.prom@w=1 ./a.prom@w=2 \
		a.prom@w=1
	assert_status 0
	assert_output $'# TYPE g gauge\ng 4\n'
	assert_stderr_has "obs-aggregate: a.prom: this file is given twice"
	# Snapshots in order: nothing changed.
	printf '# TYPE c counter\nc 7\n' >c.prom
	run_split obs-aggregate --delta c.prom c.prom
	assert_status 0
	assert_output $'# TYPE c gauge\nc 0\n'
}

@test "a trace given twice is one rank" {
	local trace=1790857026-TP-0-DECODE.trace.json.gz
	cp "$DATA/profile/$trace" .
	once profile-summary -f json -- "$trace"
	cp "$trace" d
	run_split profile-summary -f json d
	local alone=$output
	run_split profile-summary -f json d ./d "d/$trace"
	assert_status 0
	assert_output "$alone"
	assert_stderr_has "./d: this directory is given twice; it is read once"
	assert_stderr_has "d/$trace: this file is given twice"
}

@test "a trace given twice to --merge is merged once" {
	skip_without jq
	echo '{"traceEvents": [{"ph": "X", "name": "k", "ts": 1, "dur": 1,
		"pid": 0, "tid": 7}], "baseTimeNanoseconds": 1000000000000}' \
		>7.trace.json
	echo '{"samples": [{"trace": {"events": [
		{"type": "span_start", "name": "a", "ts": 1000, "span_id": "a"},
		{"type": "span_end", "name": "a", "ts": 1001, "span_id": "a"}
		]}}]}' >dump.json
	run_split trace-timeline --merge 7.trace.json --merge ./7.trace.json \
		dump.json d/../7.trace.json
	assert_status 0
	[ "$(jq '[.traceEvents[] | select(.name == "k")] | length' \
		<<<"$output")" -eq 1 ]
	assert_stderr_has "./7.trace.json: this file is given twice"
	assert_stderr_has "d/../7.trace.json: this file is given twice"
}

@test "what is given twice to --metrics or --profile is drawn once" {
	echo '{"samples": [{"trace": {"events": [
		{"type": "span_start", "name": "a", "ts": 1000, "span_id": "a"},
		{"type": "span_end", "name": "a", "ts": 1001, "span_id": "a"}
		]}}]}' >dump.json
	printf '%s\n' '# obs-scrape stream' 'sglang:num_running_reqs 1 1000000' \
		'# EOF' 'sglang:num_running_reqs 2 1000500' '# EOF' >m.prom
	echo '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k",
		"ts": 1, "dur": 9, "pid": 0, "tid": 7}],
		"baseTimeNanoseconds": 1000000000000}' >p.json
	local option file
	for option in --metrics --profile; do
		file=m.prom
		[ "$option" = --metrics ] || file=p.json
		run_split trace-timeline "$option" "$file" -f html dump.json
		assert_status 0
		[ -z "$stderr" ]
		local alone=$output
		run_split trace-timeline "$option" "$file" \
			"$option=d/../$file" -f html dump.json
		assert_status 0
		assert_output "$alone"
		assert_stderr_lines 1
		assert_stderr_has "d/../$file: this file is given twice"
	done
}
