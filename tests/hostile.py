#!/usr/bin/env python3
"""Dumps made to hurt a reader: one file each in DIR.

  hostile.py DIR

What ends in .ok must be read, what ends in .bad refused; what ends in .any
may be either. All of it in a short time and little memory.
"""
import json
import struct
import sys
import zipfile

MILLION = 1000000
HEAD = b"\x80\x02"


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def sample(reward):
    """[{"reward": ..., "trace": {"events": [{"ts": 1}]}}]"""
    return (HEAD + b"](}(" + text("reward") + reward + text("trace") + b"}"
            + text("events") + b"]}" + text("ts") + b"K\1sasue.")


def laughs():
    """Forty lists, each of four times the one before."""
    made = b"](K\1K\1eq\0"
    for i in range(40):
        made += b"0](" + b"h%c" % i * 4 + b"eq%c" % (i + 1)
    return made


def laughing_spans(n):
    """Spans that all have the attributes of laughs()."""
    spans = b"".join(b"}(" + text("type") + text("span_start")
                     + text("name") + text("s") + text("ts") + b"K\1"
                     + text("span_id") + b"J" + struct.pack("<i", i)
                     + text("attrs") + b"}" + text("x") + b"h\x28su"
                     for i in range(n))
    return (HEAD + b"](}(" + text("reward") + laughs() + text("trace")
            + b"}" + text("events") + b"](" + spans + b"esue.")


PICKLES = {
    "deep_top.bad": HEAD + b"]" * MILLION + b"a" * (MILLION - 1) + b".",
    "deep_reward.bad": sample(b"]" * MILLION + b"a" * (MILLION - 1)),
    "deep_tuples.bad": sample(b")" + b"\x85" * MILLION),
    "deep_payload.untimed": HEAD + b"]}" + text("rollout_log_probs") + b"]" * MILLION + b"a" * (
        MILLION - 1) + b"sa.",
    "laughs.any": sample(laughs()),
    "laughs_often.any": laughing_spans(1000),
    "itself.any": sample(b"]q\0h\0a"),
    "marks.bad": HEAD + b"(" * MILLION + b".",
    "no_stop.bad": HEAD + b"](}}}",
    "early_stop.bad": HEAD + b"](}}}.",
    "string_4g.bad": HEAD + b"X\xff\xff\xff\xffabc.",
    "string_1t.bad": b"\x80\x04\x8d" + struct.pack("<Q", 2**40) + b"abc.",
    "bytes_1t.bad": b"\x80\x05\x96" + struct.pack("<Q", 2**40) + b"abc.",
    "long_2g.bad": HEAD + b"\x8b\xff\xff\xff\x7fabc.",
    "longs.ok": sample(b"](" + (b"\x8b\0\x20\0\0" + b"\x7f" * 8192) * 20
                       + b"e"),
    "frame.ok": b"\x80\x04\x95" + struct.pack("<Q", 2**63) + b"].",
    "memo_far.bad": HEAD + b"]r\xff\xff\xff\xff.",
    "memo_twice.any": HEAD + b"](}q\1}q\1e.",
    "memo_unknown.bad": HEAD + b"h\1.",
    "memo_down.any": HEAD + b"](" + b"".join(
        b"}r" + struct.pack("<I", 65536 * (i + 1) - 1) for i in range(100)
        ) + b"".join(b"}r" + struct.pack("<I", i) for i in range(60000))
        + b"e.",
    "memoize.any": b"\x80\x04]" + b"N\x940" * MILLION + b".",
    "fills_earlier.bad": HEAD + b"](}" + text("reward") + b"]q\1s}h\1K\1a0e.",
    "pops_below.bad": HEAD + b"](}}}000000K\1a.",
    "popped.any": HEAD + b"](}}}0000Na.",
    "no_operands.bad": HEAD + b"](}sue.",
    "keys.ok": sample(b"}(" + b"".join(text("k%d" % i) + b"K\1"
                                       for i in range(300000)) + b"u"),
    "preamble.bad": bytes.fromhex("80028a0a6cfc9c46f9206aa850192e") + HEAD
        + text("a") + b"\x97." + b"N.",
}


def start(i, ts=1.0, **more):
    return dict(type="span_start", name="s", ts=ts, span_id=i, **more)


def end(i, ts=2.0, **more):
    return dict(type="span_end", name="s", ts=ts, span_id=i, **more)


def traces(n=40000, many=400000):
    half = many // 2
    return {
        "open": [start(i + 1) for i in range(n)],
        "first_in_first_out": [start(i + 1) for i in range(half)]
        + [end(i + 1) for i in range(half)],
        "orphans": [start(i + 1) for i in range(half)]
        + [end(-i - 1) for i in range(half)],
        "chain": [start(i + 1, parent_span_id=i) for i in range(n)],
        "chain_up": [start(i + 1, parent_span_id=i + 2) for i in range(n)],
        "circle": [start(i + 1, parent_span_id=(i + 1) % n + 1)
                   for i in range(n)],
        "equal_starts": [e for i in range(n // 2) for e in
                         (start(i + 1, parent_span_id="r"), end(i + 1))],
        "restarts": [start(1, float(i)) for i in range(n)],
        "far_apart": [start(1, -1e308), end(1, 1e308)],
        "nan": [start(i, ts) for i, ts in enumerate(
            [float("nan"), 1, float("inf"), float("-inf")] * 1000, 1)],
    }


def main(folder):
    for name, content in PICKLES.items():
        with open("%s/%s" % (folder, name), "wb") as f:
            f.write(content)
    for name, events in traces().items():
        with open("%s/%s.json.ok" % (folder, name), "w") as f:
            json.dump({"samples": [{"trace": {"events": events}}]}, f)
    bomb = "%s/bomb.bad" % folder
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data.pkl", HEAD + b"]" + bytes(20 * MILLION))


main(sys.argv[1])
