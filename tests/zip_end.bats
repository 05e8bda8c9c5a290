# Where the archive in a .pt file ends, when something stands behind it.

load test_helper

setup() {
	cd "$TMP" || return
	cp "$DATA/demo.pt" whole.pt
	size=$(wc -c <whole.pt)
	obs-perfsum whole.pt | sed 's/"dump":"[^"]*"//' >expected
}

zeros() { # COUNT
	head -c "$1" /dev/zero
}

# Give whole.pt the file "comment" as its archive's comment.
with_comment() {
	local n
	n=$(wc -c <comment)
	head -c $((size - 2)) whole.pt
	printf '%b' "$(printf '\\x%02x\\x%02x' $((n % 256)) $((n / 256)))"
	cat comment
}

reads_as_before() {
	run_split obs-perfsum "$1"
	assert_status 0
	obs-perfsum "$1" | sed 's/"dump":"[^"]*"//' | diff expected - >&2
}

@test "bytes behind the archive do not hide it" {
	for n in 1 16000 17000 1000000; do
		{ cat whole.pt && zeros "$n"; } >x.pt
		reads_as_before x.pt
	done
}

@test "a long comment does not hide the archive" {
	zeros 65535 >comment
	with_comment >x.pt
	reads_as_before x.pt
}

@test "an end record inside a comment is not one" {
	# A copy of the true one, and one of an empty archive.
	{ tail -c 22 whole.pt && zeros 100; } >comment
	with_comment >x.pt
	reads_as_before x.pt
	{ printf 'PK\x05\x06' && zeros 200; } >comment
	with_comment >x.pt
	reads_as_before x.pt
}

@test "a damaged archive says at which byte" {
	head -c $((size / 2)) whole.pt >x.pt
	run_split obs-perfsum x.pt
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "x.pt: byte $((size / 2)): damaged zip archive"
}
