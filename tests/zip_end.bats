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

# repack [MORE]: x.pt, the files of whole.pt compressed, their sizes and places
# in 64 bits, and what the Python of MORE adds to the archive z.
repack() {
	python3 -W ignore - "$1" <<-'END'
		import sys
		import zipfile
		zipfile.ZIP64_LIMIT = 10
		with zipfile.ZipFile("whole.pt") as old, \
		        zipfile.ZipFile("x.pt", "w", zipfile.ZIP_DEFLATED) as z:
		    for name in old.namelist():
		        z.writestr(name, old.read(name))
		    exec(sys.argv[1])
	END
}

@test "sizes of 64 bits are read in their order" {
	skip_without python3
	repack ''
	[ "$(wc -c <x.pt)" -lt "$size" ]
	reads_as_before x.pt
}

@test "of two files of one name the first counts" {
	skip_without python3
	repack 'z.writestr([n for n in old.namelist() if n.endswith("data.pkl")][0], b"\x80\x02].")'
	reads_as_before x.pt
}

@test "an archive of no files is not reported as out of memory" {
	{
		printf 'PK\x03\x04' && zeros 40
		printf 'PK\x05\x06' && zeros 12
		printf '\x2c\0\0\0\0\0'
	} >x.pt
	run_split obs-perfsum x.pt
	assert_status 3
	assert_stderr_lines 1
	assert_stderr_has "x.pt: byte 66: zip archive without data.pkl"
}

# unread NAME BYTE COUNT: it is read, except these bytes, which is said.
unread() {
	run_split obs-perfsum "$1"
	assert_status 1
	assert_stderr_lines 1
	assert_stderr_has "$1: byte $2: the $3 bytes from here, $4 the dump, are not read; give each dump as a file of its own"
	assert_output_has '"perf/request/count":'
}

@test "a dump behind another one in a file does not go without a word" {
	skip_without python3
	cat whole.pt whole.pt >x.pt
	unread x.pt 0 "$size" before
	run_split obs-perfsum <x.pt
	assert_status 1
	repack ''
	local packed
	packed=$(wc -c <x.pt)
	cat x.pt x.pt >y.pt
	unread y.pt 0 "$packed" before
	{ cat whole.pt && zeros 500 && echo '{"samples": []}'; } >x.pt
	unread x.pt $((size + 500)) 16 after
	local sample='{"trace": {"events": [{"type": "span_end", "name": "sglang_generate", "ts": 1.0, "attrs": {}}]}}'
	for protocol in 0 2 4; do
		python3 -c "import pickle, sys
pickle.dump([$sample], sys.stdout.buffer, $protocol)" >one
		size=$(wc -c <one)
		{ cat one && echo; } >x.pt
		run_split obs-perfsum x.pt
		assert_status 0
		cat one one >x.pt
		unread x.pt "$size" "$size" after
	done
}
