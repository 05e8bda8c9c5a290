"""Compare obs-perfsum --breakdown --stragglers with sums made another way.

Usage: breakdown_check.py PERFSUM_JSON CACHE_JSON

The cache is trace-timeline's; each row is cut at every start and end, and
each piece is given to its owner by looking at all spans: no sweep, no heap.
Exact: times are whole microseconds.
"""

import json
import math
import re
import sys
from collections import defaultdict

ACTIVITIES = [
    ("tool", r"tool|sandbox|\benv|exec"),
    ("reward", r"reward|^rm$|verif|judge|grad(e|ing)"),
    ("queue", r"queue|alloc|bootstrap|\bwait"),
    ("transfer", r"transfer"),
    ("prefill", r"prefill|\[P\]$"),
    ("decode", r"decode|^sglang_generate|\[D\]$"),
]
ORDER = [name for name, _ in ACTIVITIES] + ["other", "idle"]
GENERATION = ("sglang_generate", "sglang_generate_stream")


def activity_of(name):
    for activity, pattern in ACTIVITIES:
        if re.search(pattern, name, re.I | re.A):
            return activity
    return "other"


def text(value):
    return value if isinstance(value, str) else str(value)


def us(seconds):
    return round(seconds * 1e6)


def end_of(item):
    return item["display_end_ts"] if item["type"] == "span" else item["ts"]


def start_of(item):
    return item["start_ts"] if item["type"] == "span" else item["ts"]


def is_virtual(item):
    attrs = item["attrs"]
    return (item["type"] == "span" and isinstance(attrs["end_attrs"], dict)
            and "timeline_pd_virtual_role" in attrs["end_attrs"])


def number(value):
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))


class Row:
    def __init__(self, row):
        self.row = row
        items = [i for i in row["items"]
                 if start_of(i) is not None and end_of(i) is not None]
        self.start = min((us(start_of(i)) for i in items), default=1)
        self.end = max((us(end_of(i)) for i in items), default=0)
        self.all = [i for i in row["items"]
                    if i["type"] == "span" and not is_virtual(i)]
        self.spans = [i for i in self.all
                      if i["start_ts"] is not None
                      and i["display_end_ts"] is not None]
        self.parents = {i["parent_span_id"] for i in self.all}
        self.self_time = defaultdict(int)
        self.activity = defaultdict(int)
        self.pieces = []
        if self.timed():
            self.cut()

    def timed(self):
        return self.start <= self.end

    def owner(self, at):
        best, rank = None, None
        for order, span in enumerate(self.spans):
            start, end = us(span["start_ts"]), us(span["display_end_ts"])
            if start <= at < end:
                key = (span["depth"], start, end, order)
                if rank is None or key > rank:
                    best, rank = span, key
        return best

    def queued_until(self, span):
        attrs = span["attrs"]["end_attrs"]
        if (span["state"] != "closed_span" or span["name"] not in GENERATION
                or span["span_id"] in self.parents
                or not number(attrs.get("queue_time"))
                or attrs["queue_time"] <= 0):
            return us(span["start_ts"])
        return us(span["start_ts"]) + us(attrs["queue_time"])

    def cut(self):
        cuts = {self.start, self.end}
        for span in self.spans:
            cuts |= {us(span["start_ts"]), us(span["display_end_ts"]),
                     self.queued_until(span)}
        cuts = sorted(c for c in cuts if self.start <= c <= self.end)
        for begin, end in zip(cuts, cuts[1:]):
            span = self.owner(begin)
            if span is None:
                self.activity["idle"] += end - begin
                continue
            name = text(span["name"])
            self.self_time[name] += end - begin
            self.pieces.append((begin, end, name))
            activity = activity_of(name)
            if begin < self.queued_until(span):
                activity = "queue"
            self.activity[activity] += end - begin

    def tokens(self):
        counted = [s["attrs"]["end_attrs"].get("completion_tokens")
                   for s in self.all
                   if s["name"] in GENERATION and s["state"] == "closed_span"]
        counted = [c for c in counted if number(c)]
        return sum(counted) if counted else None


