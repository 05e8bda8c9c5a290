# scripts/start-prometheus and what stands beside it, with the real Prometheus
# and the real client library; on loopback, at free ports.

load test_helper

SCRIPTS=$ROOT/scripts/prometheus

setup() {
	skip_without prometheus promtool curl jq
	pids=()
}

# The last first: a Prometheus that ends still sends what it has on.
teardown() {
	local i
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null || continue
		wait "${pids[i]}" || true
	done
}

# serve FILE OBS-SERVE-ARGUMENT...: its URL comes to FILE.
serve() {
	local file=$1
	shift
	obs-serve "$@" >"$file" 2>>"$TMP/serve.err" 3>&- &
	pids+=($!)
	eventually test -s "$file"
}

is_ready_or_gone() {
	! kill -0 "$prometheus" 2>/dev/null ||
		curl -sf -o "$TMP/ready" "http://$at/-/ready"
}

# start_prometheus ARGUMENT...: at $at, with its data in $TMP/data. Another
# program may be quicker to take the port.
start_prometheus() {
	for _ in 1 2 3; do
		at=127.0.0.1:$(free_port)
		"$ROOT/scripts/start-prometheus" "$@" --data "$TMP/data" \
			--listen "$at" --interval 1s >"$TMP/prometheus.log" \
			2>&1 3>&- &
		prometheus=$!
		eventually is_ready_or_gone
		! kill -0 "$prometheus" 2>/dev/null || break
	done
	pids+=("$prometheus")
	curl -sf -o "$TMP/ready" "http://$at/-/ready"
}

# The value of an instant query; nothing when there is none.
query() {
	curl -s "http://$at/api/v1/query" --data-urlencode "query=$1" |
		jq -r '.data.result[]?.value[1]'
}

query_is() {
	[ "$(query "$1")" = "$2" ]
}

@test "promtool accepts the rules, and they do what their tests say" {
	run_split promtool check rules "$SCRIPTS/rules.yml"
	assert_status 0
	run_split promtool test rules "$SCRIPTS/rules_test.yml"
	assert_status 0
}

@test "the dashboard asks for series that the rules record" {
	local name
	jq -e '.panels | length > 5' "$SCRIPTS/dashboard.json" >"$TMP/ok"
	jq -r '.panels[].targets[].expr' "$SCRIPTS/dashboard.json" |
		grep -oE '\b(worker|fleet):[a-z0-9_:]+' | sort -u >"$TMP/names"
	[ "$(wc -l <"$TMP/names")" -ge 7 ]
	while read -r name; do
		grep -qF "record: $name" "$SCRIPTS/rules.yml" ||
			fail_with "$name is not recorded"
	done <"$TMP/names"
}

# bats test_tags=long
@test "a router is scraped, and a restart keeps the history" {
	local router first
	serve "$TMP/url" --listen 0 --path /engine_metrics -- \
		echo 'sglang_num_queue_reqs{worker_addr="w1"} 7'
	router=$(sed 's|http://||; s|/.*||' "$TMP/url")
	start_prometheus "$router" --retention 7d
	eventually query_is 'sglang_num_queue_reqs{job="slime-sglang"}' 7
	eventually query_is 'worker:queue:requests{worker_addr="w1"}' 7
	first=$(query 'timestamp(sglang_num_queue_reqs)')
	kill "$prometheus"
	wait "$prometheus" || true
	kill "${pids[0]}"
	start_prometheus "$router"
	eventually query_is 'up{job="slime-sglang"}' 0
	[ "$(query "count_over_time(sglang_num_queue_reqs[10m] @ $first)")" -ge 1 ]
	[ "$(query "sglang_num_queue_reqs @ $first")" = 7 ]
}

@test "every panel has a title, a unit and a query" {
	jq -e '[.panels[] | select(.type != "row")] | length > 5 and
		all((.title | length > 0) and
			(.fieldConfig.defaults.unit | type == "string") and
			(.targets | length > 0) and
			all(.targets[]; .expr | length > 0))' \
		"$SCRIPTS/dashboard.json"
}

