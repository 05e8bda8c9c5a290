# obs-aggregate: odd expositions that are legal, and what is none.

load test_helper

# Run obs-aggregate on lines given as one text.
aggregate_text() {
	printf '%s\n' "$1" >"$TMP/input"
	shift
	run_split obs-aggregate "$@" <"$TMP/input"
}

# Write a file of one text.
page() {
	printf '%s\n' "$2" >"$TMP/$1"
}

FEDERATED='# TYPE r_bucket untyped
r_bucket{le="1",w="a"} 100
r_bucket{le="+Inf",w="a"} 300
r_bucket{le="1",w="b"} 10
r_bucket{le="+Inf",w="b"} 30
# TYPE r_count untyped
r_count{w="a"} 300
r_count{w="b"} 30
# TYPE r_sum untyped
r_sum{w="a"} 200
r_sum{w="b"} 20'

@test "buckets that federation calls untyped are never added over le" {
	aggregate_text "$FEDERATED" --by ''
	assert_status 0
	assert_output 'r_bucket{le="1"} 110
r_bucket{le="+Inf"} 330
r_sum 220
r_count 330
'
	aggregate_text "$FEDERATED" --by '' --quantile 0.25
	assert_output 'r{quantile="0.25"} 0.75
r_sum 220
r_count 330
'
}

@test "each bucket of a federated histogram has an increase of its own" {
	page t0 "$FEDERATED"
	page t1 "$(sed 's/a"} 300/a"} 345/; s/a"} 100/a"} 130/' <<<"$FEDERATED")"
	run_split obs-aggregate --delta --by w "$TMP/t0" "$TMP/t1"
	assert_output_has 'r_bucket{w="a",le="1"} 30'
	assert_output_has 'r_bucket{w="a",le="+Inf"} 45'
	assert_output_has 'r_count{w="a"} 45'
	assert_output_has 'r_bucket{w="b",le="+Inf"} 0'
}

@test "a federated page is regrouped as one family, without empty ones" {
	aggregate_text "$FEDERATED"
	[[ $output != *'#'* ]] || fail_with "no TYPE line"
	[ "$(wc -l <<<"${output%$'\n'}")" -eq 8 ] || fail_with "8 samples"
}

@test "a histogram may be typed in one worker and untyped in the next" {
	local buckets order type
	buckets='h_bucket{le="1"} 1
h_bucket{le="2"} 2
h_bucket{le="+Inf"} 2
h_sum 3
h_count 2'
	page typed "# TYPE h histogram
$buckets"
	for type in untyped unknown; do
		page other "# TYPE h $type
$buckets"
		for order in 'typed@w=1 other@w=2' 'other@w=1 typed@w=2'; do
			cd "$TMP" || return
			# shellcheck disable=SC2086 # a list
			run_split obs-aggregate --by '' $order
			assert_status 0
			assert_stderr_lines 0
			assert_output '# TYPE h histogram
h_bucket{le="1"} 2
h_bucket{le="2"} 4
h_bucket{le="+Inf"} 4
h_sum 6
h_count 4
'
		done
	done
	page federated "# TYPE h_bucket untyped
$(head -3 <<<"$buckets")
# TYPE h_sum untyped
h_sum 3
# TYPE h_count untyped
h_count 2"
	for order in 'typed@w=1 federated@w=2' 'federated@w=1 typed@w=2'; do
		# shellcheck disable=SC2086 # a list
		run_split obs-aggregate --by '' $order
		assert_output_has 'h_bucket{le="1"} 2'
		assert_output_has 'h_bucket{le="+Inf"} 4'
		assert_output_has 'h_count 4'
	done
}

@test "buckets beside a value of the same name stay buckets" {
	local buckets='x_bucket{w="a",le="1"} 1
x_bucket{w="a",le="+Inf"} 2
x_bucket{w="b",le="1"} 3
x_bucket{w="b",le="+Inf"} 5'
	for head in $'# TYPE x gauge\nx 5' 'x 5' '# HELP x_bucket Buckets.'; do
		aggregate_text "$head
$buckets" --by ''
		assert_output_has 'x_bucket{le="1"} 4'
		assert_output_has 'x_bucket{le="+Inf"} 7'
	done
	aggregate_text "$buckets
# TYPE x gauge
x 5" --by ''
	assert_output_has 'x_bucket{le="+Inf"} 7'
	aggregate_text "# TYPE x_bucket gauge
x 5
$buckets" --by ''
	assert_output_has 'x_bucket{le="1"} 4'
	assert_output_has 'x_bucket{le="+Inf"} 7'
}

