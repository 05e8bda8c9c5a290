# obs-scrape: where targets come from, and what their addresses mean.

load test_helper
load mock/mock

setup_file() {
	start_mock
}

teardown_file() {
	stop_mock
}

setup() {
	mock_names
	SAMPLE="reqs_total{worker_addr=\"http://$AT\"} 5"
}

# The operand ADDRESS is fetched at URL.
goes_to() {
	run_split obs-scrape --list "${@:3}" -- "$1"
	assert_status 0
	[ "${output#*$'\t'}" = "$2"$'\n' ] || fail_with "expected $2"
}

# The operand cannot be understood, for these words.
is_refused() {
	run_split obs-scrape --list -- "$1"
	assert_status 3
	refute_output
	assert_stderr_has "$2"
}

@test "an address without a path is asked for /metrics" {
	goes_to h:1 http://h:1/metrics
	goes_to h http://h/metrics
	goes_to http://H:1/ http://h:1/metrics
	goes_to http://h:80/x?y=1 'http://h/x?y=1'
	goes_to 'https://h:8443?a=b' 'https://h:8443/metrics?a=b'
	goes_to unix:/run/w.sock unix:/run/w.sock:/metrics
	goes_to unix:/run/w.sock:/x unix:/run/w.sock:/x
}

@test "IPv6 addresses keep their brackets and zones" {
	goes_to '[::1]:8000' 'http://[::1]:8000/metrics'
	goes_to 'http://[fe80::1%25eth0]:8000' 'http://[fe80::1%25eth0]:8000/metrics'
	goes_to 'grpc://[fe80::1%eth0]:8000' 'http://[fe80::1%eth0]:18000/metrics'
	is_refused ::1:8000 "an IPv6 address must be in brackets"
	is_refused 'http://[::1' "the host has no closing ']'"
	is_refused 'http://[h]:1' "not an IPv6 address"
}

@test "a malformed address is a reported failure, never a guess" {
	is_refused http://h:0 "the port is not a number from 1 to 65535"
	is_refused http://h:65536 "the port"
	is_refused http://h:1x "the port"
	is_refused http:// "the host is missing"
	is_refused '' "the host is missing"
	is_refused 'http://h\@x:1' "byte 0x5c does not belong in a URL"
	is_refused 'http://a b' "byte 0x20"
	is_refused 'http://h:1#x' "byte 0x23"
	is_refused ftp://h:1 "no HTTP address; name it as WORKER=URL"
	is_refused ipc:///tmp/x "host"
	is_refused $'unix:/s:/a\x1fb' "byte 0x1f"
	is_refused grpc://h "a gRPC address needs its port"
}

@test "a malformed address does not keep the others from being scraped" {
	run_split obs-scrape "http://$AT" http://h:1x
	assert_status 1
	assert_output_has "$SAMPLE"
	assert_stderr_has "http://h:1x: the port"
}

@test "a gRPC worker's sidecar is 10000 further up, or down near the end" {
	goes_to grpc://h:20001 http://h:30001/metrics
	goes_to grpcs://h:55535 http://h:65535/metrics
	goes_to grpc://h:55536 http://h:45536/metrics
	goes_to 'grpc://[::1]:60001' 'http://[::1]:50001/metrics'
	goes_to grpc://h:40000 http://h:40001/metrics --sidecar-offset 1
	goes_to grpc://h:40000 http://h:9100/metrics --sidecar-port 9100
	goes_to grpc://h:40000@3 http://h:50000/metrics
	is_refused grpc://h:99999 "the port"
}

@test "the address of a gRPC worker stays as registered, failures say what was tried" {
	run_split obs-scrape grpc://127.0.0.1:10001 grpc://127.0.0.1:10002
	assert_status 4
	assert_stderr_has "grpc://127.0.0.1:10001 at http://127.0.0.1:20001/metrics: cannot connect"
	assert_stderr_has "grpc://127.0.0.1:10002 at http://127.0.0.1:20002/metrics: cannot connect"
}

