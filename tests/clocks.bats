# A system clock that is set by an hour or a year, forward and back, while a
# program runs. Clock.so, preloaded, is such a clock (tests/fault/clock.c).

load test_helper
load mock/mock

HOUR=3600
YEAR=31536000

setup_file() {
	command -v python3 >/dev/null || return 0
	start_mock
	"$ROOT/scripts/gen-stream" "$BATS_FILE_TMPDIR/six" --workers 6 \
		--snapshots 100
	! command -v "${CC:-cc}" >/dev/null ||
		"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 \
			-fPIC -shared -o "$BATS_FILE_TMPDIR/clock.so" \
			"$ROOT/tests/fault/clock.c"
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/pid" ] || stop_mock
}

setup() {
	skip_without python3 curl
	mock_names
	export CLOCK_FILE=$TMP/clock
	set_clock 0
}

teardown() {
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# set_clock SECONDS: how far it is ahead of the system's from now on.
set_clock() {
	python3 -c 'import struct, sys
with open(sys.argv[1], "r+b" if len(sys.argv) > 3 else "wb") as f:
    f.write(struct.pack("q", int(sys.argv[2])))' \
		"$CLOCK_FILE" "$1" ${2:+again}
}

# Call it in the test itself: a program in the background cannot skip it.
need_clock() {
	[[ -e $BATS_FILE_TMPDIR/clock.so ]] || skip "no C compiler"
	[[ $OBS_BIN != */san/bin ]] || skip "a sanitizer comes first"
}

# with_clock COMMAND...: instead of this shell, on that clock.
with_clock() {
	LD_PRELOAD=$BATS_FILE_TMPDIR/clock.so exec "$@"
}

# written N PATTERN FILE: as many lines or more.
written() {
	[ "$(grep -c "$2" "$3")" -ge "$1" ]
}

# The processor time of $pid so far, in hundredths of a second.
ticks() {
	awk '{ print $14 + $15 }' "/proc/$pid/stat"
}

# Streams -----------------------------------------------------------------

# scrape_over SECONDS: take six snapshots and set the clock after two of them.
scrape_over() {
	: >"$TMP/stream"
	set_clock 0
	(with_clock obs-scrape -i 0.2 -n 6 "http://$AT/metrics" \
		>"$TMP/stream" 2>"$TMP/err" 3>&-) &
	pid=$!
	eventually written 2 '^# EOF' "$TMP/stream"
	set_clock "$1" again
	timeout 30 tail --pid="$pid" -f /dev/null
	wait "$pid"
}

# check_stamps FILE SECONDS: the clock was set by that much, as the stream says.
check_stamps() {
	python3 -c 'import re, sys
text, jump = open(sys.argv[1]).read(), float(sys.argv[2])
said = float(re.search(r"scrape clock (\S+)", text)[1])
assert abs(said - jump) < 0.1, said
stamps = [[int(s) / 1000 for s in re.findall(r" (\d{12,})$", part, re.M)]
          for part in re.split(r"# obs-scrape clock.*", text)]
apart = stamps[1][0] - stamps[0][-1] - jump
assert 0 < apart < 15, apart
assert all(part == sorted(part) for part in stamps)' "$@"
}

@test "obs-scrape --interval keeps its pace when the clock is set" {
	need_clock
	local jump
	for jump in $HOUR -$HOUR $YEAR -$YEAR; do
		echo "jump: $jump"
		scrape_over "$jump"
		[ "$(grep -c '^# EOF' "$TMP/stream")" -eq 6 ]
		[ "$(grep -c '^# obs-scrape clock' "$TMP/stream")" -eq 1 ]
		grep -q "the clock was set .* by ${jump#-}\.0 s" "$TMP/err"
		check_stamps "$TMP/stream" "$jump"
	done
}

@test "a clock that is not set is not told to be" {
	need_clock
	scrape_over 0
	[ "$(grep -c '^# EOF' "$TMP/stream")" -eq 6 ]
	! grep 'scrape clock' "$TMP/stream" || false
	! grep 'the clock was set' "$TMP/err" || false
}

# jumped SECONDS SNAPSHOT <STREAM: the same on a clock that is set before then.
jumped() {
	python3 -c 'import re, sys
jump, at = float(sys.argv[1]), int(sys.argv[2])
parts = sys.stdin.read().split("# EOF\n")
head, tail = parts[:at], parts[at:]
tail = [re.sub(r" (\d{12,})$", lambda m: f" {int(m[1]) + int(jump * 1000)}",
               part, flags=re.M) for part in tail]
tail[0] = f"# obs-scrape clock {jump:+.3f}\n" + tail[0]
sys.stdout.write("# EOF\n".join(head + tail))' "$1" "$2"
}

# unjumped SECONDS <EVENTS: those after the jump on the clock before it.
unjumped() {
	python3 -c 'import datetime, re, sys
jump = float(sys.argv[1])
first = None
def back(m):
    global first
    t = datetime.datetime.fromisoformat(m[0][:-1])
    first = first or (t if jump == 0 else origin)
    if abs((t - origin).total_seconds()) > abs(jump) / 2 > 0:
        t -= datetime.timedelta(seconds=jump)
    return t.isoformat(timespec="milliseconds")
origin = datetime.datetime.fromtimestamp(
    float(sys.argv[2]), datetime.timezone.utc).replace(tzinfo=None)
sys.stdout.write(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", back, sys.stdin.read()))' \
		"$1" "$(grep -om 1 '[0-9]*$' \
			<(grep -m 1 '^sglang' "$BATS_FILE_TMPDIR/six") |
			sed 's/...$//')"
}

# alike SNAPSHOT COMMAND...: it tells the same of a stream whose clock is set
# before that snapshot, but for the clock.
alike() {
	local at=$1 jump stream=${STREAM-$BATS_FILE_TMPDIR/six}
	shift
	"$@" <"$stream" 2>/dev/null | unjumped 0 >"$TMP/steady"
	[ -s "$TMP/steady" ]
	for jump in $HOUR -$HOUR $YEAR -$YEAR; do
		echo "jump: $jump"
		jumped "$jump" "$at" <"$stream" >"$TMP/jumped"
		"$@" <"$TMP/jumped" 2>/dev/null | unjumped "$jump" >"$TMP/now"
		cmp "$TMP/steady" "$TMP/now" || {
			diff "$TMP/steady" "$TMP/now" | head -n 20
			return 1
		}
	done
}

@test "obs-top --events tells no more and no less when the clock is set" {
	alike 40 obs-top --events
	alike 85 obs-top --events
}

@test "obs-top --once has the same rates when the clock is set" {
	alike 6 obs-top --once
}

@test "rates of obs-aggregate are the same when the clock is set" {
	rates() {
		obs-aggregate --rate -f jsonl --by worker_addr |
			sed 's/"timestamp_ms":[0-9]*,//'
	}
	alike 40 rates
}

@test "a snapshot that comes late hides no jump of the clock" {
	# The 41st is the 40th again.
	awk 'BEGIN { RS = "# EOF\n"; ORS = "# EOF\n" } { print }
		NR == 40 { print }' "$BATS_FILE_TMPDIR/six" >"$TMP/doubled"
	STREAM=$TMP/doubled alike 40 obs-top --events
	STREAM=$TMP/doubled alike 40 obs-aggregate --alarms
}

@test "alarms of obs-aggregate are the same when the clock is set" {
	alike 40 obs-aggregate --alarms
}

# A stream of others may hold anything after these words.
@test "a clock that was set by no number is a comment" {
	local said
	for said in '' x nan inf 1e300 -1e11 '+1 2'; do
		printf '# obs-scrape stream\n# obs-scrape clock %s\na 1 1000\n# EOF\n' \
			"$said" >"$TMP/odd"
		run_split obs-aggregate "$TMP/odd"
		assert_status 0
		assert_output_has 'a 1 1000'
	done
}

@test "a clock that is set behind the last snapshot begins no other" {
	printf 'a 1 1000\n# EOF\n# obs-scrape clock +1.000\n' >"$TMP/cut"
	run_split obs-aggregate "$TMP/cut"
	assert_status 0
	assert_output $'# obs-scrape stream\na 1 1000\n# EOF\n'
	assert_stderr_lines 0
}

# A recording may begin before the engines do.
@test "snapshots without a sample take the time of those that follow" {
	sed '1a # EOF\n# EOF\n# EOF' "$BATS_FILE_TMPDIR/six" >"$TMP/early"
	obs-top --events <"$BATS_FILE_TMPDIR/six" >"$TMP/steady"
	grep -q '  begin  slow_engine  ' "$TMP/steady"
	obs-top --events <"$TMP/early" >"$TMP/now"
	[ "$(grep -c '^2026-11-28T14:00:00.000Z  worker joined  ' "$TMP/now")" -eq 6 ]
	tail -n +7 "$TMP/now" | cmp "$TMP/steady" -
	# The window is full as soon as it would be without them.
	obs-top --once -f json <"$BATS_FILE_TMPDIR/six" |
		sed 's/"snapshot":11,//' >"$TMP/steady"
	obs-top --once -f json <"$TMP/early" |
		sed 's/"snapshot":14,//' >"$TMP/now"
	cmp "$TMP/steady" "$TMP/now"
	obs-aggregate --alarms <"$BATS_FILE_TMPDIR/six" >"$TMP/steady"
	obs-aggregate --alarms <"$TMP/early" >"$TMP/now"
	cmp "$TMP/steady" "$TMP/now"
}

# Servers and spans -------------------------------------------------------

@test "obs-serve answers at once when the clock is set, and idles" {
	need_clock
	local jump before
	(with_clock obs-serve --listen 0 -- echo "hello 1" >"$TMP/url" \
		2>"$TMP/err" 3>&-) &
	pid=$!
	eventually [ -s "$TMP/url" ]
	for jump in $HOUR -$HOUR $YEAR -$YEAR; do
		echo "jump: $jump"
		set_clock "$jump" again
		before=$(ticks)
		[ "$(curl -sf -m 10 "$(cat "$TMP/url")")" = "hello 1" ]
		read -rt 0.5 <> <(:) || true
		[ $(($(ticks) - before)) -lt 20 ]
	done
	[ ! -s "$TMP/err" ]
}

@test "a span is as long as its command ran when the clock is set" {
	need_clock
	local jump
	for jump in $HOUR -$HOUR $YEAR -$YEAR; do
		echo "jump: $jump"
		rm -f "$TMP/trace" "$TMP/runs"
		set_clock 0
		# shellcheck disable=SC2016 # of the command
		(OBS_TRACE_FILE=$TMP/trace with_clock trace-span tool -- sh -c \
			'echo >"$1/runs"; until [ -e "$1/go" ]; do sleep 0.05; done' \
			sh "$TMP" 3>&-) &
		pid=$!
		eventually [ -e "$TMP/runs" ]
		set_clock "$jump" again
		: >"$TMP/go"
		wait "$pid"
		rm "$TMP/go"
		jq -es 'length == 2 and
			.[1].ts - .[0].ts > 0 and .[1].ts - .[0].ts < 60' \
			"$TMP/trace"
	done
}
