# Memory beside the size of what is read. A sample is in memory as a whole; what
# its payload takes, or its neighbours, is not.

load test_helper

setup() {
	[[ $OBS_BIN != */san/bin ]] || skip "sanitizers need address space"
	skip_without /usr/bin/time
	PYTHON=$(python_with pickle) || skip "no python3"
	cd "$TMP" || return
}

# write_dump FILE WHAT COUNT PROTOCOL: samples of that many events (or numbers of
# payload) in all, as a pickle of that protocol or as "json".
write_dump() {
	"$PYTHON" - "$@" <<'END'
import json
import pickle
import sys

path, what, count, protocol = sys.argv[1:]
count = int(count)


def event(kind, name, ts, **more):
    return {"type": kind, "name": name, "ts": 1.7e9 + ts, "trace_id": "t",
            "sample_id": "s", "attempt": 0, "attrs": {}, **more}


def sample(index, events, **more):
    return {"index": index, "group_index": index // 8, "reward": 1.0,
            "status": "completed", "response_length": 10,
            "trace": {"version": 1, "attempt": 0, "events": events}, **more}


def point(n):
    return event("event", "tool_result", n / 1e3)


def overlapping():
    ids = ["%032x" % n for n in range(count // 2)]
    return ([event("span_start", "tool", n / 1e6, span_id=id,
                   parent_span_id=None) for n, id in enumerate(ids)]
            + [event("span_end", "tool", 1e4 + n / 1e6, span_id=id)
               for n, id in enumerate(ids)])


def payload(n):
    return {"tokens": list(range(n, n + 1000)),
            "rollout_log_probs": [-n / 7 - k for k in range(1000)],
            "loss_mask": [1] * 1000,
            "nested": [[n, str(n), (k, n)] for k in range(300)],
            "blob": bytes(range(256)) * 8}


if what == "points":
    samples = [sample(n, [point(100 * n + k) for k in range(100)])
               for n in range(count // 100)]
elif what == "single":
    samples = [sample(n, [point(n)]) for n in range(count)]
elif what == "long":
    samples = [sample(0, [point(n) for n in range(count)])]
elif what == "overlapping":
    samples = [sample(0, overlapping())]
elif what == "payload":
    samples = [sample(n, [point(n)], **payload(n)) for n in range(count)]
dump = {"rollout_id": 0, "samples": samples}
if protocol == "json":
    with open(path, "w") as f:
        json.dump(dump, f)
else:
    with open(path, "wb") as f:
        pickle.dump(dump, f, protocol=int(protocol))
END
}

# takes_below TENTHS FILE COMMAND...: the command's peak is under that many
# tenths of the file's size, beside OWN KiB.
takes_below() {
	local tenths=$1 size peak
	size=$(stat -c %s "$2")
	shift 2
	run_split /usr/bin/time -q -f %M -o "$TMP/peak" "$@"
	assert_status 0
	peak=$(tail -n 1 "$TMP/peak")
	echo "$*: peak $peak KiB for $((size / 1024)) KiB"
	[ $(((peak - OWN) * 10240)) -lt $((size * tenths)) ]
}

# each_below TENTHS FILE: so do all ways to read it.
each_below() {
	takes_below "$1" "$2" obs-perfsum "$2"
	takes_below "$1" "$2" obs-perfsum --breakdown "$2"
	takes_below "$1" "$2" obs-perfsum --stragglers=10 "$2"
	takes_below "$1" "$2" trace-timeline --format html -o "$TMP/out" "$2"
	takes_below "$1" "$2" trace-timeline --format chrome -o "$TMP/out" "$2"
}

# What any program takes, and what is unused of its last blocks, which lie in
# huge pages of 2 MiB: of no weight beside ten times a large dump.
OWN=12288

@test "events without spans take no memory of their number" {
	write_dump points points 200000 2
	each_below 15 points
}

@test "many samples of one event take less than six times their dump" {
	write_dump single single 40000 2
	each_below 60 single
}

@test "payload takes less memory than half its size, in any protocol" {
	local protocol
	for protocol in 0 1 2 4; do
		write_dump "payload.$protocol" payload 1000 "$protocol"
		each_below 5 "payload.$protocol"
	done
}

# What a sample has is decoded before its spans are built.
@test "10^5 overlapping spans in a sample take less than ten times their dump" {
	local protocol OWN=0
	for protocol in 0 2 4 json; do
		write_dump overlapping overlapping 200000 "$protocol"
		each_below 100 overlapping
	done
}

# In protocol 4, 39 bytes an event: numbers of the memo are not written.
@test "10^5 events in a sample take less than ten times their dump" {
	local protocol OWN=0
	for protocol in 0 2 4 json; do
		write_dump long long 300000 "$protocol"
		each_below 100 long
	done
}

# write_engines FILE ENGINES SNAPSHOTS: a stream that says little of each engine.
write_engines() {
	"$PYTHON" - "$@" <<'END'
import sys

path, engines, snapshots = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
values = {"num_running_reqs": 3, "num_queue_reqs": 0, "token_usage": 0.5,
          "gen_throughput": 90.5}
with open(path, "w") as f:
    f.write("# obs-scrape stream\n")
    for second in range(snapshots):
        for name, value in values.items():
            f.write(f"# TYPE sglang:{name} gauge\n")
            for n in range(engines):
                f.write(f'sglang:{name}{{worker_addr="http://10.0.0.1:{n}"}} '
                        f"{value} {1795874400000 + second * 1000}\n")
        f.write("# EOF\n")
END
}

@test "5,000 engines take less than ten times their stream" {
	local snapshots
	for snapshots in 3 20; do
		write_engines engines 5000 "$snapshots"
		takes_below 100 engines sh -c 'obs-top --once <engines'
		takes_below 100 engines sh -c 'obs-top --events <engines'
		takes_below 100 engines sh -c 'obs-aggregate --alarms <engines'
	done
}