@test "a worker's key never goes to a gRPC sidecar or to a metrics_url elsewhere" {
	local port=${AT#*:}
	export OBS_WORKER_KEY=s3cret
	run_split obs-scrape --sidecar-port "$port" grpc://127.0.0.1:9
	assert_status 0
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=None'
	run_split obs-scrape "http://127.0.0.1:9=http://$AT/metrics"
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=None'
	run_split obs-scrape "http://$AT=http://$AT/metrics"
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=Bearer s3cret'
}

@test "WORKER=URL says where metrics are, and keeps the worker's name" {
	run_split obs-scrape "ipc:///tmp/w0=http://$AT/gzip"
	assert_status 0
	assert_output_has 'reqs_total{worker_addr="ipc:///tmp/w0"} 5'
	goes_to grpc://h:1=http://h:9100 http://h:9100/metrics
	goes_to 'h:1/m?to=http://x' 'http://h:1/m?to=http://x'
	is_refused w=http://h:y "w: the port"
}

@test "a rank is cut off, and what is one server is scraped once, without a key" {
	run_split obs-scrape --router "http://$AT/ranks"
	assert_status 0
	[ "$(grep -c "^reqs_total{worker_addr=\"http://$AT\"} 5\$" <<<"$output")" -eq 1 ]
	[[ $output != *@* ]]
	[ "$(requests /metrics | tail -n 1)" = "GET /metrics auth=None" ]
	goes_to http://h:1@7 http://h:1/metrics
	goes_to http://h:1/@7 http://h:1/metrics
	goes_to http://u:p@h:1/x@7 http://h:1/x@7
}

@test "operands that come to the same URL are one target, the first named" {
	run_split obs-scrape "$AT" "http://$AT/metrics" "http://$AT"
	assert_status 0
	[ "$(grep -c '^reqs_total' <<<"$output")" -eq 1 ]
	assert_output_has "{worker_addr=\"$AT\"}"
}

@test "routers of every age are understood" {
	local path
	for path in old new bare partly; do
		run_split obs-scrape --router "http://$AT/$path/"
		assert_status 0
		[ "$(grep -c '^reqs' <<<"$output")" -eq 1 ]
		assert_output_has "$SAMPLE"
	done
	assert_stderr_has "entries without an address, which are skipped: 1"
}

@test "a router that is a worker itself is scraped itself" {
	run_split obs-scrape --list --router "http://$AT/self"
	assert_status 0
	assert_output "http://$AT/self	http://$AT/self/metrics
"
}

@test "a router's failure is said, and does not stop other sources" {
	run_split obs-scrape --router "http://$AT/none"
	assert_status 4
	assert_stderr_has "http://$AT/none: lists no workers"
	run_split obs-scrape --router "http://$AT/html"
	assert_status 3
	assert_stderr_has "http://$AT/html: HTML or XML, not a list of workers or targets"
	run_split obs-scrape --router "http://$AT/nowhere"
	assert_status 4
	assert_stderr_has "does not look like a router or a worker"
	run_split obs-scrape --router "http://$AT/locked" "http://$AT"
	assert_status 1
	assert_output_has "$SAMPLE"
	assert_stderr_has "http://$AT/locked: HTTP status 401"
}

@test "what is not a list is status 3, an empty list or no answer is 4" {
	gives() { # STATUS MESSAGE OPTION...
		local want=$1 text=$2
		shift 2
		run_split obs-scrape "$@"
		assert_status "$want"
		refute_output
		assert_stderr_lines 1
		assert_stderr_has "$text"
	}
	local list="has no list of workers or targets"
	gives 3 "http://$AT/other: $list" --router "http://$AT/other"
	gives 3 "http://$AT/other: $list" --ray-url "http://$AT/other"
	gives 3 "$list" --sd "http://$AT/other/workers"
	gives 3 "no entry of its list has an address" \
		--router "http://$AT/numbers"
	gives 3 "no entry of its list has an address" \
		--sd "http://$AT/numbers/workers"
	gives 4 "lists no workers" --ray-url "http://$AT/none"
	gives 4 "lists no workers" --sd "http://$AT/none/workers"
	gives 4 "does not look like a Ray dashboard" --ray-url "http://$AT/nowhere"
	gives 4 "HTTP status 404" --sd "http://$AT/nowhere"
}

@test "the router's key goes to the router, the worker's to the workers" {
	OBS_ROUTER_KEY=r OBS_WORKER_KEY=w run_split obs-scrape \
		--router "http://$AT/new"
	assert_status 0
	requests /new/workers | tail -n 1 | grep -qx 'GET /new/workers auth=Bearer r'
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=Bearer w'
	OBS_ROUTER_KEY=r run_split obs-scrape --sd "http://$AT/sd"
	requests /sd | tail -n 1 | grep -qx 'GET /sd auth=None'
}

@test "lists of workers in every known shape resolve as they should" {
	cat >"$TMP/workers.json" <<-'JSON'
		{"workers": [
		 {"url": "http://h:1@0", "dp_base_url": "http://h:1", "dp_rank": 0},
		 {"url": "http://h:1@1", "dp_base_url": "http://h:1", "dp_rank": 1},
		 {"url": "http://[fd00::6]:2/", "worker_type": "Prefill { bootstrap_port: Some(8) }"},
		 {"url": "grpc://h:3", "labels": {"metrics_url": "http://h:4/m"}},
		 {"url": "grpc://h:5", "metrics_url": "http://h:6/m"},
		 {"url": "http://h:7/base"}], "total": 6}
	JSON
	run_split obs-scrape --list --sd "$TMP/workers.json"
	assert_status 0
	assert_output $'http://h:1\thttp://h:1/metrics
http://[fd00::6]:2\thttp://[fd00::6]:2/metrics
grpc://h:3\thttp://h:4/m
grpc://h:5\thttp://h:6/m
http://h:7/base\thttp://h:7/base/metrics
'
	run_split obs-scrape --list --sd - \
		<<<'{"urls": ["http://h:1", "http://h:2"]}'
	assert_output $'http://h:1\thttp://h:1/metrics
http://h:2\thttp://h:2/metrics
'
	# Of equal keys the last one counts; a byte order mark is ignored.
	run_split obs-scrape --list --sd - \
		<<<$'\ufeff{"urls": ["http://h:1"], "urls": ["http://h:2"]}'
	assert_output $'http://h:2\thttp://h:2/metrics
'
}

@test "Ray's lists of nodes: those that are alive and have a port" {
	cat >"$TMP/python.json" <<-'JSON'
		[{"NodeManagerAddress": "10.0.0.1", "MetricsExportPort": 8080, "Alive": true},
		 {"NodeManagerAddress": "fd00::2", "MetricsExportPort": 8081, "Alive": true},
		 {"NodeManagerAddress": "10.0.0.3", "MetricsExportPort": 8080, "Alive": false}]
	JSON
	run_split obs-scrape --list --sd "$TMP/python.json"
	assert_output $'10.0.0.1:8080\thttp://10.0.0.1:8080/metrics
[fd00::2]:8081\thttp://[fd00::2]:8081/metrics
'
	run_split obs-scrape --list --ray-url "http://$AT/ray"
	assert_status 0
	assert_output "$AT	http://$AT/metrics
"
	run_split obs-scrape --list --ray-url "http://$AT/newray"
	assert_output "http://$AT	http://$AT/metrics
"
}

@test "file_sd: schemes, paths, full URLs, and labels of groups" {
	cat >"$TMP/sd.json" <<-'JSON'
		[{"labels": {"job": "ray", "__x": "y"}, "targets": ["h:1", "http://h:2/own/path"]},
		 {"labels": {"__metrics_path__": "/alt"}, "targets": ["h:3"]},
		 {"labels": {"__scheme__": "https"}, "targets": ["h:4"]},
		 {"labels": {"__metrics_path__": "no/slash"}, "targets": ["h:5"]}]
	JSON
	run_split obs-scrape --list --sd "$TMP/sd.json"
	assert_status 0
	assert_output $'h:1\thttp://h:1/metrics
http://h:2/own/path\thttp://h:2/own/path
h:3\thttp://h:3/alt
h:4\thttps://h:4/metrics
h:5\thttp://h:5/no/slash
'
	run_split obs-scrape --sd "http://$AT/sd"
	assert_output_has "reqs_total{worker_addr=\"http://$AT/gzip\",job=\"j\"} 5"
}

@test "a list that is cut off or empty says where" {
	printf '[{"labels":{"job":"ray"},"targets":["h:1","h' >"$TMP/half.json"
	: >"$TMP/empty.json"
	run_split obs-scrape --sd "$TMP/half.json"
	assert_status 3
	assert_stderr_has "half.json: byte 44: not valid JSON: expected the end of a string, but the input ends here"
	echo '[{"targets":["h:1"],"targets" ["h:2"]}]' >"$TMP/colon.json"
	run_split obs-scrape --sd "$TMP/colon.json"
	assert_status 3
	assert_stderr_has "colon.json: byte 30: not valid JSON: expected ':', found '['"
	run_split obs-scrape --sd "$TMP/empty.json"
	assert_status 3
	assert_stderr_has "empty.json: empty, not a list of workers or targets"
	echo '[{"targets": [1]}]' >"$TMP/number.json"
	run_split obs-scrape --sd "$TMP/number.json"
	assert_status 3
	run_split obs-scrape --sd "$TMP/none.json"
	assert_status 4
}

@test "entries of lists that cannot be right are reported, never guessed" {
	said() {
		printf '%s' "$2" >"$TMP/odd.json"
		run_split obs-scrape --list --sd "$TMP/odd.json"
		assert_status 3
		refute_output
		assert_stderr_has "$1"
	}
	said "the address is not text that a label can hold" \
		'{"workers":[{"url":"http\u0000://h:1"}]}'
	said "a string is not UTF-8" \
		$'[{"targets":["h:1"],"labels":{"a":"x\xff"}}]'
	said "the address is not text that a label can hold" \
		'{"workers":[{"url":"a\u0000b","metrics_url":"http://h:1"}]}'
	said "the targets of a group must be a list" '[{"targets":"h:1"}]'
	said "h:1: no HTTP address" \
		'[{"targets":["h:1"],"labels":{"__scheme__":"gopher"}}]'
	said "byte 0x0a does not belong in a URL" \
		'[{"targets":["h:1"],"labels":{"__metrics_path__":"/m\nX: y"}}]'
}

@test "file_sd: an empty label is as good as absent" {
	echo '[{"targets": ["h:1"], "labels": {"__metrics_path__": "",
		"__scheme__": "", "a": ""}}]' >"$TMP/sd.json"
	run_split obs-scrape --list --sd "$TMP/sd.json"
	assert_status 0
	assert_output $'h:1\thttp://h:1/metrics\n'
}

