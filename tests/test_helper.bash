# What every bats file loads: where the programs are, where they may write,
# and assertions that say what they saw.
#
#	load test_helper
#	@test "..." { run_split obs-perfsum x.pt; assert_status 3; }

bats_require_minimum_version 1.5.0

ROOT=${BASH_SOURCE[0]%/tests/test_helper.bash}
OBS_BIN=${OBS_BIN:-$ROOT/build/bin}
DATA=$ROOT/tests/data
TMP=$BATS_TEST_TMPDIR
export OBS_BIN DATA TMP
# The system's own commands before others of the same name: python3 may be a
# script that takes ten times as long to find the real one.
export PATH="$OBS_BIN:/usr/bin:$PATH"
# Tests say what they mean by these; the caller's must not leak in.
unset OBS_API_KEY OBS_ROUTER_KEY OBS_WORKER_KEY OBS_TRACE_FILE
unset POSIXLY_CORRECT PROMETHEUS_MULTIPROC_DIR
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

# Run a command with stdin as it is; sets $status, $output (stdout, all lines
# kept) and $stderr (without the end of its last line). As bats's own run with
# --separate-stderr, but for its array of lines, at half of its cost: traps
# that follow each command do not follow these.
run_split() {
	local -
	set +T
	run_untraced "$@"
}

# shellcheck disable=SC2034 # for tests
run_untraced() {
	set +eE
	output=$(
		"$@" 2>"$BATS_TEST_TMPDIR/.stderr"
		status=$?
		printf .
		exit "$status"
	)
	status=$?
	output=${output%.}
	read -rd '' stderr <"$BATS_TEST_TMPDIR/.stderr"
	return 0
}

# eventually COMMAND...: wait until it succeeds. Only what never does takes two
# minutes: others may keep the machine busy.
eventually() {
	local end=$((SECONDS + 120))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "not within 120 s: $*" >&2
			return 1
		}
		sleep 0.05
	done
}

# Names of the programs that are built.
programs() {
	find "$OBS_BIN" -maxdepth 1 -type f -perm -u+x -printf '%f\n' | sort
}

# make_old WORDS: make's own targets for the build under test as it is. "all"
# is not asked again, whose flags may be others: a build with counters would
# lose them in the middle of the tests.
make_old() {
	local build flavour=()
	build=$(cd "$OBS_BIN/.." && pwd)
	case $build in
	*/san) flavour=(SAN=1) build=${build%/san} ;;
	esac
	env -u MAKEFLAGS -u MAKELEVEL -u SAN make -s -C "$ROOT" -o all \
		O="$build" "${flavour[@]}" "$@"
}

skip_without() {
	local command
	for command; do
		command -v "$command" >/dev/null || skip "no $command"
	done
}

# What looking at pages lacks here, if anything.
no_browser() {
	local command cache=${XDG_CACHE_HOME:-$HOME/.cache}/obstools
	for command in node curl "${CHROMIUM:-chromium}"; do
		command -v "$command" >/dev/null ||
			{ echo "no $command"; return; }
	done
	[ -d "$cache/node_modules/playwright-core" ] || echo "no playwright-core"
}

# For setup_file and teardown_file: one browser for all that the file looks at.
start_browser() {
	local socket=$BATS_FILE_TMPDIR/browser
	[ -z "$(no_browser)" ] || return 0
	CHROMIUM=$(command -v "${CHROMIUM:-chromium}") \
		node "$ROOT/tests/browser/host.mjs" "$socket" \
		>"$socket.log" 2>&1 3>&- &
	BROWSER_PID=$!
	export BROWSER_PID
	until [ -S "$socket" ]; do
		kill -0 "$BROWSER_PID" || {
			cat "$socket.log" >&2
			return 1
		}
		sleep 0.02
	done
}

stop_browser() {
	[ -n "${BROWSER_PID-}" ] || return 0
	kill "$BROWSER_PID"
	wait "$BROWSER_PID" || true
}

