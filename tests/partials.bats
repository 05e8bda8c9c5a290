# obs-perfsum --partial and --merge-partials: figures of many rollouts together,
# held to those of one dump that has all their samples.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
}

# dumps COUNT SAMPLES: d0.jsonl ..., a sample a line, and all.jsonl with all.
dumps() {
	local i
	for ((i = 0; i < $1; i++)); do
		"$ROOT/scripts/gen-rollout" json "d$i.jsonl" --samples "$2" \
			--seed "$i" --rollout "$i"
	done
	cat d*.jsonl >all.jsonl
}

# partials OPTION...: a partial a dump, pN.part.
partials() {
	local dump
	for dump in d*.jsonl; do
		obs-perfsum --partial "$@" "$dump" >"${dump%.jsonl}.part"
	done
}

# The perf/ figures of stdin, a key and its value a line, without percentiles.
figures() {
	jq -r 'to_entries[] | select(.key | startswith("perf/")) |
		"\(.key) \(.value)"'
}

# within LIMIT: both sides of "key a key b" lines differ by at most that part.
within() {
	awk -v limit="$1" '
		function size(x) { return x < 0 ? -x : x }
		$1 != $3 { print "keys differ: " $0; bad = 1 }
		size($2 - $4) > limit * size($4) { print; bad = 1 }
		END { exit bad || NR == 0 }'
}

@test "few values: merged partials say what one dump of all samples says" {
	rollout 1 1 2 3 >a.json
	rollout 2 7 8.5 >b.json
	jq -sc '{samples: map(.samples[])}' a.json b.json >all.json
	obs-perfsum --partial a.json >a.part
	obs-perfsum --partial b.json >b.part
	run_split obs-perfsum --merge-partials -p 90 b.part a.part
	assert_status 0
	[ "$(jq -r '.dump' <<<"$output")" = "2 dumps" ]
	[ "$(jq -c '.approximate' <<<"$output")" = null ]
	[ "$(figures <<<"$output")" = \
		"$(obs-perfsum -p 90 all.json | figures)" ]
}

@test "values whose sum is too large for a double are merged all the same" {
	# tokens SECONDS TOKENS FIGURES: a sample whose call has these.
	tokens() {
		printf '{"trace": {"events": [{"type": "span_start", "ts": 1, "name": "sglang_generate", "span_id": "a"}, {"type": "span_end", "ts": %s, "name": "sglang_generate", "span_id": "a", "attrs": {"completion_tokens": %s, %s}}]}}\n' \
			"$@"
	}
	tokens 1.001 1e308 '"e2e_latency": 1.6e308, "queue_time": 1e308' \
		>a.jsonl
	tokens 2 1.7e308 '"e2e_latency": 1.2e308, "queue_time": -1e308' \
		>b.jsonl
	tokens 3 1.2e308 '"e2e_latency": 1.7e308, "queue_time": -1e308' \
		>c.jsonl
	obs-perfsum -q --partial --stragglers 3 a.jsonl b.jsonl c.jsonl >all.part
	jq -e '.metrics["request/e2e_latency"].sum | length == 3 and
		all(type == "number")' all.part
	for i in a b c; do
		obs-perfsum -q --partial --stragglers 3 "$i.jsonl" >"$i.part"
	done
	obs-perfsum --merge-partials --stragglers 3 all.part >one.json
	obs-perfsum --merge-partials --stragglers 3 c.part a.part b.part \
		>other.json
	cmp one.json other.json
	# jq writes 2^64, by which sums are scaled, as an integer.
	jq -c . all.part >again.part
	obs-perfsum --merge-partials --stragglers 3 again.part >other.json
	cmp one.json other.json
	cat a.jsonl b.jsonl c.jsonl >all.jsonl
	[ "$(figures <one.json)" = "$(obs-perfsum -q all.jsonl | figures)" ]
	# 1e308 tokens in 1 ms are more per second than a double holds.
	[ "$(jq -c '.stragglers | map(.decode_rate)' one.json)" = \
		'[6e+307,1.7e+308,null]' ]
	[ "$(jq -c '.medians.tokens' one.json)" = 1.2e+308 ]
}

@test "a quantile between large numbers of both signs is one" {
	ATTRS='{"queue_time": -1.6e308}' rollout 1 1 >a.json
	ATTRS='{"queue_time": 1.6e308}' rollout 2 1 >b.json
	obs-perfsum -q --partial a.json b.json >ab.part
	run_split obs-perfsum --merge-partials -p 25,75 ab.part
	for figure in p25\":-8e+307 median\":0.0 p75\":8e+307; do
		assert_output_has "perf/request/queue_time/$figure"
	done
}

