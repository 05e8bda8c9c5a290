#!/usr/bin/env python3
"""Write one small rollout in every layout that torch.save has or had.

  make_dumps.py DIR   the dumps, each of the same two samples, and in
                      zip.perf.json their perf/ metrics

Needs torch, which Debian has as python3-torch, and numpy. The metrics are
worked out here from the documented rules alone, to be compared with
obs-perfsum's: means by numpy, PD timings from a request's own attributes or
else from what stands below it.
"""
import argparse
import enum
import io
import json
import math
import pickle
import struct
import sys
import types
import zipfile

import numpy
import torch

MODULE = types.ModuleType("slime.utils.types")
for name in ("slime", "slime.utils"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["slime.utils.types"] = MODULE
T0 = 1700000000.0


class Sample:
    class Status(enum.Enum):
        COMPLETED = "completed"
        ABORTED = "aborted"


class Flags:
    """A sample's own slots beside its dict."""


for cls in (Sample, Sample.Status, Flags):
    cls.__module__ = MODULE.__name__
MODULE.Sample, MODULE.Flags = Sample, Flags


def span(name, start, end, span_id, parent=None, **attrs):
    base = {"name": name, "trace_id": "t", "span_id": span_id, "attempt": 0}
    return [dict(base, type="span_start", ts=T0 + start, parent_span_id=parent),
            dict(base, type="span_end", ts=T0 + end, attrs=attrs)]


def events_flat():
    """A request with PD timings among its own attributes, as once."""
    return span("sglang_generate", 0, 1.5, "a", e2e_latency=1.5,
                queue_time=numpy.float64(0.25), decode_throughput=120.5,
                skipped=numpy.float32(0.25), count=numpy.int64(-7),
                yes=numpy.bool_(True), pd_prefill_forward_duration=0.125,
                pd_decode_forward_duration=1.0, pd_prefill_retry_count=0)


def events_nested():
    """PD timings in child spans and a point event, as now."""
    return (span("sglang_generate_stream", .25, 2.25, "b", e2e_latency=2.0,
                 queue_time=True, decode_throughput=math.nan)
            + span("sglang_pd_prefill", .25, .5, "p", "b", phase="prefill")
            + span("sglang_pd_prefill_forward", .25, .5, "pf", "p",
                   pd_prefill_forward_duration=0.25)
            + [{"type": "event", "name": "sglang_pd_summary", "ts": T0 + 2,
                "parent_span_id": "b",
                "attrs": {"pd_transfer_speed_gb_s": 3.5,
                          "pd_prefill_retry_count": 3}}]
            + span("sglang_generate", 3, 4, "c", pd_prefill_retry_count=0,
                   e2e_latency=0)
            + span("reward_model", 4, 5, "d", e2e_latency=99))


def samples():
    big = torch.arange(4)
    metadata = {"source": "math", "big": 2 ** 80, "blob": b"\x00\xff",
                "set": {1}, "when": numpy.datetime64(0, "s"), "t": (1, 2, 3, 4)}
    return [
        {"group_index": 0, "index": 0, "prompt": "p", "tokens": big,
         "response": "r", "response_length": 7, "label": "é",
         "reward": {"acc": numpy.float64(0.5)}, "loss_mask": [1] * 5 + [0] * 2,
         "rollout_log_probs": [-0.5] * 7, "status": "completed",
         "metadata": metadata, "non_generation_time": 0.5,
         "trace": {"version": 1, "attempt": 0, "events": events_flat()}},
        {"group_index": 0, "index": 1, "prompt": "p", "tokens": big[2:],
         "response": "r" * 2000, "response_length": 7, "label": None,
         "reward": 1.0, "loss_mask": None,
         "experts": torch.zeros(2, 3, dtype=torch.bfloat16),
         "logits": numpy.ones((2, 2), "f4"), "status": "aborted",
         "metadata": metadata, "non_generation_time": 0.0,
         "trace": {"version": 1, "attempt": 0, "events": events_nested()}}]


def as_objects(dicts):
    made = []
    for fields in dicts:
        sample = Sample()
        sample.__dict__.update(fields)
        sample.status = Sample.Status(fields["status"])
        made.append(sample)
    return made


def data_pkl(dump):
    buffer = io.BytesIO()
    torch.save(dump, buffer)
    return zipfile.ZipFile(buffer).read("archive/data.pkl")


def repack(path, members, method=zipfile.ZIP_STORED, zip64=False):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as f:
                f.write(content)


class Pipe(io.RawIOBase):
    """What cannot seek: sizes come after the data."""

    def __init__(self):
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, b):
        self.bytes += bytes(b)
        return len(b)


def write(path, content):
    with open(path, "wb") as f:
        f.write(content)


def with_crc(archive, change):
    """Every CRC field of data.pkl, changed."""
    b = bytearray(archive)
    at = 0
    for signature, offset in ((b"PK\x01\x02", 16), (b"PK\x03\x04", 14),
                              (b"PK\x07\x08", 4)):
        at = b.find(signature)
        if at >= 0:
            crc, = struct.unpack_from("<I", b, at + offset)
            struct.pack_into("<I", b, at + offset, change(crc))
    return bytes(b)


