#!/usr/bin/env python3
"""Random traces, whole and torn, and the timeline that each must give.

  random_traces.py FIRST_SEED SEEDS

Each dump, in JSON or as a pickle of any protocol, holds nested spans that are
then torn: ends and starts lost or doubled, parents unknown, wrong or in a
circle, times out of order, negative or no numbers, attempts and attributes of
every type, engines split in prefill and decode or not. What trace-timeline
writes as its cache must be what slime_viewer.py says, field by field, and its
exit status must tell of trouble just when there was some. Differences are
printed; the exit status says whether there were any.
"""

import decimal
import json
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile

import slime_viewer

R = random.Random()
NAMES = ["generate_and_rm", "sglang_generate", "sglang_generate_stream",
         "sglang_pd_prefill", "tool_call", "reward", "\U0001f600", "\uffee",
         "é", "\ud83d", "Z", "a", ""]
PD_KEYS = ["pd_%s_%s_duration" % (role, segment)
           for role, segments in slime_viewer.PD_SEGMENTS.items()
           for segment in segments]


def pick(*pairs):
    """One of the values, by weight; what can be called makes it."""
    v = R.choices([v for v, _ in pairs], [w for _, w in pairs])[0]
    return v() if callable(v) else v


def number():
    return pick((lambda: R.randrange(-3, 300), 3), (lambda: R.random() * 9, 3),
                (0, 1), (-0.0, 1), (True, 1), (1e16, 1), (1e-7, 1),
                (10**30, 1), (math.nan, 1), (math.inf, 1))


def anything(depth=0):
    return pick(
        (number, 4), (None, 1), (False, 1), ("", 1), (lambda: R.choice(NAMES), 4),
        (lambda: b"\xff'", .3), (lambda: decimal.Decimal("1.50"), .3),
        (lambda: [anything(depth + 1) for _ in range(R.randrange(3 - depth))], 1),
        (lambda: (anything(2), 1), .5), (lambda: {("x", 1): 2}, .3),
        (lambda: {R.choice(["a", 1, None, True, 1.5, "1"]): anything(2)
                  for _ in range(R.randrange(4 - depth))}, 1))


def attrs_of(name):
    said = {R.choice("abc"): anything() for _ in range(R.randrange(3))}
    if R.random() < .3:
        said["response_length"] = pick(
            (lambda: R.randrange(5000), 8), (2.9, 1), (True, 1), ("7", 1),
            (1e300, .5), (2**70, .5), (math.nan, .3))
    if name.startswith("sglang") and R.random() < .7:
        for key in R.sample(PD_KEYS, R.randrange(len(PD_KEYS))):
            said[key] = pick((R.random, 6), (0, 1), (-1.0, 1), (True, .5),
                             ("0.5", .5), (math.nan, .3), (math.inf, .3),
                             (2, 1), (None, .5), (10**20, .3), (-10**20, .3))
    return said


