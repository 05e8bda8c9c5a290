#!/usr/bin/env python3
"""The rows of slime's timeline viewer, for the events that trace-span makes.

Usage: slime_viewer.py FILE.json > rows.json

An independent reading of the rules that tools/trace_timeline_viewer.py of
slime follows (THUDM/slime at 624b824a8): nesting by parent_span_id, else by
the innermost open span; spans in the order of their ends, then the open ones;
items sorted by lane, start, display end and name; times rounded to 6 decimals.
It knows text ids and closed or open spans, points and orphans; not the
virtual lanes of PD attributes, which records of trace-span do not carry.
"""

import json
import sys


def build_row(position, sample):
    trace = sample["trace"]
    stack, open_spans, closed, points, orphans = [], {}, [], [], []
    for event in trace["events"]:
        ts = float(event["ts"])
        parent = event.get("parent_span_id") or (stack[-1] if stack else None)
        item = {"name": event["name"], "ts": ts, "parent": parent,
                "attempt": int(event.get("attempt", trace["attempt"]) or 0),
                "id": event.get("span_id"), "attrs": event.get("attrs") or {}}
        if event["type"] == "span_start" and item["id"]:
            open_spans[item["id"]] = item
            stack.append(item["id"])
        elif event["type"] == "span_end" and item["id"] in open_spans:
            span = open_spans.pop(item["id"])
            stack.remove(item["id"])
            closed.append({**span, "end": ts, "end_attrs": item["attrs"]})
        elif event["type"] == "span_end":
            orphans.append(item)
        else:
            points.append(item)
    spans = closed + [dict(s, end=None) for s in open_spans.values()]
    by_id = {s["id"]: s for s in spans}
    last = max(float(e["ts"]) for e in trace["events"])

    def depth(span):
        above = by_id.get(span["parent"])
        return 0 if above is None else depth(above) + 1

    def parent_members(item):
        above = by_id.get(item["parent"])
        return {"parent_span_id": item["parent"],
                "parent_span_name": above and above["name"]}

    def clip(span):
        """Where an open span is cut, and by what."""
        found = [(last, "row_end")]
        siblings = [s["ts"] for s in spans if s is not span
                    and s["parent"] == span["parent"] and s["ts"] > span["ts"]]
        if siblings:
            found.append((min(siblings), "next_sibling_start"))
        above = by_id.get(span["parent"])
        while above is not None and above["end"] is None:
            above = by_id.get(above["parent"])
        if above is not None and above["end"] > span["ts"]:
            found.append((above["end"], "ancestor_end"))
        end, why = min(found, key=lambda f: f[0])
        return (span["ts"], "self") if end <= span["ts"] else (end, why)

    items = []
    for span in spans:
        end, end_attrs, is_open = span["end"], span.get("end_attrs"), False
        if end is None:
            is_open = True
            shown, why = clip(span)
            end_attrs = {"clipped_by": why}
        else:
            shown = end
        items.append({
            "type": "span", "state": "open_span" if is_open else "closed_span",
            "name": span["name"], "start_ts": round(span["ts"], 6),
            "end_ts": None if is_open else round(end, 6),
            "display_end_ts": round(shown, 6), "attempt": span["attempt"],
            "span_id": span["id"], **parent_members(span),
            "lane": depth(span), "depth": depth(span),
            "attrs": {"start_attrs": span["attrs"], "end_attrs": end_attrs}})
    for item, kind in ([(p, "event") for p in points]
                       + [(o, "orphan_end") for o in orphans]):
        above = by_id.get(item["parent"])
        level = depth(above) + 1 if above else 0
        items.append({
            "type": kind, "state": "point_event" if kind == "event" else kind,
            "name": item["name"], "ts": round(item["ts"], 6),
            "attempt": item["attempt"],
            "span_id": None if kind == "event" else item["id"],
            **parent_members(item), "lane": level, "depth": level,
            "attrs": item["attrs"]})
    items.sort(key=lambda i: (i["lane"], i.get("start_ts", i.get("ts")),
                              i.get("display_end_ts", i.get("ts")), i["name"]))
    starts = [float(e["ts"]) for e in trace["events"]]
    start = round(min(starts), 6)
    ends = [i.get("display_end_ts", i.get("ts")) for i in items]
    return {"row_id": position, "sample_index": sample.get("index", position),
            "group_index": sample.get("group_index"),
            "trace_id": trace["trace_id"], "attempt": trace["attempt"],
            "start": start, "end": max(ends),
            "closed_span_count": len(closed),
            "open_span_count": len(open_spans),
            "point_event_count": len(points), "orphan_count": len(orphans),
            "item_count": len(items), "items": items}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        samples = json.load(f)["samples"]
    rows = [build_row(i, s) for i, s in enumerate(samples)]
    json.dump(rows, sys.stdout, sort_keys=True, indent=1)
    print()


if __name__ == "__main__":
    main()
