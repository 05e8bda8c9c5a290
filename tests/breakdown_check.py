"""Compare obs-perfsum --breakdown --stragglers with sums made another way.

Usage: breakdown_check.py PERFSUM_JSON CACHE_JSON (--stragglers 100)

The cache is trace-timeline's; each row is cut at every start and end, and
each piece is given to its owner by looking at all spans: no sweep, no heap.
What a sample waited for is found by comparing it with every other sample of
its group. Exact: times are whole microseconds.
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
MOST = 100  # --stragglers
WAITS = ["client_queue", "group_wait"]
GENERATION = ("sglang_generate", "sglang_generate_stream")
WORKER_KEYS = ("worker_addr", "worker", "worker_url", "engine", "engine_addr",
               "server", "server_url", "url")


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


class Span:
    """A span with a time, in microseconds."""

    def __init__(self, item, order):
        self.item, self.order = item, order
        self.start, self.end = us(item["start_ts"]), us(item["display_end_ts"])
        self.name, self.attempt = item["name"], item["attempt"]
        self.closed = item["state"] == "closed_span"
        self.key = (text(self.name), self.start, self.end)
        self.shared = self.barrier = False

    def owns(self):
        """The greatest of those under way owns the moment."""
        return (self.item["depth"], self.start, self.end, self.order)


class Row:
    def __init__(self, row):
        self.row = row
        self.group = row["group_index"]
        items = [i for i in row["items"]
                 if start_of(i) is not None and end_of(i) is not None]
        self.start = min((us(start_of(i)) for i in items), default=1)
        self.end = max((us(end_of(i)) for i in items), default=0)
        self.all = [i for i in row["items"]
                    if i["type"] == "span" and not is_virtual(i)]
        self.spans = [Span(i, order) for order, i in enumerate(self.all)
                      if i["start_ts"] is not None
                      and i["display_end_ts"] is not None]
        self.parents = {i["parent_span_id"] for i in self.all}
        self.calls = [s for s in self.spans if s.name == "generate_and_rm"]
        self.begin = min((s.start for s in self.calls or self.spans),
                         default=None)
        self.self_time = defaultdict(int)
        self.activity = defaultdict(int)
        self.work = defaultdict(int)
        self.work_names = defaultdict(int)
        self.pieces = []

    def timed(self):
        return self.start <= self.end

    def same_sample(self, other):
        index = self.row["sample_index"]
        return self is other or (
            index is not None and self.begin == other.begin
            and self.group == other.group
            and json.dumps(index) == json.dumps(other.row["sample_index"]))

    def children(self, call):
        return [s.start for s in self.spans if s is not call
                and s.item["parent_span_id"] == call.item["span_id"]]

    def find_shared(self, others):
        elsewhere = {s.key for o in others if not self.same_sample(o)
                     for s in o.spans if s.closed}
        alone = self.group is not None and all(
            self.same_sample(o) for o in others)
        for span in self.spans:
            span.shared = span.closed and span.key in elsewhere
            around = all(span.start <= s.start and s.end <= span.end
                         for s in self.spans if s.attempt == span.attempt)
            span.barrier = (span.shared and around
                            or alone and span.closed
                            and span.name == "generate_and_rm_group")

    def find_runs(self):
        """[start, end, end of the barrier, open] of each attempt's work."""
        self.run_of = {}
        for attempt in sorted({s.attempt for s in self.spans}):
            spans = [s for s in self.spans if s.attempt == attempt]
            name = "generate_and_rm_group"
            work = [s for s in spans if not s.shared and not s.barrier
                    and not (s.name == name and not s.closed)]
            work = work or [s for s in spans if s.shared and s.name != name
                            and (not s.barrier or len(spans) == 1)]
            if not work:
                continue
            end = max(s.end for s in work)
            begun = [min(self.children(c), default=c.start)
                     for c in self.calls if c.attempt == attempt]
            start = min(begun or [s.start for s in work])
            barrier = max((s.end for s in spans if s.barrier), default=end)
            still = not any(s.closed and s.end == end for s in work)
            self.run_of[attempt] = (min(start, end), end, max(barrier, end),
                                    still)
        self.runs = list(self.run_of.values())
        if not self.spans:
            self.runs.append((self.start, self.end, self.end, False))
        none = [(self.start, self.start, self.start, False)]
        last = max(self.runs or none, key=lambda run: run[1])
        self.own_start = min(run[0] for run in self.runs or none)
        self.own_end = last[1]
        self.open = all(run[3] for run in self.runs or none
                        if run[1] == last[1])

    def find_queues(self, others):
        """[start, end] of the client's queue, told by one of all copies."""
        self.queues = []
        for call in self.calls:
            children = self.children(call)
            if not children:
                continue
            index = self.row["sample_index"]
            copies = [(min(o.children(c)), o.row["row_id"])
                      for o in others for c in o.calls
                      if o is not self and index is not None
                      and o.group == self.group and c.start == call.start
                      and json.dumps(o.row["sample_index"])
                      == json.dumps(index) and o.children(c)]
            own = min(min(self.children(c)) for c in self.calls
                      if c.start == call.start and self.children(c))
            if (own, self.row["row_id"]) <= min(copies, default=(own, 1e99)):
                self.queues.append((call.start, min(children)))

    def working(self, at):
        return any(start <= at < end for start, end, _, _ in self.runs)

    def wait(self, at):
        if any(start <= at < end for start, end in self.queues):
            return "client_queue"
        if self.working(at) or not any(
                end <= at < barrier for _, end, barrier, _ in self.runs):
            return None
        reward = any(s.shared and not s.barrier and s.start <= at < s.end
                     and activity_of(text(s.name)) == "reward"
                     for s in self.spans)
        return "reward" if reward else "group_wait"

    def queued_until(self, span):
        item = span.item
        attrs = item["attrs"]["end_attrs"]
        if (not span.closed or span.name not in GENERATION
                or item["span_id"] in self.parents
                or not number(attrs.get("queue_time"))
                or attrs["queue_time"] <= 0):
            return span.start
        return span.start + us(attrs["queue_time"])

    def cut(self):
        cuts = {self.start, self.end}
        for span in self.spans:
            cuts |= {span.start, span.end, self.queued_until(span)}
        for times in self.runs + self.queues:
            cuts |= set(times[:3])
        cuts = sorted(c for c in cuts if self.start <= c <= self.end)
        self.own = self.waited = 0
        for begin, end in zip(cuts, cuts[1:]):
            self.take_piece(begin, end)

    def take_piece(self, begin, end):
        time = end - begin
        under_way = [s for s in self.spans if s.start <= begin < s.end]
        span = max(under_way, key=Span.owns, default=None)
        wait, activity = self.wait(begin), "idle"
        if span is not None:
            self.self_time[text(span.name)] += time
            activity = activity_of(text(span.name))
            if begin < self.queued_until(span):
                activity = "queue"
        self.activity[wait or activity] += time
        self.own += time if self.working(begin) else 0
        if wait or not self.working(begin):
            return
        self.work[activity] += time
        if span is not None:
            self.work_names[text(span.name)] += time
            self.pieces.append((begin, end, text(span.name)))

    def tokens(self):
        counted = [s["attrs"]["end_attrs"].get("completion_tokens")
                   for s in self.all
                   if s["name"] in GENERATION and s["state"] == "closed_span"]
        counted = [c for c in counted if number(c)]
        return sum(counted) if counted else None

    def worker(self):
        """Of its requests by their time; they are of one sample."""
        times = defaultdict(float)
        for i in self.all:
            worker = i["name"] in GENERATION and worker_of(i["attrs"])
            if worker:
                times[worker] += max(
                    0, (i["display_end_ts"] or 0) - (i["start_ts"] or 0))
        return times