@test "many values: counts and extremes are exact, quantiles within 1%" {
	dumps 3 200
	partials
	obs-perfsum --merge-partials -p 10,95,99.9 d*.part >merged.json
	obs-perfsum -p 10,95,99.9 all.jsonl >plain.json
	paste -d' ' <(figures <merged.json) <(figures <plain.json) >both
	grep -E '/(count|profiled_count|max|min) ' both | within 0
	grep -E '/mean ' both | within 1e-14
	within 0.01 <both
	# What is not exact says so.
	[ "$(jq -c '.approximate | map(split("/")[-1]) | unique' merged.json)" = \
		'["median","p10","p95","p99.9"]' ]
}

@test "any order and any tree of merging gives the same bytes" {
	dumps 4 60
	local all=(--breakdown --stragglers 5)
	partials "${all[@]}"
	obs-perfsum --partial "${all[@]}" d*.jsonl |
		obs-perfsum --merge-partials "${all[@]}" -p 99 >one.json
	obs-perfsum --merge-partials "${all[@]}" -p 99 d3.part d1.part d0.part \
		d2.part >other.json
	cmp one.json other.json
	obs-perfsum --merge-partials --partial "${all[@]}" d1.part d3.part >t.part
	cat d0.part t.part d2.part |
		obs-perfsum --merge-partials "${all[@]}" -p 99 >tree.json
	cmp one.json tree.json
}

@test "a breakdown adds up rollouts that ran one by one" {
	dumps 2 50
	partials --breakdown
	obs-perfsum --breakdown d0.jsonl d1.jsonl | jq -s 'map(.breakdown) | {
		samples: map(.samples) | add, wall: map(.wall) | add,
		peak: map(.peak) | max, own: map(.own_time) | add,
		decode: map(.activities.decode) | add,
		count: map(.spans[] | select(.name == "generate_and_rm").count) | add,
		room: map(.wall * .peak) | add}' >sums
	run_split obs-perfsum --merge-partials --breakdown d0.part d1.part
	assert_status 0
	jq -e --slurpfile sums sums '$sums[0] as $s | .breakdown |
		def near($x): ((. - $x) | fabs) < 1e-9;
		.samples == $s.samples and .peak == $s.peak and
		(.wall | near($s.wall)) and (.own_time | near($s.own)) and
		(.activities.decode | near($s.decode)) and
		(.spans[] | select(.name == "generate_and_rm").count) == $s.count and
		(.utilisation | near($s.own / $s.room)) and .last == null' \
		<<<"$output"
}

