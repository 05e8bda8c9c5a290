# Signals at many moments of each program: see signals.py.

# bats file_tags=long

load test_helper

@test "a signal at any moment leaves no process, no file, no profiling engine" {
	local python
	python=$(python_with json) || skip "no python3"
	"$python" "$ROOT/tests/bombs.py" many_spans >"$TMP/dump"
	"$python" "$ROOT/tests/signals.py" --times 2 "$OBS_BIN" "$TMP/dump" >&2
}
