# obs-aggregate's rows and columns: wide, csv, md, --sort; and --fail-if.

load test_helper

lines() {
	printf '%s\n' "$@"
}

# Two workers; the first has no queue yet.
setup() {
	cd "$TMP" || return
	cat >two <<-'END'
		# TYPE sglang:num_running_reqs gauge
		sglang:num_running_reqs{w="b"} 9
		sglang:num_running_reqs{w="a"} 30
		# TYPE sglang:num_queue_reqs gauge
		sglang:num_queue_reqs{w="b"} 132
		sglang:num_queue_reqs{w="a"} 7
		# TYPE sglang:gen_throughput gauge
		sglang:gen_throughput{w="b"} 0.123456789
		# TYPE sglang:queue_time_seconds histogram
		sglang:queue_time_seconds_bucket{w="b",le="1"} 1
		sglang:queue_time_seconds_bucket{w="b",le="10"} 1
		sglang:queue_time_seconds_bucket{w="b",le="+Inf"} 2
		sglang:queue_time_seconds_sum{w="b"} 100
		sglang:queue_time_seconds_count{w="b"} 2
	END
}

@test "wide: one line per group, one column per metric" {
	run_split obs-aggregate --by w -f wide two
	assert_status 0
	assert_output "$(lines \
		$'w\tsglang:num_running_reqs\tsglang:num_queue_reqs\tsglang:gen_throughput\tsglang:queue_time_seconds_count\tsglang:queue_time_seconds_mean\tsglang:queue_time_seconds_p50\tsglang:queue_time_seconds_p95' \
		$'a\t30\t7\t\t\t\t\t' \
		$'b\t9\t132\t0.123456789\t2\t50\t1\t10')"$'\n'
}

@test "a gauge histogram has a count and a mean as well" {
	cat >gauge <<-'END'
		# TYPE x gaugehistogram
		x_bucket{le="1"} 3
		x_bucket{le="+Inf"} 4
		x_gsum 10
		x_gcount 4
	END
	run_split obs-aggregate -f csv gauge
	assert_status 0
	assert_output $'x_count,x_mean,x_p50,x_p95\n4,2.5,0.6666666666666666,1\n'
	# Without buckets, too.
	sed -i /bucket/d gauge
	run_split obs-aggregate -f csv gauge
	assert_output $'x_count,x_mean\n4,2.5\n'
}

@test "a histogram without a count has that of its last bucket" {
	run_split obs-aggregate -f csv <<-'END'
		# TYPE x histogram
		x_bucket{le="1"} 3
		x_bucket{le="+Inf"} 4
	END
	assert_output $'x_count,x_p50,x_p95\n4,0.6666666666666666,1\n'
}

@test "quantiles ascend, whatever order they are asked for in" {
	run_split obs-aggregate -f csv --quantile 0.99 --quantile 0.5 <<-'END'
		# TYPE x histogram
		x_bucket{le="1"} 2
		x_bucket{le="2"} 4
		x_bucket{le="+Inf"} 4
		x_count 4
		# TYPE y histogram
		y_bucket{le="1"} 0
		y_bucket{le="+Inf"} 0
		y_count 0
	END
	# One that is not known is no column.
	assert_output $'x_count,x_p50,x_p99,y_count\n4,1,1.98,0\n'
}

@test "without --by there is one line per snapshot" {
	run_split obs-aggregate -f csv --select '*_reqs' two
	assert_output $'sglang:num_running_reqs,sglang:num_queue_reqs\n39,139\n'
}

