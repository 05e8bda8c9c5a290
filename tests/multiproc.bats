# obs-multiproc: value files of prometheus_client, whole, old and damaged.

load test_helper

setup() {
	PYTHON=$(python_with json) || skip "no python3"
	DIR=$TMP/metrics
	mkdir -p "$DIR"
}

# db NAME ARGS...: a value file, see write_db.py.
db() {
	local name=$1
	shift
	"$PYTHON" "$ROOT/tests/write_db.py" "$DIR/$name" "$@"
}

# run_here ARGS...: obs-multiproc on the directory.
run_here() {
	run_split obs-multiproc "$@" "$DIR"
}

# assert_lines LINE...: stdout is these lines, in any order.
assert_lines() {
	diff -u <(printf '%s\n' "$@" | sort) <(sort <<<"${output%$'\n'}") >&2 ||
		fail_with "other lines"
}

samples() {
	output=$(grep -v '^#' <<<"${output%$'\n'}")
}

# A process id that no process has: one that was and has been waited for.
dead_pid() {
	sleep 0 &
	wait $!
	echo $!
}

JOBS='["jobs", "jobs_total", {}, "Jobs", 1]'

# What the modes mean --------------------------------------------------

@test "counters are added up over processes and keep their label sets apart" {
	db counter_1.db '["jobs", "jobs_total", {"q": "a"}, "Jobs done", 2]' \
		'["jobs", "jobs_total", {"q": "b"}, "Jobs done", 1]'
	db counter_2.db '["jobs", "jobs_total", {"q": "a"}, "Jobs done", 0.5]'
	run_here
	assert_status 0
	assert_output '# HELP jobs_total Jobs done
# TYPE jobs_total counter
jobs_total{q="a"} 2.5
jobs_total{q="b"} 1.0
'
}

@test "labels in another order are the same series" {
	db counter_1.db '["jobs", "jobs_total", {"a": "1", "b": "2"}, "", 2]'
	db counter_2.db '["jobs", "jobs_total", {"b": "2", "a": "1"}, "", 3]'
	run_here
	assert_status 0
	assert_output '# HELP jobs_total 
# TYPE jobs_total counter
jobs_total{a="1",b="2"} 5.0
'
}

@test "buckets are added up by bound, accumulated by size, and give _count" {
	db histogram_1.db '["lat", "lat_sum", {}, "h", 9.5]' \
		'["lat", "lat_bucket", {"le": "10"}, "h", 1]' \
		'["lat", "lat_bucket", {"le": "+Inf"}, "h", 2]' \
		'["lat", "lat_bucket", {"le": "2.5"}, "h", 4]'
	db histogram_2.db '["lat", "lat_count", {}, "h", 77]' \
		'["lat", "lat_sum", {}, "h", 0.5]' \
		'["lat", "lat_bucket", {"le": "10.0"}, "h", 8]'
	run_here
	assert_status 0
	samples
	assert_lines 'lat_sum 10.0' 'lat_bucket{le="2.5"} 4.0' \
		'lat_bucket{le="10.0"} 13.0' 'lat_bucket{le="+Inf"} 15.0' \
		'lat_count 15.0'
}

@test "bounds are spelled as in Go, and le stands last" {
	db histogram_1.db \
		'["lat", "lat_bucket", {"le": "1000000.0", "z": "1"}, "h", 1]'
	run_here
	samples
	assert_lines 'lat_bucket{z="1",le="1e+06"} 1.0' 'lat_count{z="1"} 1.0'
}

@test "a summary is its sum and count" {
	db summary_1.db '["s", "s_count", {}, "h", 2]' '["s", "s_sum", {}, "h", 7]'
	db summary_2.db '["s", "s_count", {}, "h", 1]' '["s", "s_sum", {}, "h", 1]'
	run_here
	samples
	assert_lines 's_count 3.0' 's_sum 8.0'
}

@test "gauges of min, max and sum reduce over processes, live or not" {
	local mode pid
	for mode in min max sum livemin livemax livesum; do
		for pid in 3 1 2; do
			db "gauge_${mode}_$pid.db" \
				"[\"g_$mode\", \"g_$mode\", {}, \"h\", $((pid - 2))]"
		done
	done
	run_here
	assert_status 0
	samples
	assert_lines 'g_min -1.0' 'g_livemin -1.0' 'g_max 1.0' 'g_livemax 1.0' \
		'g_sum 0.0' 'g_livesum 0.0'
}

