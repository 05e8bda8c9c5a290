# What surrounds a program changes nothing of what it prints, and a hostile
# dump makes it touch nothing around it.

load test_helper

@test "a locale with decimal commas gives the same bytes" {
	skip_without localedef
	mkdir "$TMP/locales"
	localedef -i de_DE -f UTF-8 "$TMP/locales/de_DE.UTF-8" 2>/dev/null ||
		skip "no de_DE to make a locale of"
	# glibc never frees what it takes of LOCPATH.
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	printf 'a{x="1"} 1.5\na{x="2"} 2.25\n' >"$TMP/in"
	for command in "obs-aggregate --op mean --without x" "obs-aggregate -f json" \
		"obs-aggregate -f table" "obs-perfsum -p 99.5 $DATA/demo.pt" \
		"obs-perfsum -f table $DATA/demo.pt" \
		"trace-timeline -f summary $DATA/demo.pt" \
		"trace-timeline -f chrome $DATA/demo.pt"; do
		# shellcheck disable=SC2086 # a list of words
		LC_ALL=C $command <"$TMP/in" >"$TMP/c"
		# shellcheck disable=SC2086
		LOCPATH=$TMP/locales LC_ALL=de_DE.UTF-8 $command <"$TMP/in" \
			>"$TMP/de"
		[ -s "$TMP/c" ]
		cmp "$TMP/c" "$TMP/de"
	done
}

# touches_nothing COMMAND...: no file but libraries, what they read of their
# own, evil.* and out* and their directory's list, no process, and no socket.
touches_nothing() {
	strace -f -o calls -e trace=%file,%network,%process \
		"$OBS_BIN/$1" "${@:2}" || [ $? -le 1 ] || fail_with "failed: $*"
	grep -oE ' (open|openat2?|creat|rename[a-z0-9]*|unlink[a-z]*|link[a-z]*|symlink[a-z]*|mkdir[a-z]*)\([^)]*' calls |
		grep -vE 'AT_FDCWD, "\.", [A-Z_|]*O_DIRECTORY' |
		grep -vE '\.so|/etc/ld|/proc/self|openssl|gcda|"(\./)?\.?(evil\.|out)' |
		grep -vE '"/(usr/(lib|share)/locale|etc/localtime|usr/.*/gconv)' \
			>strange || true
	[ ! -s strange ] || fail_with "$*: $(cat strange)"
	[ "$(grep -cE ' (execve|execveat|clone3?|v?fork|socket|connect)\(' calls)" \
		-eq 1 ] || fail_with "$*: a process or a socket"
}

# Dumps, records and a profile that name files, addresses and commands.
make_evil() {
	local python
	printf '\x80\x02]}(X\x06\x00\x00\x00rewardcposix\nsystem\nX\x0c\x00\x00\x00touch PWNED\n\x85RX\x05\x00\x00\x00trace}X\x06\x00\x00\x00events]}X\x02\x00\x00\x00tsK\x01sasua.' >evil.pkl
	cat >evil.json <<-'END'
		{"rollout_id": "file:///etc/passwd", "$ref": "/etc/passwd",
		 "samples": [{"index": "`touch PWNED`", "label": "/etc/passwd",
		  "trace": {"events": [
		   {"type": "span_start", "ts": 1, "span_id": "s",
		    "name": "http://127.0.0.1:9/x;touch PWNED"},
		   {"type": "span_end", "ts": 2, "span_id": "s",
		    "name": "http://127.0.0.1:9/x;touch PWNED",
		    "attrs": {"path": "../evil", "url": "http://127.0.0.1:9"}}]}}]}
	END
	cat >evil.jsonl <<-'END'
		{"type":"event","name":"/etc/passwd","ts":1,"trace_id":"../x"}
	END
	cat >evil.trace.json <<-'END'
		{"traceName": "/etc/passwd", "baseTimeNanoseconds": 1,
		 "include": "http://127.0.0.1:9/", "traceEvents": [
		 {"ph": "X", "name": "$(touch PWNED)", "ts": 1, "dur": 1, "pid": 0,
		  "tid": 0, "args": {"file": "/etc/passwd"}}]}
	END
	python=$(python_with zipfile) || return 0
	"$python" - <<'END'
import os, zipfile
with zipfile.ZipFile("evil.pt", "w") as z:
    z.writestr("x/data.pkl", open("evil.pkl", "rb").read())
    z.writestr("../PWNED", "x")
    link = zipfile.ZipInfo("x/data/0")
    link.external_attr = 0o120777 << 16
    z.writestr(link, "/etc/passwd")
END
}

@test "reading a hostile dump opens, connects and runs nothing of its own" {
	local dump format
	skip_without strace
	strace -o /dev/null true || skip "no ptrace"
	[[ $OBS_BIN != */san/bin ]] || skip "a sanitizer opens what it needs"
	cd "$TMP"
	make_evil
	for dump in evil.p* evil.json; do
		for format in json jsonl table prom tsv; do
			touches_nothing obs-perfsum -f $format -o out --by group \
				--breakdown --stragglers 3 "$dump"
		done
		for format in html cache chrome summary; do
			touches_nothing trace-timeline -f $format -o out "$dump"
		done
		touches_nothing trace-timeline -o out --with evil.jsonl "$dump"
		touches_nothing trace-timeline -o out --merge evil.trace.json \
			"$dump"
		touches_nothing trace-timeline -o out.html --split 1 "$dump"
		touches_nothing trace-timeline --no-serve "$dump"
	done
	touches_nothing obs-perfsum -f table -o out --compare evil.pkl evil.json
	for format in json jsonl table; do
		touches_nothing profile-summary -f $format -o out \
			evil.trace.json
	done
	[ ! -e PWNED ] && [ ! -e ../PWNED ]
}