@test "--list: an address stays on its line, whatever is in it" {
	cat >"$TMP/workers.json" <<-'JSON'
		{"workers": [{"url": "a\nb\tc\\d", "metrics_url": "http://h:1/m"}]}
	JSON
	run_split obs-scrape --list --sd "$TMP/workers.json" $'unix:/x\ty'
	assert_status 0
	assert_output 'unix:/x\ty	unix:/x\ty:/metrics
a\nb\tc\\d	http://h:1/m
'
}

@test "addresses that no label can hold, or that lack a name, are reported" {
	run_split obs-scrape --list $'\xff=http://h:1/m' $'unix:/tmp/\xff' \
		=http://h:1/m ''
	assert_status 3
	refute_output
	assert_stderr_has '\xff: the address is not text that a label can hold; name it as WORKER=URL'
	assert_stderr_has 'unix:/tmp/\xff: the address is not text'
	assert_stderr_has '=http://h:1/m: the scheme is not a name'
	run_split obs-scrape --list $'w=unix:/tmp/\xff'
	assert_status 0
	run_split obs-scrape --list 30000 localhost:30000
	assert_status 1
	assert_stderr_has "30000: a port alone; did you mean localhost:30000?"
	run_split obs-scrape -l $'a=\xff' h:1
	assert_status 2
	assert_stderr_has "the value is not UTF-8"
}

