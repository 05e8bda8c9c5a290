"""The samples of an exposition as prometheus_client's own parser reads them.

Usage: exposition_peer.py <EXPOSITION
       exposition_peer.py --json <what obs-aggregate --format json wrote

Prints a line a sample, sorted: name, labels, value, timestamp.
"""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families


def bare(number):
    """A number in one spelling, whichever way it came."""
    return repr(float(number) + 0)


def from_text(text):
    for family in text_string_to_metric_families(text):
        for s in family.samples:
            yield s.name, s.labels, bare(s.value), s.timestamp


def from_json(text):
    for family in json.loads(text)["families"]:
        for s in family["samples"]:
            ms = s["timestamp_ms"]
            yield (s["name"], s["labels"], bare(s["value"]),
                   None if ms is None else ms / 1000)


samples = from_json if sys.argv[1:] == ["--json"] else from_text
lines = []
for name, labels, value, time in samples(sys.stdin.read()):
    lines.append(json.dumps([name, labels, value, time], sort_keys=True))
print("\n".join(sorted(lines)))
