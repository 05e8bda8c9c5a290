# obs-perfsum's --compare, --threshold and --fail-if.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
}

# change KEY FIELD: of the comparison in $output.
change() {
	jq -c --arg key "perf/$1" ".changes[] | select(.key == \$key) | .$2" \
		<<<"$output"
}

assert_change() { # KEY FIELD VALUE
	[ "$(change "$1" "$2")" = "$3" ] ||
		fail_with "expected $3 for $2 of $1, not $(change "$1" "$2")"
}

# Two rollouts that differ by far more than their noise.
write_slower() {
	rollout 1 1 1.1 1.2 1.1 1 1.3 1.2 1.1 >a.json
	rollout 2 2 2.1 2.2 2.1 2 2.3 2.2 2.1 >b.json
}

# Two draws of the same widely spread values.
write_noise() {
	# shellcheck disable=SC2046 # numbers
	rollout 1 $(seq 1 3 60) >a.json
	# shellcheck disable=SC2046
	rollout 2 $(seq 2 3 62) >b.json
}

@test "--compare gives each key's values and relative change" {
	write_slower
	run_split obs-perfsum --compare a.json b.json
	assert_status 0
	assert_change request/e2e_latency/mean from 1.125
	assert_change request/e2e_latency/mean to 2.125
	[ "$(jq '[.changes[] | select(.key == "perf/request/e2e_latency/mean")
		| .change - 1 / 1.125 | fabs] | .[0] < 1e-12' <<<"$output")" = true ]
	assert_change request/e2e_latency/mean verdict '"worse"'
	assert_change request/count verdict '"same"'
	[ "$(jq -r '.from + " " + .to' <<<"$output")" = "a.json b.json" ]
}

@test "a comparison begins with the wall times, and the parts that changed" {
	# answer QUEUE END: a sample of one request, and one that ends early.
	answer() {
		printf '{"samples": [%s, %s]}' "$(sample 0 1 0.5)" "$(sample 1 "$2" "$1")"
	}
	sample() {
		printf '{"index": %s, "trace": {"events": [
			{"type": "span_start", "ts": 0, "name": "sglang_generate", "span_id": "a"},
			{"type": "span_end", "ts": %s, "name": "sglang_generate", "span_id": "a",
			"attrs": {"completion_tokens": 9, "e2e_latency": %s, "queue_time": %s}}]}}' \
			"$1" "$2" "$2" "$3"
	}
	answer 1 4 >a.json
	answer 3 10 >b.json
	run_split obs-perfsum --compare -f table a.json b.json
	assert_status 0
	[[ $output == "b.json took 10.0 s, 6.00 s longer than a.json (+150%); in the sample that ended last: decode +4.00 s, queue +2.00 s"$'\n'* ]] ||
		fail_with "$output"
	assert_output_has $'\na.json to b.json: '
	run_split obs-perfsum --compare -f table b.json a.json
	[[ $output == "a.json took 4.00 s, 6.00 s less than b.json (-60%); in the sample that ended last: decode -4.00 s, queue -2.00 s"$'\n'* ]] ||
		fail_with "$output"
	run_split obs-perfsum --compare -f table a.json a.json
	[[ $output == "a.json took 4.00 s, as long as a.json"$'\n'* ]] ||
		fail_with "$output"
	run_split obs-perfsum --compare a.json b.json
	jq -e '.wall == {from: 4, to: 10}' <<<"$output"
	# Saved metrics have no wall time.
	obs-perfsum a.json >saved.json
	run_split obs-perfsum --compare saved.json b.json
	jq -e '.wall == {from: null, to: 10}' <<<"$output"
	run_split obs-perfsum --compare -f table saved.json b.json
	assert_status 0
	[[ $output == "saved.json to b.json: "* ]] || fail_with "$output"
}

# lasts SECONDS [TOKENS]: a rollout of one sample.
lasts() {
	printf '{"samples": [{"index": 0, "trace": {"events": [
		{"type": "span_start", "ts": 0, "name": "sglang_generate", "span_id": "a"},
		{"type": "span_end", "ts": %s, "name": "sglang_generate", "span_id": "a",
		"attrs": {"completion_tokens": %s}}]}}]}' "$1" "${2-100}"
}

