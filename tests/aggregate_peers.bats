# obs-aggregate against those who read the same formats.

load test_helper

# Two workers as SGLang and vLLM write them.
setup() {
	cat >"$TMP/w1" <<-'EOT'
		# HELP sglang:num_running_reqs The number of running requests.
		# TYPE sglang:num_running_reqs gauge
		sglang:num_running_reqs{model_name="m",tp_rank="0"} 3
		sglang:num_running_reqs{model_name="m",tp_rank="1"} 2.5
		# HELP sglang:prompt_tokens_total Tokens, a\\b and\nmore.
		# TYPE sglang:prompt_tokens_total counter
		sglang:prompt_tokens_total{model_name="m"} 8.128902e+06
		# HELP lat_seconds Latency.
		# TYPE lat_seconds histogram
		lat_seconds_bucket{le="0.1",model_name="m"} 2
		lat_seconds_bucket{le="1.0",model_name="m"} 7
		lat_seconds_bucket{le="+Inf",model_name="m"} 9
		lat_seconds_sum{model_name="m"} 6.25
		lat_seconds_count{model_name="m"} 9
		# HELP rpc_seconds Calls.
		# TYPE rpc_seconds summary
		rpc_seconds{quantile="0.5"} NaN
		rpc_seconds_sum 17
		rpc_seconds_count 3
		# TYPE odd untyped
		odd{path="C:\\dir\\\"x\"\n",u="größe 🚀"} -Inf 1700000000123
	EOT
	sed -e 's/ 7$/ 8/; s/ 9$/ 20/; s/le="1.0"/le="1"/; s/ 3$/ 5/' \
		"$TMP/w1" >"$TMP/w2"
	cd "$TMP" || return
}

merged() {
	obs-aggregate "$@" w1@worker=a w2@worker=b
}

@test "promtool takes what is merged, reduced and differenced" {
	skip_without promtool
	local options
	for options in '' '--by worker' '--by model_name --quantile 0.5,0.99' \
		'--pad-labels --sanitize' '--without worker --op max'; do
		# shellcheck disable=SC2086 # a list
		merged $options >out
		# Naming advice is status 3; what cannot be read is 1.
		run_split promtool check metrics <out
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ] ||
			fail_with "promtool refused the output of: $options"
		# shellcheck disable=SC2154 # run_split sets it
		[[ $stderr != *"error while linting"* ]]
	done
	obs-aggregate --delta w1 w2 >out
	run_split promtool check metrics <out
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

@test "prometheus_client reads the same samples from it" {
	local python
	python=$(python_with prometheus_client) || skip "no prometheus_client"
	local peer=$ROOT/tests/exposition_peer.py
	obs-aggregate w1 >out
	obs-aggregate --format json w1 >w1.json
	"$python" "$peer" <w1 >w1.samples
	"$python" "$peer" <out >out.samples
	"$python" "$peer" --json <w1.json >json.samples
	[ -s w1.samples ]
	assert_same_file w1.samples out.samples
	assert_same_file w1.samples json.samples
}

# bats test_tags=long
@test "random expositions are read as prometheus_client reads them" {
	local python
	python=$(python_with prometheus_client) || skip "no prometheus_client"
	"$python" "$ROOT/tests/random_prom.py" 1 60 >&2
}

# samples NAME FILE: labels and value of each, sorted.
samples() {
	"$(python_with json)" - "$1" "$2" <<-'EOT'
		import json, sys
		name, path = sys.argv[1:]
		for family in json.load(open(path))["families"]:
		    for s in family["samples"]:
		        if s["name"] == name:
		            labels = s["labels"]
		            labels.pop("quantile", None)
		            print(json.dumps([labels, float(s["value"])]))
	EOT
}

@test "Prometheus scrapes it and comes to the same sums and quantiles" {
	skip_without prometheus
	local python
	python=$(python_with json) || skip "no python3"
	merged --sanitize --drop odd >all
	mkdir tsdb
	"$python" "$ROOT/tests/prometheus_peer.py" all tsdb \
		'sum by (model_name) (sglang_num_running_reqs)' \
		'sum without (worker) (sglang_prompt_tokens_total)' \
		'histogram_quantile(0.9, sum by (le, model_name) (lat_seconds_bucket{worker="a"}))' \
		>want
	obs-aggregate --no-fold --sanitize --by model_name --format json <all \
		>sums
	obs-aggregate --match worker=a --by model_name --quantile 0.9 \
		--format json <all >quantiles
	{
		samples sglang_num_running_reqs sums
		samples sglang_prompt_tokens_total sums
		samples lat_seconds quantiles
	} >got
	assert_same_file want got
}

@test "VictoriaMetrics imports a timestamped stream as it is printed" {
	skip_without victoria-metrics curl
	local port=$((20000 + RANDOM % 20000)) now pid
	now=$(($(date +%s) * 1000))
	printf '# obs-scrape stream\nx_total{w="1"} %s %s\n# EOF\n' \
		5 $((now - 20000)) >stream
	printf 'x_total{w="1"} %s %s\n# EOF\n' 9 $((now - 10000)) >>stream
	obs-aggregate --label run=r <stream >out
	victoria-metrics -storageDataPath="$TMP/vm" \
		-httpListenAddr="127.0.0.1:$port" >log 2>&1 3>&- &
	pid=$!
	eventually curl -sf -o health "http://127.0.0.1:$port/health"
	curl -sf --data-binary @out \
		"http://127.0.0.1:$port/api/v1/import/prometheus"
	curl -sf "http://127.0.0.1:$port/internal/force_flush"
	curl -sf "http://127.0.0.1:$port/api/v1/export" \
		-d 'match[]=x_total' >exported
	kill "$pid"
	wait "$pid" || true
	grep -q '"run":"r"' exported
	grep -q '"values":\[5,9\]' exported
	grep -q "\"timestamps\":\[$((now - 20000)),$((now - 10000))\]" exported
}
