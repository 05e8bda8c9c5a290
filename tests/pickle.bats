# Pickles in every protocol, against Python's own picklers.

load test_helper

# bats test_tags=long
@test "random dumps in all protocols read as Python wrote them" {
	local python
	python=$(python_with pickle numpy || python_with pickle) ||
		skip "no python3"
	run_split "$python" "$ROOT/tests/random_pickles.py" 1 20
	assert_status 0
	assert_output $'0 dumps differ\n'
}

# Samples as no plain dict: the state of an instance may be an OrderedDict,
# and an instance of a class derived from dict has items and a state.
@test "samples whose state is no plain dict are read as well" {
	local python
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP" <<-'EOF'
		import collections, pickle, sys

		class Ordered:
		    def __init__(self, fields):
		        self.fields = fields
		    def __getstate__(self):
		        return collections.OrderedDict(self.fields)

		class Derived(dict):
		    pass

		def fields(i):
		    events = [{"type": "span_end", "name": "sglang_generate",
		               "ts": 2.0, "attrs": {"e2e_latency": float(i)}}]
		    return {"index": i, "tokens": [1] * 9,
		            "trace": {"events": events}}

		def derived(i):
		    sample = Derived(fields(i))
		    sample.note = "an attribute"
		    return sample

		for protocol in range(6):
		    for name, make in (("ordered", lambda i: Ordered(fields(i))),
		                       ("derived", derived)):
		        dump = {"samples": [make(i) for i in range(3)]}
		        with open(f"{sys.argv[1]}/{name}{protocol}.pkl", "wb") as f:
		            pickle.dump(dump, f, protocol)
	EOF
	run_split obs-perfsum "$TMP"/*.pkl
	assert_status 0
	[ "$(grep -c '"perf/request/count":3,' <<<"$output")" -eq 12 ]
	[ "$(grep -c '"perf/request/e2e_latency/max":2.0,' <<<"$output")" -eq 12 ]
}

# numpy need not be there to be written.
@test "numpy's scalars are what str() gives, and others are no numbers" {
	local python odd="<numpy.core.multiarray.scalar>"
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP" <<-'EOF'
		import pickle, struct, sys, types

		def module(name):
		    return sys.modules.setdefault(name, types.ModuleType(name))

		def scalar():
		    pass

		class dtype:
		    def __init__(self, code, order):
		        self.args = (code, False, True) if code else ()
		        self.state = (3, order, None, None, None, -1, -1, 0)
		    def __reduce__(self):
		        return (dtype, self.args, self.state)

		class Scalar:
		    def __init__(self, kind, raw):
		        self.args = (kind, raw)
		    def __reduce__(self):
		        return (scalar, self.args)

		def at(what, module_name):
		    what.__module__ = module_name
		    setattr(module(module_name), what.__name__, what)

		module("numpy"), module("numpy.core")
		at(dtype, "numpy")
		at(scalar, "numpy.core.multiarray")
		values = dict(
		    big=(dtype("f8", ">"), struct.pack(">d", 0.1)),
		    single=(dtype("f4", ">"), struct.pack(">f", 0.1)),
		    third=(dtype("f4", "<"), struct.pack("<f", 1 / 3)),
		    byte=(dtype("i1", "|"), b"\xfe"),
		    word=(dtype("i2", ">"), b"\xff\x00"),
		    least=(dtype("i8", "<"), struct.pack("<q", -2**63)),
		    most=(dtype("u8", "<"), b"\xff" * 8),
		    no=(dtype("b1", "|"), b"\0"),
		    text=(dtype("U4", ">"), "a\xe9\U0001f600\0".encode("utf-32-be")),
		    wild=(dtype("U2", "<"), struct.pack("<II", 0x110000, 98)),
		    half=(dtype("f2", "<"), b"\0\x3c"),
		    date=(dtype("M8", "<"), b"\0" * 8),
		    long=(dtype("c16", "<"), b"\0" * 16),
		    torn=(dtype("f8", "<"), b"\0" * 7),
		    short=(dtype("f", "<"), b"\0" * 4),
		    untyped=("f8", b"\0" * 8),
		    nameless=(dtype(None, "<"), b"\0" * 8),
		    str=(dtype("f8", "<"), "12345678"),
		)
		attrs = {name: Scalar(*value) for name, value in values.items()}
		events = [{"type": "event", "name": "e", "ts": 1.0, "attrs": attrs}]
		dump = {"samples": [{"index": 0, "trace": {"events": events}}]}
		for protocol in range(6):
		    with open(f"{sys.argv[1]}/{protocol}.pkl", "wb") as f:
		        pickle.dump(dump, f, protocol)
	EOF
	for file in "$TMP"/[0-5].pkl; do
		run_split trace-timeline --format cache "$file"
		assert_status 0
		[ "$(jq -c '.rows[0].items[0].attrs' <<<"$output")" = \
			'{"big":0.1,"single":"0.1","third":"0.33333334",'`
			`'"byte":"-2","word":"-256",'`
			`'"least":"-9223372036854775808",'`
			`'"most":"18446744073709551615","no":"False",'`
			`'"text":"aé😀","wild":"b",'`
			`"\"half\":\"$odd\",\"date\":\"$odd\",\"long\":\"$odd\","`
			`"\"torn\":\"$odd\",\"short\":\"$odd\",\"untyped\":\"$odd\","`
			`"\"nameless\":\"$odd\",\"str\":\"$odd\"}" ]
	done
}

# A sample refers to an object that is part of an earlier sample's payload:
# what was passed over must be read after all.
@test "what payload held and a later sample shows is read after all" {
	local python
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP/shared.pkl" <<-'EOF'
		import pickle, sys

		shared = [[i, str(i)] for i in range(2000)]
		note = {"source": "x" * 3000}
		samples = [
		    {"index": 0, "tokens": [shared, shared], "metadata": note,
		     "trace": {"events": [{"ts": 1.0, "name": "a"}]}},
		    {"index": 1, "reward": shared, "metadata": note,
		     "trace": {"events": [{"ts": 1.0, "name": "b"}]}},
		    {"index": 2, "tokens": [1, 2], "reward": {"deep": shared},
		     "trace": {"events": [{"ts": 1.0, "name": "c"}]}},
		]
		with open(sys.argv[1], "wb") as f:
		    pickle.dump({"samples": samples}, f, 2)
	EOF
	run_split trace-timeline --format cache "$TMP/shared.pkl"
	assert_status 0
	jq -e '.rows | length == 3' <<<"$output"
	jq -e '.rows[1].reward | length == 2000 and .[1999] == [1999, "1999"]' \
		<<<"$output"
	jq -e '.rows[2].reward.deep[7] == [7, "7"]' <<<"$output"
	jq -e '.rows[0].source == .rows[1].source' <<<"$output"
	jq -e '.rows[1].source | endswith("<truncated:3000>")' <<<"$output"
}

@test "what a sample's own payload held in a tuple is read after all" {
	local python
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP" <<-'EOF'
		import pickle, sys

		shared = ({"a": [1]},)
		samples = [{"images": shared, "reward": shared,
		            "trace": {"events": [{"ts": 1.0, "name": "a"}]}}]
		for protocol in range(6):
		    with open(f"{sys.argv[1]}/{protocol}.pkl", "wb") as f:
		        pickle.dump({"samples": samples}, f, protocol)
	EOF
	for file in "$TMP"/[0-5].pkl; do
		run_split trace-timeline --format cache "$file"
		assert_status 0
		jq -e '.rows[0].reward == [{"a": [1]}]' <<<"$output"
	done
}

@test "samples are those of the dump, not of what stands beside them" {
	local python
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP" <<-'EOF'
		import pickle, sys

		others = {"a": 1, "samples": ([1], 2)}, {"samples": [{}], "a": 1}
		trace = {"events": [{"ts": 1.0, "name": "a"}]}
		for n, other in enumerate(others):
		    for protocol in range(6):
		        with open(f"{sys.argv[1]}/{n}{protocol}.pkl", "wb") as f:
		            pickle.dump({"note": other, "samples": [
		                {"index": 7, "trace": trace}]}, f, protocol)
	EOF
	for file in "$TMP"/[01][0-5].pkl; do
		run_split trace-timeline --format cache "$file"
		assert_status 0
		jq -e '[.rows[].sample_index] == [7]' <<<"$output"
	done
}

@test "-v lists the classes that are read without their code" {
	local python
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP/dump.pkl" <<-'EOF'
		import pickle, sys, types

		made = types.ModuleType("their_agent")
		made.State = type("State", (), {"__module__": "their_agent"})
		sys.modules["their_agent"] = made
		state = made.State()
		state.turn = 3
		with open(sys.argv[1], "wb") as f:
		    pickle.dump({"samples": [{
		        "metadata": {"state": state}, "trace": {"events": [
		            {"type": "span_end", "name": "sglang_generate", "ts": 1,
		             "attrs": {"e2e_latency": 1.0}}]}}]}, f)
	EOF
	run_split obs-perfsum "$TMP/dump.pkl"
	assert_stderr_lines 0
	assert_status 0
	run_split obs-perfsum -v "$TMP/dump.pkl"
	assert_status 0
	assert_stderr_has "read without their code: their_agent.State"
}

# Of an event only the members that are used are built, and they are forgotten
# when they were read.
@test "a dict that is an event and something else keeps what it has" {
	local python name protocol made='s/"generated_at":[^,]*//'
	python=$(python_with pickle) || skip "no python3"
	"$python" - "$TMP" <<-'EOF'
		import json, pickle, sys

		def event(n):
		    return {"type": "event", "name": f"n{n}", "ts": 1.0 + n,
		            "source": f"s{n}", "attrs": {"n": n}}

		def fields(i, shared):
		    return {"index": i, "metadata": shared, "label": f"l{i}"}

		one, two, three = event(1), event(2), event(3)
		dumps = {
		    "after": [{"trace": {"events": [one, two]}, **fields(0, one)}],
		    "before": [{**fields(0, two), "trace": {"events": [one, two]}}],
		    "later": [{"trace": {"events": [one, two]}, **fields(0, three)},
		              {"trace": {"events": [three, three]},
		               **fields(1, two)}],
		    "attrs": [{"trace": {"events": [one, {**two, "attrs": one},
		                                    {**two, "ts": 7.0,
		                                     "attrs": one["attrs"]}]},
		               **fields(0, {"source": "m", "events": [two, two]})}],
		    "carrier": [{"events": [one, two], "trace_id": "t", **one}],
		}
		for name, samples in dumps.items():
		    for protocol in range(5):
		        with open(f"{sys.argv[1]}/{name}.{protocol}", "wb") as f:
		            pickle.dump({"samples": samples}, f, protocol)
		    with open(f"{sys.argv[1]}/{name}.json", "w") as f:
		        json.dump({"samples": samples}, f)
	EOF
	for name in after before later attrs carrier; do
		trace-timeline --format cache "$TMP/$name.json" |
			sed "$made" >"$TMP/wanted"
		for protocol in 0 1 2 3 4; do
			run_split trace-timeline --format cache -o "$TMP/out" \
				"$TMP/$name.$protocol"
			assert_status 0
			sed "$made;s/${name}[.][0-9]/$name.json/" "$TMP/out" |
				cmp - "$TMP/wanted"
		done
	done
}