@test "the wall time is judged like other metrics" {
	lasts 100 >a.json
	lasts 105 >b.json
	run_split obs-perfsum --compare --threshold 6 a.json b.json
	assert_status 0
	assert_change wall change 0.05
	assert_change wall verdict '"worse"'
	run_split obs-perfsum --compare --threshold 4 a.json b.json
	assert_status 5
	assert_stderr_has "b.json: perf/wall got worse by more than 4%: it changed by +5%"
	run_split obs-perfsum --compare --threshold 4 b.json a.json
	assert_status 0
	assert_change wall verdict '"better"'
	run_split obs-perfsum --compare --fail-if 'wall > +4%' a.json b.json
	assert_status 5
	assert_stderr_has "b.json: wall > +4%: it changed by +5%"
	run_split obs-perfsum --compare --fail-if 'wall > +6%' a.json b.json
	assert_status 0
	# Saved metrics have none: it is not compared, and a condition fails.
	obs-perfsum a.json >saved.json
	run_split obs-perfsum --compare a.json saved.json
	[ "$(jq -c '[.changes[].key | select(. == "perf/wall")]' <<<"$output")" = '[]' ]
	run_split obs-perfsum --compare --fail-if 'wall > +4%' saved.json b.json
	assert_status 5
	assert_stderr_has "has no metric with this key"
}

@test "a limit on the wall time of one rollout needs its breakdown" {
	lasts 100 >a.json
	run_split obs-perfsum --breakdown --fail-if 'wall > 99' a.json
	assert_status 5
	assert_stderr_has "a.json: wall > 99: it is 100"
	jq -e '."perf/wall" == 100' <<<"$output"
	run_split obs-perfsum --breakdown --fail-if 'wall > 101' a.json
	assert_status 0
	run_split obs-perfsum --breakdown a.json
	[ "$(jq 'has("perf/wall")' <<<"$output")" = false ]
	run_split obs-perfsum --fail-if 'wall > 99' a.json
	assert_status 2
	assert_stderr_has "--fail-if=wall > 99: needs --compare or --breakdown"
}

@test "a comparison says that the workloads differ" {
	lasts 100 1000 >a.json
	jq -c '.samples += [.samples[0] | .index = 1]' <(lasts 100 250) >b.json
	run_split obs-perfsum --compare -f table a.json b.json
	[[ $output == *$'\nthe workloads differ: samples 1 to 2 (+100%), tokens 1000 to 500 (-50%)\n'* ]] ||
		fail_with "$output"
	run_split obs-perfsum --compare a.json b.json
	jq -e '.samples == {from: 1, to: 2} and .tokens == {from: 1000, to: 500}' \
		<<<"$output"
	lasts 100 1004 >b.json
	run_split obs-perfsum --compare -f table a.json b.json
	[[ $output != *workloads* ]] || fail_with "$output"
	lasts 100 1006 >b.json
	run_split obs-perfsum --compare -f table a.json b.json
	assert_output_has $'\nthe workloads differ: tokens 1000 to 1006 (+1%)\n'
}

@test "a comparison names the option that it does not take" {
	run_split obs-perfsum --compare --by status a.json b.json
	assert_status 2
	[ "$stderr" = "obs-perfsum: --compare cannot be combined with --by; see 'obs-perfsum --help'" ] ||
		fail_with "$stderr"
}

@test "an interval never says that a time may fall below zero" {
	# A few long ones among many short ones: the mean of some draws is ten
	# times that of others.
	rollout 1 1 1 1 1 1 1 1 1 90 100 >a.json
	rollout 2 1 1 1 1 1 1 1 1 1 80 >b.json
	run_split obs-perfsum --compare a.json b.json
	jq -e '.changes[] | select(.key == "perf/request/e2e_latency/mean") |
		.low > -1 and .low < .change and .change < .high' <<<"$output"
	ATTRS='{"queue_time": 0}' rollout 1 1 >zero.json
	jq -s '.[0].samples += [.[1:][].samples[]] | .[0]' \
		<(ATTRS='{"queue_time": 9}' rollout 1 1) zero.json zero.json \
		zero.json zero.json zero.json >a.json
	jq -s '.[0].samples += [.[1:][].samples[]] | .[0]' zero.json zero.json \
		zero.json zero.json <(ATTRS='{"queue_time": 8}' rollout 1 1) >b.json
	run_split obs-perfsum --compare a.json b.json
	jq -e '.changes[] | select(.key == "perf/request/queue_time/mean") |
		.low == -1' <<<"$output"
}