class Maker:
    """The events of one sample, as they would be recorded, then torn."""

    def __init__(self, torn):
        self.torn, self.ids, self.events = torn, [], []
        self.now = R.choice([1.7e9, 1.7e9 + .123456789, 0, -5, 100.5])
        self.steps, self.grid = R.choice([4, 4, 2]), R.choice(
            [.25, 1e-6, 1e-7, 0])  # 0: any time
        self.names = NAMES if R.random() < .7 else R.sample(NAMES, 2)
        for _ in range(R.randrange(1, 4)):
            self.span(None, 0)
        if torn:
            self.tear()

    def time(self):
        steps = max(0, R.randrange(-1, self.steps))
        self.now += steps * self.grid if self.grid else R.random()
        return self.now

    def name(self):
        return pick((lambda: R.choice(self.names), 60), (None, .2), (7, .2))

    def event(self, kind, name, **members):
        made = {"type": kind, "name": name, "ts": self.time(), **members}
        if R.random() < .3:
            made["attempt"] = R.randrange(3)
        said = attrs_of(str(name))
        if said or R.random() < .5:
            made["attrs"] = said
        self.events.append(made)

    def span(self, parent, depth):
        span_id = pick((lambda: "%032x" % R.getrandbits(128), 20),
                       (lambda: R.randrange(1, 3), 1))
        self.ids.append(span_id)
        name = self.name()
        given = {} if R.random() < .3 else {"parent_span_id": parent}
        self.event("span_start", name, span_id=span_id, **given)
        for _ in range(R.randrange(4) if depth < 5 else 0):
            if R.random() < .6:
                self.span(span_id, depth + 1)
            else:
                self.event("event", self.name(), parent_span_id=span_id)
        self.event("span_end", name, span_id=span_id, **given)

    def any_id(self):
        return pick((lambda: R.choice(self.ids), 12), ("gone", 2), (1, 1),
                    (True, 1), (1.0, 1), ("1", 1), (0, .5), ("", .5),
                    (None, 1), (False, .3), (b"x", .3), (-7, .3))

    def tear(self):
        if R.random() < .3:  # the recording ended early
            del self.events[R.randrange(1, len(self.events) + 1):]
        for _ in range(R.randrange(1, 2 + len(self.events) // 2)):
            at = R.randrange(len(self.events))
            event = self.events[at]
            kind = R.randrange(14)
            if not isinstance(event, dict):
                continue
            if kind < 3 and len(self.events) > 1:
                del self.events[at]
            elif kind == 3:
                self.events.insert(R.randrange(len(self.events)), event)
            elif kind == 4:
                self.events[at] = R.choice(self.events)
            elif kind == 5:
                self.events.insert(R.randrange(len(self.events)),
                                   self.events.pop(at))
            else:
                self.events[at] = self.spoiled(dict(event), kind)

    def spoiled(self, event, kind):
        if kind < 8:
            event["parent_span_id"] = self.any_id()
        elif kind == 8:
            event["parent_span_id"] = event.get("span_id")
        elif kind == 9:
            event["span_id"] = self.any_id()
        elif kind == 10:
            event["ts"] = pick(
                (lambda: self.now + R.choice([-1, 1, -9, 9, 1e-7]), 20),
                (lambda: -self.now, 3), (0.0, 3), (-0.0, 3), (7, 3),
                ("1_0.5", 1), (" 2.5\n", 1), (b"3.5", 1), (True, 1),
                (decimal.Decimal("2.75"), 1), (math.nan, 1), ("nan", .5),
                (math.inf, .5), ("-inf", .5), ("x", 1), (None, 1),
                (lambda: [1], 1), (10**400, .5))
        elif kind == 11:
            event["attempt"] = pick(
                (None, 3), ("3", 3), (2.9, 3), (True, 3), (b"8", 3), (0, 2),
                (10**30, 2), (-4, 2), ("abc", 1), (math.nan, 1), ("", 2),
                (lambda: [], 1), (lambda: [1], 1))
        elif kind == 12:
            event["attrs"] = pick((None, 3), ("", 1), (lambda: [], 1), (0, 1),
                                  ("text", 1), (lambda: [1, {"a": 2}], 1),
                                  (lambda: {(1, "x"): (), 1: 2, "1": 3}, 2))
        else:
            event["type"] = pick((lambda: R.choice(
                ["span_start", "span_end", "event", "other"]), 5), (None, 1),
                (7, 1))
            if R.random() < .2:
                return R.choice([None, 3, "x"])
        return event


def text():
    return pick(("source", 2), (lambda: "é" * R.choice([63, 64, 65, 300]), 2),
                (lambda: "a" * R.choice([255, 256, 257]), 2), (None, 1),
                ("", 1), (False, 1), (0, 1), (lambda: ["x"], 1),
                (lambda: (1, "x"), .5))


def sample():
    made = {
        "trace": pick(
            (lambda: {"events": Maker(R.random() < .7).events}, 40),
            (lambda: {"events": []}, 1), (lambda: {}, 1), (None, 1), ("x", 1)),
        "index": pick((lambda: R.randrange(99), 5), (None, 1), ("i", 1)),
        "group_index": pick((lambda: R.randrange(9), 5), (None, 1), ("g", 1)),
        "status": text(), "label": text(), "source": text(),
        "reward": pick((lambda: R.random(), 3), (None, 1), (math.nan, 1),
                       (lambda: {"score": anything(), 1: 2, "1": 3}, 2),
                       (lambda: [1, {2.5: None}, (True,)], 1)),
        "metadata": pick((None, 3), (lambda: {}, 1), ("x", 1),
                         (lambda: {"source": text()}, 1),
                         (lambda: {"source_name": text()}, 1),
                         (lambda: {"n": 1, "resource_ID": text(),
                                   "Source2": "b"}, 1))}
    if isinstance(made["trace"], dict):
        if R.random() < .8:
            made["trace"]["attempt"] = pick(
                (lambda: R.randrange(3), 9), ("2", 1), (None, 1), ("x", .2))
        made["trace"]["trace_id"] = R.choice(["abc", None, 5])
    for key in R.sample(sorted(made), R.randrange(3)):
        if key != "trace":
            del made[key]
    return made


def write(dump, path):
    """The samples of what was written, as it is read again."""
    if R.random() < .4:
        with open(path, "w", encoding="utf-8") as f:
            json.dump(dump, f, default=str, skipkeys=True)
        with open(path, encoding="utf-8") as f:
            return json.load(f)["samples"]
    with open(path, "wb") as f:
        pickle.dump(dump, f, R.randrange(6))
    return dump["samples"]


def differences(got, want, loose):
    times = ("start", "end", "duration")
    for key in sorted(set(got) | set(want)):
        have, need = (json.dumps(row.get(key, "absent")) for row in (got, want))
        if key == "items":
            have, need = ([json.dumps(ordered(i)) for i in row[key]]
                          for row in (got, want))
            if loose:
                have, need = sorted(have), sorted(need)
            for a, b in zip(have, need):
                if a != b:
                    yield "item: got %.1000s want %.1000s" % (a, b)
        elif have != need and not (loose and key in times):
            yield "%s: got %.300s want %.300s" % (key, have, need)


def ordered(item):
    """An item with its members sorted, its attributes as they are."""
    return {key: item[key] for key in sorted(item)}


def check(seed, path):
    R.seed(seed)
    troubles = []
    dump = {"rollout_id": seed,
            "samples": [sample() for _ in range(R.randrange(8))]}
    samples = write(dump, path)
    want = list(slime_viewer.rows_of(samples, lambda: troubles.append(1)))
    done = subprocess.run(["trace-timeline", "--format", "cache", path],
                          capture_output=True, timeout=60)
    timeless = samples and not want
    if done.returncode != (1 if troubles or timeless else 0):
        yield "status %d, %d troubles: %.300s" % (
            done.returncode, len(troubles), done.stderr.decode())
        return
    got = json.loads(done.stdout)
    if got["sample_count"] != len(want) or len(got["rows"]) != len(want):
        yield "%d rows, not %d" % (got["sample_count"], len(want))
        return
    for row, (wanted, loose) in zip(got["rows"], want):
        for line in differences(row, wanted, loose):
            yield "row %d: %s" % (wanted["row_id"], line)
    for key, of in (("start", min), ("end", max)):
        ends = [None if loose else wanted[key] for wanted, loose in want]
        if ends and None not in ends and got["global_" + key] != of(ends):
            yield "global_%s: got %r want %r" % (
                key, got["global_" + key], of(ends))


def main(first, count):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump")
        for seed in range(first, first + count):
            try:
                found = list(check(seed, path))
            except (ValueError, subprocess.TimeoutExpired) as e:
                found = [str(e)]
            for line in found[:3]:
                print("seed %d: %s" % (seed, line))
            bad += len(found) > 0
    print("%d dumps differ" % bad)
    return bad > 0


if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