@test "gauges of all and liveall have the pid among their labels" {
	db gauge_all_7.db '["g", "g", {"a": "x", "z": "y"}, "h", 1]'
	db gauge_all_8.db '["g", "g", {"a": "x", "z": "y"}, "h", 2]'
	db gauge_liveall_7.db '["l", "l", {}, "h", -0.0]'
	run_here
	samples
	assert_lines 'g{a="x",pid="7",z="y"} 1.0' 'g{a="x",pid="8",z="y"} 2.0' \
		'l{pid="7"} -0.0'
}

@test "the pid is all that an application put there, underscores included" {
	db gauge_all_api_2.db '["g", "g", {}, "h", 1]'
	run_here
	samples
	assert_lines 'g{pid="api_2"} 1.0'
}

@test "a pid label of the application gives way to the process's" {
	db gauge_all_7.db '["g", "g", {"pid": "mine"}, "h", 1]'
	db gauge_max_7.db '["m", "m", {"pid": "mine"}, "h", 2]'
	run_here
	samples
	assert_lines 'g{pid="7"} 1.0' 'm 2.0'
}

@test "mostrecent follows the timestamp, neither value nor order of files" {
	db gauge_mostrecent_1.db '["g", "g", {}, "h", 5, 1700000002.5]'
	db gauge_mostrecent_2.db '["g", "g", {}, "h", 3, 1700000003.25]'
	db gauge_mostrecent_3.db '["g", "g", {}, "h", 8, 1700000001]'
	db gauge_livemostrecent_1.db '["l", "l", {}, "h", 5, 12]'
	db gauge_livemostrecent_2.db '["l", "l", {}, "h", 6, 11]'
	run_here
	samples
	assert_lines 'g 3.0' 'l 5.0'
}

@test "a mostrecent gauge that was never set has a TYPE and no sample" {
	db gauge_mostrecent_1.db '["g", "g", {}, "h", 5, 0]'
	run_here
	assert_status 0
	assert_output '# HELP g h
# TYPE g gauge
'
}

@test "NaN has no part in minimum and maximum, whoever comes first" {
	db gauge_min_1.db '["n", "n", {}, "h", NaN]' '["a", "a", {}, "h", NaN]'
	db gauge_min_2.db '["n", "n", {}, "h", 4]'
	db gauge_max_1.db '["x", "x", {}, "h", 4]'
	db gauge_max_2.db '["x", "x", {}, "h", NaN]'
	run_here
	samples
	assert_lines 'n 4.0' 'x 4.0' 'a NaN'
}

@test "text is escaped, and a lone surrogate becomes U+FFFD" {
	db counter_1.db \
		'["c", "c_total", {"l": "a\"b\\c\nd"}, "say \"hi\"\\\n", 1]' \
		'["s", "s_total", {"l": "x\u00e9😀"}, "h", 1]' \
		'["u", "u_total", {"l": "x\ud800y"}, "h"]=2'
	run_here
	assert_status 0
	assert_lines '# HELP c_total say "hi"\\\n' '# TYPE c_total counter' \
		'c_total{l="a\"b\\c\nd"} 1.0' '# HELP s_total h' \
		'# TYPE s_total counter' 's_total{l="xé😀"} 1.0' \
		'# HELP u_total h' '# TYPE u_total counter' 'u_total{l="x�y"} 2.0'
}

# Layouts and damage ---------------------------------------------------

@test "files without timestamps are read beside those with them" {
	db counter_1.db --old '["a", "a_total", {}, "h", 1]' \
		'["b", "b_total", {}, "h", 2]' '["c", "c_total", {}, "h", 3]'
	db counter_2.db '["a", "a_total", {}, "h", 10]'
	db counter_3.db --old '["a", "a_total", {}, "h", 100]'
	run_here
	assert_status 0
	samples
	assert_lines 'a_total 111.0' 'b_total 2.0' 'c_total 3.0'
}