@test "an interval that ends at no change is noise" {
	rollout 1 1 1 1 1 1 1 1 1 2 2 2 >a.json
	rollout 2 1 1 1 1 1 2 2 2 2 2 2 >b.json
	run_split obs-perfsum --compare a.json b.json
	assert_change request/e2e_latency/median change 1
	assert_change request/e2e_latency/median low 0
	assert_change request/e2e_latency/median high 1
	assert_change request/e2e_latency/median verdict '"noise"'
	run_split obs-perfsum --compare b.json a.json
	assert_change request/e2e_latency/median high 0
	assert_change request/e2e_latency/median verdict '"noise"'
}

@test "worse comes first, then better, noise later, and min and max last" {
	ATTRS='{"queue_time": 3}' rollout 1 1 1 1 1 1 2 >a.json
	rollout 2 0.9 1 1 1 1 2.1 5 >b.json
	run_split obs-perfsum --compare a.json b.json
	jq -e 'def tier: {worse: 0, better: 1, changed: 2, noise: 3, same: 4,
			gone: 5, new: 6}[.verdict] +
			if .key | test("/(min|max)$") then 7 else 0 end;
		(.changes | map(tier)) as $tiers | $tiers == ($tiers | sort) and
		($tiers | unique | length) > 4' <<<"$output"
	jq -e '[.changes[] | select(.key | test("/(min|max)$")) |
		select(.verdict == "changed") | .change | fabs] |
		length > 1 and . == (sort | reverse)' <<<"$output"
	assert_change request/queue_time/mean verdict '"gone"'
	assert_change request/queue_time/mean to null
	run_split obs-perfsum --compare b.json a.json
	assert_change request/queue_time/mean verdict '"new"'
}

@test "more is worse of durations and better of throughput; counts are neither" {
	ATTRS='{"decode_throughput": 50, "pd_prefill_retry_count": 1}' \
		rollout 1 1 1 1 1 1 >a.json
	ATTRS='{"decode_throughput": 60, "pd_prefill_retry_count": 2}' \
		rollout 2 2 2 2 2 2 2 >b.json
	run_split obs-perfsum --compare a.json b.json
	assert_change request/e2e_latency/median verdict '"worse"'
	assert_change decode/throughput/mean verdict '"better"'
	assert_change prefill/retry_count/mean verdict '"worse"'
	assert_change request/count verdict '"changed"'
	assert_change request/e2e_latency/max verdict '"changed"'
	run_split obs-perfsum --compare b.json a.json
	assert_change request/e2e_latency/median verdict '"better"'
	assert_change decode/throughput/mean verdict '"worse"'
}

# bats test_tags=long
@test "intervals are those of an independent bootstrap, and the same each time" {
	local python
	python=$(python_with numpy) || skip "no python3 with numpy"
	"$python" - <<'END'
import json, numpy
rng = numpy.random.default_rng(3)
for name, scale, n in ("a", 1, 400), ("b", 1.1, 351):
    values = (rng.lognormal(size=n) * scale).tolist()
    json.dump([{"trace": {"events": [{
        "type": "span_end", "ts": 1, "name": "sglang_generate",
        "attrs": {"e2e_latency": v}}]}} for v in values],
        open(name + ".json", "w"))
    json.dump(values, open(name + ".values", "w"))
END
	run_split obs-perfsum -p 90 --compare a.json b.json
	assert_status 0
	"$python" - "$output" <<'END'
import json, sys, numpy
a, b = (numpy.array(json.load(open(n + ".values"))) for n in "ab")
rng = numpy.random.default_rng(4)
draws = [(rng.choice(a, len(a)), rng.choice(b, len(b))) for _ in range(4000)]
changes = {c["key"]: c for c in json.loads(sys.argv[1])["changes"]}
for name, of in (("mean", numpy.mean), ("median", numpy.median),
                 ("p90", lambda v: numpy.percentile(v, 90))):
    c = changes["perf/request/e2e_latency/" + name]
    want = numpy.percentile([of(y) / of(x) - 1 for x, y in draws],
                            [2.5, 97.5])
    width = want[1] - want[0]
    assert c["low"] <= c["change"] <= c["high"], c
    for have, wanted in zip((c["low"], c["high"]), want):
        assert abs(have - wanted) < 0.12 * width, (name, c, want)
assert changes["perf/request/e2e_latency/max"]["low"] is None
END
	[ "$(obs-perfsum -p 90 --compare a.json b.json)" = "${output%$'\n'}" ]
}

