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

# build_with LIMIT=N PROGRAM: a build of the program with that limit; sets
# $built. It is made in a copy of the build that is told that its flags are
# these already, where only what names the limit is compiled again.
build_with() {
	local build=${OBS_BIN%/bin} copy=$TMP/b file again=()
	[[ -e $build/flags && $build != */san && $build != */coverage ]] ||
		skip "no plain build"
	mkdir "$copy"
	cp -rp "$build"/{bin,obj,gen,*.a,members,flags} "$copy"
	built=$copy/bin/$2
	for file in $(cd "$ROOT" &&
		grep -rlw --include='*.c' "${1%%=*}" lib cmd); do
		again+=(-W "$file")
	done
	set -- make -s -C "$ROOT" O="$copy" CPPFLAGS="-D$1"
	unset MAKEFLAGS MAKELEVEL
	"$@" "$copy/flags" 3>&-
	find "$copy/obj" -name '*.o' -exec touch {} +
	touch "$copy"/*.a
	"$@" "${again[@]}" "$built" 3>&-
}

# bats test_tags=long
@test "make CPPFLAGS=-DLIMIT_LABELS=N raises it without an edit" {
	sed "s/^/a{/; s/$/} 1/" >"$TMP/many" < <(
		printf 'l%d="v",' $(seq 5000)
		echo)
	run_split obs-aggregate "$TMP/many"
	assert_status 3
	assert_stderr_has "more than 4096 labels; obstools(7) tells how to raise LIMIT_LABELS"
	build_with LIMIT_LABELS=5000 obs-aggregate
	run_split "$built" "$TMP/many"
	assert_status 0
	sed -i 's/^a{/a{one="more",/' "$TMP/many"
	run_split "$built" "$TMP/many"
	assert_status 3
	assert_stderr_has "more than 5000 labels"
}

# Of many processes the table is full before the names' text is.
# bats test_tags=long
@test "a profile of too many processes names the limit" {
	build_with LIMIT_LIST=100000 trace-timeline
	seq 3000 | jq -nc '{traceEvents: [inputs |
		{ph: "X", name: "k", pid: ., tid: 1, ts: 5, dur: 1}]}' \
		>"$TMP/p.trace.json"
	run_split "$built" --merge "$TMP/p.trace.json" "$DATA/demo.pt"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "p.trace.json: takes more than 100000 bytes; obstools(7) tells how to raise LIMIT_LIST"
}

# Each key of a histogram stands for two series: their table is full first.
# bats test_tags=long
@test "databases of too many series name the limit" {
	local long entries=() n
	long=$(printf '%01000d' 0)
	for n in $(seq 40); do
		entries+=("[\"h\",\"h_bucket\",{\"l\":\"$long$n\",\"le\":\"1\"},\"\"]")
	done
	mkdir "$TMP/dbs"
	python3 "$ROOT/tests/write_db.py" "$TMP/dbs/histogram_1.db" \
		--size 65536 "${entries[@]}"
	build_with LIMIT_SERIES=100000 obs-multiproc
	run_split "$built" "$TMP/dbs"
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "takes more than 100000 bytes; obstools(7) tells how to raise LIMIT_SERIES"
}

@test "what refuses by a limit says how it is raised" {
	# Statements that set ERR_LIMIT with a text; numbers of series are those
	# of the program, not of a limit.
	local found
	found=$(find "$ROOT"/lib/{fmt,metrics,net,profile,rollout,sink} \
		-name '*.c' -exec sed 's/\("[^";]*\);\([^"]*"\)/\1\2/' {} + |
		tr -s '\n\t ' ' ' | grep -oE '[^;]*;' |
		grep -E '(err_set|err_at|_error)\([^"]*ERR_LIMIT,[^"]*"')
	[ "$(wc -l <<<"$found")" -gt 8 ]
	found=$(grep -vE 'ERR_RAISE|"more than %u series' <<<"$found") || return 0
	echo "$found"
	return 1
}
