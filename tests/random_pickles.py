#!/usr/bin/env python3
"""Random rollout dumps in every pickle protocol, and what reading them gives.

  random_pickles.py FIRST_SEED SEEDS

Each dump holds random objects as rewards and attributes, shared within and
between samples, among payload of all kinds in any order of keys. What
trace-timeline shows must be what Python's json says of the same objects, and
obs-perfsum must have summed the loss masks. Differences are printed; the
exit status says whether there were any.
"""
import collections
import enum
import json
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
import types

try:
    import numpy
except ImportError:
    numpy = None

MODULE = types.ModuleType("slime.utils.types")
sys.modules["slime"] = types.ModuleType("slime")
sys.modules["slime.utils"] = types.ModuleType("slime.utils")
sys.modules["slime.utils.types"] = MODULE


def of_module(cls):
    cls.__module__ = MODULE.__name__
    setattr(MODULE, cls.__qualname__, cls)
    return cls


@of_module
class Sample:
    """Its state is the instance's dict."""


@of_module
class Slotted:
    """Its state is (None, slots)."""
    __slots__ = ["index", "reward", "label", "tokens", "loss_mask", "trace",
                 "response_length", "prompt", "experts", "images", "status"]


@of_module
class Mixed(Slotted):
    """Its state is (dict, slots)."""


@of_module
class Status(enum.Enum):
    COMPLETED = "completed"
    TRUNCATED = "truncated"


R = random.Random()
LENGTHS = [0, 0, 1, 1, 2, 3, 4, 7, 999, 1000, 1001, 2500]
TEXTS = ["", "a", "tokens", "samples", "é", "\U0001f600", "\0\n\"\\", "x" * 255, "\ud83d",
         "y" * 256, "z" * 1024, "w" * 1025, "prompt", "loss_mask", "index"]


def text():
    kind = R.randrange(6)
    if kind < 4:
        return R.choice(TEXTS)
    if kind == 4:
        return "".join(R.choices("abcdefgh 0189\u00e9\u65e5", k=R.randrange(12)))
    return R.choice("pqrs") * R.choice([300, 1023, 1024, 1025, 3000])


def number():
    return R.choice([
        lambda: R.randrange(-3, 260), lambda: R.randrange(-2**34, 2**34),
        lambda: R.randrange(-2**70, 2**70), lambda: R.choice([0.0, -0.0, 1e16]),
        lambda: R.uniform(-1, 1) * 10**R.randrange(-20, 20),
        lambda: R.choice([math.nan, math.inf, -math.inf, 2**63, -2**63]),
        lambda: 10**R.randrange(300)])()


def scalar():
    return R.choice([text, text, number, number,
                     lambda: R.choice([None, True, False])])()


def key():
    return R.choice([text, text, text, lambda: R.randrange(9),
                     lambda: R.choice([None, True, 1.5, 2**80])])()


class Trees:
    """Random trees that share parts, also with trees made before."""

    def __init__(self):
        self.made = []

    def tree(self, depth=0):
        kind = R.randrange(12 if depth < 5 else 3)
        if kind < 3:
            return scalar()
        if kind < 5 and self.made and depth > 0:
            return R.choice(self.made)
        if depth == 1 and R.random() < .02:
            v = [number() for _ in range(R.choice(LENGTHS))]
        elif depth == 1 and R.random() < .02:
            v = {"k%d" % i: i for i in range(R.choice(LENGTHS))}
        elif kind < 8:
            v = [self.tree(depth + 1) for _ in range(R.choice([0, 1, 1, 2, 5]))]
        elif kind < 10:
            v = {key(): self.tree(depth + 1)
                 for _ in range(R.choice([0, 1, 1, 2, 5]))}
        else:
            v = tuple(self.tree(depth + 1)
                      for _ in range(R.choice([0, 1, 2, 3, 3, 4])))
        if R.random() < .05:
            v = R.choice([collections.OrderedDict, dict])(
                v if isinstance(v, dict) else {"one": v})
        if weight(v) < 3000:
            self.made.append(v)
        return v


