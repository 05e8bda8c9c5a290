# obs-scrape: a body is complete and what its headers say, or its target failed.

load test_helper
load mock/mock

setup_file() {
	start_mock
}

teardown_file() {
	stop_mock
}

setup() {
	mock_names
}

# The target fails with these words and status, and nothing is printed.
fails() {
	local words=$1 expected=$2
	shift 2
	run_split obs-scrape "$@"
	assert_status "$expected"
	refute_output
	assert_stderr_has "$words"
	assert_stderr_lines 1
}

# The samples' values, without what says where they came from.
assert_values() {
	assert_status 0
	[ "$(sed -n 's/^\([a-z_]*\){.*} /\1 /p' <<<"$output")" = "$1" ] ||
		fail_with "expected the samples $1"
}

@test "gzip members after one another are one text, empty ones too" {
	run_split obs-scrape "$AT/members"
	assert_values $'reqs_total 5\nmore_total 7'
	run_split obs-scrape "$AT/bytewise"
	assert_values $'reqs_total 5\nmore_total 7'
}

@test "deflate is understood with and without the header of zlib" {
	run_split obs-scrape "$AT/deflate-raw"
	assert_values 'reqs_total 5'
}

@test "two codings are taken off in their order" {
	run_split obs-scrape "$AT/gzip-deflate"
	assert_values 'reqs_total 5'
}

@test "a complete body is printed however it is compressed and framed" {
	local how frame
	for how in gzip zlib raw; do
		for frame in length chunks close; do
			run_split obs-scrape "$AT/cut/$how/0/$frame"
			assert_status 0
			[ "$(grep -c '^big_total' <<<"$output")" -eq 1000 ]
		done
	done
}

@test "a truncated body fails its target however it is compressed and framed" {
	local how lost frame
	for how in gzip zlib raw; do
		for lost in half 1 4 8; do
			for frame in length chunks close; do
				fails "truncated: the" 3 "$AT/cut/$how/$lost/$frame"
			done
		done
	done
}

@test "a truncated body is asked for again, and hurts nobody else" {
	fails "truncated: the gzip data has no end" 3 --retries 1 \
		"$AT/cut/gzip/8/length/retried"
	[ "$(requests '/cut/gzip/8/length/retried' | wc -l)" -eq 2 ]
	run_split obs-scrape "$AT/cut/gzip/half/chunks" "ok=http://$AT/metrics"
	assert_status 1
	assert_output_has 'reqs_total{worker_addr="ok"} 5'
	[[ $output != *big_total* ]]
}

@test "a wrong checksum, a wrong length and data behind the end fail the target" {
	fails "the gzip data is damaged: incorrect data check" 3 "$AT/gzip-crc"
	fails "the gzip data is damaged: incorrect length check" 3 "$AT/gzip-length"
	fails "other data follows the end of the gzip data" 3 "$AT/gzip-tail"
	fails "other data follows the end of the deflate data" 3 "$AT/deflate-tail"
}

@test "gzip that nothing declares is never printed, nor what follows it" {
	fails "the body is gzip data, but has no Content-Encoding" 3 "$AT/gzip-bare"
	fails "the body is gzip data, but has no Content-Encoding" 3 "$AT/gzip-mixed"
	fails "the body is gzip data, but has no Content-Encoding" 3 "$AT/gzip-identity"
	fails "the body is compressed twice" 3 "$AT/gzip-twice"
}

@test "a Content-Encoding that is wrong or was not asked for fails the target" {
	fails "the data is not gzip" 3 "$AT/not-gzip"
	fails "Content-Encoding br, but only gzip, deflate were requested" 3 "$AT/br"
	fails "Transfer-Encoding gzip, but only chunked is supported" 3 "$AT/transfer"
	fails "the body is empty" 3 "$AT/gzip-none"
}

@test "lengths that contradict each other, or the body, fail the target" {
	fails "contradict each other: 67 and 71 bytes" 3 "$AT/lengths"
	fails "contradict each other: 4 and 68 bytes" 3 "$AT/lengths-list"
	fails "longer than its Content-Length, 67 bytes" 3 "$AT/excess"
	fails "longer than its Content-Length, 4 bytes" 3 "$AT/late-excess"
	run_split obs-scrape "$AT/lengths-same"
	assert_values 'reqs_total 5'
}

@test "an answer that nobody asked for is not that of the next request" {
	run_split obs-scrape -i 0.4 -n 3 "w=http://$AT/second-answer"
	assert_status 0
	[ "$(grep -o '^[a-z_]*{.*} [0-9]' <<<"$output")" = 'n_total{worker_addr="w"} 0
n_total{worker_addr="w"} 1
n_total{worker_addr="w"} 2' ]
}

@test "connections are kept from one snapshot to the next" {
	run_split obs-scrape -i 0.1 -n 5 "$AT/peer"
	assert_status 0
	[ "$(grep -o '} [0-9]* ' <<<"$output" | sort -u | wc -l)" -eq 1 ] ||
		fail_with "several connections"
}

@test "the headers of an earlier answer and of a trailer are not the body's" {
	run_split obs-scrape -j 1 "$AT/trailer" "$AT/continue"
	assert_values $'x 1\nreqs_total 5'
}

@test "206 Partial Content is no success" {
	fails "HTTP status 206: only part of the body" 4 "$AT/status/206"
}

@test "lists of workers obey the same rules" {
	fails "truncated: the gzip data has no end" 3 --router "http://$AT/cut-list"
	fails "truncated: the gzip data has no end" 3 --sd "http://$AT/cut-sd"
	fails "HTTP status 206: only part of the body" 4 --router "http://$AT/part"
	fails "gzip data, but has no Content-Encoding" 3 --sd "http://$AT/gzip-bare"
}

@test "a bomb stops at --max-bytes, decoded, also a bomb in a bomb" {
	fails "takes more than 1 MiB; raise it with --max-bytes" 3 \
		--max-bytes 1M "$AT/bomb"
	fails "takes more than 1 MiB; raise it with --max-bytes" 3 \
		--max-bytes 1M "$AT/bombs"
}