@test "dashboard queries are PromQL" {
	local expr
	start_prometheus 127.0.0.1:1
	jq -r '.panels[].targets[].expr' "$SCRIPTS/dashboard.json" \
		>"$TMP/exprs"
	while read -r expr; do
		curl -s "http://$at/api/v1/query" \
			--data-urlencode "query=${expr//\$worker/.*}" |
			jq -e '.status == "success"' >"$TMP/ok" ||
			fail_with "not PromQL: $expr"
	done <"$TMP/exprs"
}

# bats test_tags=long
@test "samples reach a VictoriaMetrics by remote_write" {
	skip_without victoria-metrics
	local vm
	vm=127.0.0.1:$(free_port)
	victoria-metrics -storageDataPath="$TMP/vm" -httpListenAddr="$vm" \
		-retentionPeriod=1 -search.latencyOffset=1s >"$TMP/vm.log" 2>&1 3>&- &
	pids+=($!)
	eventually curl -sf -o "$TMP/ready" "http://$vm/health"
	serve "$TMP/url" --listen 0 --path /engine_metrics -- \
		echo 'sglang_num_queue_reqs{worker_addr="w1"} 7'
	start_prometheus "$(sed 's|http://||; s|/.*||' "$TMP/url")" \
		--remote-write "http://$vm/api/v1/write"
	at=$vm
	eventually query_is 'sglang_num_queue_reqs{worker_addr="w1"}' 7
}

@test "start-prometheus and wandb-log print their help" {
	run_split "$ROOT/scripts/start-prometheus" --help
	assert_status 0
	assert_output_has "Usage: start-prometheus ROUTER_IP:PORT --data DIR"
	assert_output_has "--remote-write URL"
	[[ $output != *set\ -eu* ]]
	run_split "$ROOT/scripts/wandb-log" --help
	assert_status 0
	assert_output_has "Usage: obs-perfsum --format jsonl"
}

@test "a command line or a configuration that cannot work is refused" {
	local script=$ROOT/scripts/start-prometheus
	for args in "" "--data $TMP/d" "h:1" "h:1 --data" "h:1 --nothing 1" \
		"h:1 h:2 --data $TMP/d" "h --data $TMP/d" \
		"h:1'\n --data $TMP/d"; do
		# shellcheck disable=SC2086 # words
		run_split "$script" $args
		assert_status 2
		assert_stderr_lines 1
	done
	run_split "$script" h:1 --data "$TMP/new" --interval soon
	assert_status 3
	assert_stderr_has "promtool rejects the configuration"
	[ ! -e "$TMP/new" ] || fail_with "expected no directory"
	mkdir "$TMP/old"
	echo kept >"$TMP/old/prometheus.yml"
	run_split "$script" h:1 --data "$TMP/old" --interval soon
	assert_status 3
	[ "$(ls -A "$TMP/old")" = prometheus.yml ]
	[ "$(cat "$TMP/old/prometheus.yml")" = kept ]
}

@test "one start-prometheus per directory, and a failure of Prometheus is 4" {
	local script=$ROOT/scripts/start-prometheus
	fake prometheus "echo \$\$ >$TMP/server" "exec sleep 300"
	"$script" h:1 --data "$TMP/data" >"$TMP/log" 2>&1 3>&- &
	pids+=($!)
	eventually test -s "$TMP/server"
	cp "$TMP/data/prometheus.yml" "$TMP/before"
	run_split "$script" h:2 --data "$TMP/data"
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has "another start-prometheus uses $TMP/data"
	cmp "$TMP/before" "$TMP/data/prometheus.yml"
	kill "${pids[-1]}"
	wait "${pids[-1]}"
	fake prometheus 'echo "address already in use" >&2' 'exit 1'
	run_split "$script" h:2 --data "$TMP/data"
	assert_status 4
	assert_stderr_has "address already in use"
	assert_stderr_has "Prometheus ended with status 1"
	grep -q h:2 "$TMP/data/prometheus.yml"
}

