# What the shells complete, asked of the shells themselves, against the option
# tables.

load test_helper

SHARE=$OBS_BIN/../share

setup() {
	mkdir "$TMP/d" "$TMP/d/below"
	: >"$TMP/d/dump.pt"
	cd "$TMP/d" || return
}

# Each prints what a shell completes the words of a command line with, the last
# of them unfinished; a candidate a line.

bash_completes() {
	# shellcheck disable=SC2016 # the inner shell's own
	bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		"$(complete -p "$1" | sed "s/.*-F \([^ ]*\) .*/\1/")"
		[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"
	' bash "$SHARE/bash-completion/completions/$1" "$@"
}

fish_completes() {
	# shellcheck disable=SC2016 # fish's own
	HOME=$TMP fish --no-config -c '
		source $argv[1]
		complete -C "$argv[2]"
	' "$SHARE/fish/vendor_completions.d/$1.fish" "$*" | cut -f1
}

# zsh completes at a terminal only. What it would list is what is added to the
# compadd of a completion widget.
zsh_completes() {
	HOME=$TMP TERM=dumb zsh -f "$ROOT/tests/zsh_completes" \
		"$SHARE/zsh/site-functions" "$*"
}

# names PROGRAM: the long options of its table.
names() {
	"$1" --dump-options | cut -f2 | sed 's/^/--/' | sort
}

# all_options SHELL
all_options() {
	local program
	for program in $(programs); do
		diff -u <(names "$program") <("$1_completes" "$program" -- |
			grep -- '^--' | sed 's/=.*//' | sort -u) >&2 || {
			echo "of $program" >&2
			return 1
		}
	done
}

# all_words SHELL: those of every option that has a list of words.
all_words() {
	local program name words
	for program in $(programs); do
		"$program" --dump-options | cut -f2,5 | grep -v -- '-$' \
			>"$TMP/words" || continue
		while IFS=$'\t' read -r name words; do
			diff -u <(tr -d , <<<"$words" | tr ' ' '\n' | sort) \
				<("$1_completes" "$program" "--$name" '' |
					sed 's/ *$//' | sort) >&2 || {
				echo "of $program --$name" >&2
				return 1
			}
		done <"$TMP/words"
	done
}

# operands SHELL: a dump is a file, what obs-serve runs a command.
operands() {
	"$1_completes" obs-perfsum du | grep -x dump.pt
	"$1_completes" obs-perfsum --output du | grep -x dump.pt
	[ -z "$("$1_completes" obs-perfsum --percentiles du)" ]
	"$1_completes" obs-multiproc '' >"$TMP/got"
	grep -x 'below/*' "$TMP/got"
	run ! grep dump "$TMP/got"
	"$1_completes" obs-serve --listen 9100 ca | grep -x cat
}

@test "bash completes every option, every word and the right operands" {
	all_options bash
	all_words bash
	operands bash
}

@test "bash completes a value after an equals sign" {
	run bash_completes obs-perfsum --format = js
	[ "$output" = $'json\njsonl' ]
	run bash_completes obs-perfsum --format =
	[ "${#lines[@]}" -eq "$(obs-perfsum --dump-options |
		awk -F '\t' '$2 == "format" {print split($5, w, ",")}')" ]
	run bash_completes obs-perfsum -- -
	refute_output
}

@test "a command after its options is completed, not obs-serve's options" {
	run bash_completes obs-serve --path /x -- ca
	[[ $'\n'$output$'\n' == *$'\ncat\n'* ]]
	run bash_completes obs-serve cat du
	[ "$output" = dump.pt ]
	run bash_completes obs-serve cat --li
	[[ $output != *listen* ]]
	run bash_completes trace-span reward -- ca
	[[ $'\n'$output$'\n' == *$'\ncat\n'* ]]
	run bash_completes trace-span reward -- cat du
	[ "$output" = dump.pt ]
}

# bats test_tags=long
@test "fish completes every option, every word and the right operands" {
	skip_without fish
	all_options fish
	all_words fish
	operands fish
}

# bats test_tags=long
@test "zsh completes every option, every word and the right operands" {
	skip_without zsh
	all_options zsh
	all_words zsh
	operands zsh
}
