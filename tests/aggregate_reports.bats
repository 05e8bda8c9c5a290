# obs-aggregate on what users of other tools have reported.

load test_helper

aggregate_text() {
	printf '%s\n' "$1" >"$TMP/input"
	shift
	run_split obs-aggregate "$@" <"$TMP/input"
}

@test "colons stay in names and values; a clash by --sanitize is told" {
	local text='vllm:q{u="http://h:1/v1"} 3
:odd 1
a:b:c 2.5'
	aggregate_text "$text"
	assert_output "$text"$'\n'
	aggregate_text $'vllm:x{w="1"} 1\nvllm_x{w="2"} 2' --sanitize
	assert_status 0
	assert_stderr_has 'conflict: vllm:x and vllm_x both become vllm_x'
}

@test "numbers are decimal, in range, and end where they end" {
	local bad good
	for good in 0 5. .5 +5 1E+3 -1.5e-3 Inf inf nan 00012; do
		aggregate_text "v $good"
		assert_status 0
	done
	for bad in 0x10 1_000 0,98 1d 1f 1e 1e400 'nan(0x1)' 1.2.3 --1 \
		infinit 0b1 '' '1 2 3'; do
		aggregate_text "v $bad"
		assert_status 3
		assert_stderr_lines 1
	done
	aggregate_text $'v 9007199254740993\nw 1e-400\nx -nan\ny nan'
	assert_output $'v 9007199254740992\nw 0\ny NaN\n'
}

@test "workers with other label sets merge, a missing label is an empty one" {
	printf 'r{role="p"} 11\n' >"$TMP/p"
	printf 'r{rank="0",role="d"} 23\nr{rank="",role="d"} 31\n' >"$TMP/d"
	run_split obs-aggregate --by role,rank "$TMP/p" "$TMP/d" </dev/null
	assert_output $'r{rank="0",role="d"} 23\nr{role="d"} 31\nr{role="p"} 11\n'
}

# A histogram t of the given bounds and counts, to $TMP/NAME.
histogram() {
	local name=$1
	shift
	printf '# TYPE t histogram\n' >"$TMP/$name"
	printf 't_bucket{le="%s"} %s\n' "$@" >>"$TMP/$name"
}

@test "1, 1.0 and 1e+00 are one bound" {
	histogram go 1 3 +Inf 6
	histogram py 1.0 4 +Inf 5
	histogram odd Inf 2 1e+00 1
	cd "$TMP" || return
	run_split obs-aggregate --by '' go@w=1 py@w=2 odd@w=3 </dev/null
	assert_output '# TYPE t histogram
t_bucket{le="1"} 8
t_bucket{le="+Inf"} 13
'
}

@test "one histogram in two files counts once, however le is spelled" {
	histogram go 1 3 +Inf 6
	histogram py 1.0 4 +Inf 5
	cd "$TMP" || return
	run_split obs-aggregate --by '' go py </dev/null
	assert_status 1
	assert_output_has 't_bucket{le="1"} 3'
	assert_stderr_lines 1
	assert_stderr_has 'py:2: 2 series also in go (the first is t_bucket)'
}

@test "of equal buckets the first counts, in whatever order they come" {
	printf '# TYPE t histogram\n' >"$TMP/mixed"
	# Series a lists its bounds as they rise, b as they fall, c both; a's and
	# c's are listed in turns.
	printf 't_bucket{s="%s",le="%s"} %s\n' \
		a 1 1 a 2 2 c 1 1 a +Inf 3 c +Inf 4 b +Inf 9 b 2 8 b 1 7 c 2 2 \
		a 2 50 c 2 50 b 1 50 b +Inf 50 c 1 50 a +Inf 50 >>"$TMP/mixed"
	run_split obs-aggregate --by '' "$TMP/mixed" </dev/null
	assert_output $'# TYPE t histogram\nt_bucket{le="1"} 9
t_bucket{le="2"} 12\nt_bucket{le="+Inf"} 16\n'
	assert_stderr_has 'mixed:11: duplicate series of t_bucket'
	assert_stderr_has 'mixed:16: duplicate series of t_bucket'
}

@test "of equal buckets the first counts, also behind a late TYPE" {
	aggregate_text 't_bucket{le="1"} 3
t_bucket{le="2"} 4
# TYPE t_bucket gauge
t_bucket{le="1"} 50
t_bucket{le="2",x="y"} 6' --by ''
	assert_output $'t_bucket{le="2"} 10\n'
	assert_stderr_has 'stdin:4: duplicate series of t_bucket'
	assert_stderr_has 'TYPE gauge of t_bucket is ignored; it is part of the histogram t'
	aggregate_text 't 1
t_bucket{le="1"} 3
# TYPE t histogram
t_bucket{le="1"} 50
t_bucket{le="+Inf"} 7' --by ''
	assert_output $'# TYPE t histogram\nt 1\nt_bucket{le="1"} 3
t_bucket{le="+Inf"} 7\n'
	assert_stderr_has 'duplicate series of t_bucket'
	aggregate_text 't_bucket 3
# TYPE t histogram
t_bucket{le="+Inf"} 7' --by ''
	assert_output $'# TYPE t histogram\nt_bucket{le="+Inf"} 7\n'
	assert_stderr_has 't: TYPE came after buckets'
	aggregate_text $'# TYPE t histogram\nt_bucket{le="1"} 3' --by ''
	assert_stderr_lines 1
}