@test "keys of every length are followed by one to eight blanks" {
	local help='' n
	local entries=()
	for n in 0 1 2 3 4 5 6 7; do
		entries+=("[\"p$n\", \"p${n}_total\", {}, \"é$help\", $n]")
		help+=x
	done
	db counter_1.db "${entries[@]}"
	db counter_2.db --old "${entries[@]}"
	run_here
	assert_status 0
	samples
	assert_lines 'p0_total 0.0' 'p1_total 2.0' 'p2_total 4.0' \
		'p3_total 6.0' 'p4_total 8.0' 'p5_total 10.0' 'p6_total 12.0' \
		'p7_total 14.0'
}

@test "empty files, files of zeros, directories and dangling links are no errors" {
	db counter_1.db "$JOBS"
	: >"$DIR/counter_2.db"
	head -c 65536 /dev/zero >"$DIR/counter_3.db"
	mkdir "$DIR/counter_4.db"
	ln -s nowhere "$DIR/counter_5.db"
	: >"$DIR/.counter_6.db"
	: >"$DIR/notes.txt"
	run_here
	assert_status 0
	assert_stderr_lines 0
	samples
	assert_lines 'jobs_total 1.0'
}

@test "a directory without .db files is the wrong one" {
	: >"$DIR/notes.txt"
	run_here -o "$TMP/out"
	assert_status 1
	refute_output
	assert_stderr_lines 1
	assert_stderr_has "$DIR: no .db files; give the directory that"
	[ ! -e "$TMP/out" ]
}

@test "files that hold nothing yet are told, and are no error" {
	: >"$DIR/counter_2.db"
	head -c 65536 /dev/zero >"$DIR/gauge_all_3.db"
	run_here -o "$TMP/out"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "$DIR: no samples in 2 files"
	[ -e "$TMP/out" ]
	[ ! -s "$TMP/out" ]
	run_here -q
	assert_stderr_lines 0
}

@test "files of which none can be used are bad input, and nothing is written" {
	seq 1000 >"$DIR/counter_1.db"
	: >"$DIR/what.db"
	run_here -o "$TMP/out"
	assert_status 3
	assert_stderr_lines 2
	[ ! -e "$TMP/out" ]
}

@test "each damaged file is named with its place, and its whole entries count" {
	db counter_1.db "$JOBS" --tail 6b65797a6b65797a6b65797a6b65797a6b65797a
	db counter_2.db "$JOBS" --tail fbffffff6161616161616161616161616161616161
	db counter_3.db "$JOBS" --used 1073741824
	db counter_4.db "$JOBS" --used -16
	db counter_5.db "$JOBS" --used 4
	db counter_6.db "$JOBS" --size 30
	db counter_7.db "$JOBS" --size 3
	db counter_8.db "$JOBS" --used 61
	run_here
	assert_status 1
	samples
	# 1, 2, 3, and 8, whose value begins inside the bytes in use.
	assert_lines 'jobs_total 4.0'
	assert_stderr_lines 8
	assert_stderr_has 'counter_1.db: byte 64: the impossible key length 2054776171'
	assert_stderr_has 'counter_2.db: byte 64: the impossible key length -5'
	assert_stderr_has 'counter_3.db: byte 64: the impossible key length 0'
	assert_stderr_has 'counter_4.db: byte 0: not a file of prometheus_client: its header has the impossible size -16'
	assert_stderr_has 'counter_5.db: byte 0: not a file of prometheus_client: its header has the impossible size 4'
	assert_stderr_has 'counter_6.db: byte 30: the file is truncated; 64 bytes should be'
	assert_stderr_has 'counter_7.db: byte 3: the file is truncated inside its header'
	assert_stderr_has 'counter_8.db: byte 8: entry goes past the 61 bytes in use'
}

@test "a file cut between value and timestamp is not taken for the old layout" {
	db counter_1.db "$JOBS"
	db counter_2.db "$JOBS" --size 56
	run_here
	assert_status 1
	samples
	assert_lines 'jobs_total 1.0'
	assert_stderr_has 'counter_2.db: byte 56: the file is truncated'
}

@test "of a damaged file without timestamps all whole entries count, too" {
	local three=('["a", "a_total", {}, "h", 1]'
		'["b", "b_total", {}, "h", 2]' '["c", "c_total", {}, "h", 3]')
	db counter_1.db --old "${three[@]}" --tail 6b65797a6b65797a6b65797a
	db counter_2.db --old "${three[@]}" --used 1048576
	db counter_3.db --old "${three[@]}" --size 120
	run_here
	assert_status 1
	samples
	# Of the third file the last value is cut off.
	assert_lines 'a_total 3.0' 'b_total 6.0' 'c_total 6.0'
	assert_stderr_lines 3
	assert_stderr_has 'counter_1.db: byte 128: the impossible key length 2054776171'
	assert_stderr_has 'counter_2.db: byte 128: the impossible key length 0'
	assert_stderr_has 'counter_3.db: byte 120: the file is truncated'
}

