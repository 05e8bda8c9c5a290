# obs-top: --once, --events, and the screen, which tmux holds and reads. The
# streams come from scripts/gen-stream: engine 10.0.0.2 has a full KV cache, the
# one in the middle becomes slow after a third of the time, the last one stops
# making tokens after half of it.

load test_helper

setup_file() {
	command -v python3 >/dev/null || return 0
	"$ROOT/scripts/gen-stream" "$BATS_FILE_TMPDIR/six" --workers 6 \
		--snapshots 100
	"$ROOT/scripts/gen-stream" "$BATS_FILE_TMPDIR/calm" --workers 3 \
		--snapshots 20 --calm
}

setup() {
	skip_without python3
	SIX=$BATS_FILE_TMPDIR/six
	CALM=$BATS_FILE_TMPDIR/calm
	SOCKET=$TMP/tmux.1
}

teardown() {
	[ -z "${ENGINES:-}" ] || kill "$ENGINES"
	tmux -S "$SOCKET" kill-server 2>/dev/null || true
}

# top ARG...: on a stream of standard input.
top() {
	run_split obs-top "$@"
}

# The screen ---------------------------------------------------------------

# open_screen WIDTHxHEIGHT COMMAND: in a shell of a terminal of that size, which
# then shows the status and the terminal's modes. Each has a socket of its own:
# on that of a server which is ending, tmux starts none.
open_screen() {
	skip_without tmux
	tmux -S "$SOCKET" kill-server 2>/dev/null || true
	SOCKET=$TMP/tmux.$((${SOCKET##*.} + 1))
	rm -f "$TMP/status"
	cat >"$TMP/run" <<-END
		trap : INT
		stty -g >"$TMP/before"
		$2
		status=\$?
		stty -g >"$TMP/after"
		echo "status \$status" >"$TMP/status"
		echo "prompt again"
		exec sleep 1000
	END
	tmux -S "$SOCKET" -f /dev/null new-session -d -x "${1%x*}" \
		-y "${1#*x}" "${@:3}" "env TZ=UTC LC_ALL=${LOCALE:-C.UTF-8} \
		PATH=$PATH bash $TMP/run"
}

press() {
	tmux -S "$SOCKET" send-keys "$@"
}

screen() {
	tmux -S "$SOCKET" capture-pane -p "$@"
}

has() {
	[[ $(screen) == *"$1"* ]]
}

# Is any color used?
colored() {
	[[ $(screen -e) =~ $'\033['([0-9;]*\;)?3[1-7]m ]]
}

shows() {
	eventually has "$1" || {
		screen >&2
		fail_with "the screen never shows $1"
	}
}

lacks() {
	! has "$1"
}

hides() {
	eventually lacks "$1" || {
		screen >&2
		fail_with "the screen still shows $1"
	}
}

# ended STATUS: the program has, and the terminal is as it was.
ended() {
	eventually test -s "$TMP/status" || fail_with "obs-top never ends"
	[ "$(cat "$TMP/status")" = "status $1" ] ||
		fail_with "wanted $1, got $(cat "$TMP/status")"
	diff "$TMP/before" "$TMP/after" >&2
	shows "prompt again"
	lacks "WORKER"
	[ "$(tmux -S "$SOCKET" display -p '#{cursor_flag} #{alternate_on} #{mouse_any_flag}')" = "1 0 0" ] ||
		fail_with "cursor, screen or mouse are not as they were"
}

top_pid() {
	pgrep -P "$(tmux -S "$SOCKET" display -p '#{pane_pid}')" obs-top
}

# No line is wider than the screen, and nothing is cut in the middle.
fits() {
	[ "$(screen | LC_ALL=C.UTF-8 wc -L)" -le "$1" ] ||
		fail_with "wider than $1"
}

@test "what lasts for 100 hours or more is told in days" {
	local at end said=([359990]="99.9 h" [360000]="4 d" [15552000]="180 d")
	for end in "${!said[@]}"; do
		for at in 0 "$end"; do
			printf '%s{worker_addr="a"} %s '$((1800000000 + at))'000\n' \
				sglang:num_running_reqs 3 \
				sglang:num_queue_reqs 3 sglang:token_usage 0.95
			echo '# EOF'
		done >"$TMP/stream"
		top --once --limit kv_full.for=0 <"$TMP/stream"
		assert_output_has "! a: kv_full for ${said[end]}: "
	done
}

# Without a screen ---------------------------------------------------------

@test "--once prints each engine of the first full window, and then ends" {
	top --once <"$SIX"
	assert_status 0
	assert_output_has "2026-11-28T14:00:10.000Z  6 engines, 6 up, "
	[ "$(grep -c '^10\.0\.0\.[1-6] *unified ' <<<"$output")" -eq 6 ]
	assert_output_has "RUN/CAP"
	grep -qE '^10\.0\.0\.1 .* [0-9]+/48 ' <<<"$output"
}

@test "--once does not wait for the end of a stream" {
	mkfifo "$TMP/fifo"
	exec 7<>"$TMP/fifo" # which keeps it open
	cat "$SIX" >"$TMP/fifo" 2>/dev/null &
	top --once -f tsv <"$TMP/fifo"
	kill $! 2>/dev/null || true
	assert_status 0
	[ "$(wc -l <<<"$output")" -eq 8 ]
}

@test "--once says how many snapshots have no time" {
	sed 's/ [0-9]\{13\}$//' "$SIX" >"$TMP/untimed"
	top --once <"$TMP/untimed"
	assert_status 1
	assert_stderr_has "99 snapshots skipped"
}

@test "--once as JSON has the documented keys, and null for what is unknown" {
	top --once --format json <"$SIX"
	assert_status 0
	python3 - "$output" <<-'END'
		import json, sys
		top = json.loads(sys.argv[1])
		assert list(top) == [
		    "time", "window", "snapshot", "fleet", "engines", "alarms"]
		assert top["time"] == 1795874410 and top["window"] == 10
		assert set(top["fleet"]) == {
		    "engines", "up", "running", "queued", "tokens_per_second",
		    "effective_engines", "tail"}
		first = top["engines"][0]
		assert set(first) == {
		    "worker", "role", "up", "age", "running", "cap", "queue",
		    "kv_usage", "hit_rate", "tokens_per_second", "tokens_from",
		    "tokens_per_second_per_request", "ttft_p95", "queue_p95",
		    "retracted_per_minute", "aborted_per_minute", "idle_share",
		    "weight_version", "alarms"}
		assert first["worker"] == "http://10.0.0.1:30000"
		assert first["up"] is True and first["cap"] == 48
		assert first["weight_version"] == 41
	END
	printf 'vllm:num_requests_running 3\n' >"$TMP/vllm"
	top -q --once --format json <"$TMP/vllm"
	assert_status 0
	assert_output_has '"running":3,'
	assert_output_has '"ttft_p95":null'
	assert_output_has '"role":null'
}

# Two engines, ten snapshots, one second apart: what the figures must be.
exact_stream() {
	local n at
	echo "# obs-scrape stream"
	for n in {0..12}; do
		at=$((1800000000000 + n * 1000))
		printf 'sglang:num_running_reqs{worker_addr="a:1"} 8 %s
sglang:num_queue_reqs{worker_addr="a:1"} 2 %s
sglang:token_usage{worker_addr="a:1"} 0.25 %s
sglang:realtime_tokens_total{mode="decode",worker_addr="a:1"} %s %s
sglang:num_retracted_requests_total{worker_addr="a:1"} %s %s
sglang:prompt_tokens_total{worker_addr="a:1"} %s %s
sglang:cached_tokens_total{worker_addr="a:1"} %s %s
sglang:time_to_first_token_seconds_bucket{worker_addr="a:1",le="1"} %s %s
sglang:time_to_first_token_seconds_bucket{worker_addr="a:1",le="2"} %s %s
sglang:time_to_first_token_seconds_bucket{worker_addr="a:1",le="+Inf"} %s %s
' $at $at $at $((n * 400)) $at $((n / 5)) $at $((n * 100)) $at $((n * 30)) $at \
			$((n * 9)) $at $((n * 10)) $at $((n * 10)) $at
		echo "# EOF"
	done
}

@test "what no engine reports is unknown for the fleet, not 0" {
	printf 'vllm:kv_cache_usage_perc{worker_addr="http://a:1"} 0.5 %s\n# EOF\n' \
		1795874711225 1795874712225 >"$TMP/kv"
	top --once --format json <"$TMP/kv"
	assert_status 0
	[ "$(jq -c '.fleet | [.up, .running, .queued, .tokens_per_second, .effective_engines]' <<<"$output")" = \
		'[1,null,null,null,null]' ]
	top --once <"$TMP/kv"
	[[ $output == *'1 engine, 1 up, - tok/s, - running, - queued, effective engines - of 1'* ]]
	printf 'vllm:num_requests_running{worker_addr="http://a:1"} 0 %s\n# EOF\n' \
		1795874711225 1795874712225 >"$TMP/idle"
	top --once --format json <"$TMP/idle"
	[ "$(jq -c '.fleet | [.running, .queued]' <<<"$output")" = '[0,null]' ]
}

@test "rates, ratios and percentiles are those of the window" {
	exact_stream >"$TMP/stream"
	top --once --format json <"$TMP/stream"
	assert_status 0
	python3 - "$output" <<-'END'
		import json, sys
		e = json.loads(sys.argv[1])["engines"][0]
		assert e["running"] == 8 and e["queue"] == 2
		assert e["kv_usage"] == 0.25
		assert abs(e["tokens_per_second"] - 400) < 1e-3
		assert abs(e["tokens_per_second_per_request"] - 50) < 1e-3
		assert abs(e["hit_rate"] - 0.3) < 1e-6
		assert abs(e["retracted_per_minute"] - 12) < 1e-3, e
		# 9 of 10 are below 1 s, so the 95th percentile is 1.5 s
		assert abs(e["ttft_p95"] - 1.5) < 1e-6, e["ttft_p95"]
		assert e["aborted_per_minute"] is None
	END
}

@test "--window says how long, and --once waits for it" {
	exact_stream >"$TMP/stream"
	top --once --window 5 --format json <"$TMP/stream"
	assert_output_has '"time":1800000005.0,"window":5,'
	top --once --window 1h --format json <"$TMP/stream"
	assert_output_has '"time":1800000012.0,"window":3600,'
}

@test "rows fold by role, node, model or a label, and filter and sort" {
	top --once -f tsv --by role <"$SIX"
	[ "$(wc -l <<<"$output")" -eq 3 ]
	grep -qP '^unified\t' <<<"$output"
	top --once -f tsv --by node <"$SIX"
	[ "$(wc -l <<<"$output")" -eq 8 ]
	top --once -f tsv --by tp_rank <"$SIX"
	grep -qP '^0\t' <<<"$output"
	top --once -f tsv --filter 10.0.0.3 <"$SIX"
	[ "$(cut -f1 <<<"$output" | sed -n 2p)" = "http://10.0.0.3:30000" ]
	top --once -f tsv --sort +running <"$SIX"
	cut -f5 <<<"$output" | sed '1d;/^$/d' | sort -C -n
	top --once -f tsv --sort running <"$SIX"
	cut -f5 <<<"$output" | sed '1d;/^$/d' | sort -C -nr
}

# two RUNNING...: $TMP/stream of two engines, a second apart: each runs so many,
# and b makes a third of the tokens.
two() {
	local running n=0
	for running; do
		for w in a=900 b=300; do
			printf 'sglang:%s %d000\n' \
				"num_running_reqs{worker_addr=\"${w%=*}\"} $running" \
				$((1800000000 + n)) \
				"realtime_tokens_total{worker_addr=\"${w%=*}\",mode=\"decode\"} $((n * ${w#*=}))" \
				$((1800000000 + n))
		done
		echo "# EOF"
		n=$((n + 1))
	done >"$TMP/stream"
}

@test "of two engines the worse one is marked, by what the other does" {
	two 8 8 8 8 8
	top --once --window 2s <"$TMP/stream"
	grep -qE '^a .* 900 +112\.5 ' <<<"$output"
	grep -qE '^b .* 300\* +37\.5\* ' <<<"$output"
	# One is not worse for a little less.
	awk '/_total.*"b"/ { $2 = $2 / 300 * 700 } { print }' "$TMP/stream" \
		>"$TMP/near"
	top --once --window 2s <"$TMP/near"
	grep -qE '^b .* 700 +87\.5 ' <<<"$output"
}

@test "--once of a stream that ends idle says which window shows the most" {
	two 2 8 5 8 1 0 0
	top --once <"$TMP/stream"
	assert_output_has 'snapshot 7, the last: rates cover 6 s, less than the window of 10 s
nothing is running in it; --window=3 shows an earlier snapshot, with 16 requests running'
	top --once --window=3 <"$TMP/stream"
	assert_output_has ', 16 running, '
	[[ $output != *'nothing runs'* ]]
	two 2 8 1
	top --once <"$TMP/stream"
	[[ $output != *'nothing runs'* ]]
	two 8 0
	top --once <"$TMP/stream"
	[[ $output != *'nothing runs'* ]]
}

@test "--events has a line per change, as obs-aggregate --alarms has them" {
	top --events --format json -q <"$SIX"
	assert_status 0
	obs-aggregate --alarms --format json -q <"$SIX" >"$TMP/alarms"
	grep -v '"alarm":null' <<<"$output" | grep . | diff - "$TMP/alarms" >&2
	grep -q '"begin","alarm":"slow_engine","worker":"http://10.0.0.4' \
		"$TMP/alarms"
}

@test "--events says when an engine goes and comes back" {
	{
		echo "# obs-scrape stream"
		for n in {0..9}; do
			at=$((1800000000000 + n * 1000))
			for w in a b; do
				[ $w = b ] && [ "$n" -ge 3 ] && [ "$n" -lt 8 ] ||
					echo "vllm:num_requests_running{worker_addr=\"$w\"} 1 $at"
			done
			echo "# EOF"
		done
	} >"$TMP/stream"
	top --events -q <"$TMP/stream"
	assert_output_has \
		"2027-01-15T08:00:05.000Z  worker left  b  last seen 2027-01-15T08:00:02.000Z"
	assert_output_has \
		"2027-01-15T08:00:08.000Z  worker joined  b  last seen 2027-01-15T08:00:02.000Z"
	top --events -q --format json <"$TMP/stream"
	assert_output_has \
		'{"time":1800000005.0,"event":"go","alarm":null,"worker":"b","since":1800000002.0}'
}

@test "--fail-on ends with 5 if the alarm began" {
	top --events -q --fail-on slow_engine <"$SIX"
	assert_status 5
	top --events -q --fail-on any <"$CALM"
	assert_status 0
	# Later snapshots do not count for --once, and it says so.
	top --once -f json --fail-on slow_engine <"$SIX"
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "--fail-on checked only the snapshots up to the first full window; use --events to check the whole stream"
	top --once -f json <"$SIX"
	assert_stderr_lines 0
	top --once -f json --fail-on slow_engine --window 1h <"$SIX"
	assert_status 5
	assert_stderr_lines 0
	top --events --fail-on nonsense <"$CALM"
	assert_status 2
	assert_stderr_has "--fail-on=nonsense: no such alarm; the alarms are down,"
}

@test "the tail has what is left, and since when" {
	{
		echo "# obs-scrape stream"
		for n in {0..14}; do
			at=$((1800000000000 + n * 1000))
			for w in 1 2 3 4; do
				left=$((n < 8 ? 16 : w == 1 ? 3 : 0))
				echo "vllm:num_requests_running{worker_addr=\"$w\"} $left $at"
				echo "vllm:num_requests_waiting{worker_addr=\"$w\"} 0 $at"
			done
			echo "# EOF"
		done
	} >"$TMP/stream"
	top -q --once --window 14 --format json <"$TMP/stream"
	assert_output_has '"tail":{"requests":3,"engines":1,"since":1800000008.0}'
	top -q --once --window 14 <"$TMP/stream"
	assert_output_has "tail: 3 requests left on 1 engine for 6 s"
}

@test "a snapshot that is doubled, late or torn changes nothing" {
	exact_stream >"$TMP/stream"
	python3 - "$TMP/stream" >"$TMP/odd" <<-'END'
		import sys
		head, *parts = open(sys.argv[1]).read().split("# EOF\n")[:-1]
		snapshots = [head.split("\n", 1)[1], *parts]
		out = "# obs-scrape stream\n"
		for n, s in enumerate(snapshots):
		    out += s + "# EOF\n"
		    if n == 4:
		        out += s + "# EOF\n" + snapshots[2] + "# EOF\n"
		    if n == 6:  # the scraper ends in the middle and begins anew
		        out += s[:len(s) // 2].rpartition("\n")[0] + "\n"
		        out += "# obs-scrape stream\n"
		sys.stdout.write(out + snapshots[-1][:200])
	END
	top --once -q --window 12 --format json <"$TMP/stream"
	whole=$output
	top --once -q --window 12 --format json <"$TMP/odd"
	[ "$output" = "$whole" ]
	top --events -q <"$TMP/odd"
	refute_output
}

@test "a torn last snapshot does not take engines away" {
	head -c -3000 "$CALM" >"$TMP/torn"
	top --once --window 100 -f tsv <"$TMP/torn"
	assert_stderr_has "the last snapshot is incomplete; skipped"
	[ "$(awk -F'\t' '$3 == 1' <<<"$output" | wc -l)" -eq 3 ]
}

@test "what is not metrics of engines ends with 3 and says so" {
	top --once <<<'x 1'
	assert_status 3
	refute_output
	assert_stderr_has "no engine metrics in the input"
	top --events </dev/null
	assert_status 3
	top --once <"$ROOT/README.md"
	assert_status 3
	refute_output
}

@test "input without samples gets one message" {
	local text option
	for text in '' x '[]' $'\x1f\x8b'; do
		for option in --verbose --quiet; do
			printf '%s' "$text" >"$TMP/none"
			top --once "$option" <"$TMP/none"
			assert_status 3
			refute_output
			[ "$(wc -l <<<"$stderr")" -eq 1 ]
			[ -n "$stderr" ]
		done
	done
}

@test "a command is started, its failure told" {
	run_split obs-top --once -f tsv -- cat "$CALM" </dev/null
	assert_status 0
	[ "$(wc -l <<<"$output")" -eq 5 ]
	run_split obs-top --once -- sh -c 'echo broken >&2; exit 7' </dev/null
	assert_stderr_has "broken"
	assert_stderr_has "sh exited with status 7"
	run_split obs-top --once -- /no/such </dev/null
	assert_stderr_has "cannot run /no/such: No such file or directory"
	run_split obs-top --once "$CALM" </dev/null
	assert_status 2
	assert_stderr_has "is not a command; to show a saved stream, use obs-top <"
}

@test "--router runs obs-scrape" {
	load mock/engines
	start_engines sglang sglang
	run_split obs-top --once --window 1 -i 0.2 -f tsv --router "$ROUTER" \
		</dev/null
	stop_engines
	assert_status 0
	[ "$(wc -l <<<"$output")" -eq 4 ]
}

@test "usage errors say what is possible" {
	top --sort nonsense --once <"$CALM"
	assert_status 2
	assert_stderr_has "--sort=nonsense: no such column; sort by alarm, worker, role, running, queue"
	top --columns running,x --once <"$CALM"
	assert_status 2
	top --once --events <"$CALM"
	assert_status 2
	top --format tsv --events <"$CALM"
	assert_status 2
	top <"$CALM"
	assert_status 2
	assert_stderr_has "stdout is not a terminal; use --once or --events"
}

# The screen ---------------------------------------------------------------

@test "at each size the slow engine, and since when, is seen at once" {
	local size
	for size in 200x50 120x30 80x24 40x10; do
		open_screen $size "obs-top <$SIX"
		shows "WORKER"
		shows "10.0.0.4"
		fits "${size%x*}"
		[ "${size%x*}" -lt 80 ] ||
			shows "! 10.0.0.4 slow_engine for 50 s, since 14:00:49"
		[ "${size%x*}" -lt 200 ] || shows "IDLE %"
		[ "${size%x*}" -lt 200 ] || shows "try: compare the clocks"
		[ "${size%x*}" -gt 40 ] || shows "RUN/CAP"
		press q
		ended 0
	done
}

@test "the alarm of an engine left alone says until when it was compared" {
	python3 "$ROOT/tests/alarm_cases.py" stream slow_engine_is_left |
		awk '{ print } /# EOF/ && ++n == 30 { exit }' >"$TMP/stream"
	open_screen 200x30 "obs-top --ascii <$TMP/stream"
	shows "! w2 slow_engine for 4 m, since 08:00:10: 267 ms per token, the fleet takes 88.9 ms; compared until 08:03:10, then no other engine ran 4 requests or more; try:"
	# A step that is before that has nothing to say of it.
	press '{'
	shows "! w2 slow_engine for 3 m, since 08:00:10: 267 ms per token, the fleet takes 88.9 ms; try:"
	press q
	ended 0
}

@test "without color nor UTF-8 signs and ASCII bars do" {
	LOCALE=C open_screen 140x24 "obs-top --no-color <$SIX"
	shows "| 6 engines, 6 up |"
	shows "##"
	! grep -q '[^ -~]' <<<"$(screen)" || fail_with "not ASCII"
	! colored || fail_with "colors"
	press q
	ended 0
}

@test "colors and bars are used where there are some" {
	open_screen 140x24 "TERM=xterm-256color obs-top <$SIX"
	shows "█"
	colored || fail_with "no colors"
	press q
	ended 0
}

@test "of two engines the best value is named, and that there are no alarms" {
	two 8 8 8
	open_screen 80x24 "obs-top <$TMP/stream"
	shows "WORKER"
	press Down Enter
	shows "best 112.5"
	press Escape
	shows "WORKER"
	press a
	shows "none so far"
	press q
	ended 0
}

@test "keys sort, filter, fold, step back and open an engine" {
	open_screen 120x30 "obs-top <$SIX"
	shows "replay 14:01:39"
	press /
	shows "filter (name, label or alarm):"
	press "0.0.3" Enter
	hides "10.0.0.5"
	press Escape
	shows "10.0.0.5"
	press f
	shows "unified (6)"
	press f f f
	shows "10.0.0.5"
	press "["
	shows "99/100 14:01:38"
	press "{" "{"
	shows "79/100 14:01:18"
	press "]"
	shows "80/100 14:01:19"
	press Space
	shows "replay 14:01:39"
	press Home Enter
	shows "ALL METRICS"
	shows "sglang:num_running_reqs"
	shows "try: take a stack trace"
	press Escape
	shows "WORKER"
	press a
	shows "ALARMS, newest first"
	press "?"
	shows "KEYS"
	press "?"
	shows "WORKER"
	press c
	press "kv_usage" Enter
	hides "TOK/S/REQ"
	shows "KV %"
	press q
	ended 0
}

@test "m marks engines, and p asks before it profiles them" {
	open_screen 120x30 "obs-top <$SIX"
	shows "replay 14:01:39"
	press p
	shows "profile 1 engine for 3 forward passes? (y or n)"
	press n
	hides "(y or n)"
	press m Down m
	shows "+"
	press p
	shows "profile 2 engines for 3 forward passes? (y or n)"
	press n
	hides "(y or n)"
	press m
	press p
	shows "profile 1 engine for 3 forward passes? (y or n)"
	press n
	press q
	ended 0
}

@test "p on the row of a router asks, and then says why it has no profile" {
	local at
	# shellcheck source=tests/mock/engines.bash
	. "$ROOT/tests/mock/engines.bash"
	start_engines other
	for at in 1000 2000 3000; do
		printf 'sglang:num_running_reqs{worker_addr="http://127.0.0.1:%s"} 3 %s\n# EOF\n' \
			"${PORT[0]}" "$at"
	done >"$TMP/router.prom"
	open_screen 120x30 "obs-top <$TMP/router.prom"
	shows "replay 00:00:03"
	press p
	shows "profile 1 engine for 3 forward passes? (y or n)"
	press y
	shows "or is a router"
	shows "press Enter to go back"
	press Enter
	shows "WORKER"
	press q
	ended 0
}

# line_of TEXT: its line on the screen, from 1.
line_of() {
	screen | grep -nF "$1" | head -n 1 | cut -d : -f 1
}

@test "a click chooses a row and sorts by a heading" {
	open_screen 120x30 "TERM=xterm-256color obs-top <$SIX"
	shows "replay 14:01:39"
	local row head
	# The row of the last engine, so that it is not the chosen one.
	row=$(screen | grep -nE '^.{0,3}10\.0\.0\.[0-9]' | tail -n 1)
	press -l $'\033[<0;5;'"${row%%:*}M"
	press -l $'\033[<0;5;'"${row%%:*}m"
	press Enter
	shows "ALL METRICS"
	has "$(grep -oE '10\.0\.0\.[0-9]+' <<<"$row" | head -n 1)"
	press Escape
	shows "WORKER"
	first_is 10.0.0.1 && fail_with "it is first before the click"
	head=$(line_of WORKER)
	press -l $'\033[<0;3;'"${head}M"
	press -l $'\033[<0;3;'"${head}m"
	eventually first_is 10.0.0.1
	press q
	ended 0
}

# Is this engine in the first row?
first_is() {
	screen | grep -oE '10\.0\.0\.[0-9]+(:[0-9]+)? +(unified|-)' |
		head -n 1 | grep -q "^$1 "
}

@test "it can be resized, down to nothing and back" {
	open_screen 120x30 "obs-top <$SIX"
	shows "TOK/S/REQ"
	tmux -S "$SOCKET" resize-window -x 40 -y 8
	hides "TTFT"
	shows "WORKER"
	tmux -S "$SOCKET" resize-window -x 2 -y 2
	tmux -S "$SOCKET" resize-window -x 160 -y 40
	shows "TTFT p95"
	press q
	ended 0
}

# On what comes from a fifo, which stays open.
live() {
	mkfifo "$TMP/fifo"
	open_screen 120x24 "obs-top <$TMP/fifo"
	exec 7>"$TMP/fifo"
}

# snapshot SECONDS_AGO ENGINE...: of running requests, as obs-scrape has it.
snapshot() {
	local at=$((($(date +%s) - $1) * 1000))
	shift
	for engine; do
		printf 'vllm:num_requests_running{worker_addr="%s"} 4 %s\n' \
			"$engine" $at
	done >&7
	echo "# EOF" >&7
}

@test "a live stream that stalls says so, and its end as well" {
	live
	shows "waiting for the first snapshot"
	echo "# obs-scrape stream" >&7
	snapshot 2 a b
	shows "2 engines, 2 up"
	snapshot 1 a b
	shows "! no snapshot for 1"
	exec 7>&-
	shows "ended"
	press q
	ended 0
}

@test "labels with control bytes and wide characters do no harm" {
	{
		echo "# obs-scrape stream"
		printf 'vllm:num_requests_running{worker_addr="生成🙂"} 4 1800000000000\n'
		printf 'vllm:num_requests_running{worker_addr="a\033[2Jb\\n\007c"} 5 1800000000000\n'
		echo "# EOF"
	} >"$TMP/stream"
	open_screen 80x24 "obs-top <$TMP/stream"
	shows "生成🙂"
	shows 'a\x1b[2Jb\x0a\x07c'
	fits 80
	press q
	ended 0
	top --once -q <"$TMP/stream"
	assert_output_has 'a\x1b[2Jb\x0a\x07c'
}

@test "512 engines are scrolled through" {
	"$ROOT/scripts/gen-stream" "$TMP/many" --workers 512 --snapshots 3
	open_screen 120x24 "obs-top --sort worker <$TMP/many"
	shows "512 engines, 512 up"
	shows " 10.0.0.1 "
	press End
	shows "10.0.2.12 "
	press Home
	shows " 10.0.0.1 "
	press q
	ended 0
}

@test "the terminal is as it was after each signal" {
	local signal status
	for signal in INT:130 TERM:143 HUP:129; do
		open_screen 80x24 "obs-top <$SIX"
		shows "WORKER"
		if [ $signal = INT:130 ]; then
			press C-c
		else
			kill -s "${signal%:*}" "$(top_pid)"
		fi
		status=${signal#*:}
		ended "$status"
	done
}

@test "it is suspended and goes on" {
	open_screen 80x24 "set -m; obs-top <$SIX; kill -0 \$\$; while jobs %1 >/dev/null 2>&1; do echo suspended; read -r; fg; done"
	shows "WORKER"
	press C-z
	shows "suspended"
	lacks "WORKER"
	press Enter
	shows "WORKER"
	press q
	eventually test -s "$TMP/status"
	lacks "WORKER"
}

@test "a crash, too, leaves the terminal as it was" {
	open_screen 80x24 "ulimit -c 0; obs-top <$SIX"
	shows "WORKER"
	kill -s SEGV "$(top_pid)"
	ended 139
}

@test "the scraper's crash is told when the screen is gone" {
	open_screen 80x24 "obs-top -- sh -c 'cat $SIX; echo no engine >&2; kill -9 \$\$'"
	shows "ended"
	press q
	ended 1
	shows "no engine"
	shows "sh was killed by signal 9"
}

@test "a scraper that prints nothing leaves no screen" {
	open_screen 80x24 "obs-top -- sh -c 'echo cannot connect >&2; exit 4'"
	ended 3
	shows "cannot connect"
	shows "sh exited with status 4"
}

@test "a terminal that goes away ends it, and the command it started" {
	open_screen 80x24 "obs-top -- sh -c 'cat $SIX; exec sleep 1234.5'"
	shows "WORKER"
	local pid
	pid=$(top_pid)
	tmux -S "$SOCKET" kill-server
	gone() { ! kill -0 "$pid" 2>/dev/null; }
	eventually gone
	idle() { ! pgrep -f 'sleep 1234\.5' >/dev/null; }
	eventually idle
}

@test "a stream can be saved from the screen, and replayed" {
	cd "$TMP"
	live
	echo "# obs-scrape stream" >&7
	snapshot 3 a b
	shows "2 engines, 2 up"
	press w
	shows "saving begins with the next snapshot"
	snapshot 2 a b c
	shows "saving the stream to obs-top-"
	snapshot 1 a b c d
	shows "4 engines"
	press w
	shows "saved to obs-top-"
	press q
	exec 7>&-
	ended 0
	top --once -q -f tsv <"$(echo "$TMP"/obs-top-*.prom)"
	assert_status 0
	[ "$(wc -l <<<"$output")" -eq 6 ]
}

@test "an unknown terminal is an error that says what to do" {
	open_screen 80x24 "TERM=nonsense obs-top <$SIX"
	eventually test -s "$TMP/status"
	[ "$(cat "$TMP/status")" = "status 4" ]
	shows "the terminal type nonsense is unknown"
}

@test "histories of Prometheus and VictoriaMetrics are read, too" {
	python3 - "$TMP" <<-'END'
		import json, sys
		series = [({"__name__": "vllm:num_requests_running",
		            "worker_addr": w}, [(1800000000 + n, 4 + n)
		                                for n in range(15)])
		          for w in ("a", "b")]
		with open(sys.argv[1] + "/range", "w") as out:
		    json.dump({"status": "success", "data": {
		        "resultType": "matrix", "result": [
		            {"metric": m, "values": [[t, str(v)] for t, v in p]}
		            for m, p in series]}}, out)
		with open(sys.argv[1] + "/export", "w") as out:
		    for m, p in series:
		        print(json.dumps({"metric": m, "values": [v for _, v in p],
		                          "timestamps": [t * 1000 for t, _ in p]}),
		              file=out)
	END
	local file
	for file in range export; do
		top --once -q --window 14 -f tsv <"$TMP/$file"
		assert_status 0
		[ "$(cut -f1,5 <<<"$output" | sed '1d;/^$/d')" = $'a\t18\nb\t18' ] ||
			fail_with "$file: $output"
	done
}
