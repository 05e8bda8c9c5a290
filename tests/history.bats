# Histories of metrics: obs-aggregate on what a real Prometheus and a real
# VictoriaMetrics answer, on loopback, at free ports.

load test_helper

setup() {
	pids=()
}

teardown() {
	local pid
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || continue
		wait "$pid" || true
	done
}

# A stream of two engines, a snapshot a second from $first on; the second
# engine makes no token after 20 s, and the first restarts at 30 s.
write_stream() {
	first=$(($(date +%s) / 60 * 60 - 3600))
	awk -v first="$first" 'BEGIN {
		print "# obs-scrape stream"
		for (t = 0; t < 45; t++) {
			type("num_running_reqs", "gauge")
			put("num_running_reqs", 0, 4 + t % 3, t)
			put("num_running_reqs", 1, 8, t)
			type("num_queue_reqs", "gauge")
			put("num_queue_reqs", 0, t % 2, t)
			put("num_queue_reqs", 1, 2, t)
			type("token_usage", "gauge")
			put("token_usage", 0, 0.25, t)
			put("token_usage", 1, 0.5, t)
			type("generation_tokens_total", "counter")
			put("generation_tokens_total", 0,
				(t < 30 ? 1000 : 0) + 100 * t, t)
			put("generation_tokens_total", 1, 50 * (t < 20 ? t : 20), t)
			type("gen_throughput", "gauge")
			put("gen_throughput", 0, 100, t)
			put("gen_throughput", 1, t < 20 ? 50 : 0, t)
			print "# EOF"
		}
	}
	function type(name, word) {
		print "# TYPE sglang:" name " " word
	}
	function put(name, worker, value, t) {
		printf "sglang:%s{worker_addr=\"http://e%d:30000\"} %s %d000\n",
			name, worker, value, first + t
	}' >"$TMP/stream"
}

# judge FILE: the summaries of steps and the alarms.
judge() {
	obs-aggregate -q --step-summary sglang --format jsonl "$1" || return
	obs-aggregate -q --alarms --limit stalled.for=5s "$1"
}

# As the stream itself is judged; what a database left out is not.
assert_judged_alike() {
	judge "$TMP/stream" >"$TMP/want"
	[ "$(grep -c '"seconds":1' "$TMP/want")" -ge 44 ]
	grep -q 'begin  stalled  http://e1:30000' "$TMP/want"
	judge "$1" >"$TMP/got"
	diff "$TMP/want" "$TMP/got"
}

# Another program may be quicker to take the port.
start_server() {
	local url=$1
	shift
	"$@" >"$TMP/server.log" 2>&1 3>&- &
	server=$!
	eventually is_ready_or_gone "$url"
	kill -0 "$server" 2>/dev/null || return
	pids+=("$server")
}

is_ready_or_gone() {
	! kill -0 "$server" 2>/dev/null || curl -sf -o "$TMP/ready" "$1"
}

start_victoria() {
	at=127.0.0.1:$(free_port)
	start_server "http://$at/health" victoria-metrics \
		-storageDataPath="$TMP/data" -httpListenAddr="$at" \
		-retentionPeriod=100y -memory.allowedBytes=64MB
}

start_prometheus() {
	at=127.0.0.1:$(free_port)
	start_server "http://$at/-/ready" prometheus \
		--config.file="$TMP/prometheus.yml" \
		--storage.tsdb.path="$TMP/data" --web.listen-address="$at"
}

has_lines() {
	curl -s "http://$at/api/v1/export" \
		--data-urlencode 'match[]={__name__=~"sglang.*"}' >"$TMP/export"
	[ "$(wc -l <"$TMP/export")" -eq 10 ]
}