def quantile(values, q):
    values = sorted(values)
    at = (len(values) - 1) * q
    below = math.floor(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (at - below)


def close(have, want, what):
    good = (have is None and want is None
            or have is not None and want is not None
            and math.isclose(have, want, rel_tol=1e-9, abs_tol=1e-9))
    assert good, (what, have, want)


def ratio(a, b):
    return a / b if b else None


def concurrency(rows, wall):
    moments = sorted({m for r in rows for m in (r.start, r.end)})
    peak = tail = 0
    for begin, end in zip(moments, moments[1:]):
        running = sum(r.start <= begin < r.end for r in rows)
        peak = max(peak, running)
        tail += end - begin if 10 * running < len(rows) else 0
    return peak, tail


def check_spans(have, rows, wall, time):
    durations = defaultdict(list)
    own = defaultdict(int)
    for row in rows:
        for span in row.spans:
            durations[text(span["name"])].append(
                max(0, us(span["display_end_ts"]) - us(span["start_ts"])))
        for name, t in row.self_time.items():
            own[name] += t
    assert len(have) == len(durations), (len(have), len(durations))
    assert [s["self"] for s in have] == sorted(
        (s["self"] for s in have), reverse=True)
    for span in have:
        name, d = span["name"], durations[span["name"]]
        assert span["count"] == len(d), name
        close(span["total"], sum(d) / 1e6, name)
        close(span["self"], own[name] / 1e6, name)
        close(span["share"], ratio(own[name], time), name)
        close(span["concurrency"], ratio(sum(d), wall), name)
        close(span["p50"], quantile(d, .5) / 1e6, name)
        close(span["p95"], quantile(d, .95) / 1e6, name)
        close(span["max"], max(d) / 1e6, name)


def group_waiting(rows):
    groups = defaultdict(list)
    for row in rows:
        if row.row["group_index"] is not None:
            groups[json.dumps(row.row["group_index"])].append(row.end)
    return sum(max(ends) - end for ends in groups.values() for end in ends)


def by_end(rows):
    return sorted(rows, key=lambda r: (-r.end, r.start, r.row["row_id"]))


def check_last(have, rows, wall):
    ends = sorted(r.end for r in rows)
    begin = ends[len(ends) - len(ends) // 20 - 1]
    last = by_end(rows)[0]
    assert have["sample"] == last.row["sample_index"]
    close(have["share"], ratio(ends[-1] - begin, wall), "last share")
    held = defaultdict(int)
    for begun, end, name in last.pieces:
        if end > begin:
            held[name] += end - max(begun, begin)
    held = held or last.self_time
    if held:
        close(have["time"], max(held.values()) / 1e6, "last time")
        assert held[have["name"]] == max(held.values())
    else:
        assert have["name"] is None


def check_breakdown(have, rows):
    wall = (max(r.end for r in rows) - min(r.start for r in rows)
            if rows else 0)
    time = sum(r.end - r.start for r in rows)
    peak, tail = concurrency(rows, wall)
    assert have["samples"] == len(rows), have["samples"]
    assert have["peak"] == peak, (have["peak"], peak)
    close(have["wall"], wall / 1e6, "wall")
    close(have["sample_time"], time / 1e6, "sample_time")
    close(have["tail"], tail / 1e6, "tail")
    close(have["utilisation"], ratio(time, wall * peak), "utilisation")
    if wall * peak:
        close(have["bubble"], 1 - time / (wall * peak), "bubble")
    for activity in ORDER:
        close(have["activities"][activity],
              sum(r.activity[activity] for r in rows) / 1e6, activity)
    close(have["waiting"]["group"], group_waiting(rows) / 1e6, "group")
    close(have["waiting"]["reward"],
          sum(r.activity["reward"] for r in rows) / 1e6, "reward")
    check_spans(have["spans"], rows, wall, time)
    if rows:
        check_last(have["last"], rows, wall)
    else:
        assert have["last"] is None

    # The sums that hold whatever the rules are.
    own = sum(s["self"] for s in have["spans"])
    close(own + have["activities"]["idle"], have["sample_time"], "Σ self")
    close(sum(have["activities"].values()), have["sample_time"], "Σ activity")
    if time:
        close(sum(s["share"] for s in have["spans"])
              + have["activities"]["idle"] / have["sample_time"], 1, "Σ share")


def check_stragglers(have, medians, rows):
    durations = [(r.end - r.start) / 1e6 for r in rows]
    if rows:
        close(medians["duration"], quantile(durations, .5), "median")
    last = by_end(rows)
    longest = sorted(rows, key=lambda r: (r.start - r.end, -r.end))
    for one, row in zip(have, last):
        assert one["last"] == last.index(row) + 1
        assert one["longest"] == longest.index(row) + 1
        duration = (row.end - row.start) / 1e6
        assert one["sample"] == row.row["sample_index"]
        assert one["group"] == row.row["group_index"]
        close(one["duration"], duration, "duration")
        close(one["over_median"], ratio(duration, medians["duration"]),
              "over_median")
        most = max(row.self_time.values(), default=0)
        close(one["span_time"], most / 1e6, "span_time")
        assert one["span"] is None or row.self_time[one["span"]] == most
        largest = max(ORDER, key=lambda a: row.activity[a])
        assert one["activity"] == largest, (one, row.activity)
        close(one["activity_time"], row.activity[largest] / 1e6, "activity")
        tokens = row.tokens()
        if tokens is not None:
            close(one["tokens"], tokens, "tokens")
            close(one["decode_rate"],
                  ratio(tokens, row.activity["decode"] / 1e6), "rate")


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        have = json.loads(f.readline())
    with open(sys.argv[2], encoding="utf-8") as f:
        cache = json.load(f)
    rows = [row for row in map(Row, cache["rows"]) if row.timed()]
    check_breakdown(have["breakdown"], rows)
    check_stragglers(have["stragglers"], have["medians"], rows)
    assert len(have["stragglers"]) == min(len(rows), 100)


main()