def save_all(to):
    dump = {"rollout_id": 3, "samples": samples()}
    objects = {"rollout_id": 3, "samples": as_objects(samples())}
    torch.save(dump, to + "/zip.pt")
    for protocol in (3, 4, 5):
        torch.save(dump, to + "/protocol%d.pt" % protocol,
                   pickle_protocol=protocol)
    torch.save(objects, to + "/objects.pt")
    torch.save(objects, to + "/objects4.pt", pickle_protocol=4)
    torch.save(dump["samples"], to + "/list.pt")
    torch.save(dump, to + "/legacy.pt", _use_new_zipfile_serialization=False)
    for protocol in (3, 4, 5):
        torch.save(dump, to + "/legacy%d.pt" % protocol,
                   pickle_protocol=protocol,
                   _use_new_zipfile_serialization=False)
    for protocol in range(6):
        write(to + "/plain%d.pkl" % protocol, pickle.dumps(dump, protocol))
    repack_all(to, data_pkl(dump))


def repack_all(to, content):
    members = [("x/data.pkl", content), ("x/version", b"3\n")]
    repack(to + "/deflated.pt", members, zipfile.ZIP_DEFLATED)
    repack(to + "/zip64.pt", members, zip64=True)
    repack(to + "/folder.pt", [("x/", b"")] + members)
    repack(to + "/folders.pt",
           [(n.replace("x", "runs/x", 1), c) for n, c in members])
    repack(to + "/decoy.pt", members + [("other/data.pkl", b"N.")])
    repack(to + "/order.pt", members[::-1])
    repack(to + "/utf8.pt", [(n.replace("x", "é x"), c) for n, c in members])
    repack(to + "/newer.pt", members[:1]
           + [("x/.format_version", b"1"), ("x/.storage_alignment", b"64"),
              ("x/byteorder", b"little"), ("x/data/0", bytes(64))]
           + members[1:] + [("x/.data/serialization_id", b"1")])
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    write(to + "/streamed.pt", pipe.bytes)
    with open(to + "/zip64.pt", "rb") as f:
        stored = f.read()
    write(to + "/trailing.pt", stored + bytes(100))
    write(to + "/zero.pt", with_crc(stored, lambda crc: 0))
    write(to + "/wrong.crc", with_crc(stored, lambda crc: crc ^ 0x5a))
    repack(to + "/nothing.bad", members[1:])
    write(to + "/cut.bad", stored[:len(stored) // 2])
    write(to + "/cut_pickle.bad", content[:-40])


# The metrics ---------------------------------------------------------------

PD = (["prefill/%s_duration" % s for s in
       "bootstrap_queue bootstrap alloc_wait forward transfer_queue".split()]
      + ["prefill/transfer_speed_gb_s", "prefill/transfer_total_mb",
         "prefill/retry_count"]
      + ["decode/%s_duration" % s for s in
         "prealloc bootstrap alloc_wait transfer forward".split()])
OWN = {"request/e2e_latency": "e2e_latency", "request/queue_time": "queue_time",
       "decode/throughput": "decode_throughput"}


def attr_of(key):
    if key in OWN:
        return OWN[key]
    return "pd_" + (key[8:] if "transfer_speed" in key or "total_mb" in key
                    else key.replace("/", "_"))


def counted(attrs, keys):
    for key in keys:
        v = attrs.get(attr_of(key))
        if (isinstance(v, (int, float)) and not isinstance(v, bool)
                and math.isfinite(v)):
            yield key, v


def below(events, span_id):
    """The events under a span, at any depth, in order."""
    parents = {e["span_id"]: e.get("parent_span_id") for e in events
               if e["type"] == "span_start"}
    for e in events:
        at = (parents.get(e.get("span_id")) if e["type"] == "span_end"
              else e.get("parent_span_id"))
        while at is not None and at != span_id:
            at = parents.get(at)
        if at == span_id and e["type"] != "span_start":
            yield e


def requests(dump):
    for sample in dump["samples"]:
        events = sample["trace"]["events"]
        for e in events:
            if (e["type"] != "span_end" or not isinstance(e.get("attrs"), dict)
                    or e["name"] not in ("sglang_generate",
                                         "sglang_generate_stream")):
                continue
            values = list(counted(e["attrs"], OWN)) + list(counted(
                e["attrs"], PD))
            if not any(key in PD for key, _ in values):
                for child in below(events, e["span_id"]):
                    values += counted(child.get("attrs") or {}, PD)
            yield values


def metrics(dump):
    values, count, profiled = {}, 0, 0
    for request in requests(dump):
        count += 1
        profiled += len(request) > 0
        for key, v in request:
            values.setdefault(key, []).append(v)
    put = {"perf/request/count": count, "perf/request/profiled_count": profiled}
    for key, v in values.items():
        for statistic in ("mean", "median", "max", "min"):
            put["perf/%s/%s" % (key, statistic)] = float(
                getattr(numpy, statistic)(numpy.array(v, dtype=float)))
    return put


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    args = parser.parse_args()
    save_all(args.path)
    with open(args.path + "/zip.perf.json", "w") as out:
        json.dump(metrics(torch.load(args.path + "/zip.pt")), out)


if __name__ == "__main__":
    main()
