# What is shipped besides the package: units, manifests, the portable tarball,
# a build without libraries, the source tarball and its SBOM.

load test_helper

setup() {
	BUILD=$(cd "$OBS_BIN/.." && pwd)
}

only_plain() {
	case $BUILD in
	*/san | */coverage) skip "shipped are plain builds" ;;
	esac
}

@test "systemd accepts the units, with an exposure below 3" {
	skip_without systemd-analyze
	local unit
	make_old DESTDIR="$TMP/root" PREFIX="$TMP/x" install
	cp "$TMP/root$TMP"/x/lib/systemd/system/*.service "$TMP"
	# What they start has to be where they say.
	mkdir -p "$TMP/x"
	ln -s "$OBS_BIN" "$TMP/x/bin"
	mv "$TMP/obstools-sidecar@.service" "$TMP/obstools-sidecar@40001.service"
	for unit in sidecar@40001 scraper recorder; do
		unit=$TMP/obstools-$unit.service
		run_split systemd-analyze verify --man=no "$unit"
		assert_status 0
		[ -z "$stderr" ] || fail_with "$unit"
		run_split systemd-analyze security --offline=yes --threshold=30 \
			"$unit"
		assert_status 0
	done
}

@test "the manifests fit the schemas of Kubernetes" {
	skip_without node
	local models=${XDG_CACHE_HOME:-$HOME/.cache}/obstools/kubernetes
	models=$models/node_modules/kubernetes-models
	[ -d "$models" ] || skip "kubernetes-models is not installed"
	local python
	python=$(python_with yaml) || skip "no python3-yaml"
	cat >"$TMP/objects.py" <<-'END'
		import json, sys, yaml
		for name in sys.argv[1:]:
		    for each in yaml.safe_load_all(open(name)):
		        print(json.dumps(each))
	END
	cat >"$TMP/validate.mjs" <<-END
		import fs from "node:fs";
		for (const line of fs.readFileSync(0, "utf8").trim().split("\\n")) {
			const object = JSON.parse(line);
			const kinds = await import(
				\`$models/\${object.apiVersion}/index.js\`);
			new kinds[object.kind](object).validate();
			console.log(object.kind);
		}
	END
	"$python" "$TMP/objects.py" "$ROOT"/scripts/kubernetes/*.yaml \
		>"$TMP/objects"
	run_split node "$TMP/validate.mjs" <"$TMP/objects"
	assert_status 0
	assert_output $'Deployment\nService\nPod\n'
	sed 's/"containerPort": 9100/"containerPort": "x"/' "$TMP/objects" \
		>"$TMP/wrong"
	run_split node "$TMP/validate.mjs" <"$TMP/wrong"
	assert_status 1
	# The programs take the arguments that the manifests give them.
	grep -q '"--grpc-port", "30001", "--host", "0.0.0.0", "--", "obs-multiproc", "/metrics"' \
		"$TMP/objects"
	grep -q '"--path", "/engine_metrics", "--allow-partly", "--", "obs-scrape", "--up"' \
		"$TMP/objects"
}

# bats test_tags=long
@test "the portable tarball runs from any folder, with libraries of its own" {
	only_plain
	skip_without objdump readelf
	local program library
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" O="$BUILD" portable >"$TMP/log" 2>&1 ||
		fail_with "$(tail "$TMP/log")"
	mkdir "$TMP/a b"
	tar -C "$TMP/a b" -xzf "$BUILD"/obstools-*-linux-*.tar.gz
	cd "$TMP/a b"/obstools-*/ || return
	for program in bin/*; do
		env -i "$program" --version >"$TMP/version"
		# Nothing but glibc's own comes from the system.
		ldd "$program" | sed -n 's/.* => \(\/.*\) (0x.*/\1/p' >"$TMP/used"
		while read -r library; do
			case $library in
			"$PWD"/*) ;;
			*/libc.so.* | */libm.so.* | */libresolv.so.* | */libdl.so.* | \
				*/libpthread.so.* | */librt.so.*) ;;
			*) fail_with "$program uses $library" ;;
			esac
		done <"$TMP/used"
	done
	env -i bin/obs-perfsum "$DATA/demo.pt" | grep -q '"perf/request/count":12'
	grep -q 'glibc 2\.[0-9]* or newer' README.portable
}

# bats test_tags=long
@test "WITHOUT builds the programs that need none of the libraries" {
	only_plain
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" O="$TMP/o" WITHOUT="httpd screen curl" all \
		>"$TMP/log" 2>&1 || fail_with "$(tail "$TMP/log")"
	[ "$(cd "$TMP/o/bin" && echo *)" = \
		"obs-aggregate obs-multiproc obs-perfsum profile-summary trace-span" ]
	readelf -d "$TMP"/o/bin/* | grep NEEDED >"$TMP/needed"
	run ! grep -vE 'lib(c|m|z)\.so' "$TMP/needed"
	"$TMP/o/bin/obs-perfsum" "$DATA/demo.pt" |
		grep -q '"perf/request/count":12'
	run_split env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" O="$TMP/o" WITHOUT=nonsense all
	assert_status 2
	assert_stderr_has "WITHOUT takes httpd curl screen, not nonsense"
}

# bats test_tags=long
@test "the source tarball has the same bytes wherever it is made" {
	git -C "$ROOT" rev-parse >"$TMP/head" 2>&1 || skip "not a git tree"
	local clone
	for clone in one other/place; do
		git clone -q "$ROOT" "$TMP/$clone"
		TZ=Asia/Tokyo env -u MAKEFLAGS -u MAKELEVEL make -s -C "$TMP/$clone" dist
	done
	cmp "$TMP/one/build/"obstools-*.tar.gz \
		"$TMP/other/place/build/"obstools-*.tar.gz
	tar -tzf "$TMP/one/build/"obstools-*.tar.gz | grep -q 'obstools-.*/Makefile$'
}

# bats test_tags=long
@test "the SBOM names the files and the license" {
	skip_without reuse
	git -C "$ROOT" rev-parse >"$TMP/head" 2>&1 || skip "not a git tree"
	git clone -q "$ROOT" "$TMP/clone"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$TMP/clone" sbom 2>"$TMP/log"
	grep -q '^FileName: ./cmd/obs-perfsum.c' "$TMP/clone/build/"*.spdx
	grep -q '^SPDXVersion: ' "$TMP/clone/build/"*.spdx
}
