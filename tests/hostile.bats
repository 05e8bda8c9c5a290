# Dumps made to hurt: each ends soon, in little memory, with one line or with
# what it holds, and never by a signal.

load test_helper

setup() {
	PYTHON=$(python_with json zipfile) || skip "no python3"
	cd "$TMP" || return
}

# The dumps, made by the first test that wants them.
dumps() {
	local dir=$BATS_FILE_TMPDIR/dumps
	if [ ! -e "$dir" ]; then
		mkdir "$dir"
		"$PYTHON" "$ROOT/tests/hostile.py" "$dir"
	fi
	cd "$dir" || return
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
	*.untimed) assert_status 1 ;;
	*.bad)
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has ": $dump: "
		;;
	*.any) ;;
	esac
}

# bats test_tags=long
@test "obs-perfsum survives every hostile dump" {
	dumps
	for dump in *.ok *.untimed *.bad *.any; do
		echo "dump: $dump"
		run_split limited obs-perfsum --format json "$dump"
		as_promised "$dump"
	done
}

# bats test_tags=long
@test "trace-timeline survives every hostile dump, in under 512 MB" {
	dumps
	local time=(/usr/bin/time -f %M -o "$TMP/used")
	if [[ ! -x /usr/bin/time || $OBS_BIN == */san/bin ]]; then
		time=() # a sanitizer takes memory of its own
		echo 0 >"$TMP/used"
	fi
	for dump in *.ok *.untimed *.bad *.any; do
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
	mkdir "$TMP/a" && cd "$TMP/a"
	"$PYTHON" - <<'END'
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
