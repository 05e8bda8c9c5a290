# Dumps made to hurt: each ends soon, in little memory, with one line or with
# what it holds, and never by a signal.

load test_helper

setup_file() {
	local python
	python=$(python_with json) || return 0
	mkdir "$BATS_FILE_TMPDIR/dumps"
	"$python" "$ROOT/tests/hostile.py" "$BATS_FILE_TMPDIR/dumps"
}

setup() {
	[ -e "$BATS_FILE_TMPDIR/dumps" ] || skip "no python3"
	cd "$BATS_FILE_TMPDIR/dumps" || return
}

# Only what does not end at all, or in the square of its length, is late.
limited() {
	timeout 60 "$@"
}

# What the name of a dump promises holds for the last run.
as_promised() {
	local dump=$1
	assert_no_crash
	case $dump in
	*.ok) assert_status 0 ;;
	*.bad)
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has ": $dump: "
		;;
	*.any) ;;
	esac
}

@test "obs-perfsum survives every hostile dump" {
	for dump in *.ok *.bad *.any; do
		echo "dump: $dump"
		run_split limited obs-perfsum --format json "$dump"
		as_promised "$dump"
	done
}

@test "trace-timeline survives every hostile dump, in under 512 MB" {
	local time=(/usr/bin/time -f %M -o "$TMP/used")
	if [[ ! -x /usr/bin/time || $OBS_BIN == */san/bin ]]; then
		time=() # a sanitizer takes memory of its own
		echo 0 >"$TMP/used"
	fi
	for dump in *.ok *.bad *.any; do
		echo "dump: $dump"
		run_split limited "${time[@]}" trace-timeline --format cache \
			-o "$TMP/out" "$dump"
		as_promised "$dump"
		[ "$status" -le 1 ] || [ ! -e "$TMP/out" ]
		[ "$(tail -n 1 "$TMP/used")" -lt $((512 * 1024)) ]
		rm -f "$TMP/out"
	done
}

@test "a name in the archive that leads out of it is not followed" {
	local python
	python=$(python_with zipfile)
	mkdir "$TMP/a" && cd "$TMP/a"
	"$python" - <<'END'
import zipfile
with zipfile.ZipFile("slip.pt", "w") as z:
    z.writestr("x/data.pkl", b"\x80\x02].")
    z.writestr("../slip.txt", "x")
    z.writestr("x/version", "3\n")
END
	run_split obs-perfsum slip.pt
	assert_status 0
	[ ! -e "$TMP/slip.txt" ]
}

@test "a call in a pickle is shown, not made" {
	cd "$TMP"
	printf '\x80\x02]}(X\x06\x00\x00\x00rewardcposix\nsystem\nX\x0c\x00\x00\x00touch PWNED\n\x85RX\x05\x00\x00\x00trace}X\x06\x00\x00\x00events]}X\x02\x00\x00\x00tsK\x01sasua.' >evil.pkl
	run_split trace-timeline --format cache evil.pkl
	assert_status 0
	assert_output_has '"reward":"<posix.system>"'
	[ ! -e PWNED ]
}

# Values are walked by recursion, as deep as the limits allow.
@test "a deep reward needs no more stack than there is" {
	local deep limit
	deep=$(printf '[%.0s' {1..890})1$(printf ']%.0s' {1..890})
	echo "{\"status\": \"x\", \"reward\": $deep, \"trace\": {\"events\": [{\"ts\": 1}]}}" \
		>"$TMP/deep.jsonl"
	for limit in 128 192 8192; do
		(
			ulimit -s "$limit"
			trace-timeline --format cache "$TMP/deep.jsonl" |
				grep -c '\[\[\[1\]\]\]'
			obs-perfsum --by status "$TMP/deep.jsonl" "$TMP/deep.jsonl"
		)
	done
}
