# Inputs that are small, or soon made, and huge to who believes them: each is
# read in bounded memory or refused by a limit that is named. SECURITY.md tells
# how limits are raised.

load test_helper

setup() {
	PYTHON=$(python_with zipfile) || skip "no python3"
}

# bomb NAME [FILE]: see bombs.py
bomb() {
	"$PYTHON" "$ROOT/tests/bombs.py" "$1" >"$TMP/${2:-$1}"
}

# within MB COMMAND...: the peak of its memory stays below.
within() {
	local most=$1 used
	shift
	if [[ ! -x /usr/bin/time || $OBS_BIN == */san/bin ]]; then
		run_split timeout 120 "$@" # a sanitizer has memory of its own
		return
	fi
	run_split timeout 120 /usr/bin/time -q -f %M -o "$TMP/used" "$@"
	used=$(tail -n 1 "$TMP/used")
	[ "$used" -lt $((most * 1024)) ] ||
		fail_with "$used KB, more than $most MB"
}

# dumps MB STATUS WORDS NAME...: both readers of dumps, with such a message.
dumps() {
	local most=$1 status_wanted=$2 words=$3 program
	shift 3
	for program in obs-perfsum 'trace-timeline -f cache'; do
		# shellcheck disable=SC2086 # a list of words
		within "$most" $program -o "$TMP/out" "$@"
		assert_status "$status_wanted"
		assert_stderr_has "$words"
		[ "$status" -eq 0 ] || [ ! -e "$TMP/out" ]
		rm -f "$TMP/out"
	done
}

# metrics MB STATUS WORDS OPTION...: obs-aggregate
metrics() {
	local most=$1 status_wanted=$2 words=$3
	shift 3
	within "$most" obs-aggregate -o "$TMP/out" "$@"
	assert_status "$status_wanted"
	assert_stderr_has "$words"
}

@test "a member that tells of 10 GB takes what it has" {
	bomb declares_10_gb
	dumps 16 3 "declares_10_gb: byte " "$TMP/declares_10_gb"
	assert_stderr_lines 1
}

@test "an archive whose headers disagree is refused" {
	bomb headers_disagree
	dumps 16 3 "not a torch file" "$TMP/headers_disagree"
	assert_stderr_lines 1
}

@test "of two members data.pkl the first counts" {
	bomb data_pkl_twice
	dumps 16 0 "" "$TMP/data_pkl_twice"
}

@test "a string packed 1000:1 costs its own length" {
	bomb deflated_1000_to_1
	dumps 256 0 "" "$TMP/deflated_1000_to_1"
}

@test "JSON a million deep stops at 10000 levels" {
	bomb deep_json
	dumps 16 3 "nested deeper than 10000 levels" "$TMP/deep_json"
	assert_stderr_lines 1
}

@test "a gzip trace of 1000:1 streams" {
	bomb gzip_profile p.json.gz
	bomb odd_times
	within 16 trace-timeline -f chrome -o "$TMP/out" \
		--merge "$TMP/p.json.gz" "$TMP/odd_times"
	assert_status 0
}

@test "a million items in one sample take less than a KB each" {
	bomb many_spans
	dumps 1000 0 "" "$TMP/many_spans"
}

@test "parents in circles, times below zero, unbounded or none end soon" {
	bomb odd_times
	dumps 16 0 "" "$TMP/odd_times"
	run_split trace-timeline -f cache "$TMP/odd_times"
	jq -e '.rows[0].items | length > 0' <<<"$output"
}

@test "families take less than 400 bytes each, however many" {
	bomb many_families
	metrics 400 0 "" "$TMP/many_families"
	cmp "$TMP/out" "$TMP/many_families"
}

@test "100000 labels cost their line: the limit is 4096" {
	bomb many_labels
	metrics 16 1 "many_labels:2: more than 4096 labels" "$TMP/many_labels"
	[ "$(cat "$TMP/out")" = "good 1" ]
}

@test "an endless line costs itself: the limit is 64 MiB" {
	bomb long_line
	metrics 80 1 "long_line:2: longer than 64 MiB" "$TMP/long_line"
	[ "$(cat "$TMP/out")" = "good 1" ]
}

@test "100000 bounds are too many to be reduced: the limit is 16384" {
	bomb many_buckets
	metrics 32 3 "more than 16384 buckets" --by x "$TMP/many_buckets"
	[ ! -e "$TMP/out" ]
	metrics 64 0 "" "$TMP/many_buckets"
}

@test "a body without lines is refused, and one of many snapshots streams" {
	local code
	# shellcheck disable=SC2016 # expanded by the inner shell
	run_split bash -c 'head -c 100000000 /dev/zero | tr "\0" x |
		obs-aggregate'
	assert_status 3
	assert_stderr_lines 1
	run_split bash -c 'yes "a 1" | head -n 2000000 | obs-aggregate -q'
	assert_output $'a 1\n'
	# A stream of snapshots takes no more for being long.
	code=0
	{ yes $'a 1\n# EOF' | head -n 2000000 |
		{ ulimit -v 200000 && obs-aggregate -f jsonl; } >"$TMP/out"; } ||
		code=$?
	[ "$code" -eq 0 ] || [[ $OBS_BIN == */san/bin ]]
}
