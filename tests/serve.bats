# The HTTP server of lib/net/server/serve, through the unit test's own program: one
# page beside a file that must never be seen.

load test_helper

setup() {
	skip_without curl
	mkdir "$TMP/site"
	printf '<p>page</p>' >"$TMP/site/a page.html"
	echo SECRET >"$TMP/site/secret.txt"
	start 0
}

teardown() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# Serve on this port; sets $pid and $url.
start() {
	: >"$TMP/url"
	"$OBS_BIN/../unit/serve" 127.0.0.1 "$1" \
		"/a page.html=$TMP/site/a page.html" >"$TMP/url" \
		2>"$TMP/serve.err" 3>&- &
	pid=$!
	eventually [ -s "$TMP/url" ]
	url=$(cat "$TMP/url")
}

# The status of a request; the path goes out as it is written here.
code() {
	local path=$1
	shift
	curl -s --path-as-is -o "$TMP/body" -w '%{http_code}' "$@" "$url$path"
}

# Send bytes as they are, print the first line of the answer.
raw() {
	local port=${url##*:}
	exec 4<>"/dev/tcp/127.0.0.1/$port"
	printf '%b' "$1" >&4
	head -n 1 <&4
	exec 4>&-
}

expect() {
	[ "$1" = "$2" ] || {
		echo "expected $2, got $1 for $3" >&2
		return 1
	}
}

@test "the page is there, encoded in any way, with any query" {
	for path in /a%20page.html /%61%20page%2Ehtml '/a%20page.html?x=1'; do
		expect "$(code "$path")" 200 "$path"
		expect "$(cat "$TMP/body")" '<p>page</p>' "$path"
	done
}

@test "nothing else is, whatever the path looks like" {
	for path in / /secret.txt /../secret.txt /%2e%2e/secret.txt \
		/..%2fsecret.txt /%2e%2e%5csecret.txt //secret.txt \
		/x/../secret.txt /..%252fsecret.txt /a%20page.html/ \
		/a%20page.html%00 /a%20page.html%00.txt /a%20page.html% \
		/a%20page.html%2 /a%20page.htm /A%20page.html //a%20page.html; do
		expect "$(code "$path")" 404 "$path"
		if grep SECRET "$TMP/body"; then
			return 1
		fi
	done
}

@test "a page comes with headers that keep it to itself" {
	run_split curl -si "$url/a%20page.html"
	assert_output_has "Content-Type: text/html; charset=utf-8"
	assert_output_has "Content-Length: 11"
	assert_output_has "Cache-Control: no-store"
	assert_output_has "X-Content-Type-Options: nosniff"
	assert_output_has "Content-Security-Policy: default-src 'none'"
}

@test "HEAD has no body, other methods are refused" {
	expect "$(code /a%20page.html -I)" 200 HEAD
	for method in POST PUT DELETE OPTIONS; do
		expect "$(code /a%20page.html -X $method)" 405 $method
	done
	run_split curl -si -X POST -d x "$url/a%20page.html"
	assert_output_has "Allow: GET, HEAD"
}

@test "a site that makes its name resolve to us gets nothing" {
	expect "$(code /a%20page.html -H 'Host: evil.example')" 403 evil
	expect "$(code /a%20page.html -H 'Host: localhost:1')" 200 localhost
	[[ $(raw 'GET /a%20page.html HTTP/1.1\r\n\r\n') == *400* ]]
}

@test "an overlong URL is refused" {
	local long
	long=$(head -c 100000 /dev/zero | tr '\0' a)
	expect "$(code "/$long")" 414 'a long path'
	expect "$(code "/a%20page.html?$long")" 414 'a long query'
}

@test "a file arrives whole, and a client that leaves harms nobody" {
	head -c 30000000 /dev/urandom >"$TMP/site/a page.html"
	kill "$pid"
	start 0
	curl -s "$url/a%20page.html" | head -c 1000 >/dev/null
	expect "$(code /a%20page.html)" 200 'a large file'
	cmp "$TMP/body" "$TMP/site/a page.html"
}

@test "silent connections do not keep others out" {
	local port=${url##*:} fds=()
	# More than there may be connections.
	for _ in $(seq 300); do
		exec {fd}<>"/dev/tcp/127.0.0.1/$port"
		fds+=("$fd")
	done
	expect "$(code /a%20page.html -m 5)" 200 'the page'
	for fd in "${fds[@]}"; do
		exec {fd}>&-
	done
}

@test "SIGTERM ends it cleanly and the port is free at once" {
	local port=${url##*:}
	for signal in TERM INT; do
		code /a%20page.html
		kill -s $signal "$pid"
		wait "$pid"
		: >"$TMP/url"
		start "$port"
		expect "$url" "http://127.0.0.1:$port" "after SIG$signal"
	done
}

@test "a port in use is refused at once, by name" {
	local port=${url##*:}
	run_split timeout 10 "$OBS_BIN/../unit/serve" 127.0.0.1 "$port"
	[ "$status" -ne 0 ]
	[ "$status" -ne 124 ]
	refute_output
	assert_stderr_has "127.0.0.1:$port is in use"
}