@test "a bound that one series has twice, in two spellings, is not two series'" {
	printf '# TYPE t histogram\n' >"$TMP/twice"
	printf 't_bucket{s="%s",le="%s"} %s\n' a 1 1 b 1 2 a 1.0 1 \
		c +Inf 5 b +Inf 5 a +Inf 5 >>"$TMP/twice"
	run_split obs-aggregate --by '' "$TMP/twice" </dev/null
	assert_output $'# TYPE t histogram\nt_bucket{le="+Inf"} 15\n'
	assert_stderr_has 't: mismatched buckets'
	# No bound but +Inf is common: nobody knows a quantile.
	sed 's/^t/sglang:e2e_request_latency_seconds/; s/ t / sglang:e2e_request_latency_seconds /' \
		"$TMP/twice" >"$TMP/page"
	echo 'sglang:e2e_request_latency_seconds_count 15' >>"$TMP/page"
	run_split obs-perfsum "$TMP/page"
	assert_output_has '"perf/request/count":15'
	[[ $output != *median* ]] || fail_with "no median"
	echo '# EOF' >>"$TMP/page"
	# shellcheck disable=SC2016 # expanded by the inner shell
	run_split bash -c 'sed "s/[125]\$/1&/" "$0" | cat "$0" - |
		obs-aggregate --step-summary sglang' "$TMP/page"
	assert_output_has '"resets":0,"new_series":0'
	[[ $output != *p50* ]] || fail_with "no p50"
}

@test "bounds that not all have are dropped, with a warning" {
	histogram a 1 20 5 26 +Inf 30
	histogram b 1 1 2 4 10 7 +Inf 8
	cd "$TMP" || return
	run_split obs-aggregate --by '' a@w=1 b@w=2 </dev/null
	assert_output $'# TYPE t histogram\nt_bucket{le="1"} 21
t_bucket{le="+Inf"} 38\n'
	assert_stderr_has 't: mismatched buckets'
	run_split obs-aggregate --by '' --quantile 0.5 a@w=1 b@w=2 </dev/null
	assert_output_has 't{quantile="0.5"} 0.9047619047619048'
}

@test "the count stands in for a +Inf bucket that is missing, told once" {
	aggregate_text '# TYPE t histogram
t_bucket{le="0.5"} 9
t_bucket{le="0.1"} 5
t_count 12' --by '' --quantile 0.5,0.99
	assert_output_has 't{quantile="0.5"} 0.2'
	assert_output_has 't{quantile="0.99"} 0.5'
	assert_stderr_lines 1
	assert_stderr_has 't: no +Inf bucket'
}

@test "TYPEs that differ: the first stays, both files are named" {
	printf '# TYPE c counter\nc 5\n# TYPE h histogram\n%s\n' \
		'h_bucket{le="+Inf"} 1' >"$TMP/a"
	printf '# TYPE c gauge\nc 0.5\n# TYPE h counter\nh 9\nok 2\n' >"$TMP/b"
	cd "$TMP" || return
	run_split obs-aggregate a@w=1 b@w=2 </dev/null
	assert_status 0
	assert_stderr_has 'b:1: type conflict: TYPE gauge of c differs from counter in a'
	assert_output_has '# TYPE c counter'
	assert_output_has 'ok{w="2"} 2'
	[[ $output != *'h{w="2"}'* ]]
	run_split obs-aggregate --strict a@w=1 b@w=2 </dev/null
	assert_status 1
}

@test "quoted names are read and written, a sample without a name is bad" {
	aggregate_text '{"http.d","s.n"="a"} 1
{"http.d","s.n"="b",} 2
{"größe\"x"} 8
{} 16
{job="x"} 32' --by ''
	assert_status 1
	assert_output $'{"http.d"} 3\n{"größe\\"x"} 8\n'
	assert_stderr_lines 2
}

@test "a counter that Ray spells without _total still counts" {
	local at
	for at in 1000 3000; do
		printf '# TYPE ray_vllm_generation_tokens gauge\n%s %s\n# EOF\n' \
			'ray_vllm_generation_tokens{ReplicaId="r"}' $at
	done >"$TMP/input"
	run_split obs-aggregate --step-summary vllm --window 10 <"$TMP/input"
	assert_output_has '"vllm/generation_throughput_tok_s":200,'
}

@test "a histogram without observations has no quantile: NaN" {
	aggregate_text '# TYPE t histogram
t_bucket{le="1"} 0
t_bucket{le="+Inf"} 0
t_count 0' --quantile 0.5
	assert_status 0
	assert_output_has 't{quantile="0.5"} NaN'
}