@test "a change inside the noise is marked so and does not break --threshold" {
	write_noise
	run_split obs-perfsum --compare --threshold 1% a.json b.json
	assert_status 0
	assert_change request/e2e_latency/mean verdict '"noise"'
	[ -z "$stderr" ] || fail_with "expected nothing on stderr"
}

@test "--threshold names each key that got worse by more and gives status 5" {
	write_slower
	run_split obs-perfsum --compare --threshold 5% a.json b.json
	assert_status 5
	assert_stderr_lines 2
	assert_stderr_has "b.json: perf/request/e2e_latency/mean got worse by more than 5%: it changed by +88.8889%"
	assert_stderr_has "perf/request/e2e_latency/median got worse"
	run_split obs-perfsum --compare --threshold 90.9% a.json b.json
	assert_status 5
	assert_stderr_lines 1
	run_split obs-perfsum --compare --threshold 100% a.json b.json
	assert_status 0
	run_split obs-perfsum --compare --threshold 90.9 a.json b.json
	assert_status 5
	run_split obs-perfsum --compare --threshold 100 a.json b.json
	assert_status 0
	run_split obs-perfsum --compare --threshold 5% b.json a.json
	assert_status 0
}

@test "--fail-if judges a change literally, noise or not" {
	write_noise
	run_split obs-perfsum --compare --fail-if \
		'perf/request/e2e_latency/mean > +1%' a.json b.json
	assert_status 5
	assert_stderr_lines 1
	assert_stderr_has "b.json: perf/request/e2e_latency/mean > +1%: it changed by +"
	run_split obs-perfsum --compare --fail-if \
		'perf/request/e2e_latency/mean > +50%' a.json b.json
	assert_status 0
	run_split obs-perfsum --compare --fail-if \
		'perf/request/e2e_latency/mean < -1%' b.json a.json
	assert_status 5
}

@test "--fail-if takes limits, also of a single dump, and adds its percentiles" {
	rollout 1 1 2 3 4 5 >a.json
	run_split obs-perfsum --fail-if 'perf/request/e2e_latency/p75 > 3' \
		--fail-if 'perf/request/count < 6' \
		--fail-if 'perf/request/e2e_latency/max > 5' a.json
	assert_status 5
	assert_stderr_lines 2
	assert_stderr_has "a.json: perf/request/e2e_latency/p75 > 3: it is 4"
	assert_stderr_has "a.json: perf/request/count < 6: it is 5"
	[ "$(jq '."perf/request/e2e_latency/p75"' <<<"$output")" = 4 ]
	run_split obs-perfsum --fail-if 'perf/request/e2e_latency/max>=5' a.json
	assert_status 5
	run_split obs-perfsum --fail-if 'perf/request/e2e_latency/max<=4.9' a.json
	assert_status 0
}

@test "of many dumps each is judged, in order" {
	local i
	for i in 1 2 3 4 5 6; do rollout "$i" "$i" >"r$i.json"; done
	run_split obs-perfsum -j 3 \
		--fail-if 'perf/request/e2e_latency/mean > 4' r{1,2,3,4,5,6}.json
	assert_status 5
	[ "$(cut -d: -f2 <<<"${stderr%$'\n'}")" = $' r5.json\n r6.json' ]
}

