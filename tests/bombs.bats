# Inputs that are small, or soon made, and huge to who believes them: each is
# read in bounded memory or refused by a limit that is named, with how it is
# raised. No more memory than said here is taken.

load test_helper
load mock/mock

setup_file() {
	start_mock
}

teardown_file() {
	stop_mock
}

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
		run_split timeout 600 "$@" # a sanitizer has memory of its own
		return
	fi
	run_split timeout 600 /usr/bin/time -q -f %M -o "$TMP/used" "$@"
	used=$(tail -n 1 "$TMP/used")
	[ "$used" -lt $((most * 1024)) ] ||
		fail_with "$used KB, more than $most MB"
}

# raise NAME: how a message of that limit ends.
raise() {
	echo "; obstools(7) tells how to raise $1"
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
		[ "$status" -eq 0 ] || assert_stderr_lines 1
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
}

@test "an archive whose headers disagree is refused" {
	bomb headers_disagree
	dumps 16 3 "headers of an entry disagree" "$TMP/headers_disagree"
	bomb sizes_disagree
	dumps 16 3 "headers of an entry disagree" "$TMP/sizes_disagree"
}

@test "an entry that cannot be unpacked is named" {
	bomb encrypted
	dumps 16 3 "byte 0: damaged zip archive: an entry is encrypted" \
		"$TMP/encrypted"
	bomb method_unknown
	dumps 16 3 "an entry is compressed by an unknown method" \
		"$TMP/method_unknown"
	bomb deflated_damaged
	dumps 16 3 "damaged zip archive: the compressed data is damaged" \
		"$TMP/deflated_damaged"
	bomb longer_than_stated
	run_split obs-perfsum "$TMP/longer_than_stated"
	assert_status 1
	assert_stderr_has "longer_than_stated: data.pkl has a size of 18, not 3"
}

@test "of two members data.pkl the first counts" {
	bomb data_pkl_twice
	dumps 16 0 "" "$TMP/data_pkl_twice"
	assert_stderr_lines 1
}

# bats test_tags=long
@test "a string packed 1000:1 costs its own length" {
	bomb deflated_1000_to_1
	dumps 256 0 "" "$TMP/deflated_1000_to_1"
}

@test "JSON a million deep stops at 10000 levels" {
	bomb deep_json
	dumps 16 3 "nested deeper than 10000 levels$(raise LIMIT_DEPTH)" \
		"$TMP/deep_json"
}

# bats test_tags=long
@test "so does a pickle, whatever it nests and wherever" {
	local name
	for name in lists tuples dicts calls attribute samples; do
		bomb deep_$name
		dumps 80 3 "nested deeper than 10000 levels$(raise LIMIT_DEPTH)" \
			"$TMP/deep_$name"
	done
}

@test "what nobody reads may be as deep as a pickle's stack" {
	local name
	for name in deep_unread deep_unread_json; do
		bomb $name
		dumps 32 0 "" "$TMP/$name"
		assert_stderr_lines 0
	done
	bomb deeper_unread_json
	dumps 80 3 "nested deeper than 4194304 levels$(raise LIMIT_STACK)" \
		"$TMP/deeper_unread_json"
}

# refused WORDS NAME WAY...: trace-timeline or obs-perfsum, soon and in little
# memory.
refused() {
	local words=$1 name=$2 way
	shift 2
	bomb "$name"
	for way; do
		echo "way: $way"
		# shellcheck disable=SC2086 # a list of words
		within 16 $way -o "$TMP/out" "$TMP/$name"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "$TMP/$name: $words"
		[ ! -e "$TMP/out" ]
	done
}

@test "what becomes deep when all around it is made is refused where it is written" {
	refused "sample 0: has more than 900 levels$(raise LIMIT_DEPTH_WRITTEN)" \
		deep_later 'trace-timeline -f cache' 'trace-timeline -f html' \
		'trace-timeline -f chrome'
	within 16 obs-perfsum "$TMP/deep_later"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "deep_later: no generation requests"
	bomb deep_kept
	within 16 obs-perfsum "$TMP/deep_kept"
	assert_status 3
	assert_stderr_has "nested deeper than 10000 levels$(raise LIMIT_DEPTH)"
}

# bats test_tags=long
@test "a value whose references make it endless is refused before it is written" {
	local words name
	words="sample 0: takes more than 1 GiB$(raise LIMIT_STRING)"
	for name in memo_laughs laughing_status; do
		refused "$words" $name 'trace-timeline -f cache' \
			'trace-timeline -f html'
		within 16 obs-perfsum "$TMP/$name"
		assert_status 0
	done
	refused "$words" laughing_attribute 'trace-timeline -f cache' \
		'trace-timeline -f html' 'trace-timeline -f chrome'
}

