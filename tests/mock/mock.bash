# One metrics-server for the tests of a file. Load it after test_helper, call
# start_mock from setup_file and stop_mock from teardown_file.

start_mock() {
	python3 "$ROOT/tests/mock/metrics-server" "$BATS_FILE_TMPDIR" >&2 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/pid"
	eventually [ -s "$BATS_FILE_TMPDIR/ports" ]
}

stop_mock() {
	kill "$(cat "$BATS_FILE_TMPDIR/pid")"
}

# Where it is: HOST:PORT, its other origin, the one with TLS, and its socket.
# shellcheck disable=SC2034 # of the tests
mock_names() {
	local ports
	read -ra ports <"$BATS_FILE_TMPDIR/ports"
	AT=127.0.0.1:${ports[0]}
	OTHER=127.0.0.1:${ports[1]}
	TLS=127.0.0.1:${ports[2]}
	SOCK=$BATS_FILE_TMPDIR/sock
}

# The requests it had for paths that match, a line each.
requests() {
	grep -E "^[A-Z]+ $1 " "$BATS_FILE_TMPDIR/log" || true
}
