# One metrics-server for the tests of a file. Load it after test_helper, call
# start_mock from setup_file and stop_mock from teardown_file.

start_mock() {
	local i
	python3 "$ROOT/tests/mock/metrics-server" "$BATS_FILE_TMPDIR" \
		"$BATS_FILE_TMPDIR/sock" >&2 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/pid"
	for ((i = 0; i < 100; i++)); do
		[ ! -s "$BATS_FILE_TMPDIR/port" ] || return 0
		sleep 0.05
	done
	return 1
}

stop_mock() {
	kill "$(cat "$BATS_FILE_TMPDIR/pid")"
}

# Where it is: HOST:PORT, its other origin, and its socket.
mock_names() {
	AT=127.0.0.1:$(cat "$BATS_FILE_TMPDIR/port")
	OTHER=127.0.0.1:$(cat "$BATS_FILE_TMPDIR/port2")
	SOCK=$BATS_FILE_TMPDIR/sock
}

# The requests it had for paths that match, a line each.
requests() {
	grep -E "^[A-Z]+ $1 " "$BATS_FILE_TMPDIR/log" || true
}
