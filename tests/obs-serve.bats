# obs-serve: one command behind one path, whatever clients and command do.

load test_helper

setup() {
	skip_without curl
}

teardown() {
	[ -z "${pid:-}" ] || kill "${signal:--TERM}" "$pid" 2>/dev/null || true
}

# start [OPTION]... -- COMMAND...: serve on a free port; sets $pid and $url.
start() {
	: >"$TMP/url"
	obs-serve --listen 0 "$@" >"$TMP/url" 2>"$TMP/err" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	url=$(cat "$TMP/url")
}

# prints N COMMAND...: does it print that?
prints() {
	[ "$("${@:2}")" -eq "$1" ]
}

children() {
	ps -o pid= --ppid "$pid" | wc -l
}

# A command that says hello at once, notes that it ran, and then what is given.
script() {
	printf '%s\n' '#!/bin/sh' "echo run >>$TMP/runs" "$@" >"$TMP/script"
	chmod +x "$TMP/script"
}

runs() {
	wc -l <"$TMP/runs"
}

code() {
	curl -s -o "$TMP/body" -w '%{http_code}' "$@"
}

assert_code() {
	local want=$1 got
	shift
	got=$(code "$@")
	[ "$got" = "$want" ] || {
		echo "expected $want, got $got: $(head -c 500 "$TMP/body")" >&2
		return 1
	}
}

assert_body() {
	grep -qF -- "$1" "$TMP/body" || {
		echo "expected $1, got: $(head -c 500 "$TMP/body")" >&2
		return 1
	}
}

descriptors() {
	find "/proc/$pid/fd" -mindepth 1 | wc -l
}

# shellcheck disable=SC2009 # pgrep does not tell the state
zombies() {
	ps -o stat= --ppid "$pid" | grep -c Z || true
}

# gone PID: neither there nor waiting to be reaped.
gone() {
	! kill -0 "$1" 2>/dev/null
}

wait_gone() {
	eventually gone "$1" || {
		ps -o pid,pgid,stat,args -p "$1" >&2
		return 1
	}
}