def worker_of(attrs):
    found = [attrs[of].get(key) for key in WORKER_KEYS
             for of in ("end_attrs", "start_attrs")
             if isinstance(attrs[of], dict)]
    found = [str(v) for v in found if v is not None and v != ""]
    ranks = [attrs[of].get("dp_rank") for of in ("end_attrs", "start_attrs")
             if isinstance(attrs[of], dict)]
    ranks = [str(v) for v in ranks if v is not None and v != ""]
    if not found:
        return "dp_rank " + ranks[0] if ranks else None
    address, at, rank = re.fullmatch(r"(.*?)(@)?((?<=@)[0-9]+)?", found[0],
                                     re.S).groups()
    rank = at + rank if rank else ""
    address = found[0][:len(found[0]) - len(rank)]
    url = re.match(r"https?://([^/?#]*)", address, re.I)
    address = url.group(1).split("@")[-1] if url else address
    if not rank and ranks:
        rank = "@" + ranks[0]
    return address + rank


def rows_of(cache):
    rows = [row for row in map(Row, cache["rows"]) if row.timed()]
    for row in rows:
        others = [o for o in rows if o.group == row.group
                  and json.dumps(o.group) == json.dumps(row.group)]
        row.find_shared(others if row.group is not None else [row])
        row.find_runs()
        row.find_queues(others)
        row.cut()
    return rows