# look SCRIPT CHECK PAGE [HASH]: a check of a page in headless Chromium, the
# one that start_browser left or its own; see tests/browser/SCRIPT.mjs.
look() {
	local lacks
	lacks=$(no_browser)
	[ -z "$lacks" ] || skip "$lacks"
	if [ -S "$BATS_FILE_TMPDIR/browser" ]; then
		printf '%s\0' "$@" |
			curl -sS --fail-with-body --data-binary @- --unix-socket \
				"$BATS_FILE_TMPDIR/browser" http://browser/ >&2
	else
		CHROMIUM=$(command -v "${CHROMIUM:-chromium}") \
			node "$ROOT/tests/browser/$1.mjs" "${@:2}"
	fi
}

# Where a limit on files is tested: what writes counters at its end would write
# them broken, and those of other runs would go with them.
skip_with_counters() {
	[[ $OBS_BIN != */coverage/* ]] || skip "a build with counters"
}

# cpu_limit SECONDS COMMAND...: what takes more processor time is killed. On a
# machine that others share, the clock says little.
cpu_limit() {
	(ulimit -t "$1" && exec "${@:2}")
}

# Print the python3 that has the modules: Debian's own before another in PATH.
# Whether it has them is asked once a run: torch takes seconds.
python_with() {
	local python modules known
	modules=$(IFS=, && echo "$*")
	known=${OBS_TEST_KNOWN:-$BATS_RUN_TMPDIR}/python-with-$modules
	if [ ! -e "$known" ]; then
		for python in /usr/bin/python3 python3 ''; do
			[ -z "$python" ] ||
				"$python" -c "import $modules" 2>/dev/null || continue
			break
		done
		echo "$python" >"$known.$$"
		mv "$known.$$" "$known"
	fi
	read -r python <"$known"
	[ -n "$python" ] && echo "$python"
}

# Tell what the last run gave, and fail.
# shellcheck disable=SC2154 # run sets status
fail_with() {
	{
		echo "$*"
		echo "status: $status"
		echo "stdout: ${output:0:2000}"
		echo "stderr: ${stderr:0:2000}"
	} >&2
	return 1
}

assert_status() {
	[ "$status" -eq "$1" ] || fail_with "expected status $1"
}

assert_output() {
	[ "$output" = "$1" ] || fail_with "expected stdout: $1"
}

assert_output_has() {
	[[ $output == *"$1"* ]] || fail_with "expected in stdout: $1"
}

assert_stderr_has() {
	[[ $stderr == *"$1"* ]] || fail_with "expected on stderr: $1"
}

assert_stderr_lines() {
	local all=()
	[ -z "$stderr" ] || mapfile -t all <<<"${stderr%$'\n'}"
	[ "${#all[@]}" -eq "$1" ] ||
		fail_with "expected $1 lines on stderr, not ${#all[@]}"
}

refute_output() {
	[ -z "$output" ] || fail_with "expected nothing on stdout"
}

# Neither crashed, nor was killed, nor found by a sanitizer.
assert_no_crash() {
	[ "$status" -lt 99 ] || fail_with "crashed"
}

# Files that a golden output is compared with, as a diff.
assert_same_file() {
	diff -u "$1" "$2" >&2
}

# rollout ID SECONDS...: a dump of that id whose requests took so long each,
# with further attributes of all requests in $ATTRS, as JSON.
rollout() {
	local seconds span event samples=() attrs=${ATTRS-}
	span='{"type": "span_end", "ts": 1, "name": "sglang_generate", "attrs": '
	attrs=${attrs#\{}
	for seconds in "${@:2}"; do
		event="$span{\"e2e_latency\": $seconds${attrs:+, ${attrs%\}}}}}"
		samples+=("{\"trace\": {\"events\": [$event]}}")
	done
	local IFS=,
	printf '{"rollout_id": %s, "samples": [%s]}\n' "$1" "${samples[*]}"
}

# A port of loopback that nothing listens on just now.
free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}
