#!/usr/bin/env python3
"""Read a Chrome trace as an importer does and print its events.

Usage: chrome_check.py TRACE.json

A line an event: phase, thread's name, event's name, start and duration in
microseconds, "open" where it is. Status 1, and why, when two events of a
thread overlap partly, a thread is not named once, or a number is not one.
"""

import json
import sys


def refuse(constant):
    sys.exit(f"{constant} is no JSON")


def names_of(events, kind, key):
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == kind:
            if key(event) in names:
                sys.exit(f"{kind} twice for {key(event)}")
            names[key(event)] = event["args"]["name"]
    return names


def check_nesting(spans):
    under_way = []
    for start, end in sorted(spans, key=lambda s: (s[0], -s[1])):
        while under_way and under_way[-1] <= start:
            under_way.pop()
        if under_way and under_way[-1] < end:
            sys.exit(f"{start} to {end} overlaps what ends at {under_way[-1]}")
        under_way.append(end)


def thread(event):
    return event["pid"], event["tid"]


with open(sys.argv[1], encoding="utf-8") as f:
    trace = json.load(f, parse_constant=refuse)
events = trace["traceEvents"]
sys.stdout.reconfigure(errors="backslashreplace")
threads = names_of(events, "thread_name", thread)
processes = names_of(events, "process_name", lambda e: e["pid"])
spans = {}
print("earliest", trace["otherData"]["earliest_unix_s"])
for event in events:
    if not all(type(event[k]) is int for k in ("pid", "tid")):
        sys.exit(f"pid and tid must be numbers: {event}")
    if event["ph"] == "M":
        continue
    words = [event["ph"], processes[event["pid"]], threads[thread(event)],
             event["name"], event["ts"]]
    if event["ph"] == "X":
        words.append(event["dur"])
        spans.setdefault(thread(event), []).append(
            (event["ts"], event["ts"] + event["dur"]))
    if event["args"].get("open"):
        words.append("open")
    print(*words, sep=", ")
for of_thread in spans.values():
    check_nesting(of_thread)