@test "a figure that is not there breaks its condition" {
	rollout 1 1 >a.json
	ATTRS='{"queue_time": 1}' rollout 2 1 >b.json
	run_split obs-perfsum --fail-if 'perf/request/queue_time/mean > 9' a.json
	assert_status 5
	assert_stderr_has "> 9: this rollout has no metric with this key"
	run_split obs-perfsum --compare --fail-if \
		'perf/request/queue_time/mean > +9%' a.json b.json
	assert_status 5
	assert_stderr_has "> +9%: the baseline has no metric with this key"
}

@test "a key that no metric has is a usage error that names the nearest" {
	local key
	rollout 1 1 2 3 >a.json
	while read -r key near; do
		run_split obs-perfsum --fail-if "$key > 1" a.json
		assert_status 2
		assert_output ""
		assert_stderr_lines 1
		assert_stderr_has "--fail-if=$key > 1: no metric has this key"
		assert_stderr_has "$near"
		run_split obs-perfsum --compare --fail-if "$key > +1%" a.json \
			a.json
		assert_status 2
		assert_output ""
	done <<-END
		request/e2e_latancy/mean did you mean request/e2e_latency/mean
		perf/request/e2e_latency/avg did you mean request/e2e_latency/m
		perf/perf/request/count did you mean request/count?
		e2e_latency did you mean request/e2e_latency/mean, request/e2e_
		request/e2e_latency/0.95 did you mean request/e2e_latency/p95
		decode/throughput/p101 did you mean decode/throughput/m
		request/xyz_abcdef/mean keys are such as request/e2e_latency/mean,
		x keys are such as request/e2e_latency/mean
	END
}

@test "the prefix of a key is optional, and p75.0 is p75" {
	rollout 1 1 2 3 4 5 >a.json
	run_split obs-perfsum --fail-if 'request/e2e_latency/p75.0 > 3' \
		--fail-if 'request/count < 6' a.json
	assert_status 5
	assert_stderr_lines 2
	assert_stderr_has "request/e2e_latency/p75.0 > 3: it is 4"
	assert_output_has '"perf/request/e2e_latency/p75":4'
	run_split obs-perfsum --fail-if 'request/e2e_latency/p75.0 > 4' a.json
	assert_status 0
}

@test "a key of saved metrics alone is a key" {
	echo '{"perf/own": 3}' >a.json
	echo '{"perf/request/count": 3}' >b.json
	run_split obs-perfsum --fail-if 'own > 2' a.json
	assert_status 5
	assert_stderr_has "own > 2: it is 3"
	run_split obs-perfsum --fail-if 'owl > 2' a.json
	assert_status 2
	run_split obs-perfsum --compare --fail-if 'own > +2%' a.json b.json
	assert_status 5
	assert_stderr_has "own > +2%: this rollout has no metric with this key"
}

@test "a metric that vanished breaks --threshold if it can get worse" {
	rollout 1 1 2 3 >a.json
	echo '{"samples": []}' >none.json
	run_split obs-perfsum --compare --threshold 5% a.json none.json
	assert_status 5
	assert_stderr_has \
		"none.json: perf/request/e2e_latency/mean is missing"
	# A max or a min is never judged, so it is not missed either.
	[[ $stderr != */max* && $stderr != */min* ]] ||
		fail_with "expected no line of max or min"
	echo '{"perf/request/queue_time/max": 3, "perf/a_duration": 1}' >a.json
	echo '{"perf/a_duration": 1}' >b.json
	run_split obs-perfsum --compare --threshold 5% a.json b.json
	assert_status 0
}

@test "a comparison of nothing is a failure" {
	rollout 1 1 2 3 >a.json
	echo '{"samples": []}' >none.json
	echo '{"perf/own": 3}' >own.json
	# Counts alone compare nothing.
	for more in --strict --threshold=5%; do
		run_split obs-perfsum --compare "$more" none.json a.json
		assert_status 1
		assert_stderr_has "none.json and a.json have only counts in common, no times or rates: nothing else was compared"
		assert_output_has '"perf/request/count"'
	done
	run_split obs-perfsum --compare none.json none.json
	assert_status 1
	assert_stderr_has "only counts in common"
	echo '{"perf/request/count": 3, "perf/own": 3}' >counts.json
	run_split obs-perfsum --compare --threshold 5% counts.json none.json
	assert_status 1
	run_split obs-perfsum --compare own.json a.json
	assert_status 1
	assert_stderr_has "own.json and a.json have no metrics in common: nothing was compared"
}