@test "VictoriaMetrics imports a stream, and its export is judged alike" {
	skip_without victoria-metrics curl
	write_stream
	start_victoria || start_victoria || start_victoria
	curl -sf --data-binary @"$TMP/stream" \
		"http://$at/api/v1/import/prometheus"
	eventually has_lines
	assert_judged_alike "$TMP/export"
	curl -s "http://$at/api/v1/export" -d max_rows_per_line=7 \
		--data-urlencode 'match[]={__name__=~"sglang.*"}' >"$TMP/short"
	[ "$(wc -l <"$TMP/short")" -gt 10 ]
	assert_judged_alike "$TMP/short"
	curl -s "http://$at/api/v1/query_range" -d step=1s -d nocache=1 \
		-d start="$first" -d end=$((first + 44)) \
		--data-urlencode 'query={__name__=~"sglang.*"}' >"$TMP/range"
	assert_judged_alike "$TMP/range"
}

@test "Prometheus takes a stream as OpenMetrics, and its answer is judged alike" {
	skip_without prometheus promtool curl
	write_stream
	mkdir "$TMP/data"
	"$ROOT/scripts/backfill-prometheus" "$TMP/data" "$TMP/stream" \
		>"$TMP/backfill.log"
	echo 'scrape_configs: []' >"$TMP/prometheus.yml"
	start_prometheus || start_prometheus || start_prometheus
	curl -s "http://$at/api/v1/query_range" -d step=1s -d start="$first" \
		-d end=$((first + 44)) \
		--data-urlencode 'query={__name__=~"sglang.*"}' >"$TMP/range"
	assert_judged_alike "$TMP/range"
	curl -s "http://$at/api/v1/query" -d time=$((first + 3)) \
		--data-urlencode 'query={__name__=~"sglang.*"}' >"$TMP/now"
	run_split obs-aggregate --by '' --select '*running*' --format tsv "$TMP/now"
	assert_status 0
	[[ $output == *$'sglang:num_running_reqs\t\t12'* ]]
	# What the server refuses is not an empty answer.
	curl -s "http://$at/api/v1/query" --data-urlencode 'query=a{' \
		>"$TMP/refused"
	run_split obs-aggregate "$TMP/refused"
	assert_status 3
	assert_stderr_has 'refused: the server answered with an error: invalid'
	# A function drops the names.
	curl -s "http://$at/api/v1/query" -d time=$((first + 9)) \
		--data-urlencode 'query=rate(sglang:generation_tokens_total[5s])' \
		>"$TMP/rate"
	run_split obs-aggregate "$TMP/rate"
	assert_status 3
	assert_stderr_has 'rate: skipped 2 series without a name; query the metric itself'
}

@test "a history that breaks off is used up to there, with status 1" {
	printf '%s\n' \
		'{"metric":{"__name__":"a_total"},"values":[1,4],"timestamps":[1000,2000]}' \
		'{"metric":{"__name__":"b_total"},"values":[1,' >"$TMP/torn"
	run_split obs-aggregate --delta --format tsv "$TMP/torn"
	assert_status 1
	assert_stderr_has 'torn: byte '
	assert_stderr_has 'the input ends here'
	[[ $output == *$'a_total\t\t3'* ]]
	[[ $output != *b_total* ]]
}