@test "a socket's path that the system does not take is reported as that" {
	local path
	path=/$(head -c 107 /dev/zero | tr '\0' x)
	run_split obs-scrape --list "unix:$path" "unix:$path:/m" "unix:${path%x}"
	assert_status 1
	# shellcheck disable=SC2154 # run_split sets it
	[ "$(grep -c 'path has 108 bytes, more than the 107' <<<"$stderr")" -eq 2 ]
	assert_output_has "${path%x}:/metrics"
	run_split obs-scrape "unix:$TMP/none"
	assert_status 4
	assert_stderr_has "unix:$TMP/none: cannot connect: No such file"
	run_split obs-scrape --router "unix:$path"
	assert_status 3
	assert_stderr_has "more than the 107"
}

@test "targets whose series cannot be told apart are named, once" {
	run_split obs-scrape -i 0.5 -n 2 "w=http://$AT/metrics" "w=http://$AT/gzip"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "http://$AT/metrics and http://$AT/gzip have the same labels"
	run_split obs-scrape --no-addr-label "$AT" "$AT/gzip"
	assert_stderr_has "have the same labels"
	run_split obs-scrape "v=http://$AT/metrics" "w=http://$AT/gzip"
	assert_stderr_lines 0
}

@test "a failure comes with what may be the matter" {
	run_split obs-scrape 127.0.0.1
	assert_stderr_has "port 80 was tried, engines often have 30000 or 8000"
	run_split obs-scrape "$AT/nowhere"
	assert_stderr_has "HTTP status 404; is this a router? use --router"
}

