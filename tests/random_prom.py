#!/usr/bin/env python3
"""Random expositions: are they read as prometheus_client's parser reads them?

  random_prom.py FIRST_SEED SEEDS

obs-aggregate in PATH reads each. Names, label values with every escape,
numbers in every spelling, timestamps, comments and blanks are drawn; a series
comes once, for of two the first counts here. Differences are printed, the
exit status says whether there were any.
"""
import json
import random
import subprocess
import sys

from prometheus_client.parser import text_string_to_metric_families

NUMBERS = ["0", "-0", "1", "+1", "1e3", "1E-3", ".5", "5.", "NaN", "+Inf",
           "-Inf", "Inf", "5e-324", "1.7976931348623157e308",
           "9007199254740993", "0.1", "123456789.123456789"]
TEXTS = ["", "a", "é", "日本", "\\\\", "\\n", "\\\"", "a b", "{}", "}", ",",
         "=", "#", "x" * 300, "'"]
BLANKS = ["", "", "", " ", "\t", "  "]


def exposition(r):
    lines = []
    for family in range(r.randrange(1, 8)):
        name = "f%d%s" % (family, r.choice(["", "_x", ":y", "_total"]))
        kind = r.choice(["gauge", "untyped", None])
        if r.random() < .5:
            lines.append("# HELP %s %s" % (name, r.choice(["a b", "\\n", ""])))
        if kind:
            lines.append("# TYPE %s %s" % (name, kind))
        if r.random() < .2:
            lines.append(r.choice(["", "# comment", "#", "  "]))
        for series in range(r.randrange(1, 6)):
            labels = ['n="%d"' % series]
            for i in range(r.randrange(4)):
                labels.append('l%d="%s"' % (i, "".join(
                    r.choices(TEXTS, k=r.randrange(3)))))
            number = r.choice(NUMBERS + [repr(r.gauss(0, 1e6))])
            time = " %d" % r.randrange(10**13) if r.random() < .3 else ""
            lines.append("%s{%s%s%s} %s%s" % (
                name, r.choice(BLANKS), ("," + r.choice(BLANKS)).join(labels),
                r.choice(["", ","]), number, time))
    return "\n".join(lines) + "\n"


def plain(number):
    return repr(float(number) + 0)  # JSON has no negative zero


def of_peer(text):
    for family in text_string_to_metric_families(text):
        for s in family.samples:
            labels = {k: v for k, v in s.labels.items() if v}
            yield json.dumps([s.name, labels, plain(s.value), s.timestamp
                              and round(s.timestamp * 1000)], sort_keys=True)


def of_ours(text):
    made = subprocess.run(["obs-aggregate", "-q", "--format", "json"],
                          input=text.encode(), stdout=subprocess.PIPE)
    for family in json.loads(made.stdout)["families"]:
        for s in family["samples"]:
            labels = {k: v for k, v in s["labels"].items() if v}
            yield json.dumps([s["name"], labels, plain(s["value"]),
                              s["timestamp_ms"]], sort_keys=True)


def main():
    first, seeds = map(int, sys.argv[1:])
    differing = 0
    for seed in range(first, first + seeds):
        text = exposition(random.Random(seed))
        theirs, ours = sorted(of_peer(text)), sorted(of_ours(text))
        if theirs != ours:
            differing += 1
            print("seed %d: theirs %s, ours %s" % (
                seed, sorted(set(theirs) - set(ours))[:2],
                sorted(set(ours) - set(theirs))[:2]))
    return 1 if differing else 0


sys.exit(main())