# Send bytes as they are; print what comes back.
raw() {
	local port=${url##*127.0.0.1:}
	exec 4<>"/dev/tcp/127.0.0.1/${port%%/*}"
	printf '%b' "$1" >&4
	timeout 5 cat <&4
	exec 4>&-
}

# What it answers ----------------------------------------------------------

@test "what the command prints is the answer, as text 0.0.4" {
	start -- printf 'up{a="b"} 1\n'
	run_split curl -si "$url"
	assert_output_has "200 OK"
	assert_output_has \
		$'Content-Type: text/plain; version=0.0.4; charset=utf-8\r'
	assert_output_has 'up{a="b"} 1'
}

@test "output that ends in # EOF is OpenMetrics" {
	start -- printf 'up 1\n# EOF\n'
	run_split curl -si "$url"
	assert_output_has "Content-Type: application/openmetrics-text; \
version=1.0.0; charset=utf-8"
}

@test "HEAD has the headers of GET and no body" {
	start -- echo up 1
	run_split curl -sI "$url"
	assert_output_has "200 OK"
	assert_output_has "Content-Length: 5"
}

@test "other paths are 404, other methods 405, and neither runs anything" {
	script 'echo up 1'
	start -- "$TMP/script"
	for path in / /metricsx /metrics/ /..%2fmetrics /-/health; do
		assert_code 404 --path-as-is "${url%/metrics}$path"
	done
	for method in POST PUT DELETE OPTIONS; do
		assert_code 405 -X $method "$url"
	done
	[ ! -e "$TMP/runs" ]
}

@test "/-/healthy answers without the command" {
	start -- false
	assert_code 200 "${url%/metrics}/-/healthy"
	assert_body healthy
}

@test "--path names the path, and a query does not matter" {
	start --path /engine_metrics -- echo up 1
	[[ $url == */engine_metrics ]]
	assert_code 200 "$url?x=1"
	assert_code 404 "${url%/*}/metrics"
}

@test "the URL that is printed is the one that is served, whatever the path" {
	start --path '/a b%20é"' -- echo up 1
	[[ $url == */a%20b%2520%C3%A9%22 ]]
	assert_code 200 "$url"
}

@test "gzip is for those who accept it" {
	start -- seq -f 'x{n="%.0f"} 1' 2000
	for accept in gzip 'deflate, gzip;q=0.5' '*' x-gzip; do
		code -H "Accept-Encoding: $accept" -D "$TMP/head" "$url"
		grep -qi '^content-encoding: gzip' "$TMP/head"
		gunzip -c <"$TMP/body" | cmp - <(seq -f 'x{n="%.0f"} 1' 2000)
		[ "$(stat -c %s "$TMP/body")" -lt 10000 ]
	done
	for accept in '' identity 'gzip;q=0' 'br' 'identity, gzip;q=0.5' \
		'gzip;q=x'; do
		code -H "Accept-Encoding: $accept" -D "$TMP/head" "$url"
		run ! grep -qi '^content-encoding' "$TMP/head"
		cmp "$TMP/body" <(seq -f 'x{n="%.0f"} 1' 2000)
	done
}

# How it fails -------------------------------------------------------------

@test "a command that fails is 500 with the last line of its stderr" {
	start -- sh -c 'echo up 1; echo first >&2; echo the reason >&2; exit 3'
	assert_code 500 "$url"
	assert_body 'the command ended with status 3: the reason'
	run ! grep -q 'up 1' "$TMP/body"
	grep -q 'obs-serve: first' "$TMP/err"
}

@test "a command that dies, or cannot be run, is 500" {
	start -- sh -c 'echo up 1; kill -9 $$'
	assert_code 500 "$url"
	assert_body 'killed by signal 9'
	kill "$pid"
	start -- "$TMP/nothing-here"
	assert_code 500 "$url"
	assert_body 'nothing-here: No such file'
}

@test "a system that has no room for the command is 503, and passes" {
	skip_without prlimit
	start -- echo up 1
	local free=() fd
	for fd in $(seq 0 300); do
		[ -e "/proc/$pid/fd/$fd" ] || free+=("$fd")
	done
	# Three: a connection and one of two pipes.
	prlimit --pid "$pid" --nofile="${free[3]}:1024"
	assert_code 503 "$url"
	assert_body 'cannot run echo: Too many open files'
	prlimit --pid "$pid" --nofile=1024:1024
	assert_code 200 "$url"
}

@test "a pipeline with pipefail does not hide that its first half failed" {
	start -- bash -o pipefail -c 'false | echo up 1'
	assert_code 500 "$url"
}

@test "no sample is no answer, unless that is allowed" {
	start -- bash -c 'false | cat; echo "# TYPE x gauge"'
	assert_code 500 "$url"
	assert_body 'printed no sample'
	kill "$pid"
	start --allow-empty -- true
	assert_code 200 "$url"
}

@test "a byte order mark is not passed on" {
	printf '\xef\xbb\xbfup 1\n' >"$TMP/bom"
	start -- cat "$TMP/bom"
	curl -s "$url" >"$TMP/answer"
	printf 'up 1\n' | cmp - "$TMP/answer"
}

@test "what is no exposition is no answer, though the command succeeded" {
	local what
	echo 'up 1' | gzip >"$TMP/gzip"
	echo '<html><pre>' $'\nup 1\n' '</pre>' >"$TMP/html"
	echo '{"error": "no metrics today"}' >"$TMP/json"
	echo 'metrics are down, come back later' >"$TMP/text"
	for what in gzip:'the command printed gzip data, not metrics' \
		html:'the command printed an HTML page, not metrics' \
		json:'the command printed JSON, not metrics' \
		text:'the command printed no metrics: line 1: '; do
		start --allow-empty -- cat "$TMP/${what%%:*}"
		assert_code 500 --compressed "$url"
		assert_body "${what#*:}"
		grep -qF "${what#*:}" "$TMP/err"
		kill "$pid"
	done
}

@test "a stream of snapshots is no answer: its times are not an exposition's" {
	local text
	for text in '# obs-scrape stream\na 1 1700000000000\n# EOF\n' \
		'a 1\n# EOF\na 2\n# EOF\n'; do
		start -- printf "%b" "$text"
		assert_code 500 "$url"
		assert_body 'printed a stream of snapshots, not one exposition'
		kill "$pid"
	done
	start -- printf 'a 1\n# EOF\nb 2\n' # a comment, in text 0.0.4
	assert_code 200 "$url"
}

@test "what a command said cannot move the terminal of who asks" {
	start -- sh -c 'printf "\033[31mred\233\n" >&2; exit 1'
	assert_code 500 "$url"
	assert_body 'status 1: \x1b[31mred\x9b'
	grep -qF '\x1b[31mred\x9b' "$TMP/err"
	run ! grep -q $'\e' "$TMP/err"
}

@test "a line that is not valid is reported and served with the others" {
	start -- printf 'a 1\nb is 2\nc 3\n'
	assert_code 200 "$url"
	assert_body 'b is 2'
	eventually [ -s "$TMP/err" ]
	grep -q 'invalid lines of the output: 1; the first is line 2: ' "$TMP/err"
}

@test "partly done is a failure, unless that is allowed" {
	start -- sh -c 'echo up 1; exit 1'
	assert_code 500 "$url"
	kill "$pid"
	start --allow-partly -- sh -c 'echo up 1; echo w1: refused >&2; exit 1'
	assert_code 200 "$url"
	grep -q 'obs-serve: w1: refused' "$TMP/err"
}

@test "output beyond --max-body ends the command, within bounded memory" {
	start --max-body 1M -- yes 'x 1'
	assert_code 500 -m 5 "$url"
	assert_body 'more than 1048576 bytes'
	awk '/VmHWM/ { exit $2 > 20000 }' "/proc/$pid/status"
}

@test "stderr without end is not kept" {
	start -- sh -c 'head -c 50000000 /dev/zero >&2; echo up 1'
	assert_code 200 -m 10 "$url"
	awk '/VmHWM/ { exit $2 > 20000 }' "/proc/$pid/status"
}

# Time ---------------------------------------------------------------------

@test "--timeout is 504, and takes the whole process group with it" {
	start -t 2 -- sh -c "trap '' TERM; echo \$\$ >$TMP/pid
		sleep 60 & echo \$! >$TMP/pid2; wait; sleep 60"
	assert_code 504 -m 8 "$url"
	assert_body 'took longer than 2 s'
	wait_gone "$(cat "$TMP/pid")"
	wait_gone "$(cat "$TMP/pid2")"
	[ "$(zombies)" -eq 0 ]
}

# Case 113: the scraper says how long it waits.
@test "X-Prometheus-Scrape-Timeout-Seconds is obeyed, with a margin" {
	local begin end
	start -t 60 -- sh -c "echo \$\$ >$TMP/pid; sleep 60 | cat; echo late 1"
	begin=$(date +%s%N)
	assert_code 504 -H 'X-Prometheus-Scrape-Timeout-Seconds: 2.5' -m 8 \
		"$url"
	assert_body 'longer than the scraper waits'
	end=$(date +%s%N)
	[ $((end - begin)) -gt 2000000000 ]
	wait_gone "$(cat "$TMP/pid")"
}

@test "a scrape timeout that is none leaves the server's own" {
	start -t 0.5 -- sleep 60
	for value in abc -1 1e999 '' 0 nan; do
		assert_code 504 -m 5 "$url" \
			-H "X-Prometheus-Scrape-Timeout-Seconds: $value"
		assert_body 'took longer than 0.5 s'
	done
}

@test "one scraper's haste does not cost the other its answer" {
	script "until [ -e $TMP/go ]; do sleep 0.05; done; echo up 1"
	start -t 60 -- "$TMP/script"
	curl -s -o "$TMP/late" -w '%{http_code}' "$url" >"$TMP/patient" &
	patient=$!
	eventually [ -s "$TMP/runs" ]
	assert_code 504 "$url" \
		-H 'X-Prometheus-Scrape-Timeout-Seconds: 0.3'
	touch "$TMP/go"
	wait "$patient"
	[ "$(cat "$TMP/patient")" = 200 ]
	[ "$(runs)" -eq 1 ]
}

# Case 113, too.
@test "a client that leaves takes the command with it" {
	start -t 60 -- sh -c "echo \$\$ >$TMP/pid; sleep 60 | cat"
	curl -s "$url" &
	eventually [ -s "$TMP/pid" ]
	kill $!
	wait_gone "$(cat "$TMP/pid")"
	assert_code 200 "${url%/metrics}/-/healthy"
}

# Sharing ------------------------------------------------------------------

@test "requests that come together share one run" {
	local before
	script "until [ -e $TMP/go ]; do sleep 0.05; done; echo up 1"
	start -t 60 -- "$TMP/script"
	before=$(descriptors)
	for i in $(seq 20); do
		curl -s -o "$TMP/body$i" "$url" &
		clients[i]=$!
	done
	# A connection each, and the command's two pipes.
	eventually prints $((before + 22)) descriptors
	touch "$TMP/go"
	wait "${clients[@]}"
	[ "$(runs)" -eq 1 ]
	[ "$(cat "$TMP"/body* | grep -c 'up 1')" -eq 20 ]
}

@test "--max-age gives an answer again, until it is too old; failures not" {
	script "[ -e $TMP/bad ] && exit 1; echo up 1"
	start --max-age 60 -- "$TMP/script"
	for _ in 1 2 3 4 5; do
		assert_code 200 --compressed "$url"
		assert_body 'up 1'
	done
	[ "$(runs)" -eq 1 ]
	kill "$pid"
	start --max-age 0.2 -- "$TMP/script"
	assert_code 200 "$url"
	sleep 0.3
	touch "$TMP/bad"
	assert_code 500 "$url"
	rm "$TMP/bad"
	assert_code 200 "$url"
	[ "$(runs)" -eq 4 ]
}

# What is left behind ------------------------------------------------------

# Case 112: a filter that leaves a child in the background.
@test "no zombies, no descriptors, and no waiting for what stays behind" {
	local before
	start -- sh -c 'echo "# TYPE ok gauge"; echo ok 1; (sleep 60) & exit 0'
	before=$(descriptors)
	for _ in $(seq 10); do
		assert_code 200 -m 8 "$url"
	done
	for i in $(seq 20); do
		curl -s -m 20 "$url" -o "$TMP/body$i" &
		clients[i]=$!
	done
	wait "${clients[@]}"
	grep -q 'ok 1' "$TMP/body20"
	eventually prints "$before" descriptors
	eventually prints 0 zombies
	eventually prints 0 children
}

@test "orphans that left the group are adopted, and reaped when they end" {
	skip_without setsid
	start -- sh -c "setsid sh -c 'echo \$\$ >$TMP/orphan; until [ -e $TMP/go ]
		do sleep 0.05; done' >/dev/null 2>&1 &
		until [ -s $TMP/orphan ]; do sleep 0.05; done; echo ok 1"
	assert_code 200 "$url"
	eventually prints 1 children
	touch "$TMP/go"
	eventually prints 0 children
}

@test "it reaps as process 1 of a namespace, too" {
	unshare -pf --mount-proc true 2>/dev/null || skip "no namespaces"
	# What unshare ignores SIGTERM for would go on.
	signal=-KILL
	unshare -pf --mount-proc --kill-child obs-serve --listen 0 -- \
		sh -c 'echo ok 1; ps -eo stat= | grep -c Z >&2; (true) & exit 0' \
		>"$TMP/url" 2>"$TMP/err" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	url=$(cat "$TMP/url")
	for _ in 1 2 3; do
		assert_code 200 "$url"
	done
	run ! grep -qE 'obs-serve: [1-9]' "$TMP/err"
}

# shellcheck disable=SC2016 # the command's own shell expands
@test "the command has no descriptor that the server was given" {
	local version
	version=$(uname -r)
	printf '%s\n' 5.11 "${version%%[!0-9.]*}" | sort -VC ||
		skip "Linux $version passes them on"
	exec 9<"$DATA/demo.pt"
	start -- sh -c 'echo "given $(ls -l /proc/self/fd | grep -c demo.pt)"'
	exec 9<&-
	assert_code 200 "$url"
	assert_body 'given 0'
}

# Signals 32 and 33 are the C library's own.
# shellcheck disable=SC2016 # the command's own shell expands
@test "the command has no descriptor of ours, default signals, its own group" {
	start -- sh -c 'echo "ours $(ls -l /proc/$$/fd |
			grep -cE "socket|eventpoll|signalfd")"
		awk "/SigIgn|SigBlk/ { print \$1, \$2 }" /proc/$$/status |
		tr -d :; echo "group $(($(ps -o pgid= $$) == $$))"
		read -r x || echo stdin 0'
	assert_code 200 "$url"
	assert_body 'ours 0'
	assert_body 'SigBlk 0000000000000000'
	grep -qE 'SigIgn 0000000[01][08]0000000' "$TMP/body"
	assert_body 'group 1'
	assert_body 'stdin 0'
}

