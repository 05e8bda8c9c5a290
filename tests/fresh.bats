# When the files beside a dump are used as they are, and when they are made
# anew; and dumps whose files cannot be made.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
	cp "$DATA/demo.pt" a.pt
	cache=a.trace_timeline_cache.json
	page=a.trace_timeline_viewer.html
	make_files
	cp "$cache" whole.json
	cp "$page" whole.html
}

make_files() {
	run_split trace-timeline --no-serve a.pt
	assert_status 0
}

# Are they used as they are?
fresh() {
	run_split trace-timeline -v --no-serve a.pt
	assert_status 0
	# shellcheck disable=SC2154 # run_split sets it
	[[ $stderr == *"the page is up to date"* ]]
}

# Made anew, which must not come to be by an error.
stale() {
	run_split trace-timeline -v --no-serve a.pt
	assert_status 0
	[[ $stderr != *"the page is up to date"* ]]
}

# A change of the cache; jq's output is newer than the dump.
with_cache() { # JQ_FILTER
	jq -c "$1" whole.json >"$cache"
	cp whole.html "$page"
}

@test "files that were just written are fresh, also under another name" {
	fresh
	ln -s a.pt b.pt
	run_split trace-timeline -v --no-serve ./a.pt
	assert_stderr_has "the page is up to date"
	[ "$(jq -r .pt_path "$cache")" = "$(realpath a.pt)" ]
}

@test "a cache with other blanks and keys in another order is fresh" {
	jq -S . whole.json >"$cache"
	fresh
}

@test "a cache of another dump, version or count is not" {
	with_cache '.pt_path = "/elsewhere/a.pt"'
	stale
	with_cache '.cache_version = 2'
	stale
	with_cache '.sample_count += 1'
	stale
	with_cache '.rows |= .[1:]'
	stale
	with_cache 'del(.sample_count)'
	stale
	with_cache '[.]'
	stale
	make_files
	fresh
}

@test "a cache that is not whole or no JSON is not" {
	local bytes
	bytes=$(wc -c <whole.json)
	for n in 0 1 100 $((bytes / 2)) $((bytes - 3)) $((bytes - 2)); do
		head -c "$n" whole.json >"$cache"
		stale
	done
	cat whole.json whole.json >"$cache"
	stale
	sed 's/:/ /50' whole.json >"$cache"
	stale
	sed 's/"rows":\[/&,/' whole.json >"$cache"
	stale
	sed 's/"rows":\[/&1 /' whole.json >"$cache"
	stale
}

@test "a page of another dump or another state of it is not, nor a torn one" {
	cp "$DATA/demo.pt" b.pt
	run_split trace-timeline --no-serve b.pt
	cp b.trace_timeline_viewer.html "$page"
	stale
	fresh
	head -c -1 whole.html >"$page"
	stale
	cp whole.html "$page"
	fresh
	touch -d '2001-01-01' a.pt
	stale
	fresh
	# Another dump of that size and time in its place.
	cp a.pt b.pt
	touch -r a.pt b.pt
	mv b.pt a.pt
	stale
	fresh
	[ "$(grep -c '<!--' "$page")" -eq 0 ]
}

@test "two dumps whose files would have the same name are a usage error" {
	cp a.pt a.pkl
	mkdir d
	cp a.pt d/a.pkl
	run_split trace-timeline --no-serve a.pt ./a.pkl
	assert_status 2
	assert_stderr_has "a.pt and ./a.pkl would both become"
	run_split trace-timeline --no-serve a.pt d/a.pkl a.pt
	assert_status 0
}

@test "a dump that is not there is named, not its cache" {
	run_split trace-timeline --no-serve no/such.pt
	assert_status 4
	assert_stderr_lines 1
	assert_stderr_has ": no/such.pt: cannot open: No such file"
}

@test "where the files of one dump cannot be made, the next is done" {
	mkdir shut open
	cp a.pt shut/x.pt
	cp a.pt open/x.pt
	# A directory in the way stops root, too.
	mkdir shut/x.trace_timeline_viewer.html
	run_split trace-timeline --no-serve shut/x.pt open/x.pt
	assert_status 1
	assert_output $'open/x.trace_timeline_viewer.html\n'
	assert_stderr_lines 1
	assert_stderr_has ": shut/x.trace_timeline_viewer.html: cannot open"
	[ "$(find shut -type f)" = shut/x.pt ]
	run_split trace-timeline --no-serve shut/x.pt
	assert_status 4
}

@test "a dump whose page is fresh counts as read next to one that is not there" {
	fresh
	run_split trace-timeline --no-serve a.pt nosuch.pt
	assert_status 1
	assert_stderr_lines 1
	assert_output "a.trace_timeline_viewer.html"$'\n'
}