@test "stragglers of all dumps are ranked together, and name their dump" {
	dumps 3 40
	partials --stragglers 4
	run_split obs-perfsum --merge-partials --stragglers 4 d*.part
	assert_status 0
	obs-perfsum --stragglers 4 d*.jsonl | jq -sc '
		map(.dump as $d | .stragglers[] | {dump: $d, row, duration}) |
		unique | sort_by(-.duration) | .[:4] | map([.dump, .row])' >longest
	[ "$(jq -c '.stragglers | map(select(.longest)) | sort_by(.longest) |
		map([.dump, .row])' <<<"$output")" = "$(cat longest)" ]
	run_split obs-perfsum --merge-partials --stragglers 4 -f table d*.part
	[[ $output == *"d2.jsonl "* ]]
}

@test "a torn partial is reported, the others are merged" {
	rollout 1 1 2 >a.json
	rollout 2 7 >b.json
	obs-perfsum --partial a.json >a.part
	obs-perfsum --partial b.json >b.part
	head -c 120 b.part >torn.part
	run_split obs-perfsum --merge-partials a.part torn.part
	assert_status 1
	assert_stderr_has "torn.part: "
	[ "$(jq '."perf/request/count"' <<<"$output")" = 2 ]
	# In one file, too.
	(head -c 120 b.part; echo; cat a.part b.part) >three.part
	run_split obs-perfsum --merge-partials three.part
	assert_status 1
	assert_stderr_has "three.part:1: "
	[ "$(jq '."perf/request/count"' <<<"$output")" = 3 ]
	run_split obs-perfsum --merge-partials torn.part
	assert_status 3
	refute_output
}

@test "an operand that fails as a whole leaves nothing in the result" {
	rollout 1 1 2 >a.json
	rollout 2 7 >b.json
	obs-perfsum --partial a.json >a.part
	obs-perfsum --partial b.json >b.part
	(cat a.part; head -c 120 b.part) >tail.part
	run_split obs-perfsum --merge-partials tail.part
	assert_status 1
	assert_stderr_lines 1
	[ "$(jq -c '[.dump, ."perf/request/count"]' <<<"$output")" = \
		'["1 dump",2]' ]
	run_split obs-perfsum --merge-partials --strict tail.part
	assert_status 3
	refute_output
	run_split obs-perfsum --merge-partials --strict tail.part b.part
	assert_status 1
	[ "$(jq -c '[.dump, ."perf/request/count"]' <<<"$output")" = \
		'["1 dump",1]' ]
	run_split obs-perfsum --merge-partials --strict a.part b.part
	assert_status 0
	run_split obs-perfsum --merge-partials --with a.json a.part
	assert_status 2
	assert_stderr_has "--with cannot be combined with --merge-partials"
	for option in --partial --merge-partials; do
		run_split obs-perfsum --what-if "$option" a.json
		assert_status 2
	done
}

@test "a file without any partial is one fault" {
	local kind
	rollout 1 1 2 >a.json
	printf '{"type":"event","ts":%s}\n' 1 2 3 >trace.jsonl
	: >empty
	echo hello >text
	printf '\x7fELF\x01\x00\x00' >binary
	while read -r kind why; do
		run_split obs-perfsum --merge-partials "$kind"
		assert_status 3
		refute_output
		assert_stderr_lines 1
		assert_stderr_has "obs-perfsum: $kind: $why"
	done <<-'END'
		a.json not a partial of obs-perfsum --partial
		trace.jsonl none of its 3 records is a usable partial; the first: not a partial of obs-perfsum --partial
		empty the input is empty
		text not a partial of obs-perfsum --partial
		binary not a partial of obs-perfsum --partial
	END
	# Next to one, each bad record is a fault.
	obs-perfsum --partial a.json | cat - trace.jsonl >both
	run_split obs-perfsum --merge-partials both
	assert_status 1
	assert_stderr_lines 3
}

@test "what a partial cannot be is refused" {
	rollout 1 1 2 >a.json
	obs-perfsum --partial a.json >a.part
	local edit
	for edit in '.dumps = -1' '.metrics = 3' 'del(.counts)' '.dumps = 0' \
		'.counts.requests = 1' '.counts.profiled = 3' \
		'.counts.profiled = 1' '.counts |= (.requests = 0 | .profiled = 0)' \
		'.metrics["request/e2e_latency"].n = 5' \
		'.metrics["request/e2e_latency"].few = ["x", 2]' \
		'.metrics["request/e2e_latency"].sum = [1]' \
		'.metrics["request/e2e_latency"] |= (del(.few) | .zeros = 0 |
			.positive = "99999999:1,1")' \
		'.metrics["request/e2e_latency"] |= (del(.few) | .zeros = 0 |
			.positive = "1:9223372036854775807,9223372036854775807")'; do
		jq -c "$edit" a.part >bad.part
		run_split obs-perfsum --merge-partials bad.part
		assert_status 3
		refute_output
		assert_stderr_has "bad.part: damaged partial: "
	done
	jq -c '.partial = 2' a.part >new.part
	run_split obs-perfsum --merge-partials new.part
	assert_status 3
	assert_stderr_has "new.part: a partial of version 2"
	run_split obs-perfsum --merge-partials a.json
	assert_status 3
	run_split obs-perfsum --merge-partials --breakdown a.part
	assert_status 3
	assert_stderr_has "a.part: this partial has no breakdown; write it with --partial --breakdown"
	run_split obs-perfsum --merge-partials --stragglers 2 a.part
	assert_status 3
	assert_stderr_has "write it with --partial --stragglers 2"
	run_split obs-perfsum a.part
	assert_status 3
	assert_stderr_has "a.part: a partial; merge it with --merge-partials"
	run_split obs-perfsum --partial --by status a.json
	assert_status 2
}

@test "a threshold judges the merged figures" {
	rollout 1 1 2 >a.json
	obs-perfsum --partial a.json >a.part
	run_split obs-perfsum --merge-partials \
		--fail-if 'request/e2e_latency/max > 1.5' a.part
	assert_status 5
}
