# scripts/gen-rollout, whose dumps the demo, the README and the benchmark show:
# they have what the trainer records.

# shellcheck disable=SC2016 # variables of jq

load test_helper

setup_file() {
	command -v python3 >/dev/null && command -v jq >/dev/null || return 0
	"$ROOT/scripts/gen-rollout" json "$BATS_FILE_TMPDIR/dump.json" \
		--samples 22 --group 4 --turns 3 --slots 6
	jq -c '[.samples[] | .trace.events as $all | {group: .group_index} +
		([$all[] | select(.type == "span_start") | . as $one |
			{name, ts, span_id, end: first($all[] |
				select(.type == "span_end" and .span_id == $one.span_id))}]
		as $spans | {
			whole: first($spans[] | select(.name == "generate_and_rm_group") |
				[.ts, .end.ts]),
			outer: first($spans[] | select(.name == "generate_and_rm") |
				[.ts, .end.ts]),
			requests: [$spans[] | select(.name == "sglang_generate") |
				[.ts, .end.ts, .end.attrs.worker_addr]]})]' \
		"$BATS_FILE_TMPDIR/dump.json" >"$BATS_FILE_TMPDIR/spans"
}

setup() {
	skip_without python3 jq
}

# is EXPRESSION: does it hold for the samples that setup_file has read?
is() {
	[ "$(jq -c "$1" "$BATS_FILE_TMPDIR/spans")" = true ] || {
		jq -c . "$BATS_FILE_TMPDIR/spans" >&2
		return 1
	}
}

@test "one span with the same times is around all samples of a group" {
	is 'length == 22 and (group_by(.group) | length == 6 and
		all((map(.whole) | unique | length) == 1))'
	is 'all(.whole[0] <= .outer[0] and .outer[1] < .whole[1])'
	# It ends with the slowest: the others wait for it.
	is 'group_by(.group) | all((map(.outer[1]) | max) as $last |
		.[0].whole[1] - $last | . > 0 and . < 0.01)'
}

@test "as many samples as there are slots are in flight, the others wait" {
	is '[.[] | [.requests[0][0], 1], [.requests[-1][1], -1]] | sort |
		reduce .[] as $at ([0, 0]; [.[0] + $at[1],
			([.[1], .[0] + $at[1]] | max)]) | .[1] == 6'
	is '[.[] | select(.requests[0][0] - .outer[0] > 1)] | length > 8'
}

@test "each request names its engine, the same for all turns" {
	is 'all(.requests | length == 3 and (map(.[2]) | unique | length == 1)
		and all(.[2] | startswith("http://10.0.0.")))'
	is 'map(.requests[0][2]) | unique | length == 4'
}

@test "the same call makes the same dump" {
	for name in a b; do
		"$ROOT/scripts/gen-rollout" trace "$TMP/$name.pt" --samples 5
	done
	cmp "$TMP/a.pt" "$TMP/b.pt"
	"$ROOT/scripts/gen-rollout" trace "$TMP/c.pt" --samples 5 --seed 2
	run cmp -s "$TMP/a.pt" "$TMP/c.pt"
	assert_status 1
}