@test "a value that contains itself, or is long in no form of JSON, is cut and told" {
	local name format
	for name in inside_itself two_megabytes; do
		bomb $name
		for format in cache html chrome; do
			within 16 trace-timeline -f $format -o "$TMP/out" "$TMP/$name"
			assert_status 1
			assert_stderr_lines 1
			assert_stderr_has "$name: sample 0: 1 value cut, because they contain"
			[ $format = html ] || jq -e . <"$TMP/out" >"$TMP/read"
		done
	done
	bomb long_set
	within 16 trace-timeline -f cache -o "$TMP/out" "$TMP/long_set"
	assert_status 1
	assert_stderr_has "long_set: sample 0: event 0: a text of more than 64 KiB"
}

# bats test_tags=long
@test "a pickle's stack, integers and events have limits that are named" {
	bomb many_marks
	dumps 48 3 "more than 4194304 values on the stack$(raise LIMIT_STACK)" \
		"$TMP/many_marks"
	bomb long_int
	dumps 16 3 "an integer of 10000 bytes$(raise LIMIT_INT_BYTES)" \
		"$TMP/long_int"
	bomb long_digits
	dumps 16 3 "an integer of more than 19729 digits$(raise LIMIT_INT_BYTES)" \
		"$TMP/long_digits"
	bomb many_events
	dumps 400 3 "sample 0 has 10000001 events, more than 10000000$(
		raise LIMIT_EVENTS)" "$TMP/many_events"
}

# bats test_tags=long
@test "a name or group that would be longer than a string may be names the limit" {
	local name words
	words="takes more than 1 GiB$(raise LIMIT_STRING)"
	for name in laughing_name laughing_quotes; do
		refused "$words" $name 'obs-perfsum --breakdown'
		refused "sample 0: $words" $name 'trace-timeline -f html' \
			'trace-timeline -f chrome' 'trace-timeline -f summary' \
			'trace-timeline -f cache' \
			'trace-timeline -f cache --sample name:x'
	done
	refused "$words" laughing_status 'obs-perfsum --by status' \
		'obs-perfsum --by status -f tsv' 'obs-perfsum --by status -f json'
}

@test "what files claim of their size is held against a limit" {
	# Holes: they take no room on the disk.
	printf '\x80\x02](}X\x06\x00\x00\x00rewardX\x00\x00\x00\x50' >"$TMP/string"
	truncate -s 1500M "$TMP/string"
	dumps 16 3 "a string of 1342177280 bytes$(raise LIMIT_STRING)" \
		"$TMP/string"
	mkdir "$TMP/multiproc"
	printf '\x00\x00\x00\x14' >"$TMP/multiproc/counter_1.db"
	truncate -s 400M "$TMP/multiproc/counter_1.db"
	within 16 obs-multiproc "$TMP/multiproc"
	assert_status 3
	assert_stderr_has "counter_1.db: takes more than 256 MiB$(raise LIMIT_MPDB)"
	truncate -s 300M "$TMP/list"
	within 300 obs-scrape --targets-from "$TMP/list"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "list: takes more than 256 MiB$(raise LIMIT_LIST)"
}

# bats test_tags=long
@test "a gzip trace of 1000:1 streams" {
	bomb gzip_profile p.json.gz
	bomb odd_times
	within 16 trace-timeline -f chrome -o "$TMP/out" \
		--merge "$TMP/p.json.gz" "$TMP/odd_times"
	assert_status 0
	bomb long_event p.json.gz
	within 200 trace-timeline -f chrome -o "$TMP/out" \
		--merge "$TMP/p.json.gz" "$TMP/odd_times"
	assert_stderr_has "p.json.gz: takes more than 64 MiB$(raise LIMIT_LINE)"
	assert_stderr_has "odd_times: sample 0 has a span that ends before"
	assert_stderr_lines 2
}

# bats test_tags=long
@test "a million spans in one sample take less than 1.3 KB each" {
	bomb many_spans
	dumps 1300 0 "" "$TMP/many_spans"
	assert_stderr_lines 1
	run_split trace-timeline -f summary "$TMP/many_spans"
	assert_output_has "closed    1000000"
}

