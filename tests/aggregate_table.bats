# obs-aggregate's tables for people.

load test_helper

lines() {
	printf '%s\n' "$@"
}

refute_output_has() {
	[[ $output != *"$1"* ]] || fail_with "not expected in stdout: $1"
}

# Two snapshots of two workers, ten seconds apart.
setup() {
	cd "$TMP" || return
	cat >stream <<-'END'
		# obs-scrape stream
		# TYPE sglang:generation_tokens_total counter
		sglang:generation_tokens_total{w="a"} 1000 1000
		sglang:generation_tokens_total{w="b"} 9000 1000
		# TYPE jobs_total counter
		jobs_total{w="a"} 5 1000
		jobs_total{w="b"} 5 1000
		# TYPE sglang:queue_time_seconds histogram
		sglang:queue_time_seconds_bucket{w="a",le="1"} 4 1000
		sglang:queue_time_seconds_bucket{w="a",le="10"} 4 1000
		sglang:queue_time_seconds_bucket{w="a",le="+Inf"} 4 1000
		sglang:queue_time_seconds_sum{w="a"} 2 1000
		sglang:queue_time_seconds_count{w="a"} 4 1000
		sglang:queue_time_seconds_bucket{w="b",le="1"} 0 1000
		sglang:queue_time_seconds_bucket{w="b",le="10"} 0 1000
		sglang:queue_time_seconds_bucket{w="b",le="+Inf"} 0 1000
		sglang:queue_time_seconds_sum{w="b"} 0 1000
		sglang:queue_time_seconds_count{w="b"} 0 1000
		# EOF
		sglang:generation_tokens_total{w="a"} 6000 11000
		sglang:generation_tokens_total{w="b"} 9100 11000
		# TYPE jobs_total counter
		jobs_total{w="a"} 5 11000
		jobs_total{w="b"} 10 11000
		# TYPE sglang:queue_time_seconds histogram
		sglang:queue_time_seconds_bucket{w="a",le="1"} 8 11000
		sglang:queue_time_seconds_bucket{w="a",le="10"} 8 11000
		sglang:queue_time_seconds_bucket{w="a",le="+Inf"} 8 11000
		sglang:queue_time_seconds_sum{w="a"} 4 11000
		sglang:queue_time_seconds_count{w="a"} 8 11000
		sglang:queue_time_seconds_bucket{w="b",le="1"} 1 11000
		sglang:queue_time_seconds_bucket{w="b",le="10"} 1 11000
		sglang:queue_time_seconds_bucket{w="b",le="+Inf"} 2 11000
		sglang:queue_time_seconds_sum{w="b"} 100 11000
		sglang:queue_time_seconds_count{w="b"} 2 11000
		# EOF
	END
	sed -n '/^# EOF/,$p' stream | sed '1d;$d' >last
}

@test "with --rate the headings say per second, also of unknown counters" {
	run_split obs-aggregate --rate --by w -f table --drop '*queue*' stream
	assert_output "$(lines \
		'seconds 10  resets 0  new_series 0  vanished_series 0' \
		'w  sglang:generation_tokens_total (tokens/s)  jobs_total (/s)' \
		'a                                        500                0' \
		'b                                        10!              0.5' \
		'! worst in column')"$'\n'
	run_split obs-aggregate --delta --by w -f table --drop '*queue*' stream
	assert_output_has 'sglang:generation_tokens_total  jobs_total'
}

@test "what counts since the start of an engine has no worst value" {
	run_split obs-aggregate --by w -f table --select '*_tokens_total' last
	assert_output "$(lines \
		'w  sglang:generation_tokens_total' \
		'a                            6000' \
		'b                            9100')"$'\n'
}

@test "histograms are count, mean and quantiles, a lower bound is marked" {
	run_split obs-aggregate --by w -f table --select '*queue*' last
	# b: p95 is in the +Inf bucket.
	assert_output "$(lines \
		'distribution               unit  w  count  mean  p50   p95' \
		'sglang:queue_time_seconds  s     a      8   0.5  0.5  0.95' \
		'sglang:queue_time_seconds  s     b      2   50!   1!  >10!' \
		'! worst in column' \
		"> at least: above the histogram's last bound")"$'\n'
}

@test "--quantile chooses the quantiles, in any spelling, and keeps the mark" {
	run_split obs-aggregate --by w --quantile p25,0.99 -f table \
		--select '*queue*' last
	assert_output "$(lines \
		'distribution               unit  w  count  mean   p25   p99' \
		'sglang:queue_time_seconds  s     a      8   0.5  0.25  0.99' \
		'sglang:queue_time_seconds  s     b      2   50!  0.5!  >10!' \
		'! worst in column' \
		"> at least: above the histogram's last bound")"$'\n'
	# Other formats have the bound, as PromQL does.
	run_split obs-aggregate --by w --quantile 99 --select '*queue*' last
	assert_output_has 'sglang:queue_time_seconds{w="b",quantile="0.99"} 10'
}