@test "--list -f file_sd reads back as the same targets with the same labels" {
	cat >"$TMP/sd.json" <<-'JSON'
		[{"targets": ["https://h:1/a"], "labels": {"job": "j"}}]
	JSON
	run_split obs-scrape --list -f file_sd -l team=x --sd "$TMP/sd.json" \
		'grpc://[fe80::1%25eth0]:2'
	assert_status 0
	printf %s "$output" >"$TMP/again.json"
	run_split obs-scrape --list -f file_sd --no-addr-label --sd "$TMP/again.json"
	printf %s "$output" >"$TMP/third.json"
	assert_same_file "$TMP/again.json" "$TMP/third.json"
	assert_output_has '"[fe80::1%eth0]:10002"'
	run_split obs-scrape --list -f file_sd unix:/s
	assert_status 3
	refute_output
	assert_stderr_has "unix:/s: file_sd cannot express it"
}

@test "what belongs to --list only is refused elsewhere" {
	run_split obs-scrape -f file_sd h:1
	assert_status 2
	run_split obs-scrape --list -f prom h:1
	assert_status 2
	run_split obs-scrape --list -i 1 h:1
	assert_status 2
}

@test "the router is --router or --router-url, by default OBS_ROUTER" {
	local wanted
	run_split obs-scrape --list --router "http://$AT/self"
	assert_status 0
	wanted=$output
	[ -n "$wanted" ]
	run_split obs-scrape --list --router-url "http://$AT/self"
	[ "$output" = "$wanted" ]
	OBS_ROUTER=http://$AT/self run_split obs-scrape --list
	[ "$output" = "$wanted" ]
	OBS_ROUTER=http://127.0.0.1:1 run_split obs-scrape --list w:1
	assert_status 0
	[ "${output%%$'\t'*}" = w:1 ]
}