@test "histories of workers that are scraped at other moments make one snapshot" {
	printf '%s\n' \
		'{"metric":{"__name__":"sglang:num_running_reqs","instance":"a"},"values":[1,2,3,4],"timestamps":[1000,16000,31000,46001]}' \
		'{"metric":{"__name__":"sglang:num_running_reqs","instance":"b"},"values":[10,20,30,40],"timestamps":[6000,20998,36000,51000]}' \
		>"$TMP/history"
	run_split obs-aggregate --step-summary sglang --format jsonl \
		"$TMP/history"
	assert_status 0
	[ "$(grep -o 'running_reqs":[0-9]*' <<<"$output" | tr '\n' ' ')" = \
		'running_reqs":11 running_reqs":22 running_reqs":33 running_reqs":44 ' ]
}

# answer NAME V...: what Prometheus answers of one metric, from 1000 s on.
answer() {
	local name=$1 time=1000 values='' v
	shift
	for v; do
		values+="${values:+,}[$time,\"$v\"]"
		time=$((time + 10))
	done
	printf '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"%s"},"values":[%s]}]}}' \
		"$name" "$values"
}

@test "several histories are merged by time, as if they were one" {
	answer sglang:num_running_reqs 1 2 3 >"$TMP/run"
	answer sglang:generation_tokens_total 0 100 300 >"$TMP/tok"
	for how in --rate --delta --alarms --step-summary=sglang; do
		cat "$TMP/run" "$TMP/tok" |
			obs-aggregate -q "$how" >"$TMP/want"
		for first in run tok; do
			second=$([ $first = run ] && echo tok || echo run)
			run_split obs-aggregate -q "$how" "$TMP/$first" \
				"$TMP/$second"
			assert_status 0
			diff <(sort "$TMP/want") <(printf %s "$output" | sort)
		done
	done
	run_split obs-aggregate --rate <(cat "$TMP/run") - <"$TMP/tok"
	assert_status 0
	assert_output_has 'sglang:num_running_reqs 3 1020000'
	assert_output_has 'sglang:generation_tokens_total 20 1020000'
	run_split obs-aggregate --step-summary sglang "$TMP/run" "$TMP/tok"
	assert_output_has '"sglang/generation_throughput_tok_s":20'
}

@test "of histories that cannot be merged none is lost without a word" {
	answer a_total 1 2 3 >"$TMP/a"
	answer b_total 1 2 3 >"$TMP/b"
	head -c 90 "$TMP/a" >"$TMP/torn"
	echo 'c_total 4' >"$TMP/text"
	run_split obs-aggregate --rate "$TMP/a@x=1" "$TMP/b@x=2"
	assert_status 3
	assert_output ''
	assert_stderr_has 'b@x=2: histories with different labels cannot be'
	run_split obs-aggregate --rate "$TMP/torn" "$TMP/text" "$TMP/b"
	assert_status 1
	assert_stderr_has 'torn: byte '
	assert_stderr_has 'text: skipped: only histories (JSON) can follow'
	assert_output_has 'b_total 0.1 1020000'
	run_split obs-aggregate --rate "$TMP/a" "$TMP/absent" "$TMP/b"
	assert_status 1
	assert_stderr_has 'absent: cannot open'
	assert_output_has 'b_total 0.1 1020000'
}

@test "gauges alone have no differences, and that is the reason given" {
	answer g 1 2 3 >"$TMP/g"
	for how in --rate --delta; do
		run_split obs-aggregate "$how" "$TMP/g"
		assert_status 1
		assert_output ''
		assert_stderr_has 'no counters in the input'
	done
}

@test "a bad sample of a history is left out, and the rest is used" {
	answer a_total 1 x 4 >"$TMP/value"
	answer a_total 1 2 4 | sed 's/\[1010,/[1e300,/' >"$TMP/time"
	echo '{"metric":{"__name__":"a_total"},"values":[1,true,4],"timestamps":[1000000,1010000,1020000]}' >"$TMP/export"
	for file in value time export; do
		run_split obs-aggregate --delta "$TMP/$file"
		assert_status 1
		assert_stderr_has "$file: skipped 1 sample with a bad value or timestamp"
		assert_output_has 'a_total 3 1020000'
	done
	answer a_total x y >"$TMP/all"
	run_split obs-aggregate "$TMP/all"
	assert_status 3
	assert_stderr_has 'all: skipped 2 samples with a bad value'
}

@test "the warnings of a server are passed on" {
	answer a_total 1 4 |
		sed 's/^{/{"warnings":["no reply from store 2","b"],/' >"$TMP/warned"
	run_split obs-aggregate --delta "$TMP/warned"
	assert_status 1
	assert_stderr_has 'warned: the server warns, so data may be missing: no reply from store 2'
	assert_output_has 'a_total 3 1010000'
	answer a_total 1 4 | sed 's/^{/{"warnings":[],/' >"$TMP/calm"
	run_split obs-aggregate --delta "$TMP/calm"
	assert_status 0
}

@test "an answer that is a scalar or a string is refused, and named so" {
	for kind in scalar string; do
		echo '{"status":"success","data":{"resultType":"'$kind'","result":[1000,"4"]}}' >"$TMP/$kind"
		run_split obs-aggregate "$TMP/$kind"
		assert_status 3
		assert_stderr_has "$kind: the answer is a scalar or a string, not metrics"
	done
}