@test "from zero any rise is infinite, and zero to zero is no change" {
	ATTRS='{"queue_time": 0, "pd_prefill_retry_count": 0}' \
		rollout 1 1 1 1 1 1 1 >a.json
	ATTRS='{"queue_time": 2, "pd_prefill_retry_count": 0}' \
		rollout 2 1 1 1 1 1 1 >b.json
	run_split obs-perfsum --compare --threshold 5% --fail-if \
		'perf/request/queue_time/mean > +1000%' a.json b.json
	assert_status 5
	assert_stderr_has "it changed by +inf%"
	assert_change request/queue_time/mean change null
	assert_change request/queue_time/mean verdict '"worse"'
	assert_change prefill/retry_count/mean change 0
	jq -e '.changes[0].key | startswith("perf/request/queue_time/")' <<<"$output"
}

@test "saved figures stand for a dump, without intervals" {
	write_noise
	obs-perfsum -f json a.json | jq . >base.json
	run_split obs-perfsum --compare base.json b.json
	assert_status 0
	[ "$(jq .resamples <<<"$output")" = null ]
	assert_change request/e2e_latency/mean low null
	assert_change request/e2e_latency/mean verdict '"worse"'
	run_split obs-perfsum --compare --threshold 1% base.json b.json
	assert_status 5
	run_split obs-perfsum --compare -f table base.json b.json
	assert_output_has "without intervals"
	run_split obs-perfsum --compare a.json b.json
	[ "$(jq .resamples <<<"$output")" = 1000 ]
}

@test "null, NaN, text and keys of others in saved figures are not there" {
	rollout 1 1 >b.json
	echo '{"dump": "x", "rollout_id": null, "perf/request/e2e_latency/mean":
		null, "perf/request/e2e_latency/max": NaN, "perf/a": "1",
		"perf/b": true, "perf/c": [1], "perf/d": 1e999, "loss": 3,
		"perf/request/count": 7, "perf/request/count": 8}' >base.json
	run_split obs-perfsum --compare base.json b.json
	assert_status 1
	assert_stderr_has "base.json and b.json have only counts in common"
	assert_change request/e2e_latency/mean verdict '"new"'
	assert_change request/e2e_latency/max verdict '"new"'
	assert_change request/count from 8
	[[ $output != *perf/a* && $output != *perf/b* && $output != *loss* ]]
}

@test "saved figures without a figure are an error, not a quiet zero" {
	local text
	for text in '{"dump": "x"}' '{"dump": "x", "a": 1}' '[{"dump": 1}]' \
		'{"perf/a": null, "perf/b": "x"}' '{"dump": {"samples": []}}'; do
		run_split obs-perfsum <<<"$text"
		assert_status 3
		refute_output
		assert_stderr_has "no perf/ metrics in it: obs-perfsum did not save this"
	done
	printf '%s\n' '{"dump": "x"}' '{"dump": "y", "perf/a": 3}' >two.jsonl
	run_split obs-perfsum two.jsonl
	assert_status 1
	assert_output $'{"dump":"y","rollout_id":null,"perf/a":3.0}\n'
}

@test "sorted and extended figures are saved ones, those of a dump are not" {
	ATTRS='{"queue_time": 1}' rollout 1 1 2 3 >a.json
	obs-perfsum a.json >want
	# approximate and breakdown come before dump, and other keys with them.
	obs-perfsum --breakdown a.json |
		jq -S '. + {"a": {"perf/no": ["}", "\"{"]}, "approximate": []}' \
		>sorted.json
	run_split obs-perfsum sorted.json
	assert_status 0
	[ "$(jq -S 'del(.dump)' <<<"$output")" = "$(jq -S 'del(.dump)' want)" ]
	for text in '{"a": {"perf/b": 1}}' '{"a": "perf/b"}' '{"a": ["perf/b"]}' \
		'{"a": 1}' '{"a"'; do
		run_split obs-perfsum <<<"$text"
		assert_status 3
		[[ $stderr != *saved* ]] || fail_with "expected another reason"
	done
	jq -c '. + {"perf/x": 1}' a.json >last.json
	run_split obs-perfsum last.json
	assert_status 0
	assert_output_has '"perf/request/count":3'
}

