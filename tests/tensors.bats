# Tensors of one element are numbers, read from where torch keeps their
# bytes; larger ones stay what they are.

load test_helper

setup_file() {
	local python
	python=$(python_with torch) || return 0
	mkdir "$BATS_FILE_TMPDIR/dumps"
	cd "$BATS_FILE_TMPDIR/dumps" || return
	"$python" - <<-'EOF'
		import json, math, torch, zipfile

		def of(value, dtype):
		    return torch.tensor(value, dtype=getattr(torch, dtype))

		many = torch.arange(5000.)
		values = [
		    of(0.5, "float32"), of([2.25], "float32"), of([[7]], "int64"),
		    of(1.1, "float64"), of(-0.75, "bfloat16"), of(0.1, "float16"),
		    of(6e-8, "float16"), of(-3, "int8"), of(200, "uint8"),
		    of(-300, "int16"), of(-70000, "int32"), of(2 ** 40, "int64"),
		    of(True, "bool"), of(math.nan, "float32"),
		    of(math.inf, "float32"), of(0, "float32"), of(1e9, "float32"),
		    of(1.5e-5, "float32"), of(100000.5, "float32"), many[4321],
		    many.view(2, 2500)[1, 3:4],
		    torch.tensor(2.0, requires_grad=True),
		    torch.nn.Parameter(torch.tensor(0.25))]

		def sample(i, v):
		    span = {"name": "sglang_generate", "span_id": "s"}
		    events = [dict(span, type="span_start",
		                   ts=of(1700000000.5, "float64")),
		              dict(span, type="span_end", ts=1700000002.5,
		                   attrs={"e2e_latency": v})]
		    return {"index": torch.tensor(i),
		            "group_index": torch.tensor([i // 2]), "reward": v,
		            "tokens": torch.arange(9), "logits": many,
		            "trace": {"events": events,
		                      "attempt": torch.tensor(2)}}

		dump = {"rollout_id": 1,
		        "samples": [sample(i, v) for i, v in enumerate(values)]}
		for protocol in 2, 3, 4, 5:
		    torch.save(dump, f"zip{protocol}.pt",
		               pickle_protocol=protocol)
		    torch.save(dump, f"legacy{protocol}.pt",
		               pickle_protocol=protocol,
		               _use_new_zipfile_serialization=False)
		with zipfile.ZipFile("zip2.pt") as old:
		    with zipfile.ZipFile("packed.pt", "w",
		                         zipfile.ZIP_DEFLATED) as new:
		        for name in old.namelist():
		            new.writestr(name, old.read(name))

		def shown(v):
		    v = v.item()
		    return v if math.isfinite(v) else None

		with open("want", "w") as f:
		    for i, v in enumerate(values):
		        print(json.dumps([i, i // 2, 2, 1700000000.5, shown(v),
		                          str(v)]), file=f)
		with open("perf", "w") as f:
		    finite = [v.item() for v in values if v.dtype != torch.bool
		              and math.isfinite(v.item())]
		    print(len(finite), float(max(finite)), float(min(finite)), file=f)
	EOF
}

setup() {
	skip_without jq
	cd "$BATS_FILE_TMPDIR/dumps" || skip "no python3 with torch"
	[ -e want ] || skip "no python3 with torch"
}

@test "a reward, an index, a time that is a tensor is its number" {
	local dump
	for dump in *.pt; do
		echo "dump: $dump"
		run_split trace-timeline -f cache -o "$TMP/cache" "$dump"
		assert_status 0
		jq -c '.rows[] | [.sample_index, .group_index, .attempt,
			.items[0].start_ts, .reward,
			.items[0].attrs.end_attrs.e2e_latency]' "$TMP/cache" |
			jq -S -c . >"$TMP/rows"
		jq -S -c . want | diff - "$TMP/rows"
	done
}

@test "what requests took counts when it is a tensor" {
	local dump count most least
	read -r count most least <perf
	for dump in *.pt; do
		echo "dump: $dump"
		run_split obs-perfsum "$dump"
		assert_status 0
		assert_output_has "\"perf/request/profiled_count\":$count,"
		assert_output_has "/max\":$most,"
		assert_output_has "/min\":$least"
	done
}

# The bytes of a storage that is not there, or shorter than it says.
@test "a tensor whose bytes are missing is no number" {
	local python
	python=$(python_with torch)
	"$python" - "$TMP" <<-'EOF'
		import sys, zipfile
		with zipfile.ZipFile("zip2.pt") as old:
		    for name, change in (("missing", lambda data: None),
		                         ("short", lambda data: data[:1])):
		        with zipfile.ZipFile(f"{sys.argv[1]}/{name}.pt",
		                             "w") as new:
		            for entry in old.namelist():
		                data = old.read(entry)
		                if "/data/" in entry:
		                    data = change(data)
		                if data is not None:
		                    new.writestr(entry, data)
	EOF
	head -c -3 legacy4.pt >"$TMP/cut.pt"
	for dump in "$TMP/missing.pt" "$TMP/short.pt"; do
		run_split obs-perfsum "$dump"
		assert_status 1
		assert_stderr_has "sample 0: event 0: a time that is not a number"
		assert_output_has '"perf/request/count":23,'
	done
	# Which tensor is the last changes from one file to the next: at times it
	# is an attempt or a time.
	run_split obs-perfsum "$TMP/cut.pt"
	[ "$status" -eq 0 ] || {
		assert_status 1
		# shellcheck disable=SC2154 # run_split sets it
		grep -qE "an attempt that is not an integer|a time that is not" \
			<<<"$stderr"
	}
	assert_output_has '"perf/request/count":23,'
	run_split obs-perfsum "$TMP/missing.pt"
	assert_output_has '"perf/request/profiled_count":0'
}