@test "a file of exactly the bytes in use is whole" {
	db counter_1.db "$JOBS" --size 64
	run_here
	assert_status 0
	samples
	assert_lines 'jobs_total 1.0'
}

@test "an entry whose key is no list of four is skipped alone" {
	db counter_1.db '{"a": 1}=1' 'nonsense=1' '["a", "b"]=1' \
		'["a", "a", {"l": 1}, "h"]=1' '["", "", {}, ""]=1' "$JOBS"
	run_here
	assert_status 1
	samples
	assert_lines 'jobs_total 1.0'
	assert_stderr_lines 1
	assert_stderr_has 'counter_1.db: byte 8: key is not [family, sample,'
	assert_stderr_has '(and 4 more)'
}

@test "a bucket whose bound is no number is left out" {
	db histogram_1.db '["h", "h_bucket", {"le": "wide"}, "", 1]' \
		'["h", "h_bucket", {"le": "1"}, "", 2]'
	run_here
	assert_status 1
	samples
	assert_lines 'h_bucket{le="1.0"} 2.0' 'h_count 2.0'
}

@test "a family that changes its type keeps the first, and says so" {
	db counter_1.db '["x", "x_total", {}, "h", 1]'
	db histogram_1.db '["z", "z_bucket", {"le": "1"}, "h", 1]'
	db summary_2.db '["x", "x_sum", {}, "h", 5]' '["y", "y_sum", {}, "h", 6]' \
		'["z", "z_bucket", {"le": "2"}, "h", 1]'
	run_here
	assert_status 1
	samples
	assert_lines 'x_total 1.0' 'y_sum 6.0' 'z_bucket{le="1.0"} 1.0' 'z_count 1.0'
	assert_stderr_lines 1
	assert_stderr_has 'summary_2.db: byte 8: x is a counter in an earlier file'
}

@test "a gauge that changes its mode keeps the first, and says so" {
	db gauge_max_1.db '["g", "g", {}, "h", 3]'
	db gauge_sum_2.db '["g", "g", {}, "h", 2]'
	db gauge_livemax_3.db '["g", "g", {}, "h", 1]'
	run_here
	assert_status 1
	samples
	assert_lines 'g 3.0'
	assert_stderr_lines 1
	assert_stderr_has 'gauge_sum_2.db: byte 8: g has mode '
}

@test "names of other shapes, pipes and unreadable files are told" {
	db counter_1.db "$JOBS"
	: >"$DIR/counter.db"
	: >"$DIR/gauge_median_1.db"
	: >"$DIR/thing_1.db"
	mkfifo "$DIR/counter_2.db"
	ln -s counter_3.db "$DIR/counter_3.db"
	run_here
	assert_status 1
	assert_stderr_lines 5
	assert_stderr_has 'counter.db: not TYPE_PROCESS.db or gauge_MODE_PROCESS.db'
	assert_stderr_has 'counter_2.db: not a regular file'
	assert_stderr_has 'counter_3.db: cannot open: Too many levels'
	samples
	assert_lines 'jobs_total 1.0'
}

# Processes that are gone ----------------------------------------------

@test "gauges of the dead count, unless --live-only" {
	local dead
	dead=$(dead_pid)
	db "gauge_all_$dead.db" '["g", "g", {}, "h", 1]'
	db "gauge_all_$$.db" '["g", "g", {}, "h", 2]'
	db "gauge_livesum_$dead.db" '["l", "l", {}, "h", 1]'
	db "gauge_livesum_$$.db" '["l", "l", {}, "h", 2]'
	db "counter_$dead.db" "$JOBS"
	run_here
	samples
	assert_lines "g{pid=\"$dead\"} 1.0" "g{pid=\"$$\"} 2.0" 'l 3.0' \
		'jobs_total 1.0'
	run_here --live-only
	assert_status 0
	samples
	assert_lines "g{pid=\"$$\"} 2.0" 'l 2.0' 'jobs_total 1.0'
}