def weight(v):
    if isinstance(v, dict):
        return 1 + sum(map(weight, v.values()))
    if isinstance(v, (list, tuple)):
        return 1 + sum(map(weight, v))
    return 1


def numbers(n):
    kind = R.randrange(4)
    return [R.choice([R.randrange(200), R.randrange(60000), R.randrange(2**31),
                      R.random(), R.randrange(2**40)][kind:kind + 2])
            for _ in range(n)]


def payload(trees):
    kind = R.randrange(13)
    if kind == 0 and numpy:
        return numpy.arange(R.choice(LENGTHS), dtype=R.choice(["i8", "f4"]))
    if kind == 1 and numpy:
        return R.choice([numpy.float64, numpy.int64, numpy.bool_])(1)
    return [
        lambda: None, scalar,
        lambda: [(i, str(i), [i]) for i in range(R.choice(LENGTHS[:8]))],
        lambda: {"a": numbers(5), 3: {}, "b": [[], {}, ()]},
        lambda: {"d%d" % i: numbers(2) for i in range(R.choice(LENGTHS[:9]))},
        lambda: {i for i in range(R.randrange(5))},
        lambda: frozenset([1, (2, "x")]), lambda: b"\x00\xff" * 700,
        lambda: bytearray(b"ab"), lambda: (1, 2.5), lambda: trees.tree(1),
        lambda: R.choice(trees.made) if trees.made else None,
        lambda: numbers(R.choice(LENGTHS)),
    ][kind]()


def shuffled(fields):
    names = list(fields)
    if R.random() < .5:
        R.shuffle(names)
    return {name: fields[name] for name in names}


def as_sample(fields, protocol):
    kind = R.randrange(10)
    if kind == 0 and protocol > 1:
        made = R.choice([Slotted, Mixed])()
    elif kind < 3:
        made = Sample()
    elif kind == 3:
        return collections.OrderedDict(fields)
    else:
        return fields
    for name in fields:
        if hasattr(type(made), name) or hasattr(made, "__dict__"):
            setattr(made, name, fields[name])
    return made


def fields_of(index, trees, masks):
    mask = [R.randrange(2) for _ in range(R.choice(LENGTHS))]
    if masks and R.random() < .05:
        mask = R.choice(masks)
    masks.append(mask)
    attrs = trees.tree()
    attrs = attrs if isinstance(attrs, dict) else {"v": attrs}
    attrs.pop("response_length", None)
    events = [{"type": "span_start", "name": "s", "ts": 1.0, "span_id": "i",
               "attrs": {"a": trees.tree(1)}},
              {"type": "span_end", "name": "s", "ts": 2.0, "span_id": "i",
               "attrs": attrs}]
    fields = {
        "index": index, "prompt": payload(trees),
        "tokens": numbers(R.choice(LENGTHS)), "reward": trees.tree(),
        "experts": payload(trees), "images": payload(trees),
        "response_length": R.randrange(3000),
        "loss_mask": None if R.random() < .1 else mask,
        "label": trees.tree() if R.random() < .3 else text()[:200],
        "status": R.choice(["completed", Status.TRUNCATED]),
        "trace": {"version": 1, "events": events}}
    if R.random() < .3:
        del fields["experts"]
    return shuffled(fields)


