# Installed, packaged, unpacked and removed; in places of their own.

load test_helper

setup() {
	BUILD=$(cd "$OBS_BIN/.." && pwd)
	mkdir "$TMP/root"
}

# smoke BIN_DIR: every program starts, and one does its work.
smoke() {
	local program
	for program in $(programs); do
		"$1/$program" --version >&2
	done
	"$1/obs-perfsum" "$DATA/demo.pt" | grep -q '"perf/request/count":12'
}

files_in() {
	(cd "$1" && find . -type f | sort)
}

@test "make install puts programs, pages and completions under DESTDIR and PREFIX" {
	local program
	make_old DESTDIR="$TMP/root" PREFIX=/opt/x install
	smoke "$TMP/root/opt/x/bin"
	files_in "$TMP/root/opt/x" >"$TMP/files"
	for program in $(programs); do
		grep -xF "./bin/$program" "$TMP/files"
		grep -xF "./share/man/man1/$program.1" "$TMP/files"
		[ "$(grep -cE "/_?$program(\.fish)?\$" "$TMP/files")" -eq 4 ]
	done
	grep -xF ./share/man/man7/obstools.7 "$TMP/files"
	grep -xF ./share/obstools/prometheus/rules.yml "$TMP/files"
	grep -xF ./share/obstools/prometheus/dashboard.json "$TMP/files"
	grep -xF ./share/obstools/slurm/perfsum-array "$TMP/files"
	"$TMP/root/opt/x/share/obstools/start-prometheus" --help |
		grep -q "^Usage: start-prometheus"
	"$TMP/root/opt/x/share/obstools/wandb-log" --help |
		grep -q "wandb-log \[ARG=VALUE\]"
	[ "$(find "$TMP/root" -mindepth 1 -maxdepth 1)" = "$TMP/root/opt" ]
	[ -z "$(find "$TMP/root" -type f -perm /022)" ]
}

# bats test_tags=long
@test "make uninstall leaves nothing, and others' files alone" {
	local functions=$TMP/root/usr/local/share/zsh/site-functions
	make_old DESTDIR="$TMP/root" install
	: >"$functions/_other"
	make_old DESTDIR="$TMP/root" uninstall
	[ "$(files_in "$TMP/root")" = \
		./usr/local/share/zsh/site-functions/_other ]
	rm "$functions/_other"
	make_old DESTDIR="$TMP/root" install
	make_old DESTDIR="$TMP/root" uninstall
	run ! grep -E 'obstools|zsh|fish|completion|man1' \
		<(find "$TMP/root" -mindepth 1)
}

# Into a root of its own, which lacks the libraries: dpkg is told so.
dpkg_there() {
	dpkg --root="$TMP/root" --force-not-root --force-depends \
		--force-script-chrootless "$@" 2>"$TMP/dpkg.err" || {
		cat "$TMP/dpkg.err" >&2
		return 1
	}
}

# bats test_tags=long
@test "make deb makes a package that installs, works and leaves nothing behind" {
	skip_without dpkg-deb dpkg-shlibdeps strip
	case $BUILD in
	*/san) skip "packages are made of plain builds" ;;
	esac
	make_old deb >&2
	deb=$(echo "$BUILD"/obstools_*.deb)
	if command -v lintian >"$TMP/lintian"; then
		lintian --fail-on error,warning "$BUILD"/*obstools*.deb
	fi
	run dpkg-deb --field "$deb" Depends
	for library in libc6 libcurl libmicrohttpd zlib1g
	do
		[[ $output == *"$library"* ]] || fail_with "expected $library"
	done
	mkdir -p "$TMP/root/var/lib/dpkg/"{info,updates}
	: >"$TMP/root/var/lib/dpkg/status"
	: >"$TMP/root/var/lib/dpkg/available"
	dpkg_there --install "$deb"
	smoke "$TMP/root/usr/bin"
	[ -e "$TMP/root/usr/share/zsh/vendor-completions/_obs-perfsum" ]
	[ -e "$TMP/root/usr/share/doc/obstools/copyright" ]
	gzip -t "$TMP/root/usr/share/man/man7/obstools.7.gz"
	(cd "$TMP/root" &&
		md5sum --quiet -c var/lib/dpkg/info/obstools.md5sums)
	dpkg_there --purge obstools
	[ -z "$(find "$TMP/root/usr" -type f 2>/dev/null)" ]
	run ! grep obstools "$TMP/root/var/lib/dpkg/status"
}

# bats test_tags=long
@test "make dist makes a tarball of what is committed, which builds" {
	skip_without git
	git -C "$ROOT" rev-parse --verify HEAD >/dev/null 2>&1 ||
		skip "no repository"
	make_old dist O="$TMP" >&2
	tar -xzf "$TMP"/obstools-*.tar.gz -C "$TMP"
	cd "$TMP"/obstools-*/ || return
	for name in Makefile README.md NEWS LICENSE CONTRIBUTING.md; do
		[ -s "$name" ]
	done
	env -u MAKEFLAGS -u MAKELEVEL -u SAN -u O make -s -j2 CFLAGS=-O0 \
		build/bin/obs-perfsum >&2
	"build/bin/obs-perfsum" "$DATA/demo.pt" | grep '"perf/request/count":12'
}

@test "make help names every target a person would type" {
	local target
	run make -s -C "$ROOT" help
	assert_status 0
	for target in $(make -s -C "$ROOT" -pn help |
		sed -n 's/^\.PHONY: //p'); do
		case $target in
		FORCE | all | help | unit | run-tests* | fuzzers) continue ;;
		esac
		[[ $output == *"make $target "* || $output == *"; $target "* ]] ||
			fail_with "make help does not name $target"
	done
}
