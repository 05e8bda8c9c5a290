# Where -o writes: whole or not at all, over what links lead to, into what is
# no regular file, and nothing is left behind.

load test_helper

setup() {
	mkdir "$TMP/d"
	cd "$TMP/d" || return
}

write_to() {
	run_split trace-timeline -f summary -o "$1" "$DATA/demo.pt"
}

# The names in the directory, hidden ones too.
names() {
	find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' '
}

@test "what a symbolic link leads to is replaced, and the link stays" {
	mkdir far
	echo old >far/file
	ln -s far/file near
	ln -s near nearer
	write_to nearer
	assert_status 0
	[ -L nearer ]
	[ -L near ]
	[ ! -L far/file ]
	grep -q rows far/file
	[ "$(names)" = "far far/file near nearer " ]
}

@test "a link to what is not there yet brings it to be" {
	mkdir far
	ln -s "$PWD/far/file" near
	write_to near
	assert_status 0
	[ -L near ]
	grep -q rows far/file
}

@test "links in a circle are one line and status 4" {
	ln -s a b
	ln -s b a
	write_to a
	assert_status 4
	assert_stderr_has "a: cannot follow it: Too many levels of symbolic links"
}

@test "a device and a FIFO are written in place" {
	ln -s /dev/null null
	write_to null
	assert_status 0
	[ -c /dev/null ]
	[ -L null ]
	mkfifo fifo
	cat fifo >got &
	write_to fifo
	wait $!
	assert_status 0
	[ -p fifo ]
	grep -q rows got
}

@test "a full device is one line and status 4" {
	write_to /dev/full
	assert_status 4
	assert_stderr_has "/dev/full: cannot write: No space left on device"
}

@test "the names of descriptors are written to, not replaced" {
	{
		echo before
		trace-timeline -f summary -o /dev/stdout "$DATA/demo.pt"
		echo after
	} >file
	[ "$(sed -n '1p;$p' file)" = $'before\nafter' ]
	grep -q rows file
	trace-timeline -f summary -o >(cat >piped) "$DATA/demo.pt"
	exec 7>seventh
	trace-timeline -f summary -o /dev/fd/7 "$DATA/demo.pt"
	exec 7>&-
	grep -q rows seventh
}

@test "a file that is replaced keeps its permission bits" {
	echo old >file
	chmod 640 file
	write_to file
	assert_status 0
	[ "$(stat -c %a file)" = 640 ]
	rm file
	(
		umask 027
		trace-timeline -f summary -o file "$DATA/demo.pt"
	)
	[ "$(stat -c %a file)" = 640 ]
}

@test "a directory is not replaced" {
	mkdir dir
	write_to dir
	assert_status 4
	assert_stderr_has "dir: cannot open: Is a directory"
}

@test "a file at its limit is one line and status 4, and nothing is left" {
	skip_with_counters
	# shellcheck disable=SC2016 # the inner shell's own
	run_split bash -c 'ulimit -f 1
		exec trace-timeline -o page.html "$DATA/demo.pt"'
	assert_status 4
	assert_stderr_has "page.html: cannot write: File too large"
	[ -z "$(names)" ]
}

# A dump of which the first samples have come when it is interrupted.
interrupt() { # SIGNAL
	local pid
	mkfifo in
	trace-timeline -f cache -o out <in &
	pid=$!
	exec 8>in
	echo '{"trace": {"events": [{"ts": 1}]}}' >&8
	eventually compgen -G '.out.*'
	kill -s "$1" "$pid"
	exec 8>&-
	wait "$pid"
}

@test "a signal leaves nothing and is what ends the program" {
	local signal status
	for signal in HUP TERM; do
		status=0
		interrupt $signal || status=$?
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		rm in
		[ -z "$(names)" ]
	done
}

@test "a signal that was ignored at the start stays so" {
	trap '' HUP TERM
	interrupt HUP
	rm in
	[ "$(names)" = "out " ]
}

