# One rollout in every layout that torch.save has or had, and in pickles of
# every protocol: the same numbers and the same timeline from each.

load test_helper

setup_file() {
	local python
	python=$(python_with torch numpy) || return 0
	mkdir "$BATS_FILE_TMPDIR/dumps"
	"$python" "$ROOT/tests/make_dumps.py" "$BATS_FILE_TMPDIR/dumps"
}

setup() {
	skip_without jq
	dumps=$BATS_FILE_TMPDIR/dumps
	[ -e "$dumps/zip.pt" ] || skip "no python3 with torch"
	cd "$dumps" || return
}

# without KEYS < JSON...: each document on a line, in one form, without them.
without() {
	jq -cS "del($1)"
}

cache_of() {
	trace-timeline --format cache "$1" | without .pt_path,.generated_at
}

perf_of() {
	obs-perfsum --format json "$1" | without .dump,.rollout_id
}

# same_of_all KEYS COMMAND...: what it makes of each dump is the same, which
# is left in $line. One jq reads all, which takes long to start.
same_of_all() {
	local dump keys=$1 want=''
	shift
	for dump in *.pt *.pkl; do
		"$@" "$dump"
	done >"$TMP/all"
	for dump in *.pt *.pkl; do
		read -r line
		[ "${want:=$line}" = "$line" ] || fail_with "$dump: $line"
	done < <(without "$keys" <"$TMP/all")
	[ "$(jq -n '[inputs] | length' "$TMP/all")" -eq \
		"$(printf '%s\n' *.pt *.pkl | wc -l)" ]
}

@test "every layout gives the same timeline" {
	same_of_all .pt_path,.generated_at trace-timeline --format cache
	[ "$(jq '.sample_count' <<<"$line")" -eq 2 ]
	[ "$line" = "$(cache_of zip.pt)" ]
}

@test "every layout gives the same metrics" {
	same_of_all .dump,.rollout_id obs-perfsum --format json
	[ "$line" = "$(perf_of zip.pt)" ]
}

@test "every layout reads the same from a pipe" {
	local dump
	for dump in *.pt *.pkl; do
		obs-perfsum <"$dump" >"$TMP/file"
		# shellcheck disable=SC2002 # a pipe
		cat "$dump" | obs-perfsum >"$TMP/pipe"
		echo "dump: $dump"
		cmp "$TMP/file" "$TMP/pipe"
	done
}

@test "the metrics are those of the documented rules" {
	jq -S . zip.perf.json >"$TMP/want"
	obs-perfsum --format json zip.pt |
		jq -S 'del(.dump, .rollout_id)' >"$TMP/have"
	assert_same_file "$TMP/want" "$TMP/have"
}

@test "numpy scalars are shown as Python's json and str() show them" {
	[ "$(cache_of zip.pt | jq -c '.rows[0].items[0].attrs.end_attrs |
		[.queue_time, .skipped, .count, .yes]')" = '[0.25,"0.25","-7","True"]' ]
}

@test "a CRC that torch did not compute is no fault" {
	run_split obs-perfsum zero.pt
	assert_status 0
	assert_stderr_lines 0
}

@test "a wrong CRC is told, and the metrics are given all the same" {
	local program
	for program in "obs-perfsum --format=json" "trace-timeline --format=cache"; do
		run_split "${program% *}" "${program#* }" wrong.crc
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "wrong.crc: data.pkl has a wrong CRC"
		jq -e . >/dev/null <<<"$output"
	done
	[ "$(obs-perfsum wrong.crc 2>/dev/null |
		jq -cS 'del(.dump, .rollout_id)')" = "$(perf_of zip.pt)" ]
}

@test "what is damaged is one line and status 3" {
	local dump
	for dump in *.bad; do
		run_split obs-perfsum "$dump"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "obs-perfsum: $dump: "
		refute_output
	done
}

@test "where a pickle is cut off is told by its byte" {
	run_split obs-perfsum cut_pickle.bad
	assert_stderr_has "cut_pickle.bad: byte $(wc -c <cut_pickle.bad): "
}
