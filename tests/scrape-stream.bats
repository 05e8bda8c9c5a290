# obs-scrape --interval, and other programs that read what it prints.

load test_helper
load mock/mock

setup_file() {
	start_mock
}

teardown_file() {
	stop_mock
}

# What a test that failed has left running.
teardown() {
	[ ! -s "$TMP/peer" ] || stop_peer
}

setup() {
	mock_names
}

# Run a server beside this test; wait for URL to answer.
start_peer() {
	local url=$1
	shift
	"$@" >"$TMP/peer.log" 2>&1 3>&- &
	echo $! >"$TMP/peer"
	eventually curl -sf -o /dev/null "$url"
}

# It writes into $TMP until its end.
stop_peer() {
	local pid
	pid=$(cat "$TMP/peer")
	kill "$pid"
	wait "$pid" || true
	rm "$TMP/peer"
}

answers() {
	output=$(curl -sg "$1")
	[[ $output == *"$2"* ]]
}

# Ask URL until its answer has this text.
wait_for() {
	eventually answers "$@"
}

@test "a stream opens with its comment, ends each snapshot, and stamps all samples" {
	local now=${EPOCHREALTIME/./} stamps
	run_split obs-scrape -i 0.2 -n 3 --up "w=http://$AT/openmetrics"
	assert_status 0
	[ "${output%%$'\n'*}" = "# obs-scrape stream" ]
	[ "$(grep -c '^# EOF$' <<<"$output")" -eq 3 ]
	[ "$(grep -c '^# TYPE reqs_total counter$' <<<"$output")" -eq 3 ]
	! grep -v '^#' <<<"$output" | grep -vE ' [0-9]{13}$' | grep -q . || false
	stamps=$(grep ^reqs_total <<<"$output" | awk '{print $3 - '$((now / 1000))'}')
	# Ticks are 200 ms apart, or more where one was missed.
	awk '{ if ($1 < 200 * (NR - 1)) exit 1 }' <<<"$stamps" ||
		fail_with "stamps after ms: $stamps"
}

@test "a scrape that outlasts the interval skips ticks and keeps the cadence" {
	run_split obs-scrape -i 0.2 -n 3 "$AT/slow/0.3"
	assert_status 0
	assert_stderr_has "the scrape took longer than the interval; "
	awk '/^reqs/ { if (last && $3 - last < 360) exit 1
		last = $3 }' <<<"$output" || fail_with "not 400 ms apart"
}

@test "each snapshot is there as soon as it is whole" {
	obs-scrape -i 30 "$AT" 3>&- >"$TMP/stream" &
	local pid=$!
	eventually grep -q '^# EOF' "$TMP/stream"
	kill "$pid"
}

snapshots() {
	grep -c '^# EOF' "$TMP/out"
}

snapshots_pass() {
	[ "$(snapshots)" -gt "$1" ]
}

@test "a list that is being rewritten leaves the targets as they were" {
	echo "[{\"targets\": [\"$AT\"]}]" >"$TMP/sd.json"
	obs-scrape -i 0.2 --sd "$TMP/sd.json" 3>&- >"$TMP/out" 2>"$TMP/err" &
	local pid=$! at
	eventually grep -q '^# EOF' "$TMP/out"
	printf '[{"targets": ["127' >"$TMP/sd.json"
	eventually grep -q 'sd.json: byte [0-9]*: not valid JSON' "$TMP/err"
	at=$(snapshots)
	eventually snapshots_pass $((at + 1))
	kill "$pid"
	# One each, and of the last that may be under way.
	[ $(($(grep -c '^reqs_total' "$TMP/out") - $(snapshots))) -le 1 ]
	[ "$(grep -c '^reqs_total' "$TMP/out")" -ge "$(snapshots)" ]
}