@test "saved figures are read in linear time, up to a limit" {
	local n
	for n in 9999 10001; do
		seq -f '"perf/k%.0f": 1' "$n" | paste -sd, | sed 's/^/{/; s/$/}/' \
			>"$n.json"
	done
	run_split cpu_limit 20 obs-perfsum --compare 9999.json 9999.json
	assert_status 0
	[ "$(jq '.changes | length' <<<"$output")" -eq 9999 ]
	run_split cpu_limit 20 obs-perfsum 10001.json
	assert_status 3
	assert_stderr_has "has more than 10000 metrics"
	echo '{"perf/a": 1, "perf/a": 2, "approximate": ["perf/a", "perf/a"]}' \
		>twice.json
	run_split obs-perfsum twice.json
	[ "$(jq -c '[."perf/a", .approximate]' <<<"$output")" = '[2.0,["perf/a"]]' ] ||
		[ "$(jq -c '[."perf/a", .approximate]' <<<"$output")" = '[2,["perf/a"]]' ]
}

@test "what saved figures say is approximate is passed on, of what is there" {
	printf '\xef\xbb\xbf[{"perf/a": 1, "perf/b": 2.5, "perf/c": 3,
		"approximate": [7, "perf/c", "perf/d", "perf/a"]},
		{"perf/b": 1, "approximate": "perf/b"}]' >saved.json
	run_split obs-perfsum -f jsonl saved.json
	assert_status 0
	assert_output '{"dump":"saved.json","rollout_id":null,"perf/a":1.0,'`
		`'"perf/b":2.5,"perf/c":3.0,"approximate":["perf/a","perf/c"]}
{"dump":"saved.json","rollout_id":null,"perf/b":1.0}'$'\n'
}

@test "few values have no interval, none no keys" {
	rollout 1 1 2 3 4 >a.json
	rollout 2 2 3 4 5 >b.json
	rollout 3 >none.json
	run_split obs-perfsum --compare a.json b.json
	assert_change request/e2e_latency/mean low null
	assert_change request/e2e_latency/mean verdict '"worse"'
	run_split obs-perfsum --compare none.json none.json
	assert_status 1
	assert_change request/count verdict '"same"'
	run_split obs-perfsum --compare a.json none.json
	assert_status 1
	assert_change request/e2e_latency/mean verdict '"gone"'
}

@test "--compare writes jsonl, tsv and a table of the same changes" {
	write_slower
	run_split obs-perfsum --compare -f jsonl a.json b.json
	jq -es 'length == 6 and .[0].verdict == "worse" and
		(map(keys | length) | unique) == [7]' <<<"$output"
	run_split obs-perfsum --compare -f tsv a.json b.json
	[ "$(head -n 1 <<<"$output")" = \
		$'key\tfrom\tto\tchange\tlow\thigh\tverdict' ]
	[ "$(awk -F'\t' 'NF != 7' <<<"${output%$'\n'}" | wc -l)" -eq 0 ]
	run_split obs-perfsum --compare -f table a.json b.json
	assert_output_has "a.json to b.json: 2 worse, 0 better, 2 unchanged; 2 minima and maxima are not judged"
	[[ $output =~ request/e2e_latency/mean\ \(s\)\ +1\.125\ +2\.125\ +\+88\.9%\ .*worse ]]
	run_split obs-perfsum --compare -f prom a.json b.json
	assert_status 2
}

