# obs-aggregate --by on metrics of the engines: what adds up, what is a copy,
# what is a total, what is neither added nor averaged.

load test_helper

# reduce TEXT OPTION...: the samples that come out, sorted, without comments.
reduce() {
	printf '%s\n' "$1" >"$TMP/input"
	shift
	run_split obs-aggregate "$@" "$TMP/input"
	assert_status 0
	output=$(grep '^[^#]' <<<"$output" | sort)
}

# reduces TEXT WANTED OPTION...
reduces() {
	local text=$1 wanted=$2
	shift 2
	reduce "$text" "$@"
	[ "$output" = "$wanted" ] || {
		diff -u <(echo "$wanted") <(echo "$output") >&2
		return 1
	}
}

R=sglang:num_running_reqs

# edit SCRIPT TEXT: what sed makes of it.
edit() {
	sed "$1" <<<"$2"
}

@test "copies of other ranks count once, the lowest rank of each dp rank" {
	local text="$R{dp_rank=\"0\",pp_rank=\"1\",tp_rank=\"0\"} 40
$R{dp_rank=\"0\",pp_rank=\"0\",tp_rank=\"1\"} 30
$R{dp_rank=\"0\",pp_rank=\"0\",tp_rank=\"0\"} 3
$R{dp_rank=\"1\",pp_rank=\"0\",tp_rank=\"3\"} 50
$R{dp_rank=\"1\",pp_rank=\"0\",tp_rank=\"2\"} 5"
	reduces "$text" "$R 8" --by ''
	# Whatever comes first.
	reduces "$(tac <<<"$text")" "$R 8" --by ''
	reduces "$text" "$R 128" --by '' --no-fold
	reduces "$text" "$R 5" --by '' --op max
	reduces "$text" "$R 2" --by '' --op count
	run_split obs-aggregate -v --by '' "$TMP/input"
	assert_stderr_has 'dropped as copies of other ranks: 3'
}

@test "ranks that --by keeps are not copies" {
	local text="$R{pp_rank=\"0\",tp_rank=\"0\"} 3
$R{pp_rank=\"0\",tp_rank=\"1\"} 4
$R{pp_rank=\"1\",tp_rank=\"1\"} 5"
	reduces "$text" "$R{tp_rank=\"0\"} 3
$R{tp_rank=\"1\"} 4" --by tp_rank
	reduces "$text" "$R{pp_rank=\"0\"} 3
$R{pp_rank=\"1\"} 5" --without tp_rank
	reduces "$text" "$text" --without ''
}

@test "histograms of other ranks count once, however they come" {
	local h=sglang:queue_time_seconds a b text
	a="${h}_bucket{tp_rank=\"0\",le=\"1\"} 1
${h}_bucket{tp_rank=\"0\",le=\"+Inf\"} 3
${h}_sum{tp_rank=\"0\"} 4
${h}_count{tp_rank=\"0\"} 3"
	b=$(edit 's/tp_rank="0"/tp_rank="2"/; s/ [0-9]*$/&00/' "$a")
	local wanted="${h}_bucket{le=\"+Inf\"} 3
${h}_bucket{le=\"1\"} 1
${h}_count 3
${h}_sum 4"
	for text in "$a"$'\n'"$b" "$b"$'\n'"$a" \
		"$(paste -d '\n' <(echo "$a") <(echo "$b"))" \
		"$(paste -d '\n' <(echo "$b") <(echo "$a"))" \
		"$(sort -r <<<"$a"$'\n'"$b")"; do
		reduces "# TYPE $h histogram"$'\n'"$text" "$wanted" --by ''
	done
	# Without rank 0 the lowest that there is.
	reduces "# TYPE $h histogram"$'\n'"$(
		edit 's/tp_rank="0"/tp_rank="9"/' "$a"
		echo "$b"
	)" "$(edit 's/ [0-9]*$/&00/' "$wanted")" --by ''
	# Two workers of two ranks each.
	text="$a"$'\n'"$b"
	reduces "# TYPE $h histogram
$(edit 's/{/{w="1",/' "$text")
$(edit 's/{/{w="2",/' "$text")" "${h}_bucket{le=\"+Inf\"} 6
${h}_bucket{le=\"1\"} 2
${h}_count 6
${h}_sum 8" --by ''
}

@test "what each rank has for itself is added up, or its worst counts" {
	reduces 'sglang:kv_cache_memory_usage_gb{tp_rank="0"} 40
sglang:kv_cache_memory_usage_gb{tp_rank="1"} 41
sglang:startup_available_gpu_memory_gb{tp_rank="0"} 2
sglang:startup_available_gpu_memory_gb{tp_rank="1"} 1.5
sglang:fwd_occupancy{tp_rank="0"} 90
sglang:fwd_occupancy{tp_rank="1"} NaN
sglang:fwd_occupancy{tp_rank="2"} 70' 'sglang:fwd_occupancy 80
sglang:kv_cache_memory_usage_gb 81
sglang:startup_available_gpu_memory_gb 1.5' --by ''
}

@test "copies are known in every spelling; Ray's process takes no part" {
	reduces 'ray_sglang_num_running_reqs{ReplicaId="r",WorkerId="a",tp_rank="1"} 9
ray_sglang_num_running_reqs{ReplicaId="r",WorkerId="b",tp_rank="0"} 2
ray_sglang_num_running_reqs{ReplicaId="s",WorkerId="c",tp_rank="0"} 3
sglang_token_usage{tp_rank="0"} 0.5
sglang_token_usage{tp_rank="1"} 0.9' 'ray_sglang_num_running_reqs 5
sglang_token_usage 0.5' --by ''
}

@test "of one rank started twice the process with the highest pid counts" {
	local text='sglang:num_paused_reqs{pid="99",tp_rank="0"} 7
sglang:num_paused_reqs{pid="100",tp_rank="0"} 1
sglang:num_paused_reqs{pid="101",tp_rank="1"} 5'
	reduces "$text" 'sglang:num_paused_reqs 1' --by ''
	reduces "$(tac <<<"$text")" 'sglang:num_paused_reqs 1' --by ''
}

@test "a series that stands twice is still a duplicate" {
	printf '%s\n' "$R{tp_rank=\"0\"} 3" "$R{tp_rank=\"0\"} 3" \
		"sglang:queue_time_seconds_bucket{tp_rank=\"0\",le=\"1\"} 3" \
		"sglang:queue_time_seconds_bucket{tp_rank=\"0\",le=\"1\"} 3" \
		"sglang:page_size{tp_rank=\"1\"} 3" \
		"sglang:page_size{tp_rank=\"1\"} 3" >"$TMP/input"
	run_split obs-aggregate --strict --by '' "$TMP/input"
	assert_status 1
	assert_stderr_lines 4
	assert_stderr_has 'duplicate series'
}

@test "of a total and its parts one counts" {
	local text="$R{w=\"1\",priority=\"\"} 5
$R{w=\"1\",priority=\"0\"} 2
$R{w=\"1\",priority=\"7\"} 3
$R{w=\"2\",priority=\"0\"} 4
$R{w=\"2\",priority=\"7\"} 6
$R{w=\"3\"} 1"
	local by_worker="$R{w=\"1\"} 5
$R{w=\"2\"} 10
$R{w=\"3\"} 1"
	local by_priority="$R 1
$R{priority=\"0\"} 6
$R{priority=\"7\"} 9"
	reduces "$text" "$by_worker" --by w
	reduces "$(tac <<<"$text")" "$by_worker" --by w
	reduces "$text" "$by_priority" --by priority
	reduces "$(tac <<<"$text")" "$by_priority" --by priority
	reduces "$text" "$R 16" --by ''
	reduces "$text" "$R 21" --by '' --no-fold
	run_split obs-aggregate -v --by w "$TMP/input"
	assert_stderr_has 'dropped as totals or parts of them: 2'
	# Totals of ranks that only other ranks repeat.
	reduces "$(edit 's/{/{tp_rank="1",/' "$text")" "$by_worker" --by w
	# A counter has no total: "" is what has no priority.
	reduces 'sglang:num_requests_total{priority=""} 3
sglang:num_requests_total{priority="0"} 4' 'sglang:num_requests_total 7' \
		--by ''
}

@test "gauges shaped like histograms keep their buckets" {
	local g=sglang:routing_key_all_req_count
	reduces "# TYPE $g gauge
$g{w=\"1\",tp_rank=\"0\",gt=\"0\",le=\"1\"} 2
$g{w=\"1\",tp_rank=\"0\",gt=\"1\",le=\"+Inf\"} 1
$g{w=\"2\",tp_rank=\"0\",gt=\"0\",le=\"1\"} 4" \
		"$g{gt=\"0\",le=\"1\"} 6
$g{gt=\"1\",le=\"+Inf\"} 1" --by ''
}

@test "labels without which a value means nothing are kept" {
	local text='sglang:startup_time_seconds{w="1",phase="load_weight"} 30
sglang:startup_time_seconds{w="1",phase="scheduler_e2e"} 70
sglang:startup_time_seconds{w="2",phase="load_weight"} 35
vllm:engine_sleep_state{w="1",sleep_state="awake"} 1
vllm:engine_sleep_state{w="2",sleep_state="awake"} 1'
	reduces "$text" 'sglang:startup_time_seconds{phase="load_weight"} 35
sglang:startup_time_seconds{phase="scheduler_e2e"} 70
vllm:engine_sleep_state{sleep_state="awake"} 2' --by ''
	# Who asks for an operation gets the labels asked for.
	reduces "$text" 'sglang:startup_time_seconds 135
vllm:engine_sleep_state 2' --by '' --op sum
}

@test "values that say that there is none take no part" {
	reduces 'sglang:spec_accept_length{w="1"} 3
sglang:spec_accept_length{w="2"} 0
sglang:spec_accept_length{w="3"} 4
sglang:spec_accept_rate{w="1"} 0
smg_worker_health{worker="a"} -1
smg_worker_health{worker="b"} 0' 'sglang:spec_accept_length 3.5
smg_worker_health{worker="b"} 0' --by ''
	run_split obs-aggregate -v --by '' "$TMP/input"
	assert_stderr_has 'dropped that mean "no value": 3'
}

@test "what is neither added nor averaged is left out, or the greatest" {
	reduces 'process_start_time_seconds{w="1"} 1790000000
process_start_time_seconds{w="2"} 1790000500
vllm:lora_requests_info{w="1"} 1790000100
vllm:lora_requests_info{w="2"} 1790000200
vllm:cache_config_info{w="1"} 1
vllm:cache_config_info{w="2"} 1
sglang:utilization{w="1"} -1
router_mesh_store_hash{w="1",store="a"} 77
router_mesh_store_hash{w="2",store="a"} 77
router_mesh_store_hash{w="1",store="b"} 77
router_mesh_store_hash{w="2",store="b"} 78' 'process_start_time_seconds 1790000500
router_mesh_store_hash{store="a"} 77
vllm:cache_config_info 1
vllm:lora_requests_info 1790000200' --by store
	run_split obs-aggregate -v --by store "$TMP/input"
	assert_stderr_has 'neither added nor averaged: 3'
}

@test "the estimated work of one GPU is a mean, of counters and of rates" {
	local f=sglang:estimated_flops_per_gpu_total
	printf '# TYPE %s counter\n%s{w="1"} %s %s\n%s{w="2"} %s %s\n# EOF\n' \
		$f $f 100 1000 $f 300 1000 $f $f 300 2000 $f 700 2000 \
		>"$TMP/stream"
	run_split obs-aggregate --rate --by '' "$TMP/stream"
	assert_output_has "$f 300 2000"
	reduces "$(head -n 3 "$TMP/stream")" "$f 200 1000" --by ''
}

@test "a histogram counts where others export its former gauge" {
	local h=sglang:kv_transfer_latency_ms
	printf '# TYPE %s gauge\n%s{tp_rank="0"} 7\n' $h $h >"$TMP/old"
	printf '%s\n' "# TYPE $h histogram" \
		"${h}_bucket{tp_rank=\"0\",le=\"10\"} 3" \
		"${h}_bucket{tp_rank=\"0\",le=\"+Inf\"} 4" \
		"${h}_sum{tp_rank=\"0\"} 31" "${h}_count{tp_rank=\"0\"} 4" \
		>"$TMP/new"
	cd "$TMP" || return
	for files in 'old@w=1 new@w=2 old@w=3' 'new@w=2 old@w=1'; do
		for options in '--by w' ''; do
			# shellcheck disable=SC2086 # words
			run_split obs-aggregate $options $files
			assert_status 0
			assert_stderr_has 'type conflict'
			[ "$(grep -c "^$h.*w=\"2\"" <<<"$output")" = 4 ]
			run ! grep "^$h.*w=\"[13]\"" <<<"$output"
		done
	done
	# Among themselves, the gauges are averaged.
	run_split obs-aggregate --by '' old@w=1 old@w=2
	assert_output_has "$h 7"
}

@test "a GPU that pods share counts once" {
	reduces 'DCGM_FI_DEV_POWER_USAGE{UUID="a",pod="p"} 300
DCGM_FI_DEV_POWER_USAGE{UUID="a",pod="q"} 300
DCGM_FI_DEV_POWER_USAGE{UUID="b",pod="q"} 100' 'DCGM_FI_DEV_POWER_USAGE 400' \
		--by ''
}

@test "folding takes no more memory than the series do" {
	[[ $OBS_BIN != */san/bin ]] || skip "sanitizers need address space"
	seq 400000 | awk '{
		printf "sglang:realtime_tokens_total{tp_rank=\"0\",w=\"%d\"} 1\n",
			$1
	}' >"$TMP/series"
	# A series of a rank that others may come before is held: 100 bytes.
	sed 's/tp_rank="0"/tp_rank="1"/' "$TMP/series" >"$TMP/held"
	# shellcheck disable=SC2016 # of the inner shell
	run_split bash -c 'ulimit -v 34000; exec obs-aggregate --by "" "$1"' \
		- "$TMP/series"
	assert_status 0
	assert_output_has ' 400000'
	run_split obs-aggregate --by '' "$TMP/held"
	assert_output_has ' 400000'
}
