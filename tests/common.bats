# What every program keeps, whatever it does: help, version, error phrases,
# its man page, and honesty about a full disk.

load test_helper

# each FUNCTION: call it with every program; what failed is the last one told.
each() {
	local program names
	names=$(programs)
	[ -n "$names" ] || skip "no program is built"
	for program in $names; do
		echo "program: $program"
		"$@" "$program"
	done
}

help_fits() {
	run_split "$1" --help </dev/null
	assert_status 0
	[ -z "$stderr" ] || fail_with "expected nothing on stderr"
	assert_output_has "Usage: $1 "
	[ "$(wc -L <<<"$output")" -le 80 ] || fail_with "wider than 80 columns"
	[ "$(sed '1,/^Examples:/d' <<<"$output" | grep -c .)" -eq 3 ] ||
		fail_with "expected three examples"
}

@test "--help goes to stdout, fits 80 columns and ends in three examples" {
	each help_fits
}

help_has_all_options() {
	local name end=$'(\\[?=| |\n)'
	run_split "$1" --help </dev/null
	"$1" --dump-options | cut -f2 >"$TMP/names"
	while read -r name; do
		[[ $output =~ --$name$end ]] ||
			fail_with "--$name is not in --help"
	done <"$TMP/names"
}

@test "--help lists every option of the table" {
	each help_has_all_options
}

has_common_rows() {
	local row
	"$1" --dump-options | cut -f1,2 >"$TMP/rows"
	for row in $'q\tquiet' $'v\tverbose' $'h\thelp' $'V\tversion'; do
		grep -qxF "$row" "$TMP/rows"
	done
}

@test "-q, -v, -h and -V mean the same everywhere" {
	each has_common_rows
}

letters_agree() {
	"$1" --dump-options | cut -f1,2 | grep -E '^[oftjl]' |
		grep -vxE $'o\toutput|f\tformat|t\ttimeout|j\tconcurrency|l\tlabel' &&
		return 1
	[ "$("$1" --dump-options | cut -f2 | sort | uniq -d | wc -l)" -eq 0 ]
	[ "$("$1" --dump-options | cut -f1 | grep -v '^-$' | sort | uniq -d |
		wc -l)" -eq 0 ]
}

@test "-o, -f, -t, -j and -l never mean anything else, and no name is twice" {
	each letters_agree
}

version_names_itself() {
	run_split "$1" --version </dev/null
	assert_status 0
	[[ $output =~ ^"$1"\ \(obstools\)\ [0-9]+\.[0-9]+\.[0-9]+ ]] ||
		fail_with "expected its own name and a version"
}

@test "--version names the program and its version" {
	each version_names_itself
}

unknown_option() {
	run_split "$1" --no-such-option=1 </dev/null
	assert_status 2
	refute_output
	[ "$stderr" = "$1: unknown option --no-such-option; see '$1 --help'" ] ||
		fail_with "expected the option's name"
}

@test "an unknown option names itself and points to --help" {
	each unknown_option
}

@test "an unknown option near a known one names that" {
	run_split obs-perfsum --straglers=3 </dev/null
	assert_status 2
	assert_stderr_has "unknown option --straglers; did you mean --stragglers?"
	run_split obs-scrape --rooter=x </dev/null
	assert_status 2
	assert_stderr_has "unknown option --rooter; did you mean --router?"
}

help_without_dashes() {
	case ${1##*/} in
	obs-serve | obs-top | trace-span) return ;; # where it is a command
	esac
	run_split "$1" help </dev/null
	assert_status 2
	refute_output
	[ "$stderr" = "$1: no file is named help; see '$1 --help'" ]
}

@test "help without dashes points to --help" {
	each help_without_dashes
}

missing_value() {
	local name arg
	"$1" --dump-options | awk -F'\t' '$3 != "-" && $4 !~ /\?$/ {print $2, $3}' |
		while read -r name arg; do
			run_split "$1" "--$name" </dev/null
			assert_status 2
			assert_stderr_has "$1: --$name needs $arg;"
		done
}

@test "an option without its value says what it needs" {
	each missing_value
}

bad_number() {
	local name
	"$1" --dump-options | awk -F'\t' '
		$4 ~ /^(int|double|seconds|bytes|enum)$/ {print $2}' |
		while read -r name; do
			run_split "$1" "--$name=x1x" </dev/null
			assert_status 2
			assert_stderr_has "--$name=x1x: expected "
		done
}

@test "a value of the wrong kind says what is accepted" {
	each bad_number
}

control_bytes() {
	run_split "$1" $'--\e[31m' </dev/null
	assert_status 2
	assert_stderr_has '--\x1b[31m'
	# C1, as UTF-8 and as an 8-bit terminal has it; cut text; turned text.
	run_split "$1" $'--\xc2\x9b-\x80-\x9b31m-\xe2\x82-\xe2\x80\xae-äß€' </dev/null
	assert_status 2
	assert_stderr_has '--\xc2\x9b-\x80-\x9b31m-\xe2\x82-\u202e-äß€'
}

@test "control bytes of the command line are escaped in messages" {
	each control_bytes
}

full_disk() {
	local status=0
	"$1" --help >/dev/full 2>"$TMP/err" </dev/null || status=$?
	[ "$status" -eq 4 ]
	[ "$(wc -l <"$TMP/err")" -eq 1 ]
	grep -q "^$1: .*No space left" "$TMP/err"
}

@test "a full disk is one line on stderr and status 4" {
	each full_disk
}

closed_stdout() {
	local status=0
	"$1" --help >&- 2>"$TMP/err" </dev/null || status=$?
	[ "$status" -eq 4 ]
}

@test "a closed stdout is not a success" {
	each closed_stdout
}

reader_leaves() {
	local status=0
	# Ignored by the parent, as Python does: the program restores it.
	(
		trap '' PIPE
		"$1" --help 2>"$TMP/err" </dev/null || status=$?
		echo "$status" >"$TMP/status"
	) | true
	grep -qxE '141|0' "$TMP/status"
	[ ! -s "$TMP/err" ]
}

@test "a reader that leaves ends the program by SIGPIPE, without a word" {
	each reader_leaves
}

man_page_is_there() {
	[ -e "$ROOT/man/$1.1" ]
	skip_without mandoc
	mandoc -Tlint -Wwarning "$ROOT/man/$1.1"
}

@test "every program has a man page without warnings" {
	each man_page_is_there
}

man_page_in_step() {
	[ -e "$ROOT/man/$1.1" ]
	diff -u <("$1" --dump-options | cut -f1-3 | sort) \
		<("$ROOT/scripts/man-options" "$ROOT/man/$1.1" | sort) >&2
}

@test "the man page's OPTIONS and the table name the same options, letters and arguments" {
	each man_page_in_step
}
