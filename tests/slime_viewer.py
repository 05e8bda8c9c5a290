#!/usr/bin/env python3
"""The rows of slime's timeline viewer, for a dump as Python reads it.

Usage: slime_viewer.py FILE.json > rows.json

An independent reading of the rules that tools/trace_timeline_viewer.py of
slime follows (THUDM/slime at 624b824a8). Where that one fails, trouble() is
called and the rules of obstools go on: what is no time is dropped, what is no
attempt is 0, what is no response_length is not counted, a container as an id
counts by its text. What JSON has no number for is None.
"""

import json
import math
import sys

PD_SEGMENTS = {
    "prefill": ("bootstrap_queue", "bootstrap", "alloc_wait", "forward",
                "transfer_queue"),
    "decode": ("prealloc", "bootstrap", "alloc_wait", "transfer", "forward")}


def safe(v):
    """As JSON can show it, keys as text."""
    if v is None or isinstance(v, (str, int, float)):
        return v
    if isinstance(v, dict):
        return {str(k): safe(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [safe(x) for x in v]
    return str(v)


def finite(v):
    """Without the numbers that JSON has no form for."""
    if isinstance(v, float):
        return v if math.isfinite(v) else None
    if isinstance(v, dict):
        return {k: finite(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [finite(x) for x in v]
    return v


def cut(v, length):
    v = safe(v)
    if isinstance(v, str) and len(v) > length:
        return "%s...<truncated:%d>" % (v[:length], len(v))
    return v


class Row:
    """The timeline of one sample. items stay None without usable events."""

    def __init__(self, position, sample, trouble):
        self.position, self.sample, self.trouble = position, sample, trouble
        self.trace = sample["trace"]
        self.closed, self.open, self.points, self.orphans = [], [], [], []
        self.items = None
        self.loose = False  # the order of items is not defined
        events = self.read_events()
        if not events:
            return
        self.last = max(e["ts"] for e in events)
        self.pair(events)
        self.spans = self.closed + self.open
        self.by_id = {s["id"]: s for s in self.spans}
        self.depths = {}
        for span in self.spans:
            self.set_depth(span["id"])
        for span in self.open:
            self.clip(span)
        self.items = self.make_items()
        self.loose = any(math.isnan(e["ts"]) or not isinstance(e["name"], str)
                         for e in events)
        self.items.sort(key=lambda i: (
            i["lane"], i.get("start_ts", i.get("ts")),
            i.get("display_end_ts", i.get("ts")), str(i["name"])))

    # Events ---------------------------------------------------------------

    def to_int(self, v):
        try:
            return int(v or 0)
        except (ValueError, TypeError, OverflowError):
            self.trouble()
            return 0

    def to_id(self, v):
        v = safe(v)
        if v and isinstance(v, (list, dict)):
            self.trouble()
            return str(v)
        return v

    def time(self, v):
        try:
            return None if v is None else float(v)
        except (ValueError, TypeError):
            return None
        except OverflowError:
            self.trouble()
            return None

    def read_events(self):
        events, stack = [], []
        listed = self.trace.get("events")
        for raw in listed if isinstance(listed, (list, tuple)) else []:
            ts = self.time(raw.get("ts")) if isinstance(raw, dict) else None
            if ts is None:
                self.trouble()
                continue
            attempt = raw.get("attempt", self.trace.get("attempt", 0))
            span_id = self.to_id(raw.get("span_id"))
            inferred = stack[-1] if stack else None
            kind = raw.get("type")
            if kind not in ("span_start", "span_end") or \
                    (kind == "span_start" and not span_id):
                kind = "event"
            attrs = safe(raw.get("attrs") or {})
            if kind != "span_start" and not isinstance(attrs, dict):
                self.trouble()
            events.append({
                "kind": kind, "name": safe(raw.get("name")), "ts": ts,
                "attempt": self.to_int(attempt), "id": span_id,
                "parent": self.to_id(raw.get("parent_span_id")) or inferred,
                "attrs": attrs})
            if kind == "span_start":
                stack.append(span_id)
            elif kind == "span_end" and span_id in stack:
                # the innermost of that id
                del stack[len(stack) - 1 - stack[::-1].index(span_id)]
        return events

    def pair(self, events):
        opened = {}
        for event in events:
            kind, span_id = event["kind"], event["id"]
            if kind == "span_start":
                opened[span_id] = dict(event, end=None, shown=None)
            elif kind == "event":
                self.points.append(event)
            elif span_id and span_id in opened:
                self.closed.append(dict(
                    opened.pop(span_id), end=event["ts"], shown=event["ts"],
                    end_attrs=event["attrs"]))
            else:
                self.orphans.append(event)
        self.open = list(opened.values())

    # Places ---------------------------------------------------------------

    def set_depth(self, span_id):
        """Known ancestors; where parents go in a circle it is cut open."""
        path = []
        while span_id in self.by_id and span_id not in self.depths and \
                span_id not in path:
            path.append(span_id)
            span_id = self.by_id[span_id]["parent"]
        if span_id in path:
            above = 0
        else:
            above = self.depths.get(span_id, -1)
        for known in reversed(path):
            above += 1
            self.depths[known] = above

    def closed_ancestor_end(self, span):
        seen, above = [], self.by_id.get(span["parent"])
        while above is not None and above["end"] is None:
            if above["id"] in seen:
                return None
            seen.append(above["id"])
            above = self.by_id.get(above["parent"])
        return above and above["end"]

    def clip(self, span):
        found = [(self.last, "row_end")]
        after = [s["ts"] for s in self.spans
                 if s["parent"] == span["parent"] and s["ts"] > span["ts"]]
        if after:
            found.append((min(after), "next_sibling_start"))
        ancestor_end = self.closed_ancestor_end(span)
        if ancestor_end is not None and ancestor_end > span["ts"]:
            found.append((ancestor_end, "ancestor_end"))
        shown, why = min(found, key=lambda f: f[0])
        if shown <= span["ts"]:
            shown, why = span["ts"], "self"
        span["shown"], span["end_attrs"] = shown, {"clipped_by": why}

    # Items ----------------------------------------------------------------

    def span_item(self, span):
        end = span["end"]
        return {"type": "span",
                "state": "open_span" if end is None else "closed_span",
                "name": span["name"], "start_ts": round(span["ts"], 6),
                "end_ts": None if end is None else round(end, 6),
                "display_end_ts": round(span["shown"], 6),
                "attempt": span["attempt"], "span_id": span["id"],
                **self.parent_members(span), **self.place(span["id"], 0),
                "attrs": {"start_attrs": span["attrs"],
                          "end_attrs": span["end_attrs"]}}

    def point_item(self, point, kind):
        return {"type": kind,
                "state": "point_event" if kind == "event" else kind,
                "name": point["name"], "ts": round(point["ts"], 6),
                "attempt": point["attempt"],
                "span_id": None if kind == "event" else point["id"],
                **self.parent_members(point), **self.place(point["parent"], 1),
                "attrs": point["attrs"]}

    def parent_members(self, item):
        above = self.by_id.get(item["parent"])
        return {"parent_span_id": item["parent"],
                "parent_span_name": above and above["name"]}

    def place(self, span_id, below):
        known = span_id in self.by_id
        depth = self.depths[span_id] + below if known else 0
        return {"lane": depth, "depth": depth}

    def virtual_items(self, lane):
        """[P] and [D] of what a split engine did, each on its own lane."""
        for span in self.closed:
            attrs = span["end_attrs"]
            if str(span["name"]).startswith("sglang_pd_") or \
                    not isinstance(attrs, dict):
                continue
            for role, segments in PD_SEGMENTS.items():
                keys = ["pd_%s_%s_duration" % (role, s) for s in segments]
                took = {k: attrs[k] for k in keys if isinstance(
                    attrs.get(k), (int, float)) and attrs[k] > 0}
                if not took:
                    continue
                took["timeline_pd_virtual_role"] = role
                took["timeline_pd_parent_name"] = span["name"]
                took["timeline_pd_parent_duration"] = round(
                    max(0.0, span["end"] - span["ts"]), 6)
                yield {**self.span_item(span),
                       "name": "%s [%s]" % (span["name"], role[0].upper()),
                       "span_id": "%s:pd:%s" % (span["id"], role),
                       "parent_span_id": span["id"],
                       "parent_span_name": span["name"],
                       "lane": lane, "depth": lane,
                       "attrs": {"start_attrs": {}, "end_attrs": took}}
                lane += 1

    def make_items(self):
        items = [self.span_item(s) for s in self.spans]
        items += [self.point_item(p, "event") for p in self.points]
        items += [self.point_item(o, "orphan_end") for o in self.orphans]
        return items + list(self.virtual_items(
            max(i["lane"] for i in items) + 1))

    # The row --------------------------------------------------------------

    def response_lengths(self):
        for item in self.items:
            attrs = item["attrs"]
            if not isinstance(attrs, dict):
                continue
            for said in (attrs, attrs.get("start_attrs"),
                         attrs.get("end_attrs")):
                v = said.get("response_length") if isinstance(
                    said, dict) else None
                if isinstance(v, float) and not math.isfinite(v):
                    self.trouble()
                elif isinstance(v, (int, float)):
                    yield int(v)

    def source(self):
        metadata = self.sample.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        named = [v for k, v in metadata.items() if "source" in str(k).lower()]
        for v in [self.sample.get("source"), metadata.get("source"),
                  metadata.get("source_name")] + named:
            if v is not None and v != "":
                return v
        return None

    def members(self):
        items, sample = self.items, self.sample
        reward = sample.get("reward")
        start = min(i.get("start_ts", i.get("ts")) for i in items)
        end = max(i.get("display_end_ts", i.get("ts")) for i in items)
        lengths = list(self.response_lengths())
        states = [i["state"] for i in items]
        return {
            "row_id": self.position,
            "sample_index": sample.get("index", self.position),
            "group_index": sample.get("group_index"),
            "source": cut(self.source(), 64),
            "status": cut(sample.get("status"), 64),
            "label": cut(sample.get("label"), 256),
            "reward": safe(reward) if isinstance(reward, dict)
            else json.loads(json.dumps(reward)),
            "trace_id": self.trace.get("trace_id"),
            "attempt": self.to_int(self.trace.get("attempt", 0)),
            "start": start, "end": end,
            "duration": round(max(0.0, end - start), 6),
            "lane_count": max(i["lane"] for i in items) + 1,
            "item_count": len(items),
            "closed_span_count": states.count("closed_span"),
            "open_span_count": states.count("open_span"),
            "point_event_count": states.count("point_event"),
            "orphan_count": states.count("orphan_end"),
            "total_response_length": sum(lengths),
            "max_response_length": max(lengths, default=0),
            "items": items}


def rows_of(samples, trouble=lambda: None):
    """The rows of a dump's samples, as pairs (members, loose)."""
    for position, sample in enumerate(samples):
        if not isinstance(sample, dict) or \
                not isinstance(sample.get("trace"), dict):
            continue
        row = Row(position, sample, trouble)
        if row.items is not None:
            yield finite(row.members()), row.loose


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        samples = json.load(f)["samples"]
    json.dump([row for row, _ in rows_of(samples)], sys.stdout,
              sort_keys=True, indent=1)
    print()


if __name__ == "__main__":
    main()