# Clients that misbehave ---------------------------------------------------

@test "a client that drips its request is cut" {
	local before
	start --client-timeout 1 -- echo up 1
	exec 4<>"/dev/tcp/127.0.0.1/$(grep -oE '[0-9]+/' <<<"$url" | tr -d /)"
	printf 'GET /metrics HTTP/1.1\r\n' >&4
	before=$(date +%s)
	(for _ in $(seq 100); do
		printf 'X: y\r\n' >&4 || exit 0
		sleep 0.2
	done) 2>/dev/null || true
	exec 4>&-
	[ $(($(date +%s) - before)) -le 12 ]
	assert_code 200 "$url"
}

@test "a client that does not read its answer is cut, and costs no other" {
	local before
	start --client-timeout 1 --max-age 60 -- \
		sh -c 'yes "x 1" | head -c 30000000'
	before=$(descriptors)
	assert_code 200 "$url"
	eventually prints "$before" descriptors
	curl -s --limit-rate 1k "$url" -o "$TMP/slow" &
	slow=$!
	eventually prints $((before + 1)) descriptors
	assert_code 200 -m 20 "${url%/metrics}/-/healthy"
	eventually prints "$before" descriptors
	kill "$slow"
}

@test "connections beyond the cap are told so" {
	start --max-connections 4 -- echo up 1
	local port=${url##*127.0.0.1:} fds=() fd line
	for _ in 1 2 3 4; do
		exec {fd}<>"/dev/tcp/127.0.0.1/${port%%/*}"
		fds+=("$fd")
	done
	assert_code 503 -m 8 "$url"
	# Those that came first are served while others knock.
	exec {fd}<>"/dev/tcp/127.0.0.1/${port%%/*}"
	printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n' \
		>&"${fds[0]}"
	read -r -t 8 line <&"${fds[0]}"
	[[ $line == *200* ]]
	fds+=("$fd")
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
	eventually prints 200 code -m 8 "$url"
}

@test "no Host is 400, that of another site 403, garbage nothing at all" {
	start -- echo up 1
	[[ $(raw 'GET /metrics HTTP/1.1\r\n\r\n') == *400* ]]
	head -c 100000 /dev/urandom >"/dev/tcp/127.0.0.1/$(grep -oE '[0-9]+/' \
		<<<"$url" | tr -d /)" || true
	assert_code 403 -H 'Host: evil.example' "$url"
	assert_code 200 "$url"
}

@test "two Host headers are 400, the same or not" {
	start -- echo up 1
	local at=${url#http://} other
	at=${at%/metrics}
	for other in "Host: $at" "host: evil.example" "HOST:"; do
		[[ $(raw "GET /metrics HTTP/1.1\r\nHost: $at\r\n$other\r\nConnection: close\r\n\r\n") == *" 400 "* ]]
	done
	[[ $(raw "GET /metrics HTTP/1.1\r\nHost: $at\r\nConnection: close\r\n\r\n") == *" 200 "* ]]
}

@test "a request line may name the server, which is checked like Host" {
	start -- echo up 1
	local at=${url#http://} form
	at=${at%/metrics}
	for form in "http://$at/metrics" "HTTP://localhost/metrics?x=1" \
		"http://$at/-/healthy"; do
		[[ $(raw "GET $form HTTP/1.1\r\nHost: $at\r\nConnection: close\r\n\r\n") == *" 200 "* ]]
	done
	for form in "http://$at" "http://$at/" "http://$at//metrics" "ftp://$at/metrics"; do
		[[ $(raw "GET $form HTTP/1.1\r\nHost: $at\r\nConnection: close\r\n\r\n") == *" 404 "* ]]
	done
	for form in "http://evil.example/metrics" "http:///metrics"; do
		[[ $(raw "GET $form HTTP/1.1\r\nHost: $at\r\nConnection: close\r\n\r\n") == *" 403 "* ]]
	done
	[[ $(raw "GET http://$at/metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n") == *" 403 "* ]]
}

# Where it listens ---------------------------------------------------------

@test "a bare port is loopback, a port alone after a colon is refused" {
	start -- echo up 1
	[[ $url == http://127.0.0.1:*/metrics ]]
	for bad in :9100 host 1.2.3.4 ::1:9100 70000 -1 127.0.0.1: unix:; do
		run_split obs-serve --listen="$bad" -- true
		assert_status 2
	done
}

@test "IPv6 listens in brackets, other names are served there only" {
	[ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 ||
		skip "no IPv6"
	obs-serve --listen '[::1]:0' -- echo up 1 >"$TMP/url" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	url=$(cat "$TMP/url")
	[[ $url == 'http://[::1]:'* ]]
	assert_code 200 -g "$url"
}

@test "a unix socket is served, replaced when stale, refused when alive" {
	obs-serve --listen "unix:$TMP/s" -- echo up 1 >"$TMP/url" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	[ "$(cat "$TMP/url")" = "unix:$TMP/s:/metrics" ]
	assert_code 200 --unix-socket "$TMP/s" http://any.name/metrics
	run_split obs-serve --listen "unix:$TMP/s" -- echo up 1
	assert_status 4
	assert_stderr_has 'in use'
	# Until it is gone for good, it may still answer a connection.
	kill -9 "$pid"
	wait "$pid" || true
	: >"$TMP/url"
	obs-serve --listen "unix:$TMP/s" -- echo up 1 >"$TMP/url" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	assert_code 200 --unix-socket "$TMP/s" http://any.name/metrics
	kill "$pid"
	wait "$pid"
	[ ! -e "$TMP/s" ]
}

# A port whose sidecar's, at + 10000, is not one that clients are given.
@test "--grpc-port listens on the sidecar's port, in use it is said so" {
	local port=$((20000 + RANDOM % 2000))
	obs-serve --grpc-port "$port" -- echo up 1 >"$TMP/url" 2>"$TMP/err" \
		3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	[ "$(cat "$TMP/url")" = "http://127.0.0.1:$((port + 10000))/metrics" ]
	run_split obs-serve --grpc-port "$port" -- echo up 1
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has "127.0.0.1:$((port + 10000)) is in use"
}

# The sidecar's port may be some client's of the moment: try others, too.
@test "a gRPC port near the end falls over to 10000 below" {
	local port
	for _ in $(seq 10); do
		port=$((56000 + RANDOM % 9000))
		: >"$TMP/err"
		obs-serve --grpc-port "$port" -- echo up 1 >"$TMP/url" \
			2>"$TMP/err" 3>&- &
		pid=$!
		eventually [ -s "$TMP/url" -o -s "$TMP/err" ]
		[ ! -s "$TMP/url" ] || break
	done
	[ "$(cat "$TMP/url")" = "http://127.0.0.1:$((port - 10000))/metrics" ]
}

@test "a command line that cannot work is refused" {
	for args in "" "--listen 0" "-- true" "--listen 0 --grpc-port 1 true" \
		"--listen 0 --host 127.0.0.1 true" "--listen 0 --path x true" \
		"--listen 0 --path /-/healthy true" \
		"--grpc-port 5 --sidecar-offset -10 true"; do
		# shellcheck disable=SC2086 # words
		run_split obs-serve $args
		assert_status 2
	done
}

# Signals ------------------------------------------------------------------

@test "SIGTERM finishes what is in flight and takes nothing new" {
	script "until [ -e $TMP/go ]; do sleep 0.05; done; echo up 1"
	start -t 60 -- "$TMP/script"
	curl -s "$url" -o "$TMP/answer" &
	client=$!
	eventually [ -s "$TMP/runs" ]
	kill "$pid"
	# No code: there is no connection to be had.
	eventually prints 0 code -m 8 "$url"
	touch "$TMP/go"
	wait "$client"
	grep -q 'up 1' "$TMP/answer"
	wait "$pid"
}

# Two signals at once are one.
@test "a second SIGTERM does not wait, and leaves no process behind" {
	start -t 60 -- sh -c "echo \$\$ >$TMP/pid; sleep 60"
	curl -s "$url" &
	eventually [ -s "$TMP/pid" ]
	kill "$pid"
	eventually run ! kill "$pid"
	wait_gone "$(cat "$TMP/pid")"
	wait "$pid"
}

@test "SIGHUP is harmless" {
	start -- echo up 1
	kill -HUP "$pid"
	assert_code 200 "$url"
	kill -HUP "$pid"
	assert_code 200 "$url"
}

# Load ----------------------------------------------------------------------

# The whole of it is `make soak`.
@test "thousands of requests leave no trace, and are soon answered" {
	[[ $OBS_BIN != */san/* ]] || skip "sanitizers cost time and memory"
	run_split python3 "$ROOT/scripts/soak-serve" "$OBS_BIN" 6000
	assert_status 0
}
