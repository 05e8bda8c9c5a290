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
	for command in "obs-aggregate --op mean --by y" "obs-aggregate -f json" \
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

@test "reading a hostile dump opens, connects and runs nothing of its own" {
	local program
	skip_without strace
	[[ $OBS_BIN != */san/bin ]] || skip "a sanitizer opens what it needs"
	cd "$TMP"
	printf '\x80\x02]}(X\x06\x00\x00\x00rewardcposix\nsystem\nX\x0c\x00\x00\x00touch PWNED\n\x85RX\x05\x00\x00\x00trace}X\x06\x00\x00\x00events]}X\x02\x00\x00\x00tsK\x01sasua.' >evil.pkl
	for program in obs-perfsum "trace-timeline -f cache"; do
		# shellcheck disable=SC2086 # a list of words
		strace -f -o calls -e trace=%file,%network,%process \
			"$OBS_BIN"/$program -o out evil.pkl || skip "no ptrace"
		# Libraries, what they read of their own, the operand, the
		# output: no other file, no process, no socket.
		grep -oE '(open|openat|rename|unlink)\([^)]*' calls |
			grep -vE '\.so|/etc/ld|/proc/self|openssl|evil\.pkl|gcda|"\.?out' \
				>strange || true
		echo "$program: $(cat strange)"
		[ ! -s strange ]
		[ "$(grep -cE ' (execve|clone3?|v?fork|socket|connect)\(' calls)" -eq 1 ]
		rm out
	done
	[ ! -e PWNED ]
}
