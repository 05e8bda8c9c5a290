# Dumps written by the trainer's own code, with the answers of its viewer.

load test_helper

setup() {
	skip_without jq
	cd "$DATA/rollout" || return
}

@test "the cache is the one the trainer's own viewer writes" {
	local dump
	for dump in *.pt; do
		trace-timeline --format cache "$dump" |
			jq -S 'del(.pt_path, .generated_at)' >"$TMP/have"
		jq -S 'del(.pt_path, .generated_at)' "${dump%.pt}.cache.json" \
			>"$TMP/want"
		assert_same_file "$TMP/want" "$TMP/have"
	done
}

@test "the metrics are those of the documented rules, to 1 in 10^12" {
	local dump
	for dump in *.pt; do
		obs-perfsum --format json "$dump" >"$TMP/have"
		jq -n --slurpfile have "$TMP/have" \
			--slurpfile want "${dump%.pt}.perf.json" '
			($have[0] | del(.dump, .rollout_id)) as $have |
			$want[0] as $want |
			($have | keys) == ($want | keys) and
			all($want | keys[]; . as $key |
				($have[$key] - $want[$key] | fabs) <=
				($want[$key] | fabs) * 1e-12)' >"$TMP/same"
		echo "dump: $dump"
		[ "$(cat "$TMP/same")" = true ]
	done
}