@test "--prune-dead deletes live gauges of the dead, says which, and no more" {
	local dead
	dead=$(dead_pid)
	db "gauge_all_$dead.db" '["g", "g", {}, "h", 1]'
	db "gauge_livesum_$dead.db" '["l", "l", {}, "h", 1]'
	db "gauge_livesum_$$.db" '["l", "l", {}, "h", 2]'
	db "gauge_livesum_api_1.db" '["l", "l", {}, "h", 4]'
	db "counter_$dead.db" "$JOBS"
	run_here --prune-dead
	assert_status 0
	samples
	assert_lines "g{pid=\"$dead\"} 1.0" 'l 6.0' 'jobs_total 1.0'
	assert_stderr_lines 1
	assert_stderr_has "gauge_livesum_$dead.db: deleted, its process no longer runs"
	[ ! -e "$DIR/gauge_livesum_$dead.db" ]
	[ "$(find "$DIR" -name '*.db' | wc -l)" -eq 4 ]
	run_here --prune-dead
	assert_stderr_lines 0
}

# The command line -----------------------------------------------------

@test "without DIR the environment says where; without both that is an error" {
	db counter_1.db "$JOBS"
	PROMETHEUS_MULTIPROC_DIR=$DIR run_split obs-multiproc
	assert_status 0
	assert_output_has 'jobs_total 1.0'
	run_split obs-multiproc
	assert_status 2
	assert_stderr_has 'give DIR or set PROMETHEUS_MULTIPROC_DIR'
	run_split obs-multiproc a b
	assert_status 2
}

@test "a directory that is not there is status 4" {
	run_split obs-multiproc "$TMP/nowhere"
	assert_status 4
	assert_stderr_has "$TMP/nowhere: cannot open the directory: No such file"
}

@test "-o writes a file, whole" {
	db counter_1.db "$JOBS"
	run_here -o "$TMP/jobs.prom"
	assert_status 0
	refute_output
	grep -qxF 'jobs_total 1.0' "$TMP/jobs.prom"
}

@test "obs-aggregate takes what is written" {
	db counter_1.db "$JOBS" '["my.c", "my.c_total", {"a.b": "v"}, "h", 3]'
	run_here
	run_split obs-aggregate --format jsonl <<<"$output"
	assert_status 0
	assert_output_has '"my.c_total"'
}

# Beside the real client -----------------------------------------------

tidy() {
	"$PYTHON" "$ROOT/tests/sort_exposition.py"
}

# bats test_tags=long
@test "with processes writing all the time nothing is torn, and the end is the collector's answer" {
	local writers seen=0
	PYTHON=$(python_with prometheus_client) || skip "no prometheus_client"
	"$PYTHON" "$ROOT/tests/multiproc_writers.py" "$DIR" 3 2 >"$TMP/want" &
	writers=$!
	until compgen -G "$DIR/*.db" >/dev/null; do
		sleep 0.01
	done
	while kill -0 "$writers" 2>/dev/null && [ "$seen" -lt 2000 ]; do
		# -q: the first files hold nothing yet.
		obs-multiproc -q "$DIR" >"$TMP/got" 2>"$TMP/err"
		[ ! -s "$TMP/err" ]
		seen=$((seen + 1))
	done
	wait "$writers"
	[ "$seen" -gt 1 ]
	obs-multiproc "$DIR" >"$TMP/got"
	tidy <"$TMP/got" >"$TMP/got.tidy"
	tidy <"$TMP/want" >"$TMP/want.tidy"
	assert_same_file "$TMP/want.tidy" "$TMP/got.tidy"
}

# bats test_tags=long
@test "a large directory of either layout is the collector's answer" {
	local layout
	PYTHON=$(python_with prometheus_client) || skip "no prometheus_client"
	# The client of this machine reads its own layout only.
	layout=$("$PYTHON" -c 'from prometheus_client import mmap_dict as m
print("" if hasattr(m, "_unpack_two_doubles") else "--old")')
	# shellcheck disable=SC2086 # none or one word
	"$ROOT/scripts/gen-multiproc" "$DIR" --files 40 --mb 0.4 $layout
	obs-multiproc "$DIR" | tidy >"$TMP/got"
	"$PYTHON" "$ROOT/tests/multiproc_writers.py" "$DIR" 0 0 | tidy >"$TMP/want"
	assert_same_file "$TMP/want" "$TMP/got"
}