def victims_of(rows):
    """By row_id of the culprit: the waits of each other member."""
    members = defaultdict(list)
    for row in rows:
        for attempt, run in row.run_of.items():
            span = around(row, attempt)
            if span is not None and row.group is not None:
                members[(json.dumps(row.group), span.key)].append(
                    (row, span, run))
    waits = defaultdict(list)
    for held in members.values():
        culprit = max(held, key=lambda m: (
            worked_until(*m), -m[0].row["row_id"]))[0]
        for row, span, run in held:
            wait = waited(row, span, run)
            if wait and not row.same_sample(culprit):
                waits[culprit.row["row_id"]].append(
                    (row.row["row_id"], row.row["sample_index"], wait))
    return waits


def around(row, attempt):
    """The barrier of an attempt, or else its longest shared span."""
    spans = [s for s in row.spans if s.attempt == attempt and s.shared]
    barriers = [s for s in spans if s.barrier]
    if barriers:
        return max(barriers, key=lambda s: (s.end, -s.order))
    return max(spans, key=lambda s: (max(0, s.end - s.start), -s.order),
               default=None)


def worked_until(row, span, run):
    """When the member last worked before the span ended, or its attempt."""
    return max([min(end, span.end) for start, end, _, _ in row.runs
                if start < min(end, span.end)] + [run[1]])


def waited(row, span, run):
    if not span.barrier:
        return 0
    cuts = {run[1], span.end}
    for s in row.spans:
        cuts |= {s.start, s.end}
    for times in row.runs + row.queues:
        cuts |= set(times[:3])
    cuts = sorted(cuts)
    return sum(b - a for a, b in zip(cuts, cuts[1:])
               if run[1] <= a and b <= span.end
               and row.wait(a) == "group_wait")


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


def concurrency(rows):
    runs = {m for r in rows for run in r.runs for m in run[:2]}
    runs |= {m for r in rows if not r.own for m in (r.own_start, r.own_end)}
    moments = sorted(runs)
    peak = tail = 0
    for begin, end in zip(moments, moments[1:]):
        running = sum(r.working(begin) for r in rows)
        peak = max(peak, running)
        tail += end - begin if 10 * running < len(rows) else 0
    if peak == 0:
        instants = [m for r in rows for m in [run[0] for run in r.runs]
                    or [r.own_end]]
        peak = max(map(instants.count, instants), default=0)
    return peak, tail


def check_spans(have, rows, wall, time):
    durations = defaultdict(list)
    own = defaultdict(int)
    for row in rows:
        for span in row.spans:
            durations[text(span.name)].append(max(0, span.end - span.start))
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


def by_end(rows):
    return sorted(rows, key=lambda r: (-r.own_end, -r.own, r.row["row_id"]))