@test "csv quotes what RFC 4180 wants quoted, wide escapes what ends a field" {
	printf 'x{l="a,b"} 1\nx{l="say \\"hi\\""} 2\nx{l="two\\nlines"} 3\n' >odd
	printf 'x{l="tab\there"} 4\n' >>odd
	run_split obs-aggregate -f csv --by l odd
	assert_output "$(lines 'l,x' '"a,b",1' '"say ""hi""",2' \
		$'tab\there,4' $'"two\nlines",3')"$'\n'
	run_split obs-aggregate -f csv --by l <<<$'x{l="a\rb"} 1'
	assert_output $'l,x\n"a\rb",1\n'
	run_split obs-aggregate -f csv --by l odd
	# What another reader makes of it.
	run python3 -c 'import csv, sys
print([row["l"] for row in csv.DictReader(sys.stdin)])' <<<"$output"
	[ "$output" = "['a,b', 'say \"hi\"', 'tab\\there', 'two\\nlines']" ]
	run_split obs-aggregate -f wide --by l odd
	assert_output "$(lines $'l\tx' $'a,b\t1' $'say "hi"\t2' \
		$'tab\\there\t4' $'two\\nlines\t3')"$'\n'
}

@test "md is a table with units and six digits that nothing breaks" {
	run_split obs-aggregate -f md --by w --drop '*_reqs' two
	assert_output "$(lines \
		'| w | sglang:gen_throughput (tokens/s) | sglang:queue_time_seconds_count | sglang:queue_time_seconds_mean | sglang:queue_time_seconds_p50 | sglang:queue_time_seconds_p95 |' \
		'|---|--:|--:|--:|--:|--:|' \
		'| b | 0.123457 | 2 | 50 | 1 | >10 |')"$'\n'
	run_split obs-aggregate -f md --by l <<<'x{l="a|b<i>"} 1'
	assert_output "$(lines '| l | x |' '|---|--:|' '| a\|b\<i> | 1 |')"$'\n'
}

stream() {
	printf '# obs-scrape stream\n'
	printf '# TYPE jobs_total counter\njobs_total %d %d\n# EOF\n' \
		10 1000 30 3000 90 5000
}

@test "a stream has a header once, times, and per second in the names" {
	stream >s
	run_split obs-aggregate --rate --by '' -f wide s
	assert_output "$(lines $'timestamp_ms\tjobs_total/s' \
		$'3000\t10' $'5000\t30')"$'\n'
	run_split obs-aggregate -f csv s
	assert_output "$(lines 'timestamp_ms,jobs_total' '1000,10' '3000,30' \
		'5000,90')"$'\n'
}

@test "a metric that comes later gets a new header behind an empty line" {
	printf 'a 1 1000\n# EOF\nb 2 2000\n# EOF\na 3 3000\n# EOF\n' >s
	run_split obs-aggregate -f csv s
	assert_output "$(lines 'timestamp_ms,a' '1000,1' '' \
		'timestamp_ms,a,b' '2000,,2' '3000,3,')"$'\n'
}

steps() {
	printf '# obs-scrape stream\n'
	printf 'sglang:num_running_reqs 4 %d\nsglang:generation_tokens_total %d %d\n# EOF\n' \
		1000 10 1000 3000 50 3000
}

@test "the rows of steps have the keys that need two snapshots" {
	steps >s
	run_split obs-aggregate -f csv --step-summary sglang s
	assert_status 0
	run_split python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["timestamp_ms"], row["sglang/num_running_reqs"],
          row["sglang/generation_throughput_tok_s"] or "-")' <<<"$output"
	assert_output $'1000 4 -\n3000 4 20\n'
	# The first alone is not lost.
	steps | sed '/# EOF/q' >s
	run_split obs-aggregate -f csv --step-summary sglang s
	assert_output_has $'sglang/num_running_reqs\n'
	assert_output_has '1000,4'
}

# order KEY: the workers of the csv, as sorted.
order() {
	obs-aggregate --by w -f csv --sort "$1" two | sed 1d | cut -d, -f1 |
		tr -d '\n'
}

@test "--sort: numbers from the largest, labels from A, + and - as in ps" {
	[ "$(order num_running_reqs)" = ab ]
	[ "$(order sglang:num_queue_reqs)" = ba ]
	[ "$(order -num_queue_reqs)" = ba ]
	[ "$(order +num_queue_reqs)" = ab ]
	[ "$(order w)" = ab ]
	[ "$(order -w)" = ba ]
	# A row without a value is last in both directions.
	[ "$(order gen_throughput)" = ba ]
	[ "$(order +gen_throughput)" = ba ]
	[ "$(order queue_time_seconds_p99)" = ba ]
	# Ranks are numbers.
	printf 'x{rank="%d"} 1\n' 10 9 100 >ranks
	run_split obs-aggregate --by rank -f csv --sort rank ranks
	assert_output "$(lines rank,x 9,1 10,1 100,1)"$'\n'
}

@test "--sort by what is not there is status 1 with what could be meant" {
	run_split obs-aggregate --by w -f csv --sort num_que two
	assert_status 1
	assert_stderr_has "nothing is named num_que; did you mean sglang:num_queue_reqs?"
	run_split obs-aggregate --by w --sort w two
	assert_status 2
	assert_stderr_has "--sort needs --format=table, wide, csv or md"
	run_split obs-aggregate -f table --sort w two
	assert_status 2
	assert_stderr_has "--sort needs the rows of --by or --without"
}

@test "--fail-if names each series that is beyond, and ends with 5" {
	run_split obs-aggregate --by w --fail-if 'num_queue_reqs > 100' two
	assert_status 5
	assert_stderr_lines 1
	assert_stderr_has 'w="b": num_queue_reqs > 100: sglang:num_queue_reqs is 132'
	# What is written is the same.
	assert_output_has 'sglang:num_queue_reqs{w="b"} 132'
	run_split obs-aggregate --by w --fail-if 'num_queue_reqs >= 7' two
	assert_status 5
	assert_stderr_lines 2
	run_split obs-aggregate --by w --fail-if 'num_queue_reqs > 132' \
		--fail-if 'num_queue_reqs < 7' two
	assert_status 0
	# Each of several, whatever metrics the others name.
	run_split obs-aggregate --by w --fail-if 'num_queue_reqs > 100' \
		--fail-if 'gen_throughput < 0' --fail-if 'num_running_reqs > 9' two
	assert_status 5
	assert_stderr_lines 2
	assert_stderr_has 'w="b": num_queue_reqs > 100: sglang:num_queue_reqs is 132'
	assert_stderr_has 'w="a": num_running_reqs > 9: sglang:num_running_reqs is 30'
	run_split obs-aggregate --fail-if '*_reqs > 100' two
	assert_status 5
	assert_stderr_lines 1
}

@test "--fail-if judges means and quantiles, in every format" {
	local format
	for format in prom json jsonl tsv table wide csv md; do
		run_split obs-aggregate -f $format \
			--fail-if 'queue_time_seconds_mean > 49' two
		assert_status 5
		assert_stderr_has 'sglang:queue_time_seconds_mean is 50'
	done
	# In the +Inf bucket: more than 10, and not surely below 20.
	run_split obs-aggregate --fail-if 'queue_time_seconds_p99 > 10' two
	assert_status 5
	assert_stderr_has 'sglang:queue_time_seconds_p99 is more than 10'
	run_split obs-aggregate --fail-if 'queue_time_seconds_p99 < 20' two
	assert_status 0
}

@test "--fail-if judges each snapshot and the keys of steps" {
	steps >s
	run_split obs-aggregate --step-summary sglang \
		--fail-if 'sglang/generation_throughput_tok_s < 21' \
		--fail-if 'num_running_reqs > 3' s
	assert_status 5
	assert_stderr_lines 3
	stream >s
	run_split obs-aggregate --rate --fail-if 'jobs_total > 20' s
	assert_status 5
	assert_stderr_has 'jobs_total > 20: jobs_total is 30'
	assert_stderr_lines 1
}

@test "--fail-if on a metric that is not there is not a pass" {
	run_split obs-aggregate --fail-if 'num_queu_reqs > 100' two
	assert_status 1
	assert_stderr_has "--fail-if=num_queu_reqs > 100: nothing is named num_queu_reqs; did you mean sglang:num_queue_reqs?"
	run_split obs-aggregate --fail-if 'x > 1' </dev/null
	assert_status 1
	assert_stderr_has "there are no metrics"
	local condition
	for condition in x 'x >' '> 1' 'x > y' 'x > 10%' 'x > +1' 'x = 1'; do
		run_split obs-aggregate --fail-if "$condition" two
		assert_status 2
	done
}
