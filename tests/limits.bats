# The limits of lib/base/limits.h: listed for users, and raised by a build.

load test_helper

HEADER=$ROOT/lib/base/limits.h

# NAME VALUE of each constant, the value as a number.
constants() {
	# shellcheck disable=SC2034 # the header's values name them
	local KIB=1024 MIB=$((1 << 20)) GIB=$((1 << 30)) name value
	while read -r _ name value; do
		echo "$name $((value))"
	done < <(grep '^#define LIMIT_' "$HEADER")
}

# The same as obstools(7) tells them: "10,000" and "64 MiB".
listed() {
	local name value unit number
	while read -r name value unit; do
		number=${value//,/}
		case $unit in
		KiB) number=$((number << 10)) ;;
		MiB) number=$((number << 20)) ;;
		GiB) number=$((number << 30)) ;;
		esac
		echo "$name $number"
	done < <(sed -n '/^\.It Dv LIMIT_/ { s/.* Dv //; N; s/\n/ /; s/\.$//; p; }' \
		"$ROOT/man/obstools.7")
}

@test "obstools(7) lists every limit with its value" {
	[ "$(constants | wc -l)" -gt 20 ]
	diff -u <(constants | sort) <(listed | sort) >&2
}

@test "every limit is one that a build may set" {
	diff -u <(sed -n 's/^#define \(LIMIT_[A-Z_]*\) .*/\1/p' "$HEADER") \
		<(sed -n 's/^#ifndef \(LIMIT_[A-Z_]*\)$/\1/p' "$HEADER") >&2
}

@test "every limit is used, and what messages name is one" {
	local name
	while read -r name; do
		echo "name: $name"
		grep -q "^#define $name " "$HEADER"
		[ "$(grep -rlw "$name" "$ROOT"/lib "$ROOT"/cmd | wc -l)" -gt 1 ]
	done < <(grep -rhowE 'LIMIT_[A-Z_]+' "$ROOT"/lib "$ROOT"/cmd | sort -u)
}

# In a copy of the build, of which only two files are compiled again.
@test "make CPPFLAGS=-DLIMIT_LABELS=N raises it without an edit" {
	local build=${OBS_BIN%/bin} copy=$TMP/b
	[[ -e $build/flags && $build != */san && $build != */coverage ]] ||
		skip "no plain build"
	mkdir "$copy"
	cp -rp "$build"/{bin,obj,gen,*.a,members,flags} "$copy"
	sed "s/^/a{/; s/$/} 1/" >"$TMP/many" < <(
		printf 'l%d="v",' $(seq 5000)
		echo)
	run_split obs-aggregate "$TMP/many"
	assert_status 3
	assert_stderr_has "more than 4096 labels; obstools(7) tells how to raise LIMIT_LABELS"
	(unset MAKEFLAGS MAKELEVEL && cd "$ROOT" &&
		make O="$copy" CPPFLAGS=-DLIMIT_LABELS=5000 -o "$copy/flags" \
			-W lib/fmt/prom.c -W lib/model/labels.c \
			"$copy/bin/obs-aggregate" 3>&-)
	run_split "$copy/bin/obs-aggregate" "$TMP/many"
	assert_status 0
	sed -i 's/^a{/a{one="more",/' "$TMP/many"
	run_split "$copy/bin/obs-aggregate" "$TMP/many"
	assert_status 3
	assert_stderr_has "more than 5000 labels"
}

@test "what refuses by a limit says how it is raised" {
	# Statements that set ERR_LIMIT with a text; numbers of series are those
	# of the program, not of a limit.
	local found
	found=$(cat "$ROOT"/lib/{fmt,model,net,sink}/*.c | tr -s '\n\t ' ' ' | grep -oE '[^;]*;' |
		grep -E '(err_set|err_at|_error)\([^"]*ERR_LIMIT,[^"]*"')
	[ "$(wc -l <<<"$found")" -gt 8 ]
	found=$(grep -vE 'ERR_RAISE|"more than %u series' <<<"$found") || return 0
	echo "$found"
	return 1
}