# fake NAME LINE...: a program of that name, before others in PATH.
fake() {
	local name=$1
	shift
	mkdir -p "$TMP/fakes"
	printf '%s\n' '#!/bin/sh' "$@" >"$TMP/fakes/$name"
	chmod +x "$TMP/fakes/$name"
	PATH=$TMP/fakes:${PATH#"$TMP/fakes:"}
}

listed_at_least() {
	[ "$(wc -l <"$TMP/lists")" -ge "$1" ]
}

# bats test_tags=long
@test "workers are listed again at intervals of any form, and a hang-up ends all" {
	fake prometheus "echo \$\$ >$TMP/server" "exec sleep 300"
	fake obs-scrape "echo >>$TMP/lists"
	for interval in 1s500ms 0m1s 500ms; do
		rm -f "$TMP/lists" "$TMP/server"
		# Whoever runs the tests may ignore hang-ups.
		env --default-signal=HUP "$ROOT/scripts/start-prometheus" h:1 \
			--data "$TMP/data" --workers --interval "$interval" \
			>"$TMP/log" 2>&1 3>&- &
		pids+=($!)
		eventually test -s "$TMP/server"
		eventually listed_at_least 3
		kill -HUP "${pids[-1]}"
		wait "${pids[-1]}"
		run ! kill -0 "$(cat "$TMP/server")"
	done
}

# write DIR AMOUNT: a process of the client library that counts there.
write() {
	mkdir -p "$1"
	mkfifo "$TMP/hold$2"
	PROMETHEUS_MULTIPROC_DIR=$1 "$python" "$ROOT/tests/mock/multiproc-writer" \
		"$2" <"$TMP/hold$2" >"$TMP/ready$2" 3>&- &
	pids+=($!)
	# shellcheck disable=SC2034 # open for as long as the tests run
	exec {hold}>"$TMP/hold$2"
	eventually grep -q ready "$TMP/ready$2"
}

# A gRPC port whose sidecar port is free.
grpc_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 2700))
		(: <"/dev/tcp/127.0.0.1/$((port + 10000))") 2>/dev/null ||
			break
	done
	echo "$port"
}

# Two gRPC workers with the client library's own processes, the first with two
# processes and listed by two data-parallel ranks; a third that is dead.
start_fleet() {
	python=$(python_with prometheus_client) || skip "no prometheus_client"
	skip_without obs-multiproc obs-scrape obs-aggregate
	write "$TMP/a" 3
	write "$TMP/a" 4
	write "$TMP/b" 50
	a=$(grpc_port)
	b=$(grpc_port)
	serve "$TMP/url.a" --grpc-port "$a" -- obs-multiproc "$TMP/a"
	serve "$TMP/url.b" --grpc-port "$b" -- obs-multiproc "$TMP/b"
	"$ROOT/tests/mock/workers" "$TMP/router" "grpc://127.0.0.1:$a@0" \
		"grpc://127.0.0.1:$a@1" "grpc://127.0.0.1:$b" \
		grpc://127.0.0.1:9 3>&- &
	pids+=($!)
	eventually test -s "$TMP/router"
	router=127.0.0.1:$(cat "$TMP/router")
}

# bats test_tags=long
@test "from processes of the client library to the right sum in Prometheus" {
	start_fleet
	serve "$TMP/url" --listen 0 --path /engine_metrics --allow-partly -- \
		bash -o pipefail -c \
		"obs-scrape --up --router http://$router | obs-aggregate --sanitize"
	start_prometheus "$(sed 's|http://||; s|/.*||' "$TMP/url")"
	eventually query_is 'sum(sglang_prompt_tokens_total)' 57
	query_is "sglang_prompt_tokens_total{worker_addr=\"grpc://127.0.0.1:$a\"}" 7
	query_is "sum(sglang_num_running_reqs)" 57
	query_is 'sum(sglang_e2e_request_latency_seconds_count)' 3
	query_is 'count(sglang_prompt_tokens_total{model_name="/m/qwen:30b"})' 2
	query_is 'up{worker_addr="grpc://127.0.0.1:9"}' 0
}

# bats test_tags=long
@test "--workers scrapes the workers themselves, each once" {
	start_fleet
	start_prometheus "$router" --workers
	eventually query_is 'sum(sglang:prompt_tokens_total)' 57
	eventually query_is 'count(up{job="slime-sglang"} == 1)' 2
	eventually query_is 'count(up{job="slime-sglang"} == 0)' 1
}
