# obstools/trace.h: C programs built against an installed copy record beside
# each other and beside trace-span.

load test_helper

setup_file() {
	export INSTALLED=$BATS_FILE_TMPDIR/installed
	# An archive with sanitizers is not what is installed.
	[[ $OBS_BIN != */san/* ]] || return 0
	make_old PREFIX=/usr DESTDIR="$INSTALLED" install \
		>"$BATS_FILE_TMPDIR/log" 2>&1
}

setup() {
	[[ $OBS_BIN != */san/* ]] || skip "built with sanitizers"
	export PKG_CONFIG_LIBDIR=$INSTALLED/usr/lib/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$INSTALLED
	export OBS_TRACE_FILE=$TMP/spans.jsonl
	skip_without pkg-config cc jq python3
}

# build SOURCE PROGRAM [COMPILER...]
build() {
	local source=$1 program=$2 counters=()
	[[ $OBS_BIN != */coverage/* ]] || counters=(-lgcov)
	shift 2
	# shellcheck disable=SC2046 # flags
	"${@:-cc}" -Wall -Wextra -Werror -O2 -o "$program" "$source" \
		$(pkg-config --cflags --libs obstools) "${counters[@]}"
}

@test "a program of README's length compiles as C and as C++, and records" {
	cat >"$TMP/reward.c" <<-'EOF'
		#include <obstools/trace.h>

		int main(void)
		{
			struct obs_trace *trace = obs_trace_open(NULL);
			struct obs_span span = obs_span_begin(trace, NULL, "reward", NULL, 0);
			struct obs_attr attrs[] = {
				obs_double("score", 0.5), obs_int("tokens", -7),
				obs_bool("ok", 1), obs_text("why", "a \"b\"\n\xff\xc3\xa9"),
				obs_text("none", NULL), obs_json("list", "[1,\n2]"),
				obs_double("nan", 0.0 / 0.0)};

			obs_event(trace, &span, "checked", attrs, 1);
			obs_trace_next_attempt(trace);
			obs_event(trace, NULL, "again", NULL, 0);
			obs_span_end(&span, attrs, 7);
			obs_span_end(&span, attrs, 7);
			obs_trace_close(trace);
			return obs_trace_lost(trace = NULL) > 0;
		}
	EOF
	cp "$TMP/reward.c" "$TMP/reward.cc"
	build "$TMP/reward.c" "$TMP/c" cc -std=c11
	build "$TMP/reward.cc" "$TMP/cc" c++ -std=c++17
	for program in c cc; do
		rm -f "$OBS_TRACE_FILE"
		OBS_TRACE_SAMPLE=17 OBS_TRACE_GROUP=g OBS_TRACE_PARENT=above \
			"$TMP/$program"
		[ "$(jq -c '[.type, .name, .sample_id, .group_id, .attempt,
			.parent_span_id, .attrs]' "$OBS_TRACE_FILE")" = \
			'["span_start","reward",17,"g",0,"above",null]
["event","checked",17,"g",0,"'"$(jq -rn 'input.span_id' "$OBS_TRACE_FILE")"'",{"score":0.5}]
["event","again",17,"g",1,"above",null]
["span_end","reward",17,"g",0,null,{"score":0.5,"tokens":-7,"ok":true,"why":"a \"b\"\n�é","none":null,"list":[1,2],"nan":null}]' ]
	done
}

# bats test_tags=long
@test "64 processes with 10,000 spans each lose and tear nothing" {
	build "$ROOT/tests/trace/worker.c" "$TMP/worker"
	"$TMP/worker" 64 10000
	python3 - "$OBS_TRACE_FILE" <<-'EOF'
		import collections, json, sys
		workers, parents, ends = {}, collections.Counter(), set()
		starts, events, sums = set(), 0, 0
		for line in open(sys.argv[1]):
		    record = json.loads(line)
		    if record["type"] == "span_start":
		        assert record["span_id"] not in starts
		        starts.add(record["span_id"])
		        if record["name"] == "worker":
		            workers[record["span_id"]] = record["attrs"]["worker"]
		        else:
		            parents[record["parent_span_id"]] += 1
		    elif record["type"] == "span_end":
		        ends.add(record["span_id"])
		        sums += record.get("attrs", {"i": 0})["i"]
		    else:
		        events += 1
		assert sorted(workers.values()) == list(range(64))
		assert starts == ends and len(starts) == 640000
		assert set(parents) == set(workers)
		assert set(parents.values()) == {9999}
		assert events == 64 * 99 and sums == 64 * sum(range(10000))
	EOF
	rm "$OBS_TRACE_FILE"
}

@test "records longer than a page are whole among others" {
	cat >"$TMP/long.c" <<-'EOF'
		#include <obstools/trace.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>

		int main(void)
		{
			struct obs_trace *trace = obs_trace_open(NULL);
			char *text = calloc(1, 20001);

			for (int i = 0; i < 8; i++) {
				if (fork() != 0)
					continue;
				memset(text, 'a' + i, 20000);
				for (int k = 0; k < 100; k++) {
					struct obs_attr attr = obs_text("t", text + 20000 - k * 200);
					obs_event(trace, NULL, "long", &attr, 1);
				}
				_exit(obs_trace_lost(trace) != 0);
			}
			while (wait(NULL) > 0)
				;
			return trace == NULL;
		}
	EOF
	build "$TMP/long.c" "$TMP/long"
	"$TMP/long"
	[ "$(jq -s '[.[].attrs.t | length] | length, add' "$OBS_TRACE_FILE" |
		paste -sd' ')" = "800 7920000" ]
	[ "$(jq -r '.attrs.t' "$OBS_TRACE_FILE" |
		grep -cvE '^(a*|b*|c*|d*|e*|f*|g*|h*)$')" -eq 0 ]
}

@test "a step of the wall clock bends no span, and errno is left alone" {
	cat >"$TMP/step.c" <<-'EOF'
		#include <errno.h>
		#include <obstools/trace.h>
		#include <time.h>

		/* In the place of the C library's: after its first answer the
		 * wall clock is an hour back; each look takes half a second. */
		int clock_gettime(clockid_t clock, struct timespec *t)
		{
			static long looks, halves;

			halves++;
			t->tv_sec = halves / 2;
			t->tv_nsec = halves % 2 * 500000000;
			if (clock == CLOCK_REALTIME)
				t->tv_sec += looks++ == 0 ? 1700003600 : 1700000000;
			return 0;
		}

		int main(void)
		{
			struct obs_trace *trace = obs_trace_open(NULL);
			struct obs_span outer = obs_span_begin(trace, NULL, "outer", NULL, 0);
			struct obs_span inner = obs_span_begin(trace, &outer, "inner", NULL, 0);

			errno = 77;
			obs_event(trace, &inner, "event", NULL, 0);
			obs_span_end(&inner, NULL, 0);
			obs_span_end(&outer, NULL, 0);
			return errno != 77;
		}
	EOF
	build "$TMP/step.c" "$TMP/step"
	"$TMP/step"
	[ "$(jq -c '[.name, .ts - 1700003600]' "$OBS_TRACE_FILE")" = \
		'["outer",1]
["inner",2]
["event",2.5]
["inner",3]
["outer",3.5]' ]
}

@test "a killed program has recorded all, and its open span is shown" {
	cat >"$TMP/killed.c" <<-'EOF'
		#include <obstools/trace.h>
		#include <signal.h>

		int main(void)
		{
			struct obs_trace *trace = obs_trace_open(NULL);
			struct obs_span span = obs_span_begin(trace, NULL, "open", NULL, 0);

			obs_event(trace, &span, "last", NULL, 0);
			return raise(SIGKILL);
		}
	EOF
	build "$TMP/killed.c" "$TMP/killed"
	run "$TMP/killed"
	[ "$status" -eq 137 ]
	trace-timeline --format cache "$OBS_TRACE_FILE" >"$TMP/cache"
	[ "$(jq -c '[.rows[].items[] | [.state, .name, .parent_span_name]]' \
		"$TMP/cache")" = \
		'[["open_span","open",null],["point_event","last","open"]]' ]
}

@test "a program and trace-span hand their spans to each other" {
	cat >"$TMP/pass.c" <<-'EOF'
		#include <obstools/trace.h>
		#include <unistd.h>

		int main(int argc, char **argv)
		{
			struct obs_trace *trace = obs_trace_open(NULL);
			struct obs_span span = obs_span_begin(trace, NULL, "program", NULL, 0);

			(void)argc;
			obs_trace_next_attempt(trace);
			obs_trace_setenv(trace, &span);
			execvp(argv[1], argv + 1);
			return 1;
		}
	EOF
	build "$TMP/pass.c" "$TMP/pass"
	cd "$TMP"
	OBS_TRACE_FILE=spans.jsonl trace-span -s 3 outer -- "$TMP/pass" \
		sh -c 'cd / && trace-span inner -- true'
	[ "$(trace-timeline --format cache "$TMP/spans.jsonl" |
		jq -c '[.rows[].items[] | [.name, .parent_span_name, .attempt]]')" = \
		'[["outer",null,0],["program","outer",0],["inner","program",1]]' ]
}

@test "uninstall leaves nothing behind" {
	unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
	make_old PREFIX=/usr DESTDIR="$TMP/copy" install >"$TMP/log" 2>&1
	[ -e "$TMP/copy/usr/include/obstools/trace.h" ]
	make_old PREFIX=/usr DESTDIR="$TMP/copy" uninstall
	[ -z "$(find "$TMP/copy" -type f)" ]
}
