# obs-aggregate: merging, choosing, renaming, reducing, formats, messages.

load test_helper

# Write a file of lines: file NAME LINE...
file() {
	local name=$1
	shift
	printf '%s\n' "$@" >"$TMP/$name"
}

# Run obs-aggregate in $TMP with the files that are there.
aggregate() {
	cd "$TMP" || return
	run_split obs-aggregate "$@" </dev/null
}

# Run it on lines given as one text.
aggregate_text() {
	printf '%s\n' "$1" >"$TMP/input"
	shift
	run_split obs-aggregate "$@" <"$TMP/input"
}

lines() {
	printf '%s\n' "$@"
}

@test "families come together, HELP and TYPE once, labels sorted" {
	file w1 '# HELP a A.' '# TYPE a gauge' 'a{z="1",b="2"} 1' \
		'# TYPE b counter' 'b 5'
	file w2 '# HELP a A.' '# TYPE a gauge' 'a{z="1",b="2"} 2'
	aggregate w1@w=x w2@w=y
	assert_status 0
	assert_output "$(lines '# HELP a A.' '# TYPE a gauge' \
		'a{b="2",w="x",z="1"} 1' 'a{b="2",w="y",z="1"} 2' \
		'# TYPE b counter' 'b{w="x"} 5')"$'\n'
}

@test "le stands last in histograms, quantile in summaries" {
	aggregate_text '# TYPE h histogram
h_bucket{le="1",z="a"} 1
h_bucket{le="+Inf",z="a"} 2
# TYPE s summary
s{quantile="0.5",z="a"} 3'
	assert_status 0
	assert_output_has 'h_bucket{z="a",le="1"} 1'
	assert_output_has 's{z="a",quantile="0.5"} 3'
}

@test "TYPE that comes after the samples still makes the family" {
	aggregate_text 'h_sum 1
h_bucket{le="+Inf"} 2
h_count 2
# TYPE h histogram' --format json
	assert_status 0
	assert_output_has '"name":"h","type":"histogram"'
	[[ $output != *'"name":"h_sum","type"'* ]]
}

@test "of equal series the first counts, with a warning" {
	aggregate_text 'x{a="1",b="2"} 1
x{b="2",a="1",c=""} 2'
	assert_status 0
	assert_output 'x{a="1",b="2"} 1'$'\n'
	assert_stderr_has 'stdin:2: duplicate series of x'
}

@test "another HELP is a warning, and --strict makes it status 1" {
	file w1 '# HELP x one' 'x 1'
	file w2 '# HELP x two' 'x 2'
	aggregate w1@w=1 w2@w=2
	assert_status 0
	assert_output_has '# HELP x one'
	assert_stderr_has 'w2:1: HELP of x differs'
	aggregate --strict w1@w=1 w2@w=2
	assert_status 1
}