@test "long paths are shortened in the lines about a comparison" {
	local deep
	deep=$(printf 'directory-%s/' {1..12})
	mkdir -p "$deep/before" "$deep/after"
	write_slower
	cp a.json "$deep/before/rollout_1.json"
	cp b.json "$deep/after/rollout_1.json"
	run_split obs-perfsum --compare -f table "$PWD/$deep"{before,after}/rollout_1.json
	assert_status 0
	assert_output_has $'before/rollout_1.json to after/rollout_1.json: 2 worse'
	[[ $output != *directory* ]] || fail_with
	run_split obs-perfsum --compare -f table a.json "$PWD/${deep}after/rollout_1.json"
	assert_status 0
	[[ $output =~ ^a\.json\ to\ .{16}\.\.\..*after/rollout_1.json:\  ]] || fail_with
	[ "$(head -n 1 <<<"$output" | wc -c)" -lt 140 ]
	# Both sides the same file.
	run_split obs-perfsum --compare -f table "$PWD"/a.json "$PWD"/a.json
	assert_output_has "a.json to a.json: 0 worse"
	[[ $output != *"$PWD"* ]] || fail_with
	# Other formats have the paths as they were given.
	run_split obs-perfsum --compare -f json "$PWD"/a.json b.json
	[ "$(jq -r .from <<<"$output")" = "$PWD/a.json" ]
}

@test "an operand that cannot be read is said, and nothing is compared" {
	rollout 1 1 >a.json
	run_split obs-perfsum --compare a.json missing.json
	assert_status 4
	assert_stderr_lines 1
	refute_output
	echo '{"dump": "x", "perf/' >torn.json
	run_split obs-perfsum --compare torn.json a.json
	assert_status 3
	assert_stderr_has "torn.json:1: "
	assert_stderr_has "holds no saved rollout that can be used"
	printf '[{"perf/a": 1}, {"perf' >torn.json
	run_split obs-perfsum --compare torn.json a.json
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "torn.json: byte 22: "
	refute_output
	run_split obs-perfsum torn.json
	assert_status 3
	refute_output
	printf '[{"perf/a": 1}, 5]' >torn.json
	run_split obs-perfsum torn.json
	assert_status 3
	assert_stderr_has "torn.json: a saved rollout is not a JSON object"
	refute_output
	printf '{"perf/a": 1}\n5\n' >torn.json
	run_split obs-perfsum torn.json
	assert_status 1
	assert_stderr_has "torn.json:2: expected an object"
	assert_output_has '"perf/a":1.0'
	printf '%s\n' '{"perf/a":1}' '{"perf/a":2}' >two.jsonl
	run_split obs-perfsum --compare two.jsonl a.json
	assert_status 3
	assert_stderr_has "two.jsonl: holds 2 rollouts"
}

@test "conditions and thresholds that are none are usage errors" {
	local text
	for text in '' x 'x 3' '> 3' 'x > ' 'x > y' 'x > +3' 'x > 3%%' \
		'x > nan' 'x >> 3'; do
		run_split obs-perfsum --fail-if "$text" /dev/null
		assert_status 2
		assert_stderr_has "--fail-if="
	done
	for text in '' -1% x% 5%% ' 5' '5 %' nan inf% 0x10 1e400 1000001; do
		run_split obs-perfsum --compare --threshold="$text" a b
		assert_status 2
		assert_stderr_has "--threshold=$text: expected a percentage from 0 to 1000000"
	done
	run_split obs-perfsum --threshold 5% /dev/null
	assert_status 2
	assert_stderr_has "--threshold needs --compare"
	run_split obs-perfsum --fail-if 'x > 5%' /dev/null
	assert_status 2
	run_split obs-perfsum --compare /dev/null
	assert_status 2
	assert_stderr_has "--compare needs two operands"
}

@test "--compare gives each real dump's own figures" {
	local rollouts=$DATA/rollout
	run_split obs-perfsum --compare "$rollouts/train_streaming.pt" \
		"$rollouts/multi_attempt.pt"
	assert_status 0
	jq -e --slurpfile a "$rollouts/train_streaming.perf.json" \
		--slurpfile b "$rollouts/multi_attempt.perf.json" '
		([.changes[] | select(.key | test("/(mean|max|min|median)$"))] |
			length) > 0 and
		all(.changes[]; (.from == null or $a[0][.key] == null or
			(.from - $a[0][.key] | fabs) < 1e-9) and
			(.to == null or $b[0][.key] == null or
			(.to - $b[0][.key] | fabs) < 1e-9))' <<<"$output"
}