def safe(v):
    """The viewer's json_safe: text keys, the last of equal ones counts."""
    if isinstance(v, dict):
        return {str(k): safe(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [safe(x) for x in v]
    return finite(v)


def finite(v):
    if isinstance(v, float) and not math.isfinite(v):
        return None
    return v


def raw(v):
    """What json.dump alone makes of a value; the last of equal keys counts."""
    if isinstance(v, (list, tuple)):
        return [raw(x) for x in v]
    if isinstance(v, dict):
        return {next(iter(json.loads(json.dumps({k: 0})))): raw(x)
                for k, x in v.items()}
    return finite(v)


class Pairs(list):
    """A dict with its keys in order, as JSON text has them."""


def text_of(v):
    if isinstance(v, Pairs):
        return "{" + ",".join(json.dumps(k) + ":" + text_of(x)
                              for k, x in v) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(text_of, v)) + "]"
    if isinstance(v, dict):
        return "{" + ",".join(json.dumps(k) + ":" + text_of(x)
                              for k, x in v.items()) + "}"
    return json.dumps(v)


def expected(fields):
    events = fields["trace"]["events"]
    reward, label = fields["reward"], fields["label"]
    return {
        "reward": text_of(safe(reward) if isinstance(reward, dict)
                          else raw(reward)),
        "label": (text_of(label) if isinstance(label, str) and
                  len(label) <= 256 else None),
        "status": text_of(fields["status"] if isinstance(fields["status"], str)
                          else fields["status"].value),
        "start": text_of(safe(events[0]["attrs"])),
        "end": text_of(safe(events[1]["attrs"]))}


def got(row):
    attrs = dict(dict(row)["items"][0])["attrs"]
    row = dict(row)
    return {"reward": text_of(row["reward"]),
            "label": (text_of(row["label"]) if isinstance(row["label"], str)
                      else None),
            "status": text_of(row["status"]),
            "start": text_of(dict(attrs)["start_attrs"]),
            "end": text_of(dict(attrs)["end_attrs"])}


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=60)
    if done.returncode != 0 or done.stderr:
        raise ValueError("%s: status %d: %s" % (
            command[0], done.returncode, done.stderr.decode()[:300]))
    return json.loads(done.stdout, object_pairs_hook=Pairs)


def effective(fields):
    mask = fields["loss_mask"]
    return fields["response_length"] if mask is None else sum(mask)


def shown_apart(a, b):
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]),
              min(len(a), len(b)))
    return "got ...%s want ...%s" % (a[max(0, at - 40):at + 60],
                                     b[max(0, at - 40):at + 60])


def differences(path, samples):
    rows = dict(run("trace-timeline", "--format", "cache", path))["rows"]
    if len(rows) != len(samples):
        yield "%d rows, not %d" % (len(rows), len(samples))
        return
    for number_, (row, fields) in enumerate(zip(rows, samples)):
        have, want = got(row), expected(fields)
        for name in want:
            if want[name] is not None and have[name] != want[name]:
                yield "sample %d: %s: %s" % (
                    number_, name, shown_apart(have[name], want[name]))
    perf = dict(run("obs-perfsum", "--format", "json", "--rollout-time", "1",
                    "--rollout-num-gpus", "1", path))
    for name, want in (
            ("effective_tokens_per_gpu_per_sec", sum(map(effective, samples))),
            ("longest_effective_sample_tokens_per_sec",
             max(map(effective, samples)))):
        if perf.get("perf/" + name) != want:
            yield "%s: %r, not %r" % (name, perf.get("perf/" + name), want)


def check(seed, protocol, path):
    R.seed(seed)
    trees, masks = Trees(), []
    samples = [fields_of(i, trees, masks)
               for i in range(R.choice([1, 2, 5, 30, 30]))]
    made = [as_sample(fields, protocol) for fields in samples]
    dump = {"rollout_id": 7, "samples": made}
    if R.random() < .2:
        dump = {"note": trees.tree(), **dump, "more": {"samples": [1]}}
    elif R.random() < .2:
        dump = made
    # The one in Python fails on protocol 5's arrays within arrays.
    pickler = R.choice([pickle.dumps, pickle._dumps][:2 - protocol // 5])
    with open(path, "wb") as f:
        f.write(pickler(dump, protocol))
    return list(differences(path, samples))


def main(first, count):
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.pkl")
        for seed in range(first, first + count):
            for protocol in range(6):
                try:
                    found = check(seed, protocol, path)
                except (ValueError, subprocess.TimeoutExpired) as e:
                    found = [str(e)]
                for line in found[:3]:
                    print("seed %d protocol %d: %s" % (seed, protocol, line))
                bad += len(found) > 0
    print("%d dumps differ" % bad)
    return bad > 0


if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