@test "an empty name is a usage error" {
	run_split trace-timeline -f summary -o "" "$DATA/demo.pt"
	assert_status 2
	assert_stderr_has "--output=: expected a name"
	run_split trace-timeline --split 2 -o "" "$DATA/demo.pt"
	assert_status 2
	run_split obs-perfsum -o "" "$DATA/demo.pt"
	assert_status 2
	run_split obs-perfsum --tensorboard "" "$DATA/demo.pt"
	assert_status 2
	run_split obs-aggregate --delta --state "" </dev/null
	assert_status 2
	[ "$(names)" = "" ]
}

# Writers that wait for the end of their input.
begin_writing() { # NAME
	mkfifo "$1.in"
	trace-timeline -f summary -o "$1" <"$1.in" &
	writer=$!
	exec {held}>"$1.in"
	until [[ $(names) == *".$1.obstools-"* ]]; do
		kill -0 "$writer"
		sleep 0.01
	done
}

@test "what a killed program left is removed by the next one" {
	begin_writing out
	kill -KILL "$writer"
	wait "$writer" || true
	exec {held}>&-
	rm out.in
	[[ $(names) == .out.obstools-????????-??????.tmp" " ]]
	# Names that only look like one stay, and so does what another host
	# wrote today.
	touch .out.obstools-x.tmp out.obstools-01234567-abcdef.tmp \
		.x.obstools-01234567-abcdef.tmp .y.obstools-01234567-abcdef.tmp
	touch -d '2 days ago' .y.obstools-01234567-abcdef.tmp \
		.z.anytools-01234567-abcdef.tmp
	write_to other
	assert_status 0
	[ "$(names)" = ".out.obstools-x.tmp .x.obstools-01234567-abcdef.tmp \
.z.anytools-01234567-abcdef.tmp other out.obstools-01234567-abcdef.tmp " ]
}

@test "a file that is being written is left to its program" {
	begin_writing out
	write_to other
	assert_status 0
	[[ $(names) == *.out.obstools-* ]]
	cat "$DATA/demo.pt" >&"$held"
	exec {held}>&-
	wait "$writer"
	rm out.in
	[ "$(names)" = "other out " ]
	cmp out <(sed 's/^dump .*/dump        -/' other)
}

@test "a name of 255 bytes can be written" {
	local long
	long=$(printf 'x%.0s' {1..255})
	write_to "$long"
	assert_status 0
	[ "$(names)" = "$long " ]
}

@test "the directory of a state file is cleaned, too; links and FIFOs stay" {
	local old=.z.obstools-01234567-abcdef.tmp
	touch -d '2 days ago' "$old"
	obs-aggregate --delta --state state -q <<<'a_total 1' >/dev/null
	[ "$(names)" = "state " ]
	touch -d '2 days ago' "$old"
	ln -s nowhere .w.obstools-01234567-abcdef.tmp
	mkfifo .v.obstools-01234567-abcdef.tmp
	obs-aggregate --delta --state state -q <<<'a_total 1' >/dev/null
	[ "$(names)" = ".v.obstools-01234567-abcdef.tmp \
.w.obstools-01234567-abcdef.tmp state " ]
}

@test "--output never replaces an input" {
	cd "$TMP"
	cp "$DATA/demo.pt" "$TMP/a.pt"
	ln "$TMP/a.pt" "$TMP/b.pt"
	echo 'x 1' >"$TMP/s.prom"
	echo '{"traceEvents":[]}' >"$TMP/p.json"
	for words in "obs-perfsum -o a.pt a.pt" "obs-perfsum -o a.pt - b.pt" \
		"trace-timeline -o a.pt a.pt" \
		"trace-timeline -o s.prom --metrics s.prom a.pt" \
		"trace-timeline -o p.json --profile p.json a.pt" \
		"trace-timeline -o p.json --merge p.json a.pt" \
		"profile-summary -o p.json p.json" \
		"profile-summary --compare -o p.json p.json p.json"; do
		# shellcheck disable=SC2086 # words
		run_split $words </dev/null
		assert_status 2
		assert_stderr_has "--output would replace the input"
		cmp "$DATA/demo.pt" "$TMP/a.pt"
	done
	[ "$(cat "$TMP/s.prom")" = "x 1" ]
	[ "$(cat "$TMP/p.json")" = '{"traceEvents":[]}' ]
}