@test "workers that join are scraped from the next snapshot on" {
	echo "$AT/metrics?1" >"$TMP/targets"
	obs-scrape -i 0.2 --targets-from "$TMP/targets" 3>&- >"$TMP/out" &
	local pid=$! at
	eventually grep -q '^# EOF' "$TMP/out"
	run ! grep -q 'metrics?2' "$TMP/out"
	echo "$AT/metrics?2" >>"$TMP/targets"
	at=$(snapshots)
	eventually snapshots_pass $((at + 1))
	kill "$pid"
	# The second of these began after the list had grown.
	[ "$(awk -v n=$((at + 2)) '/^# EOF/ { ended++ }
		ended + 1 == n && /^reqs_total/' "$TMP/out" | wc -l)" -eq 2 ]
}

@test "all targets gone is an empty snapshot, and in the end status 4" {
	run_split obs-scrape -i 0.05 -n 2 127.0.0.1:1
	assert_status 4
	assert_output $'# obs-scrape stream\n# EOF\n# EOF\n'
}

@test "--count and --output with --interval want each other" {
	run_split obs-scrape -n 2 "$AT"
	assert_status 2
	run_split obs-scrape -i 1 -o "$TMP/x" "$AT"
	assert_status 2
	run_split obs-scrape -i 0.05 -n 2 -o "$TMP/x" "$AT"
	assert_status 0
	[ "$(grep -c '^# EOF' "$TMP/x")" -eq 2 ]
}

@test "--over is a stream of two snapshots that far apart" {
	run_split obs-scrape --over 0.2 --label x=y "$AT"
	assert_status 0
	[ "$(head -n 1 <<<"$output")" = "# obs-scrape stream" ]
	[ "$(grep -c '^# EOF' <<<"$output")" -eq 2 ]
	# Two times, 200 ms apart or a little more on a busy machine.
	run awk '!/^#/ && !seen[$NF]++ {print $NF}' <<<"$output"
	[ "${#lines[@]}" -eq 2 ]
	[ $((lines[1] - lines[0])) -ge 190 ]
}

@test "--over excludes --interval, --count and --list" {
	run_split obs-scrape --over 1 -i 1 "$AT"
	assert_status 2
	assert_stderr_has "--over cannot be combined with --interval or --count"
	run_split obs-scrape --over 1 -n 3 "$AT"
	assert_status 2
	run_split obs-scrape --over 1 --list "$AT"
	assert_status 2
	assert_stderr_has "--list cannot be combined with --interval or --over"
}

has_files() {
	[ -n "$(ls -A "$1")" ]
}

@test "a stream into a file that is ended leaves nothing behind" {
	mkdir "$TMP/dir"
	obs-scrape -i 0.05 -n 1000 -o "$TMP/dir/x" "$AT" 3>&- &
	local pid=$! status=0
	eventually has_files "$TMP/dir"
	kill "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	[ -z "$(ls -A "$TMP/dir")" ]
}

@test "a reader that leaves ends the stream by SIGPIPE" {
	(
		obs-scrape -i 0.05 "$AT" 2>"$TMP/err" || echo $? >"$TMP/status"
	) | head -n 1 >/dev/null
	[ "$(cat "$TMP/status")" -eq 141 ]
	[ ! -s "$TMP/err" ]
}

@test "promtool finds nothing wrong with what is printed" {
	skip_without promtool
	run_split obs-scrape "$AT" "$AT/openmetrics" "$AT/gzip"
	assert_status 0
	grep -vE '^(reqs_created|# TYPE v_info|v_info)' <<<"$output" >"$TMP/out"
	run_split promtool check metrics <"$TMP/out"
	assert_status 0
}

# bats test_tags=long
@test "VictoriaMetrics imports a stream by plain curl" {
	skip_without victoria-metrics curl
	local at
	at=127.0.0.1:$(free_port)
	start_peer "http://$at/health" victoria-metrics -httpListenAddr "$at" \
		-storageDataPath "$TMP/vm" -retentionPeriod 1d
	obs-scrape -i 0.2 -n 3 "w=http://$AT/metrics" |
		curl -sf -T - "http://$at/api/v1/import/prometheus"
	wait_for "http://$at/api/v1/export?match=reqs_total" '"values":[5,5,5]'
	[[ $output == *'"worker_addr":"w"'* ]]
	stop_peer
}

@test "Prometheus scrapes the workers by the file_sd we print" {
	skip_without prometheus curl
	local at
	at=127.0.0.1:$(free_port)
	obs-scrape --list -f file_sd -l team=x -o "$TMP/sd.json" \
		"w=http://$AT/metrics"
	cat >"$TMP/prometheus.yml" <<-YAML
		global: {scrape_interval: 1s}
		scrape_configs:
		- job_name: workers
		  file_sd_configs: [{files: ["$TMP/sd.json"]}]
	YAML
	start_peer "http://$at/-/ready" prometheus --web.listen-address "$at" \
		--config.file "$TMP/prometheus.yml" --storage.tsdb.path "$TMP/prom"
	wait_for "http://$at/api/v1/query?query=reqs_total{worker_addr=\"w\",team=\"x\"}" \
		'"5"]'
	stop_peer
}
