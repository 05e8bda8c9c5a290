# obs-aggregate: options that name what the input does not have.

load test_helper

PAGE='# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="m1",worker_addr="a"} 3
sglang:num_running_reqs{model_name="m2",worker_addr="b"} 4
# TYPE sglang:token_usage gauge
sglang:token_usage{model_name="m1",worker_addr="a"} 0.5'

# missing MESSAGE OPTION...: one line and status 1.
missing() {
	run_split obs-aggregate "${@:2}" <<<"$PAGE"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "obs-aggregate: $1"
}

# found OPTION...: nothing to say.
found() {
	run_split obs-aggregate "$@" <<<"$PAGE"
	assert_status 0
	assert_stderr_lines 0
}

@test "a label that no sample has is named, with those that there are" {
	missing '--by=worker: no sample has the label worker; did you mean worker_addr' \
		--by worker
	assert_output_has 'sglang:num_running_reqs 7'
	missing '--by=role: no sample has the label role; labels are model_name, worker_addr' \
		--by worker_addr,role
	missing '--without=tp_rank: no sample has the label tp_rank; labels are' \
		--without tp_rank
	missing "--by=worker_addr model_name: no sample has the label \
worker_addr model_name; separate labels with commas" \
		--by 'worker_addr model_name'
	found --by worker_addr,model_name
	found --by ''
	found --without ''
}

@test "a metric that is not there is named, with those it may have been" {
	missing "--select=num_running_reqs: no metric has this name; \
did you mean sglang:num_running_reqs" --select num_running_reqs
	refute_output
	missing "--drop=vllm:*: no metric has this name; \
metrics are sglang:num_running_reqs, sglang:token_usage" --drop 'vllm:*'
	missing '--mean=sglang:token_usge: no metric has this name; did you mean sglang:token_usage' \
		--by '' --mean 'sglang:token_usge'
	missing '--max=x: no metric has this name; metrics are' --by '' --max x
	missing '--strip-prefix=vllm: no metric begins like this; metrics are' \
		--strip-prefix vllm
	missing '--quantile: no metric is a histogram' --quantile 0.5
	found --select '*usage' --drop '*running*' --strip-prefix sglang:
	found --by '' --mean '*usage' --max 'sglang:num*'
}

@test "a matcher that accepts nothing shows the values that there are" {
	missing '--match=role=x: no sample has the label role; labels are' \
		--match role=x
	missing '--match=rule!~x.*: no sample has the label rule; labels are' \
		--match 'rule!~x.*'
	missing '--match=model_name=m: no sample matches; values are m1, m2' \
		--match model_name=m
	missing '--match=model_name=~x.*: no sample matches; values are m1, m2' \
		--match 'model_name=~x.*'
	missing '--select, --drop and --match together match no samples' \
		--match worker_addr=a --match model_name=m2
	missing '--select, --drop and --match together match no samples' \
		--select 'sglang:*' --drop 'sglang:*'
	found --match worker_addr=b
	found --match role=
	found --match worker_addr!=b --match 'model_name=~m.'
}

@test "names are looked for in all snapshots and operands" {
	printf 'x{a="1"} 1\n' >"$TMP/w1"
	printf 'y{b="1"} 1\n' >"$TMP/w2"
	run_split obs-aggregate --by a,b "$TMP/w1" "$TMP/w2"
	assert_status 0
	assert_stderr_lines 0
	run_split obs-aggregate --select y <<<$'x 1\n# EOF\ny 1\n# EOF'
	assert_status 0
	assert_stderr_lines 0
	run_split obs-aggregate --by w "$TMP/w1@w=1" "$TMP/w2@w=2"
	assert_status 0
	run_split obs-aggregate -q --by w <<<'x 1'
	assert_status 1
	assert_stderr_lines 1
	run_split obs-aggregate --by late <<<'# obs-scrape stream
x 1 1
# EOF
x{late="1"} 1 1
# EOF'
	assert_status 0
}

@test "in a stream what is missing is said with the first snapshot, once" {
	local status=0
	mkfifo "$TMP/stream"
	obs-aggregate --by worker <"$TMP/stream" >"$TMP/out" 2>"$TMP/err" &
	exec {end}>"$TMP/stream"
	printf '# obs-scrape stream\nx{worker_addr="a"} 1 1\n# EOF\n' >&"$end"
	until grep -q 'did you mean worker_addr' "$TMP/err"; do
		sleep 0.01
	done
	printf 'x{worker_addr="a"} 1 2\n# EOF\n' >&"$end"
	exec {end}>&-
	wait "$!" || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <"$TMP/err")" -eq 1 ]
}

@test "of an empty input nothing is missing" {
	run_split obs-aggregate --by worker --select x --match y=z <<<'# none'
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has 'no samples in the input'
}

@test "a step summary that is left without a sample names the choice" {
	missing '--select=vllm:*: no metric has this name; metrics are' \
		--step-summary sglang --select 'vllm:*'
	missing '--match=model_name=x: no sample matches; values are m1, m2' \
		--step-summary sglang --match model_name=x
	assert_output $'{}\n'
	run_split obs-aggregate --step-summary vllm --select 'sglang:*' \
		<<<"$PAGE"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "these are sglang's metrics; use --step-summary sglang"
}

@test "a label without a value is as good as absent" {
	run_split obs-aggregate --by a <<<'x{a="",b="1"} 1'
	assert_status 1
	assert_stderr_has '--by=a: no sample has the label a; labels are b'
}

@test "long lists are cut" {
	local page
	page=$(seq -f 'metric_number_%03g 1' 300)
	run_split obs-aggregate --select x <<<"$page"
	assert_stderr_has 'metrics are metric_number_001, metric_number_002'
	assert_stderr_lines 1
	assert_stderr_has ', metric_number_006 and 294 more'
	# So many that they are not counted.
	page=$(seq -f 'metric_number_%04g 1' 4097)
	run_split obs-aggregate --select x <<<"$page"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has ', metric_number_0006 and more'
}