@test "a bad line costs that line, and is told with line, column and text" {
	aggregate_text 'good 1
bad{a="1" 2
also_good 3'
	assert_status 1
	assert_output $'good 1\nalso_good 3\n'
	assert_stderr_lines 1
	assert_stderr_has "stdin:2: column 11: expected ',' or '}', found \"2\""
}

@test "--strict stops at a bad line and writes nothing" {
	aggregate_text 'good 1
bad' --strict
	assert_status 3
	refute_output
}

@test "input without one good line is status 3" {
	aggregate_text '<html>404</html>'
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has 'stdin: this is an HTML page, not metrics'
}

@test "no input at all is an empty exposition" {
	run_split obs-aggregate --format json <<<''
	assert_status 0
	assert_output '{"families":[]}'$'\n'
}

@test "a missing file fails, the others count; without any it is status 4" {
	file w1 'x 1'
	aggregate w1 nowhere
	assert_status 1
	assert_output $'x 1\n'
	assert_stderr_has 'nowhere: cannot open'
	aggregate nowhere
	assert_status 4
	run_split obs-aggregate "$TMP" </dev/null
	assert_status 4
	refute_output
	assert_stderr_has "$TMP: cannot read: Is a directory"
	run_split obs-aggregate <"$TMP"
	assert_status 4
}

@test "a TYPE that comes late takes samples out of the wrong family" {
	# A part of a summary that has a TYPE of its own is nobody's part.
	aggregate_text '# TYPE x summary
x_sum 2
x_count 3
# TYPE x_sum counter
x_sum{a="1"} 4'
	assert_output "$(lines '# TYPE x summary' 'x_count 3' \
		'# TYPE x_sum counter' 'x_sum 2' 'x_sum{a="1"} 4')"$'\n'
	# Buckets make a histogram, until TYPE says that there is none.
	aggregate_text 'x_bucket{le="1"} 2
x_sum 5
# TYPE x gauge
x 7
x_bucket{le="2"} 3'
	assert_output "$(lines '# TYPE x gauge' 'x 7' 'x_bucket{le="1"} 2' \
		'x_bucket{le="2"} 3' 'x_sum 5')"$'\n'
	aggregate_text 'x 1
x_bucket{le="1"} 2'
	assert_output $'x 1\nx_bucket{le="1"} 2\n'
	aggregate_text 'x_bucket 1'
	assert_output $'x_bucket 1\n'
	# The quantiles of a summary that is told afterwards.
	aggregate_text 'x{quantile="0.5",a="1"} 1
x_sum{a="1"} 2
x_other 3
# TYPE x summary' --select x
	assert_output "$(lines '# TYPE x summary' \
		'x{a="1",quantile="0.5"} 1' 'x_sum{a="1"} 2')"$'\n'
}

@test "FILE@LABEL: raw and quoted values, and a label that is there already" {
	file w 'x{a="in"} 1'
	aggregate 'w@a=o"ut,b="x,\"y"'
	assert_status 0
	assert_output 'x{a="o\"ut",b="x,\"y",exported_a="in"} 1'$'\n'
}

@test "FILE@LABEL: a file of the whole name wins" {
	file 'w@a=1' 'x 1'
	aggregate w@a=1
	assert_status 0
	assert_output $'x 1\n'
	aggregate w@
	assert_status 4
}

@test "--label adds to every sample" {
	aggregate_text 'x 1' --label job=train
	assert_output 'x{job="train"} 1'$'\n'
}

@test "an option --label is one label, whose value may have commas and quotes" {
	aggregate_text 'x 1' -l 'a=1,b="2"' -l c=
	assert_status 0
	assert_output 'x{a="1,b=\"2\""} 1'$'\n'
}

@test "a label that cannot be one, or is given twice, is a usage error" {
	check() {
		aggregate_text 'x 1' "${@:2}"
		assert_status 2
		assert_stderr_lines 1
		assert_stderr_has "$1"
		refute_output
	}
	check '--label=9x=1: a label name cannot begin with a digit' -l 9x=1
	check '--label=a=2: label a is given twice' -l a=1 -l b=1 -l a=2
	check '--label==1: expected NAME=VALUE' -l =1
	check '--label=a: expected NAME=VALUE' -l a
	check '"a-b" is not a valid label name' -l a-b=1
	check '--label=__x=1: label names that begin with __ are reserved' \
		-l __x=1
	file w.prom 'x 1'
	check 'w.prom@a=1,a=2: label a is given twice' "$TMP/w.prom@a=1,a=2"
	check 'w.prom@a=1: label a is given twice' -l a=1 "$TMP/w.prom@a=1"
}

@test "names: strip, prefix, sanitize" {
	aggregate_text 'ray_vllm:x{u="a:b"} 1' --strip-prefix ray_ \
		--prefix my_ --sanitize
	assert_output 'my_vllm_x{u="a:b"} 1'$'\n'
}

@test "a label that is there moves as often as it takes, an empty one gives way" {
	aggregate_text 'x{a="0",exported_a="1"} 5' --label a=2
	assert_status 0
	assert_output \
		'x{a="2",exported_a="1",exported_exported_a="0"} 5'$'\n'
	aggregate_text 'x{a=""} 5' --label a=2
	assert_output 'x{a="2"} 5'$'\n'
}

@test "many labels stand in order, le behind them, and are read again" {
	local names sorted padded
	names=$(seq 40 | awk '{ n = ($1 * 7) % 41 + 10
		printf "l%d=\"%d\"\n", n, n }')
	sorted=$(sort <<<"$names" | paste -sd,)
	names=$(paste -sd, <<<"$names")
	[ "$names" != "$sorted" ]
	aggregate_text "# TYPE h histogram
h_bucket{le=\"+Inf\",$names} 3
h_count{$names} 3"
	assert_status 0
	assert_output "$(lines '# TYPE h histogram' \
		"h_bucket{$sorted,le=\"+Inf\"} 3" "h_count{$sorted} 3")"$'\n'
	aggregate_text "a{$names} 3" --by l30,l20
	assert_status 0
	assert_output $'a{l20="20",l30="30"} 3\n'
	aggregate_text "a{$names} 3
a{l30=\"x\"} 4" --pad-labels
	padded=${sorted//\"[0-9][0-9]\"/\"\"}
	assert_output "$(lines "a{$sorted} 3" \
		"a{${padded/l30=\"/l30=\"x}} 4")"$'\n'
}

@test "labels that are added count against the limit with those there" {
	local options
	mapfile -t options < <(seq -f '--label=x%g=1' 4097)
	lines "a{$(seq -f 'm%g="v"' 4096 | paste -sd,)} 1" >"$TMP/full"
	run_split obs-aggregate "${options[@]}" "$TMP/full"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "full: more than 8192 labels; obstools(7)"
	refute_output
	run_split obs-aggregate "${options[@]:1}" "$TMP/full"
	assert_status 0
	[ "$(tr -cd = <<<"$output" | wc -c)" -eq 8192 ]
}

@test "--pad-labels gives a family one set of labels" {
	aggregate_text '# TYPE g gauge
g{a="1"} 1
g{b="2"} 2
# TYPE h histogram
h_bucket{c="3",le="+Inf"} 1
h_count 1' --pad-labels
	assert_output "$(lines '# TYPE g gauge' 'g{a="1",b=""} 1' \
		'g{a="",b="2"} 2' '# TYPE h histogram' \
		'h_bucket{c="3",le="+Inf"} 1' 'h_count{c=""} 1')"$'\n'
}

@test "--select and --drop go by family, --match by label" {
	local text='# TYPE h histogram
h_bucket{le="+Inf"} 1
h_count 1
h2 2
i{a="xy"} 3
i{a="x"} 4'
	aggregate_text "$text" --select h
	assert_output_has 'h_count 1'
	[[ $output != *h2* ]]
	aggregate_text "$text" --drop 'h*'
	assert_output $'i{a="xy"} 3\ni{a="x"} 4\n'
	aggregate_text "$text" --select i --match 'a=~x.'
	assert_output $'i{a="xy"} 3\n'
	aggregate_text "$text" --select i --match 'a!=x'
	assert_output $'i{a="xy"} 3\n'
	aggregate_text "$text" --select i --match 'a="x"'
	assert_output $'i{a="x"} 4\n'
	aggregate_text "$text" --match 'a=~('
	assert_status 2
	assert_stderr_has '--match=a=~(: (: '
	for matcher in a =x 'a>1'; do
		aggregate_text "$text" --match "$matcher"
		assert_status 2
		assert_stderr_has "--match=$matcher: expected LABEL=VALUE"
	done
}

@test "reductions: counters add up, fractions of the engines are averaged" {
	local text='# TYPE sglang:token_usage gauge
sglang:token_usage{w="1"} 0.2
sglang:token_usage{w="2"} 0.6
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{w="1"} 3
sglang:num_running_reqs{w="2"} 4
# TYPE c_total counter
c_total{w="1"} 1
c_total{w="2"} 2'
	aggregate_text "$text" --by ''
	assert_output_has 'sglang:token_usage 0.4'
	assert_output_has 'sglang:num_running_reqs 7'
	assert_output_has 'c_total 3'
	aggregate_text "$text" --by '' --op max --mean 'c_*'
	assert_output_has 'sglang:token_usage 0.6'
	assert_output_has 'c_total 1.5'
}

@test "--without drops labels, missing and empty ones group together" {
	aggregate_text 'g{a="1",b="x"} 1
g{a="2",b="x",c=""} 2
g{a="3"} 4' --without a
	assert_output $'g 4\ng{b="x"} 3\n'
}

@test "every op" {
	local op text=$'g{w="1"} 4\ng{w="2"} 1\ng{w="3"} 4'
	for op in sum=9 mean=3 min=1 max=4 count=3 last=4; do
		aggregate_text "$text" --by '' --op "${op%=*}"
		assert_output "g ${op#*=}"$'\n'
	done
}

@test "NaN is kept out and counted, or propagates" {
	local text=$'g{w="1"} NaN\ng{w="2"} 2'
	aggregate_text "$text" --by ''
	assert_output $'g 2\n'
	assert_stderr_has 'samples that are NaN: 1'
	aggregate_text "$text" --by '' --nan propagate
	assert_output $'g NaN\n'
	aggregate_text "$text" --by '' --op count
	assert_output $'g 2\n'
}

@test "a mean survives a sum that overflows" {
	aggregate_text $'g{w="1"} 1.5e308\ng{w="2"} 1.5e308' --by '' --op mean
	assert_output $'g 1.5e+308\n'
}

@test "a reduced sample has a timestamp when all agree" {
	aggregate_text $'a{w="1"} 1 5\na{w="2"} 1 5\nb{w="1"} 1 5\nb{w="2"} 1 6' \
		--by ''
	assert_output $'a 2 5\nb 2\n'
}

@test "quantiles of summaries and _created stamps are left out, and counted" {
	aggregate_text '# TYPE s summary
s{quantile="0.5"} 1
s_sum 2
s_count 3
# TYPE c_total counter
c_total 1
# TYPE c_created gauge
c_created 1700000000
# TYPE own_created gauge
own_created 7' --by ''
	assert_status 0
	assert_output "$(lines '# TYPE s summary' 's_sum 2' 's_count 3' \
		'# TYPE c_total counter' 'c_total 1' \
		'# TYPE own_created gauge' 'own_created 7')"$'\n'
	assert_stderr_has "cannot be combined"
	assert_stderr_has ': 2'
}

@test "quantiles are written as 0.95, 95 or p95" {
	local h='h_bucket{le="100"} 100
h_bucket{le="+Inf"} 100
h_sum 5'
	aggregate_text "$h" --quantile '0.95, 95,p95,p1,1,.5'
	assert_status 0
	assert_output "$(lines 'h{quantile="0.95"} 95' 'h{quantile="0.01"} 1' \
		'h{quantile="1"} 100' 'h{quantile="0.5"} 50' 'h_sum 5')"$'\n'
	local wrong
	for wrong in -1 101 p p101 1e2 nan '0.5,' ',0.5' '0.5,,1' x '' 5%; do
		aggregate_text "$h" --quantile "$wrong"
		assert_status 2
		assert_stderr_lines 1
		assert_stderr_has 'expected up to 64 quantiles from 0 to 100, such as 0.95, 95 or p95'
		refute_output
	done
}

@test "a label that is given twice to --by or --without counts once" {
	aggregate_text $'x{a="1",b="1"} 1\nx{a="2",b="1"} 2' --without a,a
	assert_output $'x{b="1"} 3\n'
	aggregate_text $'x{a="1",b="1"} 1\nx{a="2",b="1"} 2' --by b,b
	assert_output $'x{b="1"} 3\n'
}

@test "--quantile makes a histogram a summary" {
	aggregate_text '# TYPE h histogram
h_bucket{w="1",le="1"} 5
h_bucket{w="1",le="2"} 10
h_bucket{w="1",le="+Inf"} 10
h_sum{w="1"} 12
h_count{w="1"} 10' --quantile 0.5,0.9
	assert_output "$(lines '# TYPE h summary' 'h{w="1",quantile="0.5"} 1' \
		'h{w="1",quantile="0.9"} 1.8' 'h_sum{w="1"} 12' \
		'h_count{w="1"} 10')"$'\n'
}

@test "a quantile in a first bucket up to 0, or below, is its bound" {
	local bound
	for bound in 0 -2; do
		aggregate_text "h_bucket{le=\"$bound\"} 4
h_bucket{le=\"1\"} 8
h_bucket{le=\"+Inf\"} 8" --quantile 0.25,0.5
		assert_output "$(lines "h{quantile=\"0.25\"} $bound" \
			"h{quantile=\"0.5\"} $bound")"$'\n'
	done
	aggregate_text 'h_bucket{le="-2"} 4
h_bucket{le="-1"} 8
h_bucket{le="+Inf"} 8' --quantile 0.75
	assert_output "$(lines 'h{quantile="0.75"} -1.5')"$'\n'
	# Of an empty bucket as well, where there is nothing to divide by.
	aggregate_text 'h_bucket{le="0"} 0
h_bucket{le="1"} 8
h_bucket{le="+Inf"} 8' --quantile 0,0.5
	assert_output "$(lines 'h{quantile="0"} 0' 'h{quantile="0.5"} 0.5')"$'\n'
}

@test "json, jsonl and tsv" {
	local text='# HELP g a\\b
# TYPE g gauge
g{l="q\"\t"} NaN 5'
	aggregate_text "$text" --format json
	assert_output '{"families":[{"name":"g","type":"gauge","help":"a\\b",'\
'"samples":[{"name":"g","labels":{"l":"q\"\\t"},"value":"NaN",'\
'"timestamp_ms":5}]}]}'$'\n'
	aggregate_text "$text" --format jsonl
	assert_output '{"name":"g","labels":{"l":"q\"\\t"},"value":"NaN",'\
'"timestamp_ms":5,"family":"g","type":"gauge"}'$'\n'
	aggregate_text "$text" --format tsv
	assert_output $'name\tlabels\tvalue\ttimestamp_ms\ng\tl="q\\"\\\\t"\tNaN\t5\n'
}

@test "no control character of a label is left in tsv" {
	local text=$'g{l="\t\e[2J\x7f\rü"} 1\nh{l="\\n"} 2'
	aggregate_text "$text" --format tsv
	assert_output "$(printf 'name\tlabels\tvalue\ttimestamp_ms\n%s\n%s' \
		$'g\tl="\\t\\x1b[2J\\x7f\\rü"\t1\t' \
		$'h\tl="\\n"\t2\t')"$'\n'
	aggregate_text "$text" --select g --by l --format wide
	assert_output_has '\t\x1b[2J\x7f\rü'
}

@test "the table has a row a worker and marks the worst of each column" {
	aggregate_text 'sglang:num_queue_reqs{w="größe"} 30
sglang:num_queue_reqs{w="b"} 4
sglang:page_size{w="größe"} 1
sglang:page_size{w="b"} 16
vllm:kv_cache_usage_perc{w="größe"} 0.5
vllm:kv_cache_usage_perc{w="b"} 0.25
queue{w="größe"} 1
queue{w="b"} 2
sglang:gen_throughput{w="größe"} 10
sglang:gen_throughput{w="b"} 20' --by w --format table
	# What is neither good nor bad, or unknown, has no worst value.
	# Settings stand last, and the table is cut at 120 columns.
	assert_output "$(lines \
		'w      sglang:num_queue_reqs  vllm:kv_cache_usage_perc (fraction)  sglang:gen_throughput (tokens/s)  queue' \
		'b                          4                                 0.25                                20      2' \
		'größe                    30!                                 0.5!                               10!      1' \
		'' \
		'w      sglang:page_size (tokens)' \
		'b                             16' \
		'größe                          1' \
		'! worst in column')"$'\n'
}

@test "-o writes a file whole, and nothing when input is bad" {
	file w 'x 1'
	aggregate -o out.prom w
	assert_status 0
	refute_output
	[ "$(cat "$TMP/out.prom")" = 'x 1' ]
	file bad 'x'
	aggregate -o none.prom --strict bad
	assert_status 3
	[ ! -e "$TMP/none.prom" ]
	[ -z "$(find "$TMP" -name '.none.prom.*')" ]
}

@test "a full disk is status 4" {
	local status=0
	echo 'x 1' | obs-aggregate >/dev/full 2>"$TMP/err" || status=$?
	[ "$status" -eq 4 ]
	grep -q 'No space left' "$TMP/err"
}

@test "usage errors name what excludes each other" {
	local options
	for options in '--by a --without b' '--delta --rate' '--state x' \
		'--window 3' '--step-summary vllm --by a' '--by ,' \
		'--quantile x' '--label x'; do
		# shellcheck disable=SC2086 # a list
		run_split obs-aggregate $options </dev/null
		assert_status 2
		assert_stderr_lines 1
	done
}

@test "what it writes, it reads back the same" {
	local format_in="$TMP/in"
	printf '%s\n' '# TYPE "my.m" gauge' '{"my.m","l l"="a\"b\\c\nd"} 1e-9' \
		'x{a="\z"} -0' 'y 1.7976931348623157e308 -5' >"$format_in"
	obs-aggregate <"$format_in" >"$TMP/once"
	obs-aggregate <"$TMP/once" >"$TMP/twice"
	assert_same_file "$TMP/once" "$TMP/twice"
}

# Samples that differ in values of labels only are taken in runs, in which
# nothing of them but that is looked at again.

@test "in a run, labels that are added are kept and dropped as elsewhere" {
	file w1 'g{r="0"} 1' 'g{r="1"} 2' 'g{r="2"} 4'
	aggregate --by w,r w1@w=x w1@w=y
	assert_output "$(lines 'g{r="0",w="x"} 1' 'g{r="0",w="y"} 1' \
		'g{r="1",w="x"} 2' 'g{r="1",w="y"} 2' \
		'g{r="2",w="x"} 4' 'g{r="2",w="y"} 4')"$'\n'
}

@test "in a run, --match and --select choose each sample" {
	aggregate_text "$(lines 'g{r="0"} 1' 'g{r="1"} 2' 'g{r="2"} 4')" \
		--by x --match 'r!=1'
	assert_output "g 5"$'\n'
	aggregate_text "$(lines 'g{r="0"} 1' 'h{r="0"} 2' 'h{r="1"} 4')" \
		--by x --select g
	assert_output "g 1"$'\n'
	aggregate_text "$(lines '# TYPE h histogram' 'h_bucket{le="1"} 1' \
		'h_bucket{le="2"} 2' 'h_bucket{le="+Inf"} 4')" \
		--by x --match 'le!=2'
	assert_output "$(lines '# TYPE h histogram' 'h_bucket{le="1"} 1' \
		'h_bucket{le="+Inf"} 4')"$'\n'
}

@test "in a run of buckets, one that comes again is a duplicate" {
	aggregate_text "$(lines '# TYPE h histogram' \
		'h_bucket{r="0",le="1"} 1' 'h_bucket{r="0",le="2"} 2' \
		'h_bucket{r="0",le="+Inf"} 4' 'h_bucket{r="1",le="1"} 10' \
		'h_bucket{r="1",le="2"} 20' 'h_bucket{r="1",le="2"} 500' \
		'h_bucket{r="1",le="+Inf"} 40')" --by x
	assert_stderr_has duplicate
	assert_output "$(lines '# TYPE h histogram' 'h_bucket{le="1"} 11' \
		'h_bucket{le="2"} 22' 'h_bucket{le="+Inf"} 44')"$'\n'
}
