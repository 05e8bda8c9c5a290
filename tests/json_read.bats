# The JSON reader against Python's json module, on random lines.

# bats file_tags=long

load test_helper

# Read INPUT in blocks of so many bytes; errors become the word alone.
read_lines() {
	"$OBS_BIN/../unit/json_read" "$1" <"$TMP/input" |
		sed -E 's/^@?[0-9]+: .*/error/' >"$TMP/got-$1"
}

@test "random lines, good and broken, read as Python reads them" {
	local python
	python=$(python_with json) || skip "no python3"
	for seed in 1 2; do
		"$python" "$ROOT/tests/random_json.py" "$seed" 1000 \
			"$TMP/input" "$TMP/expected"
		for size in 1 13 65536; do
			read_lines "$size"
			cmp "$TMP/got-$size" "$TMP/expected"
		done
	done
}