@test "with --rate a histogram counts per second" {
	run_split obs-aggregate --rate --by w -f table --select '*queue*' stream
	assert_output_has \
		'distribution               unit  w  count/s  mean  p50   p95'
	assert_output_has \
		'sglang:queue_time_seconds  s     a      0.4   0.5  0.5  0.95'
}

@test "without a reduction: a list with units, and distributions" {
	run_split obs-aggregate -f table last
	assert_output_has \
		'sglang:generation_tokens_total   6000  tokens  w="a"'
	assert_output_has 'sglang:queue_time_seconds  s     b      2    50    1'
	refute_output_has '_bucket'
}

@test "a histogram without observations has a count only" {
	run_split obs-aggregate -f table --by w --select '*queue*' <<-'END'
		# TYPE queue histogram
		queue_bucket{w="a",le="1"} 0
		queue_bucket{w="a",le="+Inf"} 0
		queue_sum{w="a"} 0
		queue_count{w="a"} 0
	END
	assert_output $'distribution  w  count  mean\nqueue         a      0      \n'
}

@test "a metric may be named like a part of a histogram" {
	run_split obs-aggregate -f table --by '' <<-'END'
		# TYPE x histogram
		x_bucket{le="1"} 1
		x_bucket{le="+Inf"} 1
		x_sum 1
		x_count 1
		# TYPE x_mean gauge
		x_mean 7
	END
	assert_output_has $'x_mean\n     7'
	assert_output_has 'x                 1     1  0.5  0.95'
}

@test "a summary keeps its own quantiles" {
	run_split obs-aggregate -f table <<-'END'
		# TYPE gc summary
		gc{quantile="0"} 0.1
		gc{quantile="0.5"} 0.25
		gc{quantile="1"} 2
		gc_sum 10
		gc_count 20
	END
	assert_output "$(lines \
		'distribution  count  mean   p0   p50  p100' \
		'gc               20   0.5  0.1  0.25     2')"$'\n'
}

# The longest line there is.
widest() {
	awk '{ if (length > n) n = length } END { print n + 0 }' <<<"$output"
}

@test "COLUMNS cuts the table, 120 without it, and 0 does not" {
	for i in {1..9}; do
		echo "some_metric_with_a_name_$i{worker_addr=\"10.0.0.1:1\"} $i"
	done >many
	run obs-aggregate --by worker_addr -f table many
	[ "$(widest)" -le 120 ]
	[ "$(grep -c worker_addr <<<"$output")" -eq 3 ]
	COLUMNS=50 run obs-aggregate --by worker_addr -f table many
	[ "$(widest)" -le 50 ]
	[ "$(grep -c worker_addr <<<"$output")" -eq 9 ]
	COLUMNS=0 run obs-aggregate --by worker_addr -f table many
	[ "${#lines[@]}" -eq 2 ]
	COLUMNS=x run obs-aggregate --by worker_addr -f table many
	[ "$(widest)" -le 120 ]
}

@test "numbers have six digits, whole ones all" {
	run_split obs-aggregate --by '' -f table <<-'END'
		a 123456789012
		b 0.1234567891
		c 1764362429.123
		d 0.00000012345678
	END
	assert_output "$(lines \
		'           a         b           c            d' \
		'123456789012  0.123457  1764362429  1.23457e-07')"$'\n'
}

@test "only a value that stands out is marked as the worst" {
	usage() {
		printf 'sglang:token_usage{w="%s"} %s\n' a "$1" b "$2" c "$3"
	}
	run_split obs-aggregate --by w -f table < <(usage 0.500 0.508 0.500)
	refute_output_has '!'
	run_split obs-aggregate --by w -f table < <(usage 0.50 0.64 0.50)
	refute_output_has '!'
	run_split obs-aggregate --by w -f table < <(usage 0.50 0.66 0.50)
	assert_output_has ' 0.66!'
	# Of two each is judged by the other.
	run_split obs-aggregate --by w -f table < <(usage 0.50 0.66 NaN)
	assert_output_has ' 0.66!'
}

@test "values that look alike are not the worst" {
	run_split obs-aggregate --by w -f table <<-'END'
		sglang:token_usage{w="a"} 0.024
		sglang:token_usage{w="b"} 0.024000000000000004
	END
	refute_output_has '!'
}

@test "units have their signs, behind a thousandth, too" {
	run_split obs-aggregate -f table <<-'END'
		ray_node_gpu_power_milliwatts 250
	END
	assert_status 0
	assert_output_has 'ray_node_gpu_power_milliwatts    250  mW'
	# What the name says is not said again, be it as one or as several.
	run_split obs-aggregate -f md <<-'END'
		sglang:cached_token 5
		sglang:new_token 6
		sglang:gen_throughput 7
	END
	assert_status 0
	[ "$(head -n 1 <<<"$output")" = '| sglang:gen_throughput (tokens/s) | sglang:cached_token | sglang:new_token |' ]
}

@test "the keys of a step have their units" {
	run_split obs-aggregate --step-summary sglang -f table <<-'END'
		sglang:num_running_reqs 4
		sglang:gen_throughput 100.5
	END
	assert_output_has 'sglang/num_running_reqs      4  requests'
	assert_output_has 'sglang/gen_throughput    100.5  tokens/s'
}