@test "parents in circles, times below zero, unbounded or none are shown" {
	bomb odd_times
	dumps 16 0 "" "$TMP/odd_times"
	assert_stderr_lines 1
	assert_stderr_has "sample 0 has a span that ends before it starts"
	run_split trace-timeline -f cache "$TMP/odd_times"
	# A span in a circle is below the next, one that is its own parent below
	# none; NaN and infinity are null.
	assert_same_file <(jq -r '.rows[0].items[] |
		"\(.span_id) \(.depth) \(.start_ts) \(.end_ts)"' <<<"$output") - <<'END'
5 0 null null
2 1 -4 -1
4 1 null 1
6 1 9 8
1 2 -5 0
3 3 -3 -2
END
}

# bats test_tags=long
@test "families take less than 400 bytes each, however many" {
	bomb many_families
	metrics 400 0 "" "$TMP/many_families"
	cmp "$TMP/out" "$TMP/many_families"
}

# bats test_tags=long
@test "ten million families pass through, or lack memory in one line" {
	mock_names
	bomb ten_million_families
	mv "$TMP/ten_million_families" "$BATS_FILE_TMPDIR"
	within 720 obs-scrape --no-addr-label -o "$TMP/out" \
		"$AT/file/ten_million_families"
	assert_status 0
	cmp "$TMP/out" "$BATS_FILE_TMPDIR/ten_million_families"
	[[ $OBS_BIN != */san/bin ]] || return 0
	run_split bash -c "ulimit -v 1000000
		obs-aggregate '$BATS_FILE_TMPDIR/ten_million_families'"
	assert_status 3
	assert_stderr_has "out of memory"
	assert_stderr_lines 1
	refute_output
}

@test "a packed body of 1000:1 stops at --max-bytes" {
	mock_names
	within 24 obs-scrape --max-bytes 1M "$AT/bomb"
	assert_status 3
	assert_stderr_has "takes more than 1 MiB; raise it with --max-bytes"
}

@test "100000 labels cost their line: the limit is 4096" {
	bomb many_labels
	metrics 16 1 "many_labels:2: more than 4096 labels$(raise LIMIT_LABELS)" \
		"$TMP/many_labels"
	[ "$(cat "$TMP/out")" = "good 1" ]
}

@test "an endless line costs itself: the limit is 64 MiB" {
	bomb long_line
	metrics 80 1 "long_line:2: takes more than 64 MiB$(raise LIMIT_LINE)" \
		"$TMP/long_line"
	[ "$(cat "$TMP/out")" = "good 1" ]
	# Pieces of a pipe leave room in a buffer that is larger than the limit.
	# shellcheck disable=SC2016 # expanded by the inner shell
	run_split bash -c 'cat "$0" | obs-aggregate' "$TMP/long_line"
	assert_status 1
	assert_stderr_has "stdin:2: takes more than 64 MiB$(raise LIMIT_LINE)"
	assert_output $'good 1\n'
}

@test "100000 bounds are too many to be reduced: the limit is 16384" {
	bomb many_buckets
	metrics 32 3 "more than 16384 buckets$(raise LIMIT_BUCKETS)" --by x \
		"$TMP/many_buckets"
	[ ! -e "$TMP/out" ]
	metrics 64 0 "" "$TMP/many_buckets"
}

@test "as many bounds as there may be leave room for the count as +Inf" {
	{
		seq -f 'h_bucket{le="%.0f"} 1' 16384
		printf 'h_count 4\n'
	} >"$TMP/most"
	printf '# TYPE h histogram\n' | cat - "$TMP/most" >"$TMP/in"
	run_split obs-aggregate --by x "$TMP/in"
	assert_stderr_has "no +Inf bucket; the count is used instead"
	assert_output_has $'h_bucket{le="16384"} 1\nh_bucket{le="+Inf"} 4\n'
	run_split obs-aggregate --quantile 0.25,0.5 "$TMP/in"
	assert_output_has $'h{quantile="0.25"} 1\nh{quantile="0.5"} 16384\n'
	sed 's/^h/sglang:e2e_request_latency_seconds/' "$TMP/most" >"$TMP/in"
	run_split obs-perfsum "$TMP/in"
	assert_status 0
	assert_output_has 16384
}

@test "bounds that are too many for quantiles are told as such, too" {
	local words
	words="seconds_bucket has more than 16384 buckets$(raise LIMIT_BUCKETS)"
	bomb many_buckets
	sed 's/h/sglang:e2e_request_latency_seconds/' "$TMP/many_buckets" \
		>"$TMP/before"
	sed 's/1$/2/' "$TMP/before" >"$TMP/after"
	run_split obs-perfsum "$TMP/before"
	assert_status 3
	assert_stderr_has "before: sglang:e2e_request_latency_$words"
	assert_stderr_lines 1
	printf '# EOF\n' | tee -a "$TMP/before" >>"$TMP/after"
	run_split bash -c 'cat "$@" | obs-aggregate --step-summary sglang' sh \
		"$TMP/before" "$TMP/after"
	assert_status 3
	assert_stderr_has "sglang:e2e_request_latency_$words"
	assert_stderr_lines 2
}

@test "a body without lines is refused" {
	local code
	# shellcheck disable=SC2016 # expanded by the inner shell
	head -c 100000000 /dev/zero | tr '\0' x >"$TMP/x"
	metrics 80 3 "takes more than 64 MiB$(raise LIMIT_LINE)" "$TMP/x"
	assert_stderr_lines 1
	run_split bash -c 'yes "a 1" | head -n 2000000 | obs-aggregate -q'
	assert_output $'a 1\n'
}

# bats test_tags=long
@test "a stream of snapshots takes no more for being long" {
	local code=0
	{ yes $'a 1\n# EOF' | head -n 2000000 |
		{ ulimit -v 200000 && obs-aggregate -f jsonl; } >"$TMP/out"; } ||
		code=$?
	[ "$code" -eq 0 ] || [[ $OBS_BIN == */san/bin ]]
}
