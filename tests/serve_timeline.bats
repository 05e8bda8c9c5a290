# trace-timeline as a server: the page and its cache, and nothing beside them.

load test_helper

setup() {
	skip_without curl
	mkdir "$TMP/site" "$TMP/site-secrets"
	cp "$DATA/demo.pt" "$TMP/site/step 1.pt"
	echo SECRET | tee "$TMP/secret.txt" "$TMP/site/ok.txt" \
		>"$TMP/site-secrets/key.txt"
	ln -s ../secret.txt "$TMP/site/link.txt"
	start 0
}

teardown() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# start PORT [OPTION]...: sets $pid, and $page, the address printed.
start() {
	: >"$TMP/url"
	trace-timeline --port "$@" "$TMP/site/step 1.pt" >"$TMP/url" \
		2>"$TMP/serve.err" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	page=$(cat "$TMP/url")
	root=$(expr "$page" : '\(http://[^/]*\)')
	port=${root##*:}
}

# The status of a request; the path goes out as it is written here.
code() {
	curl -s --path-as-is -o "$TMP/body" -w '%{http_code}' "$root$1"
}

expect() {
	[ "$1" = "$2" ] || {
		echo "expected $2, got $1 for $3" >&2
		return 1
	}
}

@test "the address printed is the page, on loopback alone" {
	[[ $page == http://127.0.0.1:*/step%201.trace_timeline_viewer.html ]]
	curl -sf "$page" | cmp - "$TMP/site/step 1.trace_timeline_viewer.html"
	curl -sf "$page?x=1" >/dev/null
	curl -sf "$root/step%201.trace_timeline_cache.json" |
		cmp - "$TMP/site/step 1.trace_timeline_cache.json"
	if command -v ss >/dev/null; then
		expect "$(ss -Hltn "sport = :$port" | awk '{print $4}')" \
			"127.0.0.1:$port" 'the socket'
	fi
}

@test "nothing else of the directory is served" {
	for path in /../secret.txt /%2e%2e/secret.txt /..%2fsecret.txt \
		/%2e%2e%5csecret.txt //secret.txt /../site-secrets/key.txt \
		/x/../../secret.txt /link.txt /ok.txt /ok.txt%00.html \
		/..%252fsecret.txt /step%201.pt "$TMP/secret.txt" \
		/step%201.trace_timeline_viewer.html%00.txt /site/; do
		expect "$(code "$path")" 404 "$path"
		if grep SECRET "$TMP/body"; then
			return 1
		fi
	done
}

@test "a port in use ends with one line and status 4" {
	run_split timeout 10 trace-timeline --port "$port" "$TMP/site/step 1.pt"
	assert_status 4
	refute_output
	assert_stderr_has "127.0.0.1:$port is in use"
}

@test "SIGINT and SIGTERM end it, and the port is free at once" {
	local again=$port
	for signal in INT TERM; do
		kill -s $signal "$pid"
		wait "$pid"
		start "$again"
		expect "$port" "$again" "the port after SIG$signal"
	done
}

# Only this machine's own addresses are asked here.
@test "who is let in by --host may call this machine what they like" {
	kill "$pid"
	start 0 --host 0.0.0.0
	[[ $page == http://"$(hostname)":* ]]
	root=http://127.0.0.1:$port
	expect "$(curl -s -o /dev/null -w '%{http_code}' \
		-H "Host: trainer.local:$port" "$root/")" 200 'another name'
}

@test "a host may stand in brackets, and not be empty" {
	kill "$pid"
	start 0 --host '[::1]'
	[[ $page == "http://[::1]:"* ]]
	run_split trace-timeline --host '' "$TMP/site/step 1.pt"
	assert_status 2
	assert_stderr_has "--host needs an address"
}

# confined: wait until the server is, which it is soon after its first line.
confined() {
	grep -q '^Seccomp:' /proc/self/status || skip "no seccomp"
	[[ $OBS_BIN != */san/bin && $OBS_BIN != */coverage/bin ]] ||
		skip "an instrumented build is not confined"
	eventually grep -q '^Seccomp:.2' "/proc/$pid/status"
}

@test "it serves confined, also after it was stopped and continued" {
	confined
	grep -q '^NoNewPrivs:.1' "/proc/$pid/status"
	kill -s STOP "$pid"
	eventually grep -q '^State:.T' "/proc/$pid/status"
	kill -s CONT "$pid"
	expect "$(curl -s -o "$TMP/two" -o "$TMP/body" -w '%{http_code}\n' \
		"$page" "$root/")" $'200\n200' 'two on one connection'
	cmp "$TMP/body" "$TMP/site/step 1.trace_timeline_viewer.html"
	expect "$(curl -s -o "$TMP/body" -w '%{http_code}' -d x "$page")" 405 POST
	kill -s INT "$pid"
	wait "$pid"
	[ "$(wc -l <"$TMP/serve.err")" -eq 1 ]
}

# It has written the pages, which it then guarded from signals.
@test "a terminal that goes away ends it, confined as it is" {
	local status=0
	confined
	kill -s HUP "$pid"
	timeout 120 tail --pid="$pid" -f /dev/null ||
		fail_with "SIGHUP does not end it"
	wait "$pid" || status=$?
	expect "$status" 129 SIGHUP
}

@test "the browser that --open starts is not confined, and given no files" {
	kill "$pid"
	export BROWSER=$TMP/browser
	cat >"$BROWSER" <<-'END'
		#!/bin/sh
		grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status >"$0.new"
		ls -l /proc/self/fd >>"$0.new"
		mv "$0.new" "$0.ran"
	END
	chmod +x "$BROWSER"
	exec 9<"$DATA/timeline.json"
	start 0 --open
	exec 9<&-
	confined
	eventually [ -e "$BROWSER.ran" ]
	grep -q '^Seccomp:.0' "$BROWSER.ran"
	grep -q '^NoNewPrivs:.0' "$BROWSER.ran"
	[ "$(grep -cE "timeline.json|viewer.html" "$BROWSER.ran")" -eq 0 ]
}

@test "it serves where the kernel does not let it confine itself" {
	skip_without valgrind
	[[ $OBS_BIN != */san/bin ]] || skip "valgrind runs plain builds"
	kill "$pid"
	valgrind -q --error-exitcode=99 "$OBS_BIN/trace-timeline" -v --port 0 \
		"$TMP/site/step 1.pt" >"$TMP/url" 2>"$TMP/serve.err" 3>&- &
	pid=$!
	eventually grep -q 'trace-timeline: no seccomp filter: ' "$TMP/serve.err"
	curl -sf "$(cat "$TMP/url")" |
		cmp - "$TMP/site/step 1.trace_timeline_viewer.html"
	kill "$pid"
	wait "$pid"
}
