# obs-scrape: what is printed of a target, and servers that misbehave.

load test_helper
load mock/mock

# For the mock's TLS: key and certificate of 127.0.0.1, which signs itself.
make_certificate() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=mock \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$BATS_FILE_TMPDIR/key" \
		-out "$BATS_FILE_TMPDIR/cert" 2>/dev/null || return 0
	cat "$BATS_FILE_TMPDIR/key" "$BATS_FILE_TMPDIR/cert" \
		>"$BATS_FILE_TMPDIR/tls.pem"
}

setup_file() {
	make_certificate
	start_mock
}

teardown_file() {
	stop_mock
}

setup() {
	mock_names
	METRICS="# HELP reqs_total Requests.
# TYPE reqs_total counter"
}

# A failure tells these words, prints nothing and has this status.
refused() {
	local words=$1 expected=$2
	shift 2
	run_split obs-scrape "$@"
	assert_status "$expected"
	refute_output
	assert_stderr_has "$words"
	assert_stderr_lines 1
}

@test "a target's samples are labelled with its address as it was given" {
	run_split obs-scrape "$AT"
	assert_status 0
	assert_output "$METRICS
reqs_total{worker_addr=\"$AT\"} 5
"
}

@test "targets come from stdin when there is no operand" {
	run_split obs-scrape <<<"# the only one
http://$AT/metrics # here"
	assert_status 0
	assert_output_has "worker_addr=\"http://$AT/metrics\"} 5"
}

@test "HELP and TYPE of a family are printed once, for promtool's sake" {
	run_split obs-scrape "$AT/metrics?1" "$AT/metrics?2"
	assert_status 0
	[ "$(grep -c '^# TYPE reqs_total counter$' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^reqs_total{' <<<"$output")" -eq 2 ]
	skip_without promtool
	promtool check metrics <<<"$output"
}

@test "a label that the target has already moves to exported_" {
	run_split obs-scrape "w=http://$AT/labels"
	assert_status 0
	assert_output '# TYPE r gauge
r{worker_addr="w",exported_worker_addr="w1"} 1
r{worker_addr="w"} 2
r{worker_addr="w",exported_exported_worker_addr="w2",exported_worker_addr="w0"} 4
'
}

@test "--honor-labels keeps the target's own label" {
	run_split obs-scrape --honor-labels "w=http://$AT/labels"
	assert_status 0
	assert_output '# TYPE r gauge
r{worker_addr="w1"} 1
r{worker_addr="w"} 2
r{worker_addr="w2",exported_worker_addr="w0"} 4
'
}

@test "--label adds to all samples, --addr-label renames, --no-addr-label leaves out" {
	run_split obs-scrape -l 'job=a "b"\n' -l x= --addr-label a "w=http://$AT/metrics"
	assert_output "$METRICS
reqs_total{a=\"w\",job=\"a \\\"b\\\"\\\\n\"} 5
"
	run_split obs-scrape --no-addr-label "$AT"
	assert_output "$METRICS
reqs_total 5
"
}

@test "a label needs a name and a value" {
	run_split obs-scrape -l a-b=1 "$AT"
	assert_status 2
	assert_stderr_has '--label=a-b=1: "a-b" is not a valid label name'
	run_split obs-scrape -l a=1 -l a=2 "$AT"
	assert_status 2
	assert_stderr_has "--label=a=2: label a is given twice"
	run_split obs-scrape -l __name__=x "$AT"
	assert_status 2
	run_split obs-scrape --addr-label 1x "$AT"
	assert_status 2
}

@test "names in quotes, NaN, escapes and a missing last newline are kept right" {
	run_split obs-scrape "w=http://$AT/odd"
	assert_status 0
	assert_output '# HELP "a.b" why
# TYPE "a.b" gauge
{"a.b",worker_addr="w",le="1"} NaN 7
{"a.b",worker_addr="w",y="q\"\\\n"} +Inf
'
}

@test "OpenMetrics becomes text: names of samples, milliseconds, no EOF" {
	run_split obs-scrape "w=http://$AT/openmetrics"
	assert_status 0
	assert_output '# HELP reqs_total Asked.
# TYPE reqs_total counter
reqs_total{worker_addr="w"} 5 1500
reqs_created{worker_addr="w"} 1
# TYPE v_info gauge
v_info{worker_addr="w",a="b"} 1
'
}

@test "a bad line costs itself only, is told and counted" {
	run_split obs-scrape "w=http://$AT/bad-lines"
	assert_status 1
	assert_output 'good{worker_addr="w"} 1
good{worker_addr="w"} 2 3
'
	assert_stderr_has "w: skipped 2 malformed lines, the first of them line 2:"
}

@test "--strict leaves a target with a bad line out whole" {
	refused "w at http://$AT/bad-lines:2: column" 3 \
		--strict "w=http://$AT/bad-lines"
}

@test "--up tells of targets that are up and of those that are not" {
	run_split obs-scrape --up "u=http://$AT/metrics" "d=http://$AT/status/500"
	assert_status 1
	assert_output_has 'up{worker_addr="u"} 1'
	assert_output_has 'scrape_samples_scraped{worker_addr="u"} 1'
	assert_output_has 'up{worker_addr="d"} 0'
	assert_output_has 'scrape_samples_scraped{worker_addr="d"} 0'
	assert_output_has 'scrape_duration_seconds{worker_addr="d"} 0.0'
	[ "$(grep -c '^# TYPE up gauge$' <<<"$output")" -eq 1 ]
	# Nor does what could not be reached, before any body came, say it again.
	run_split obs-scrape --up 127.0.0.1:1 127.0.0.1:2 "$AT/metrics"
	assert_status 1
	assert_stderr_lines 2
	[ "$(grep -c '^# TYPE up gauge$' <<<"$output")" -eq 1 ]
	[ "$(grep -c '^up{' <<<"$output")" -eq 3 ]
}

@test "gzip and deflate are decoded" {
	run_split obs-scrape "$AT/gzip" "$AT/deflate"
	assert_status 0
	[ "$(grep -c '} 5$' <<<"$output")" -eq 2 ]
}

@test "a unix socket is a target" {
	run_split obs-scrape "unix:$SOCK:/gzip"
	assert_status 0
	assert_output_has "reqs_total{worker_addr=\"unix:$SOCK:/gzip\"} 5"
}

@test "a body that is shorter than announced is refused, and retried" {
	refused "truncated" 4 --retries 1 "$AT/short?r"
	[ "$(requests '/short\?r' | wc -l)" -eq 2 ]
	refused "truncated" 4 "$AT/chunk"
}

@test "a broken page adds nothing to that of a healthy worker" {
	run_split obs-scrape "$AT/short" "$AT/chunk" "ok=http://$AT/metrics"
	assert_status 1
	assert_output "$METRICS
reqs_total{worker_addr=\"ok\"} 5
"
	assert_stderr_lines 2
}

@test "where only the connection's end ends the body, its last line must be whole" {
	run_split obs-scrape "$AT/closed"
	assert_status 0
	refused "truncated: the last line has no end" 3 "$AT/closed-cut"
	refused "truncated" 3 "$AT/cut-gzip"
	refused "truncated: OpenMetrics without its # EOF" 3 "$AT/openmetrics-cut"
}

@test "pages of HTML, empty bodies and other text are refused with a reason" {
	refused "HTML" 3 "$AT/html"
	refused "HTML" 3 "$AT/html-as-text"
	refused "empty" 3 "$AT/empty-to-the-end"
	refused "no-metrics:1: column" 3 "$AT/no-metrics"
}

@test "a failure comes with the first line of what the server says" {
	run_split obs-scrape "$AT/broken"
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has 'broken: HTTP status 500: no GPU \x1b[31mleft'
	run_split obs-scrape --router "http://$AT/broken"
	assert_status 4
	assert_stderr_has 'HTTP status 500: no GPU left'
	run_split obs-scrape "$AT/broken-page"
	assert_stderr_has 'broken-page: HTTP status 502'
	[[ ${stderr:-} != *nginx* ]] || fail_with "a page for browsers"
	# Shortened between characters.
	run_split obs-scrape "$AT/broken-long"
	assert_stderr_has "HTTP status 500: a$(printf 'ü%.0s' {1..59})"
	[[ ${stderr:-} != *'\x'* ]] || fail_with "half a character"
}

@test "an answer that nobody asked for is not the next, over TLS and unix sockets" {
	local target
	for target in "--insecure w=https://$TLS/second-answer" \
		"--no-addr-label unix:$SOCK:/second-answer"; do
		# shellcheck disable=SC2086 # a list
		run_split obs-scrape -i 0.4 -n 3 $target
		assert_status 0
		[ "$(grep -c '^n_total.* [0-9]' <<<"$output")" -eq 3 ]
		[[ $output != *stale_total* ]] || fail_with "a late answer"
	done
}

@test "standard input is given once" {
	run_split obs-scrape - - </dev/null
	assert_status 2
	assert_stderr_has 'standard input given twice'
	run_split obs-scrape --targets-from - - </dev/null
	assert_status 2
	run_split obs-scrape --targets-from - --sd - </dev/null
	assert_status 2
	assert_stderr_has 'standard input given twice'
}

@test "metrics that a framework calls text/html are metrics" {
	run_split obs-scrape --no-addr-label "$AT/metrics-as-html"
	assert_status 0
	assert_output_has 'reqs_total 5'
}

@test "a byte order mark before an exposition costs no line" {
	run_split obs-scrape --no-addr-label "$AT/bom"
	assert_status 0
	assert_output $'x_total 1\n'
}

@test "of two TYPEs of a family in one body the first counts" {
	run_split obs-scrape --no-addr-label "$AT/two-types"
	assert_status 0
	assert_output $'# TYPE x counter\nx 1\n'
}

@test "a saved stream is text, whose times are milliseconds, though it ends in EOF" {
	run_split obs-scrape "w=http://$AT/stream"
	assert_status 0
	assert_output '# TYPE x counter
x{worker_addr="w"} 1 1700000000000
'
}

@test "an exposition without samples is legal, and reported" {
	run_split obs-scrape "$AT/comments"
	assert_status 0
	refute_output
	assert_stderr_has "$AT/comments: no samples"
	run_split obs-scrape --up "$AT/empty"
	assert_status 0
	assert_stderr_has "$AT/empty: no samples"
	assert_output_has "up{worker_addr=\"$AT/empty\"} 1"
	refused "JSON, not metrics" 3 "$AT/ray/nodes?view=summary"
}

@test "where a redirect leads: a fragment is dropped, another scheme not followed" {
	run_split obs-scrape "$AT/to-fragment"
	assert_status 0
	assert_output_has "} 5"
	refused "cannot follow a redirect: the host is missing" 3 "$AT/to-file"
}

@test "the status of an answer counts more than what is wrong with its body" {
	refused "HTTP status 404" 4 "$AT/cut-404"
}

@test "a decompression bomb and an endless body stop at --max-bytes" {
	refused "takes more than 1 MiB; raise it with --max-bytes" 3 --max-bytes 1M "$AT/bomb"
	refused "takes more than 1 MiB; raise it with --max-bytes" 3 --max-bytes 1M "$AT/endless"
	refused "takes more than 256 KiB; obstools(7) tells how to raise LIMIT_HEADERS" 3 "$AT/headers"
	refused "a header of more than" 4 "$AT/header"
}

@test "the timeout covers the whole transfer, so that dripping does not help" {
	local i drips=()
	for ((i = 0; i < 40; i++)); do
		drips+=("$AT/drip?$i")
	done
	run_split obs-scrape -t 3 "${drips[@]}" "$AT/hang" "ok=http://$AT/metrics"
	assert_status 1
	assert_output_has 'reqs_total{worker_addr="ok"} 5'
	assert_stderr_lines 41
	# shellcheck disable=SC2154 # run_split sets it
	[ "$(grep -c "timeout after 3 s" <<<"$stderr")" -eq 41 ]
}

@test "a crash leaves no keys in a core file" {
	OBS_API_KEY=secret obs-scrape -t 100 "$AT/hang?core" 3>&- &
	local pid=$!
	# 0 where none may be written anyway.
	eventually grep -qE 'core file size +([01]) +\1 ' "/proc/$pid/limits"
	# A core that is piped to a program, as it may be then, has no memory.
	[ ! -e /proc/self/coredump_filter ] ||
		grep -qE '^0+$' "/proc/$pid/coredump_filter"
	kill "$pid"
}

@test "what hangs holds no others up, even with one request at a time" {
	local pid
	obs-scrape -j 1 -t 100 "$AT/hang?1" "$AT/hang?2" "$AT/metrics?late" \
		>"$TMP/out" 3>&- &
	pid=$!
	eventually grep -q late "$TMP/out"
	kill "$pid"
}

@test "a failing server is asked again, and forbidden things are not" {
	run_split obs-scrape --retries 2 "$AT/flaky?1"
	assert_status 0
	refused "HTTP status 404" 4 --retries 2 "$AT/status/404"
	[ "$(requests /status/404 | wc -l)" -eq 1 ]
}

@test "nothing listening is said in the system's words, status 4" {
	refused "127.0.0.1:1: cannot connect: Connection refused" 4 127.0.0.1:1
}

@test "a token in a URL stays out of messages" {
	refused "127.0.0.1:1/m?access_token=*&n=2: cannot connect" 4 \
		'u:p@127.0.0.1:1/m?access_token=s3cret&n=2'
	refused "127.0.0.1:1/m?sig=*: cannot connect" 4 \
		'http://u:p@127.0.0.1:1/m?sig=s3cret'
}

@test "redirects are followed within the origin, with the key" {
	echo s3cret >"$TMP/key"
	run_split obs-scrape --worker-key-file "$TMP/key" "$AT/same?k"
	assert_status 0
	[ "$(requests '/same\?k')" = "GET /same?k auth=Bearer s3cret" ]
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=Bearer s3cret'
	refused "more than 5 redirects" 4 "$AT/loop"
}

@test "another origin gets no request, or with --cross-origin one without the key" {
	echo s3cret >"$TMP/key"
	refused "redirected to another origin: $OTHER" 4 \
		--api-key-file "$TMP/key" "$AT/away"
	run_split obs-scrape --cross-origin --api-key-file "$TMP/key" "$AT/away"
	assert_status 0
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=None'
	run_split obs-scrape --cross-origin "http://u:pw@$AT/away"
	requests /metrics | tail -n 1 | grep -qx 'GET /metrics auth=None'
}

@test "credentials in a URL are sent, stay with redirects, and are never printed" {
	run_split obs-scrape -v "http://us%65r:p%40w@$AT/same?c"
	assert_status 0
	assert_output_has "worker_addr=\"http://$AT/same?c\""
	[[ $output$stderr != *p%40w* ]]
	requests '/same\?c' | grep -q "auth=Basic $(printf 'user:p@w' | base64)"
	requests /metrics | tail -n 1 | grep -q 'auth=Basic'
	run_split obs-scrape "http://user:hidden@$AT/status/500"
	[[ $stderr != *hidden* ]]
	run_split obs-scrape "http://user:hidden@x:y" "http://user:hid/den@x" \
		"user:hidden@x/y?z=://"
	[[ $stderr != *hid* ]]
	# Nor by a program that takes no URL, or in a value that is wrong.
	run_split obs-aggregate "http://user:hidden@h:1"
	assert_stderr_has "obs-aggregate: http://h:1: cannot open"
	run_split obs-scrape --timeout "http://user:hidden@h:1@3" x
	assert_stderr_has "--timeout=http://h:1@3: expected seconds"
	run_split obs-scrape "unix:$TMP/none:http://user:hidden@x/y"
	assert_stderr_has "unix:$TMP/none:http://x/y: cannot connect"
}

@test "a key comes from a file or the environment: the option wins, the side wins" {
	echo ' s3cret ' >"$TMP/right"
	echo wrong >"$TMP/wrong"
	OBS_WORKER_KEY=s3cret run_split obs-scrape "$AT/guarded"
	assert_status 0
	OBS_API_KEY=s3cret run_split obs-scrape "$AT/guarded"
	assert_status 0
	OBS_API_KEY=x run_split obs-scrape --api-key-file "$TMP/right" "$AT/guarded"
	assert_status 0
	run_split obs-scrape --api-key-file "$TMP/wrong" \
		--worker-key-file "$TMP/right" "$AT/guarded"
	assert_status 0
	refused "HTTP status 401" 4 --api-key-file "$TMP/wrong" "$AT/guarded"
}

@test "a key or password that a server sends back is not printed" {
	local operand basic
	echo s3cret >"$TMP/key"
	for operand in "$AT/told" "--router=http://$AT/told"; do
		run_split obs-scrape --api-key-file "$TMP/key" "$operand"
		assert_status 4
		assert_stderr_has "HTTP status 401: the key is missing or wrong: not allowed: Bearer ******, Bearer ******"
	done
	run_split profile-rollout --action list --api-key-file "$TMP/key" \
		--router-url "http://$AT/told"
	assert_status 4
	assert_stderr_has "not allowed: Bearer ******, Bearer ******"
	basic=$(printf user:s3cret | base64)
	run_split obs-scrape "user:s3cret@$AT/told"
	assert_status 4
	assert_stderr_has "not allowed: Basic ${basic//?/*}"
	[[ $stderr != *"$basic"* && $stderr != *s3cret* ]]
}

@test "an empty key is a usage error, a missing file is not" {
	: >"$TMP/empty"
	run_split obs-scrape --api-key-file "$TMP/empty" "$AT"
	assert_status 2
	assert_stderr_has "the key is empty"
	OBS_API_KEY=" " run_split obs-scrape "$AT"
	assert_status 2
	run_split obs-scrape --api-key-file "$TMP/none" "$AT"
	assert_status 4
}

@test "a proxy of the environment is used with --proxy-env only" {
	export http_proxy=http://127.0.0.1:1
	run_split obs-scrape "$AT"
	assert_status 0
	refused "cannot connect" 4 --proxy-env "$AT"
}

@test "https wants a certificate that is trusted: --cacert, --insecure" {
	skip_without openssl
	refused "certificate" 4 "https://$TLS"
	run_split obs-scrape --cacert "$BATS_FILE_TMPDIR/cert" "https://$TLS"
	assert_status 0
	assert_output_has "{worker_addr=\"https://$TLS\"} 5"
	run_split obs-scrape --insecure "https://$TLS"
	assert_status 0
}

@test "-o writes a file that appears whole" {
	run_split obs-scrape -o "$TMP/out" "$AT"
	assert_status 0
	refute_output
	grep -q '^reqs_total' "$TMP/out"
	run_split obs-scrape -o "$TMP/none" 127.0.0.1:1
	assert_status 4
	[ ! -e "$TMP/none" ]
}

@test "a full disk is one line on stderr and status 4" {
	local status=0
	obs-scrape "$AT" >/dev/full 2>"$TMP/err" || status=$?
	[ "$status" -eq 4 ]
	[ "$(wc -l <"$TMP/err")" -eq 1 ]
}

# bats test_tags=long
@test "1,000 targets, some of which hang, work with 256 descriptors" {
	local i
	for ((i = 0; i < 1000; i++)); do
		[ $((i % 10)) -ne 0 ] && echo "$AT/metrics?$i" || echo "$AT/hang?$i"
	done >"$TMP/targets"
	run_split bash -c "ulimit -n 256
		exec obs-scrape -j 1000 -t 20 --targets-from $TMP/targets"
	assert_status 1
	[ "$(grep -c '^reqs_total{.*} 5$' <<<"$output")" -eq 900 ]
	[ "$(grep -c 'timeout after 20 s' <<<"$stderr")" -eq 100 ]
}

@test "256 targets of 300 KB are all there" {
	printf '%s\n' {1..256} | sed "s,^,$AT/big/300000?," >"$TMP/targets"
	obs-scrape --targets-from "$TMP/targets" >"$TMP/out"
	curl -s "$AT/big/300000" >"$TMP/one"
	[ "$(grep -c '^reqs_total' "$TMP/out")" -eq \
		$((256 * $(grep -c '^reqs_total' "$TMP/one"))) ]
}

@test "a worker whose /metrics is off is read from /v1/loads, which is said" {
	run_split obs-scrape "a=http://$AT/off/metrics"
	assert_status 0
	assert_output '# TYPE sglang_num_running_reqs gauge
sglang_num_running_reqs{worker_addr="a",dp_rank="0"} 3
sglang_num_running_reqs{worker_addr="a",dp_rank="1"} 4
# TYPE sglang_num_waiting_reqs gauge
sglang_num_waiting_reqs{worker_addr="a",dp_rank="0"} 5
# TYPE sglang_token_usage gauge
sglang_token_usage{worker_addr="a",dp_rank="0"} 0.25
'
	assert_stderr_lines 1
	assert_stderr_has 'a: /metrics is off; reading the load'
	# Once in a stream, though each snapshot asks for the metrics first.
	local before
	before=$(requests /off/metrics | wc -l)
	run_split obs-scrape -i 0.05 -n 3 --up "a=http://$AT/off/metrics"
	assert_status 0
	[ "$(grep -c "is off" <<<"${stderr:-}")" = 1 ]
	[ "$(grep -c '^up{worker_addr="a"} 1 ' <<<"$output")" = 3 ]
	[ "$(($(requests /off/metrics | wc -l) - before))" = 3 ]
	# The sums are right: dp ranks have requests of their own.
	obs-scrape "a=http://$AT/off/metrics" 2>/dev/null |
		obs-aggregate --by '' -f tsv >"$TMP/sums"
	grep -q "^sglang_num_running_reqs.*7" "$TMP/sums"
	grep -q "^sglang_token_usage.*0.25" "$TMP/sums"
}

@test "only statuses that say there is no such page lead to the loads" {
	local code
	for code in 404 405 410 501; do
		run_split obs-scrape "a=http://$AT/refused/$code/metrics"
		assert_status 0
		assert_output_has "sglang_num_running_reqs{worker_addr=\"a\"} $code"
	done
	for code in 403 500 503; do
		run_split obs-scrape "a=http://$AT/refused/$code/metrics"
		assert_status 4
		assert_output ''
		assert_stderr_has "HTTP status $code"
	done
	[ "$(requests /refused/500/v1/loads | wc -l)" = 0 ]
}

@test "without metrics and loads the message is that of the metrics" {
	local path
	for path in nowhere other; do
		run_split obs-scrape "$AT/$path/metrics"
		assert_status 4
		assert_output ''
		assert_stderr_lines 1
		assert_stderr_has 'HTTP status 404; is this a router? use --router'
	done
	run_split obs-scrape "$AT/nowhere/metrics" "$AT/off/metrics"
	assert_status 1
	# Another path, or another failure, is not asked for loads.
	obs-scrape "$AT/nowhere" 2>/dev/null || true
	obs-scrape "$AT/status/503" 2>/dev/null || true
	[ "$(requests /v1/loads | wc -l)" = 0 ]
}