@test "buckets with the TYPE of something else are a histogram's" {
	local type page
	for type in gauge counter summary histogram; do
		page="# TYPE x_bucket $type
x_bucket{w=\"a\",le=\"1\"} 1
x_bucket{w=\"a\",le=\"+Inf\"} 2
x_bucket{w=\"b\",le=\"1\"} 3
x_bucket{w=\"b\",le=\"+Inf\"} 5
# TYPE x_count $type
x_count{w=\"a\"} 2
x_count{w=\"b\"} 5"
		aggregate_text "$page" --by ''
		assert_status 0
		assert_output $'x_bucket{le="1"} 4\nx_bucket{le="+Inf"} 7\nx_count 7\n'
		assert_stderr_lines 2
		assert_stderr_has "stdin: type conflict: TYPE $type of x_bucket \
is ignored; it is part of the histogram x"
		aggregate_text "$page" --by '' --quantile 0.25
		assert_output_has 'x{quantile="0.25"} 0.4375'
	done
	# Behind a page that has it right as well.
	page w1 $'# TYPE x histogram\nx_bucket{le="1"} 1\nx_bucket{le="+Inf"} 2
x_count 2'
	page w2 $'# TYPE x_bucket counter\nx_bucket{le="1"} 3\nx_bucket{le="+Inf"} 5'
	cd "$TMP" || return
	local order
	for order in 'w1@w=1 w2@w=2' 'w2@w=2 w1@w=1'; do
		# shellcheck disable=SC2086 # a list
		run_split obs-aggregate --by '' $order
		assert_output_has 'x_bucket{le="1"} 4'
		assert_output_has 'x_bucket{le="+Inf"} 7'
	done
	# Without le the name alone says nothing.
	aggregate_text $'# TYPE y_bucket gauge\ny_bucket{w="a"} 1\ny_bucket{w="b"} 2' \
		--by ''
	assert_output $'# TYPE y_bucket gauge\ny_bucket 3\n'
}

@test "buckets that are not cumulative are reported" {
	aggregate_text '# TYPE h histogram
h_bucket{le="1"} 5
h_bucket{le="2"} 3
h_bucket{le="+Inf"} 9
h_count 9' --quantile 0.5
	assert_status 0
	assert_output_has 'h{quantile="0.5"} 0.9'
	assert_stderr_lines 1
	assert_stderr_has 'h: a bucket counts less than one of a lower bound'
	# Rounding is no fall.
	aggregate_text '# TYPE h histogram
h_bucket{le="1"} 0.30000000000000004
h_bucket{le="+Inf"} 0.3' --by ''
	assert_stderr_lines 0
}

@test "le and quantile are nobody's labels to add" {
	run_split obs-aggregate -l le=5 <<<'x 1'
	assert_status 2
	assert_stderr_has 'the label le belongs to histograms and summaries'
	page w1 'x 1'
	run_split obs-aggregate "$TMP/w1@quantile=5"
	assert_status 2
	run_split obs-scrape -l quantile=1 localhost:1
	assert_status 2
	run_split obs-scrape --addr-label le localhost:1
	assert_status 2
}

@test "quantiles are not added up, with or without a TYPE" {
	local type
	for type in '# TYPE s untyped' '# TYPE s summary' '# no TYPE' \
		'# TYPE s gauge'; do
		aggregate_text "$type
s{w=\"a\",quantile=\"0.5\"} 1
s{w=\"a\",quantile=\"0.99\"} 2
s_sum{w=\"a\"} 3
s_count{w=\"a\"} 4
s_count{w=\"b\"} 5" --by ''
		assert_status 0
		assert_output_has 's_sum 3'
		assert_output_has 's_count 9'
		[[ $'\n'$output != *$'\ns '* ]] || fail_with "no sum of quantiles"
		assert_stderr_has 'because they cannot be combined'
	done
	aggregate_text $'# TYPE g gauge\ng{quantile="all"} 1\ng{quantile="own"} 2' \
		--by ''
	assert_output $'# TYPE g gauge\ng 3\n'
}

@test "a TYPE line without a type is a bad line and nothing else" {
	aggregate_text $'# TYPE x counter\nx 1\n# TYPE y\ny 2'
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has 'stdin:3: column 9: expected a metric type'
	assert_output $'# TYPE x counter\nx 1\ny 2\n'
}

@test "an escape that the format does not have is kept, with a warning" {
	aggregate_text 'x{a="\u00e9",b="\\ \n \""} 1
x{a="C:\dir"} 2'
	assert_status 0
	assert_output 'x{a="\\u00e9",b="\\ \n \""} 1
x{a="C:\\dir"} 2
'
	assert_stderr_lines 2
	assert_stderr_has 'stdin:1: undefined escape \u in a label of x'
	assert_stderr_has 'stdin:2: undefined escape \d in a label of x'
	aggregate_text 'x{a="\\ \n \""} 1'
	assert_stderr_lines 0
	aggregate_text 'x{a="\_"} 1' --strict
	assert_status 1
}

# Replicas -------------------------------------------------------------

@test "replicas without labels are told apart, or said to clash" {
	page w1 $'x{a="1"} 1\ny 2\ny 3\nonly1 1'
	page w2 $'# one\nx{a="1"} 5\ny 7\nonly2 1'
	page w3 $'# one\n# two\nonly2 5\ny 7'
	cd "$TMP" || return
	local options
	for options in '' '--by a' '--without a'; do
		# shellcheck disable=SC2086 # a list
		run_split obs-aggregate $options w1 w2 w3
		assert_status 1
		assert_stderr_has 'w1:3: duplicate series of y; the first is used'
		assert_stderr_has "w2:2: 2 series also in w1 (the first is x), \
not counted; distinguish the operands: w1@worker=1 w2@worker=2"
		assert_stderr_has 'w3:3: 2 series also in w2 (the first is only2)'
		assert_output_has 'y 2'
	done
	run_split obs-aggregate --by '' w1@worker=1 w2@worker=2
	assert_status 0
	assert_stderr_lines 1
	assert_output_has 'x 6'
	assert_output_has 'y 9'
}

@test "in one operand a series that stands twice stays a warning" {
	page w1 'x 1'
	cat "$TMP/w1" "$TMP/w1" >"$TMP/both"
	run_split obs-aggregate --by '' "$TMP/both"
	assert_status 0
	assert_stderr_has 'duplicate series of x'
}

@test "histograms of two operands clash as a whole" {
	page w1 $'h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_count 2'
	page w2 $'h_count 4\nh_bucket{le="+Inf"} 4\nh_bucket{le="1"} 3'
	cd "$TMP" || return
	run_split obs-aggregate --quantile 0.5 w1 w2
	assert_status 1
	assert_output $'h{quantile="0.5"} 1\nh_count 2\n'
	assert_stderr_lines 1
	assert_stderr_has 'w2:1: 3 series also in w1'
}

@test "snapshots to difference do not clash" {
	page t0 'x_total 1'
	page t1 'x_total 3'
	run_split obs-aggregate --delta "$TMP/t0" "$TMP/t1"
	assert_status 0
	assert_output $'x_total 2\n'
}

# What has no samples, or is no exposition -------------------------------

@test "a legal exposition without samples is done, with a word" {
	local text
	for text in '' '# comments only' '# EOF' $'# TYPE x counter\n# EOF'; do
		printf '%s' "$text" >"$TMP/input"
		run_split obs-aggregate --by a <"$TMP/input"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has 'stdin: no samples in the input'
		run_split obs-aggregate -q -f json <"$TMP/input"
		assert_status 0
		assert_stderr_lines 0
		assert_output_has '"families":['
	done
	page w1 'x 1'
	: >"$TMP/w2"
	run_split obs-aggregate --by '' "$TMP/w1@w=1" "$TMP/w2@w=2"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has 'w2: no samples in the input'
	run_split obs-aggregate --strict "$TMP/w1" "$TMP/w2"
	assert_status 1
}

@test "a history without samples is an error, alone and next to another" {
	local text
	for text in \
		'{"status":"success","data":{"resultType":"matrix","result":[]}}' \
		'{"status":"success","data":{"resultType":"vector","result":[]}}' \
		'{"metric":{"__name__":"x"},"values":[],"timestamps":[]}'; do
		echo "$text" >"$TMP/none"
		run_split obs-aggregate "$TMP/none"
		assert_status 3
		refute_output
		assert_stderr_lines 1
		assert_stderr_has 'none: the history has no samples; check the names and times of the query'
		run_split obs-top --once <"$TMP/none"
		assert_status 3
		refute_output
	done
	echo '{"metric":{"__name__":"x"},"values":[7],"timestamps":[1000]}' \
		>"$TMP/one"
	local order
	for order in one,none none,one; do
		run_split obs-aggregate "$TMP/${order%,*}" "$TMP/${order#*,}"
		assert_status 1
		assert_output_has 'x 7 1000'
		assert_stderr_lines 1
		assert_stderr_has 'the history has no samples'
	done
}

@test "a snapshot of a stream without samples is no quiet zero" {
	aggregate_text '# obs-scrape stream
x 1 1
# EOF
# EOF
x 3 3
# EOF'
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has 'no samples in the snapshot'
}

@test "what is something else is named in one line, with status 3 and no file" {
	named() {
		run_split obs-aggregate -o "$TMP/out" <"$TMP/other"
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "stdin: this is $1, not metrics"
		refute_output
		[ ! -e "$TMP/out" ]
		run_split obs-aggregate --strict "$TMP/other"
		assert_status 3
		assert_stderr_lines 1
	}
	page other '{"detail": "Not Found"}'
	named JSON
	page other $'{\n  "a": 1\n}'
	named JSON
	page other $'[\n]'
	named JSON
	page other $'\n<!DOCTYPE html>\n<p>404\n<p>not found'
	named 'an HTML page'
	gzip -c "$DATA/../test_helper.bash" >"$TMP/other"
	named 'gzip data'
	printf '\200\004\225\n}\n' >"$TMP/other"
	named 'a pickle'
	printf 'PK\003\004\n\n' >"$TMP/other"
	named 'a zip archive, as torch writes'
	printf '\177ELF\0\0\n\n' >"$TMP/other"
	named 'binary data'
	printf 'some words of a log\nand more\n' >"$TMP/other"
	run_split obs-aggregate -o "$TMP/out" "$TMP/other"
	assert_status 3
	assert_stderr_lines 2
	[ ! -e "$TMP/out" ]
}

@test "of a log that is no exposition a few lines are shown, not all" {
	seq -f '2026-01-02 INFO line %g' 50 >"$TMP/log"
	run_split obs-aggregate "$TMP/log"
	assert_status 3
	assert_stderr_lines 11
	assert_stderr_has 'log:10: column 1: expected a metric name'
	assert_stderr_has 'log: none of 50 lines is valid; this is not metrics'
	{
		cat "$TMP/log"
		printf 'x 1\n5 5\n'
	} >"$TMP/page"
	run_split obs-aggregate "$TMP/page"
	assert_status 1
	assert_output $'x 1\n'
	assert_stderr_lines 11
	assert_stderr_has 'page:10: column 1: expected a metric name'
	assert_stderr_has 'page: 41 more bad lines'
}

@test "beside metrics, an operand of something else fails alone" {
	page w1 'x 1'
	page w2 '{"error": "down"}'
	page w3 'x 3'
	cd "$TMP" || return
	run_split obs-aggregate --by '' w1@w=1 w2@w=2 w3@w=3
	assert_status 1
	assert_output $'x 4\n'
	assert_stderr_lines 1
	assert_stderr_has 'w2: this is JSON, not metrics'
}

@test "names in quotes are no JSON" {
	aggregate_text '{"a.b"} 1
{c="d","e.f"} 2'
	assert_status 0
	assert_output_has '{"a.b"} 1'
	page first '{c="d","e.f"} 2'
	run_split obs-aggregate "$TMP/first"
	assert_status 0
	assert_output $'{"e.f",c="d"} 2\n'
}

@test "standard input is given once" {
	local operands
	for operands in '- -' '-- -@w=1 -@w=2' '- x -'; do
		# shellcheck disable=SC2086 # a list
		run_split obs-aggregate $operands </dev/null
		assert_status 2
		assert_stderr_lines 1
		assert_stderr_has 'standard input given twice'
	done
}

@test "a byte order mark before an exposition costs no line" {
	printf '\xef\xbb\xbf# TYPE x counter\nx 1\n' >"$TMP/bom"
	run_split obs-aggregate "$TMP/bom"
	assert_status 0
	assert_output $'# TYPE x counter\nx 1\n'
	printf '\xef\xbb\xbf{"detail": "x"}\n' >"$TMP/bom"
	run_split obs-aggregate "$TMP/bom"
	assert_status 3
	assert_stderr_has 'this is JSON, not metrics'
}

@test "a metric that workers export under an older and a newer name is noted" {
	cd "$TMP" || return
	local old=vllm:gpu_cache_usage_perc new=vllm:kv_cache_usage_perc
	printf '# TYPE %s gauge\n%s 0.4\n' "$old" "$old" >old
	printf '# TYPE %s gauge\n%s 0.8\n' "$new" "$new" >new
	{
		printf '# TYPE %s gauge\n%s 0.6\n' "$old" "$old"
		printf '# TYPE %s gauge\n%s 0.6\n' "$new" "$new"
	} >both
	run_split obs-aggregate --by '' old@w=a both@w=b new@w=c
	assert_status 0
	assert_output_has "$new 0.7"
	assert_stderr_has "$old is the older name of $new; workers export one or the other"
	# Where all have both there is nothing to note.
	run_split obs-aggregate --by '' both@w=a
	assert_status 0
	assert_stderr_lines 0
	run_split obs-aggregate --by '' old@w=a
	assert_status 0
	assert_stderr_lines 0
	# One that gained a label has other series wherever it is.
	cat >both <<-'END'
		# TYPE sglang:realtime_decode_tokens_total counter
		sglang:realtime_decode_tokens_total 5
		# TYPE sglang:realtime_tokens_total counter
		sglang:realtime_tokens_total{mode="decode"} 5
	END
	run_split obs-aggregate --by '' both@w=a
	assert_status 0
	assert_stderr_lines 0
}

@test "a histogram whose count is less than its +Inf bucket is reported" {
	aggregate_text $'# TYPE h histogram
h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 5\nh_sum 9\nh_count 4' --by ''
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has 'h: the count is less than the +Inf bucket'
	aggregate_text $'# TYPE h histogram
h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 5\nh_sum 9\nh_count 5' --by ''
	assert_stderr_lines 0
}

@test "an exemplar that begins with the labels of an earlier line is read" {
	run_split obs-aggregate - <<-'END'
		x{a="b"} 1
		r_total 5 # {a="b",job ="x"} 1
		r_total{c="d"} 6 # {a="b",job="x"} 1
	END
	assert_status 0
	[ -z "$stderr" ]
	[[ $output == *$'r_total 5\nr_total{c="d"} 6\n'* ]]
}

@test "buckets that share their labels keep an empty one apart, and each its le" {
	local input='# TYPE h histogram
h_bucket{le="1",z="x",a=""} 1
h_bucket{z="x",b="",le="2"} 2
h_bucket{le="3",z="x",b=""} 3
h_bucket{z="x",le="4",b=""} 4
h_bucket{z="x",le="4",b=""} 5
h_bucket{"z"="x","le"="5","b"=""} 6
h_bucket{z="y",le="+Inf"} 7
h_bucket{z="y",le="+\\Inf"} 8'
	run_split obs-aggregate <<<"$input"
	assert_status 0
	[ "$output" = '# TYPE h histogram
h_bucket{a="",z="x",le="1"} 1
h_bucket{b="",z="x",le="2"} 2
h_bucket{b="",z="x",le="3"} 3
h_bucket{b="",z="x",le="4"} 4
h_bucket{b="",z="x",le="5"} 6
h_bucket{z="y",le="+Inf"} 7
h_bucket{z="y",le="+\\Inf"} 8'$'\n' ]
	[[ $stderr == *"h_bucket"* ]]
}

@test "buckets that share their labels are the same in a state and padded" {
	local state=$BATS_TEST_TMPDIR/state
	local input='# TYPE h histogram
h_bucket{a="1",le="1"} 1
h_bucket{a="1",le="2"} 2
h_bucket{a="1",le="+Inf"} 3
h_count{a="1"} 3
h_bucket{b="1",le="1"} 1
h_bucket{b="1",le="+Inf"} 1
h_count{b="1"} 1'

	obs-aggregate --delta --state "$state" <<<"$input"
	grep -Fx 'h_bucket{a="1",le="2"} 2' "$state"
	grep -Fx 'h_bucket{b="1",le="+Inf"} 1' "$state"
	run -0 obs-aggregate --delta --state "$state" <<<"${input//\} 3/\} 7}"
	[[ $output == *$'h_bucket{a="1",le="2"} 0\nh_bucket{a="1",le="+Inf"} 4'* ]]
	run -0 obs-aggregate --pad-labels <<<"$input"
	[[ $output == *$'h_bucket{a="1",b="",le="2"} 2\n'* ]]
	[[ $output == *$'h_bucket{a="",b="1",le="+Inf"} 1\n'* ]]
}

@test "a last sample that is cut off in its value or its timestamp is left out" {
	local end
	for end in 1 1795 179500000000 ''; do
		run_split obs-aggregate < <(printf \
			'x{a="1"} 60 1795000000000\nx{a="2"} 63 %s' "$end")
		assert_status 1
		assert_output $'x{a="1"} 60 1795000000000\n'
		assert_stderr_lines 1
		assert_stderr_has "stdin:2: truncated: the line does not end"
	done
	run_split obs-aggregate < <(
		printf 'x{a="1"} 60 1795000000000\nx{a="2"} 6'
	)
	assert_status 1
	assert_stderr_has "unlike those before, it has no timestamp"
	# Also with fractions of seconds, and in a later snapshot.
	run_split obs-aggregate --input openmetrics < <(printf \
		'x 60 1795000000.5\n# EOF\nx 61 1795000009.5\ny 3 1795')
	assert_status 1
	assert_stderr_has "stdin:4: truncated"
}

@test "a last line without a line end is legal where nothing shows a cut" {
	local text
	for text in 'x 1\ny 6' 'x 1 1795000000000\ny 2 1795000000500' \
		'x 1 1795\ny 2 1795000000500' 'y 2 1795' \
		'x 1\ny 2 1795000000000\nz 3' \
		'x 1 1795000000000\ny 2 1795\n'; do
		run_split obs-aggregate < <(printf %b "$text")
		assert_status 0
		[ "$stderr" = "" ]
		[ "$(grep -c '^[xyz]' <<<"$output")" -eq \
			"$(echo -e "$text" | grep -c '^[xyz]')" ]
	done
}

# large_file END: over 8 MiB of series, a bad line 3, and a last line that is END
# and ends with the file's last page; files this large are mapped.
large_file() {
	{
		printf '# TYPE a counter\r\na{b="\\x",c="1"} 1\nbad line\n'
		seq -f 'a{b="%.0f",c="2"} 1.50' 400000
		seq -f 'a{c="%.0f",b="2"} 1e3' 100000
	} >"$TMP/large"
	local size
	size=$(stat -c %s "$TMP/large")
	printf '#%*s\n%s' $((4096 - (size + 2 + ${#1}) % 4096)) "" "$1" \
		>>"$TMP/large"
}

@test "a large file reads like a pipe, to its last byte" {
	local end
	for end in 'd{e="f"} 12' $'d{e="f"} 12\n' 'd{e="f' 'd 1 # {a="b"} 1' '# EOF'; do
		large_file "$end"
		[ $(($(stat -c %s "$TMP/large") % 4096)) -eq 0 ]
		# shellcheck disable=SC2016 # expanded by the inner shell
		run_split bash -c 'obs-aggregate <"$0" >"$0.out"' "$TMP/large"
		assert_status 1
		assert_stderr_has "stdin:3: "
		local words=$stderr
		# shellcheck disable=SC2016 # expanded by the inner shell
		run_split bash -c 'cat "$0" | obs-aggregate | cmp - "$0.out"
			exit "${PIPESTATUS[1]}"' "$TMP/large"
		assert_status 1
		[ "$stderr" = "$words" ]
		[ -z "$output" ]
	done
}

@test "a large file that is cut while it is read is an error, not an end" {
	large_file 'd 1'
	mkfifo "$TMP/to"
	obs-aggregate "$TMP/large" >"$TMP/to" 2>"$TMP/err" &
	local program=$! status=0
	# It has read all, and waits for its reader in the midst of writing.
	exec 4<"$TMP/to"
	read -r _ <&4
	: >"$TMP/large"
	cat <&4 >"$TMP/rest"
	exec 4<&-
	wait "$program" || status=$?
	[ "$status" -eq 4 ]
	[ "$(tail -n 1 "$TMP/err")" = "obs-aggregate: cannot read: an input \
was truncated while it was read; run again when it is complete" ]
}