def check_last(have, rows, wall):
    ends = sorted(r.own_end for r in rows)
    begin = ends[len(ends) - len(ends) // 20 - 1]
    last = by_end(rows)[0]
    assert have["sample"] == last.row["sample_index"]
    assert have["row"] == last.row["row_id"]
    assert have["open"] == last.open
    close(have["seconds"], (ends[-1] - begin) / 1e6, "last seconds")
    close(have["share"], ratio(ends[-1] - begin, wall), "last share")
    held = defaultdict(int)
    for begun, end, name in last.pieces:
        if end > begin:
            held[name] += end - max(begun, begin)
    held = held or last.work_names
    if held:
        close(have["time"], max(held.values()) / 1e6, "last time")
        assert held[have["name"]] == max(held.values())
    else:
        assert have["name"] is None


def check_breakdown(have, rows):
    wall = (max(r.end for r in rows) - min(r.start for r in rows)
            if rows else 0)
    time = sum(r.end - r.start for r in rows)
    own = sum(r.own for r in rows)
    peak, tail = concurrency(rows)
    assert have["samples"] == len(rows), have["samples"]
    assert have["peak"] == peak, (have["peak"], peak)
    close(have["wall"], wall / 1e6, "wall")
    close(have["sample_time"], time / 1e6, "sample_time")
    close(have["own_time"], own / 1e6, "own_time")
    close(have["tail"], tail / 1e6, "tail")
    close(have["utilisation"], ratio(own, wall * peak), "utilisation")
    if wall * peak:
        close(have["bubble"], 1 - own / (wall * peak), "bubble")
    assert set(have["activities"]) == set(ORDER + WAITS)
    for activity in ORDER + WAITS:
        close(have["activities"][activity],
              sum(r.activity[activity] for r in rows) / 1e6, activity)
    for wait, activity in (("group", "group_wait"), ("reward", "reward"),
                           ("client", "client_queue")):
        close(have["waiting"][wait],
              sum(r.activity[activity] for r in rows) / 1e6, wait)
    check_spans(have["spans"], rows, wall, time)
    if rows:
        check_last(have["last"], rows, wall)
    else:
        assert have["last"] is None

    # The sums that hold whatever the rules are.
    close(sum(have["activities"].values()), have["sample_time"], "Σ activity")
    assert have["own_time"] <= have["sample_time"] + 1e-9


def slow_workers(rows):
    times = defaultdict(list)
    for row in rows:
        for i in row.all:
            tokens = i["attrs"]["end_attrs"].get("completion_tokens")
            worker = i["name"] in GENERATION and worker_of(i["attrs"])
            if not worker or i["state"] != "closed_span" \
                    or not number(tokens) or tokens <= 0:
                continue
            queued = i["attrs"]["end_attrs"].get("queue_time")
            length = (i["end_ts"] or 0) - (i["start_ts"] or 0)
            queued = queued if number(queued) and queued > 0 else 0
            if length > queued:
                times[worker].append((length - queued) / tokens)
    medians = {w: quantile(t, .5) for w, t in times.items()}
    # Of two the better one is what both are judged by.
    limit = 1.3 * quantile(medians.values(), 0 if len(medians) == 2 else .5) \
        if medians else 0
    slow = {w for w, m in medians.items() if m > limit}
    usual = quantile([m for w, m in medians.items() if w not in slow], .5) \
        if medians else None
    return slow, usual, medians


def delays_of(one, row, medians, workers):
    """What may have delayed it, in seconds. Each token above the median costs
    what a token usually takes, all beyond that is due to slowness."""
    slow, usual, speeds = workers
    decode, queue = row.work["decode"] / 1e6, row.work["queue"] / 1e6
    tokens, rate = one["tokens"] or 0, one["decode_rate"] or 0
    on_slow = one["worker"] in slow
    part = usual / speeds[one["worker"]] if on_slow else 1
    is_slow = one["decode_rate"] is not None \
        and rate < 2 / 3 * medians["decode_rate"]
    pace = decode / tokens if tokens else 0
    if on_slow:
        pace = min(pace, usual)
    elif is_slow:
        pace = 1 / medians["decode_rate"]
    if rate > 0 and tokens > 1.5 * medians["tokens"]:
        yield "long answer", (tokens - medians["tokens"]) * pace
    if on_slow:
        lost = max(decode - tokens * usual, 0) \
            if one["tokens"] is not None else 0
        yield "slow engine", lost + (1 - part) * queue
    elif is_slow:
        yield "slow decode", decode - tokens * pace
    yield "engine queue", part * queue
    yield "tools", row.work["tool"] / 1e6 - medians["tool"]
    yield "reward", row.work["reward"] / 1e6 - medians["reward"]
    last = max(reversed(row.runs or [(0, 0)]), key=lambda run: run[1])
    earlier = sum(r[1] - r[0] for r in row.runs) - (last[1] - last[0])
    yield "earlier attempts", min(earlier, row.own) / 1e6


def cause_of(one, row, medians, workers):
    """The cause, and its seconds. The client's queue is one where nothing else
    is, or where it is longer than all that the sample ran."""
    own, client = row.own / 1e6, row.activity["client_queue"] / 1e6
    cause, time = max(delays_of(one, row, medians, workers),
                      key=lambda delay: delay[1])
    if client > time and (client > own or 4 * time < own):
        cause, time = "client queue", client
    if time > 0 and 4 * time >= own:
        return cause, time
    return ("mostly " + one["activity"] if one["activity_time"]
            else "no work of its own"), one["activity_time"]


def check_straggler(one, row, medians, victims, speeds):
    assert one["sample"] == row.row["sample_index"]
    assert one["row"] == row.row["row_id"]
    assert one["group"] == row.group
    assert one["open"] == row.open
    close(one["duration"], row.own / 1e6, "duration")
    close(one["over_median"], ratio(row.own / 1e6, medians["duration"]),
          "over_median")
    most = max(row.work_names.values(), default=0)
    close(one["span_time"], most / 1e6, "span_time")
    assert one["span"] is None or row.work_names[one["span"]] == most
    largest = max(ORDER, key=lambda a: row.work[a])
    assert one["activity"] == largest, (one, row.work)
    close(one["activity_time"], row.work[largest] / 1e6, "activity")
    close(one["client_queue"], row.activity["client_queue"] / 1e6, "client")
    close(one["waited"], row.activity["group_wait"] / 1e6, "waited")
    tokens = row.tokens()
    if tokens is not None:
        close(one["tokens"], tokens, "tokens")
        close(one["decode_rate"], ratio(tokens, row.work["decode"] / 1e6),
              "rate")
    workers = row.worker()
    if workers:
        close(workers[one["worker"]], max(workers.values()), "worker")
    else:
        assert one["worker"] is None
    waits = sorted(victims[row.row["row_id"]])
    close(one["group_wait"], sum(w[2] for w in waits) / 1e6, "group_wait")
    assert one["victims"] == [w[1] for w in waits], (one["victims"], waits)
    cause, time = cause_of(one, row, medians, speeds)
    assert one["cause"] == cause, (one, cause)
    # Its tokens multiply the rounding of the times.
    assert (one["cause_time"] is None) == (time is None), (one, time)
    assert time is None or abs(one["cause_time"] - time) < 1e-5, (one, time)


def check_stragglers(have, medians, rows):
    if rows:
        close(medians["duration"], quantile([r.own / 1e6 for r in rows], .5),
              "median")
    medians = medians | {
        activity: quantile([r.work[activity] / 1e6 for r in rows] or [0], .5)
        for activity in ("tool", "reward")}
    last = by_end(rows)
    longest = sorted(rows, key=lambda r: (-r.own, -r.own_end,
                                          r.row["row_id"]))
    victims, workers = victims_of(rows), slow_workers(rows)
    begin = min((r.start for r in rows), default=0)
    kept = [r for r in last if r in last[:MOST] or r in longest[:MOST]]
    assert len(have) == len(kept), (len(have), len(kept))
    for one, row in zip(have, kept):
        for key, ranked in (("last", last), ("longest", longest)):
            rank = ranked.index(row) + 1
            assert one[key] == (rank if rank <= MOST else None), key
        close(one["start"], (row.own_start - begin) / 1e6, "start")
        close(one["end"], (row.own_end - begin) / 1e6, "end")
        check_straggler(one, row, medians, victims, workers)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        have = json.loads(f.readline())
    with open(sys.argv[2], encoding="utf-8") as f:
        cache = json.load(f)
    rows = rows_of(cache)
    check_breakdown(have["breakdown"], rows)
    check_stragglers(have["stragglers"], have["medians"], rows)


main()
