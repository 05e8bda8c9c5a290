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
