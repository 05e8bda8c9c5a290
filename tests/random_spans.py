"""Write a dump of random, torn and misnamed spans to standard output.

Usage: random_spans.py SEED
"""

import json
import random
import sys

NAMES = ["sglang_generate", "sglang_generate_stream", "tool_call", "Env step",
         "devenv", "reward_model", "rm", "farm", "wait x", "await", "grading",
         "kv_transfer", "PREFILL", "mydecode", "sglang_generate x", "plain",
         "ünï tool", None, 7, True, ["a", 1], "sandbox", "x [P]", "alloc"]


def attrs(r, span):
    said = {}
    # An id used twice: the cache does not tell whose the children are.
    if span != "s0" and r.random() < .5:
        said["queue_time"] = r.choice(
            [0.25, 1, 0, -1, True, "2", 1e9, 0.1234567, None])
    if r.random() < .3:
        said["completion_tokens"] = r.randrange(1000)
    if r.random() < .1:
        said["pd_decode_forward_duration"] = r.random()
    return said


def events(r):
    made, ids = [], []
    for number in range(r.randrange(30)):
        span = r.choice(["s%d" % number] * 9 + ["s0"])
        start = r.choice([r.randrange(40) / 4, r.random() * 10])
        start += 1.7e9
        parent = r.choice(ids + [None, span, "s%d" % (number + 1)])
        begun = {"type": "span_start", "name": r.choice(NAMES), "ts": start,
                 "span_id": span, "parent_span_id": parent}
        ended = {"type": "span_end", "name": begun["name"], "span_id": span,
                 "ts": start + r.choice([0, 1, -1, r.random() * 5, 2.5]),
                 "attrs": attrs(r, span)}
        ids.append(span)
        kind = r.random()
        made += ([begun, ended] if kind < .8 else [begun] if kind < .9
                 else [ended])
        if r.random() < .1:
            made.append({"type": "event", "name": "p",
                         "ts": start + r.random()})
    return made


def main():
    r = random.Random(int(sys.argv[1]))
    samples = []
    for index in range(r.randrange(60)):
        samples.append({
            "index": r.choice([index, "i%d" % index]),
            "group_index": r.choice([None, 0, 1, "1", index // 4]),
            "status": r.choice(["completed", "truncated", None]),
            "response_length": r.choice([None, r.randrange(500)]),
            "trace": {"attempt": r.randrange(2), "events": events(r)}})
    json.dump({"rollout_id": 1, "samples": samples}, sys.stdout)


main()
