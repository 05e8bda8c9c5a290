#!/usr/bin/env python3
"""Inputs that are small or soon made, and huge to who believes them.

  bombs.py NAME          to standard output

NAME is a function below.
"""
import gzip
import io
import json
import struct
import sys
import zipfile

MILLION = 1000000
SAMPLES = b"\x80\x02}X\x07\x00\x00\x00samples]s."


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def archive(*members, method=zipfile.ZIP_STORED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as z:
        for name, content in members:
            z.writestr(name, content)
    return bytearray(made.getvalue())


def declares_10_gb():
    """Both headers tell of 10 GB (zip64) where a few bytes are."""
    size = 10 * 2**30
    name = b"x/data.pkl"
    extra = struct.pack("<HHQQ", 1, 16, size, size)
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0, 0, 0, 0, 0,
                        0xffffffff, 0xffffffff, len(name), len(extra))
    local += name + extra + SAMPLES[:-1]
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0, 0, 0,
                          0, 0, 0xffffffff, 0xffffffff, len(name),
                          len(extra), 0, 0, 0, 0, 0) + name + extra
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(central),
                      len(local), 0)
    return local + central + end


def headers_disagree():
    """The local header's name and sizes are not those of the directory."""
    made = archive(("x/data.pkl", SAMPLES))
    made[30:40] = b"y/nope.txt"
    made[18:26] = struct.pack("<II", 7, 7)
    return made


def sizes_disagree():
    """The local header tells of fewer bytes than the directory."""
    made = archive(("x/data.pkl", SAMPLES))
    made[18:26] = struct.pack("<II", 7, 7)
    return made


def encrypted():
    """By the flags of both headers."""
    made = archive(("x/data.pkl", SAMPLES))
    central = made.index(b"PK\x01\x02")
    made[6] |= 1
    made[central + 8] |= 1
    return made


def method_unknown():
    made = archive(("x/data.pkl", SAMPLES))
    central = made.index(b"PK\x01\x02")
    made[8] = made[central + 10] = 12
    return made


def deflated_damaged():
    made = archive(("x/data.pkl", SAMPLES), method=zipfile.ZIP_DEFLATED)
    made[40:43] = b"\xff\xff\xff"
    return made


def longer_than_stated():
    """What is inflated has more bytes than both headers tell."""
    made = archive(("x/data.pkl", SAMPLES), method=zipfile.ZIP_DEFLATED)
    central = made.index(b"PK\x01\x02")
    made[22:26] = made[central + 24:central + 28] = struct.pack("<I", 3)
    return made


def data_pkl_twice():
    return archive(("x/data.pkl", SAMPLES), ("y/data.pkl", b"\x80\x02K\1."))


def deflated_1000_to_1():
    """A string of 200 MB."""
    n = 200 * MILLION
    event = (b"}" + text("type") + text("event") + b"s" + text("ts")
             + b"K\x01s" + text("name") + text("a") + b"s")
    sample = (b"}" + text("trace") + b"}" + text("events") + b"]" + event
              + b"ass" + text("reward") + b"X" + struct.pack("<I", n)
              + b"a" * n + b"s")
    return archive(("x/data.pkl", b"\x80\x02}" + text("samples") + b"]"
                    + sample + b"as."), method=zipfile.ZIP_DEFLATED)


def deep_json():
    return b'[{"trace":' + b"[" * MILLION + b"]" * MILLION + b"}]"


def rewarded(reward, key="reward"):
    """A sample with a reward, or whatever key holds it, and one event."""
    return (b"\x80\x02](}(" + text(key) + reward + text("trace") + b"}"
            + text("events") + b"]}" + text("ts") + b"K\1sasue.")


LISTS = b"]" * MILLION + b"a" * (MILLION - 1)


def deep_lists():
    """A million lists, each in the one before."""
    return rewarded(LISTS)


def deep_tuples():
    return rewarded(b")" + b"\x85" * (MILLION - 1))


def deep_dicts():
    return rewarded((b"}" + text("k")) * (MILLION - 1) + b"}"
                    + b"s" * (MILLION - 1))


def deep_calls():
    """What f makes of what f makes of ..."""
    return rewarded(b"cm\nf\nq\0" + b"h\0" * (MILLION - 1) + b")"
                    + b"R\x85" * (MILLION - 1) + b"R")


def deep_attribute():
    return spanned(text("x"), held(LISTS))


def deep_samples():
    return b"\x80\x02}" + text("samples") + LISTS + b"s."


def deep_unread():
    return rewarded(LISTS, "nobody")


def deep_unread_json(n=MILLION):
    return (b'[{"nobody":' + b"[" * n + b"]" * n
            + b',"trace":{"events":[{"ts":1}]}}]')


def deeper_unread_json():
    return deep_unread_json(5 * MILLION)


def chain(n, first=1000):
    """Lists, each put into the one before while it is empty itself."""
    made = b"]r" + struct.pack("<I", first)
    for i in range(first, first + n):
        made += (b"j" + struct.pack("<I", i) + b"]r" + struct.pack("<I", i + 1)
                 + b"a0")
    return made


def deep_later():
    return spanned(text("x"), held(chain(20000)))


def deep_kept():
    """The next sample refers to it."""
    return rewarded(chain(20000))[:-2] + (
        b"}(" + text("reward") + b"j" + struct.pack("<I", 1000) + b"ue.")


def laughs(leaf, n):
    """Tuples, each of four times the one before."""
    made = leaf + b"q\0"
    for i in range(n):
        made += b"0(" + b"h%c" % i * 4 + b"tq%c" % (i + 1)
    return made


def held(value):
    """Attributes, of which one is this."""
    return b"}" + text("a") + value + b"s"


def spanned(name, attrs=b"}", status=b"N"):
    """A sample with one span."""
    event = (b"}(" + text("type") + text("span_start") + text("ts") + b"K\1"
             + text("span_id") + b"K\1" + text("name") + name + text("attrs")
             + attrs + b"u")
    return (b"\x80\x02](}(" + text("status") + status + text("trace") + b"}"
            + text("events") + b"]" + event + b"asue.")


DIGITS = b"\x8b" + struct.pack("<I", 7900) + b"\x7f" * 7900


def memo_laughs():
    return rewarded(laughs(b"(K\1K\1t", 40))


def laughing_attribute():
    return spanned(text("x"), held(laughs(DIGITS, 9)))


def laughing_name():
    """A span's name of 4^9 integers of 19,000 digits."""
    return spanned(laughs(DIGITS, 9))


def laughing_quotes():
    """One of 4^11 texts of which each byte is escaped."""
    return spanned(laughs(text("\n" * 1000), 11))


def laughing_status():
    return spanned(text("x"), status=laughs(text("\n" * 1000), 11))


def inside_itself():
    return spanned(text("x"), held(b"]q\0h\0a"))


def long_set():
    """Attributes that are a set of 100 KB."""
    return spanned(text("x"), b"\x8f(" + text("x" * 100000) + b"\x90")


def two_megabytes():
    """An attribute of bytes, which JSON has no form for."""
    return spanned(text("x"), held(b"B" + struct.pack("<I", 2 * MILLION)
                                   + b"a" * (2 * MILLION)))


def many_marks():
    return b"\x80\x02" + b"(" * (5 * MILLION)


def long_int():
    return b"\x80\x02](}" + text("reward") + b"\x8b" + struct.pack(
        "<I", 10000) + b"\x7f" * 10000 + b"se."


def long_digits():
    return b'[{"reward":' + b"7" * 30000 + b"}]"


def many_events():
    return (b'[{"trace":{"events":[' + b"0," * (10 * MILLION)
            + b"0]}}]")


def long_event():
    """A Chrome trace, one of whose events has 70 MB."""
    return gzip.compress(b'{"traceEvents":[{"ph":"X","name":"'
                         + b"x" * (70 * MILLION) + b'"}]}', 1)


def gzip_profile():
    """A Chrome trace of 200 MB of blanks."""
    text = b'{"traceEvents":[' + b" " * (200 * MILLION) + b"]}"
    return gzip.compress(text, 6)


def many_families(n=MILLION):
    return b"".join(b"f%d 1\n" % i for i in range(n))


def ten_million_families():
    return many_families(10 * MILLION)


def many_labels():
    labels = ",".join('l%d="v"' % i for i in range(100000))
    return ("good 1\nm{%s} 1\n" % labels).encode()


def long_line():
    return b"good 1\nm{l=\"" + b"x" * (70 * MILLION) + b"\"} 1\n"


def many_buckets():
    return b"# TYPE h histogram\n" + b"".join(
        b'h_bucket{le="%d"} 1\n' % i for i in range(100000))


def many_spans():
    """A million spans, the first half under way at the same time, the rest
    one after the other."""
    half = MILLION // 2
    started = [(i, i + 1) for i in range(half)]
    ended = [(half + i, i + 1) for i in range(half)]
    events = [b'{"type":"span_start","name":"s","ts":%d,"span_id":%d}' % e
              for e in started]
    events += [b'{"type":"span_end","name":"s","ts":%d,"span_id":%d}' % e
               for e in ended]
    for i in range(half, MILLION):
        events.append(b'{"type":"span_start","name":"s","ts":%d,"span_id":%d}'
                      % (i + half, i + 1))
        events.append(b'{"type":"span_end","name":"s","ts":%d,"span_id":%d}'
                      % (i + half + 1, i + 1))
    return (b'{"samples":[{"trace":{"events":[' + b",".join(events)
            + b"]}}]}")


def odd_times():
    """Parents in a circle, times below zero, unbounded and none."""
    def start(i, ts, parent):
        return {"type": "span_start", "name": "s", "ts": ts, "span_id": i,
                "parent_span_id": parent}

    def end(i, ts):
        return {"type": "span_end", "name": "s", "ts": ts, "span_id": i}
    nan, inf = float("nan"), float("inf")
    events = [start(1, -5, 2), start(2, -4, 3), start(3, -3, 1), end(3, -2),
              end(2, -1), end(1, 0), start(4, nan, 4), end(4, 1),
              start(5, inf, 9), end(5, -inf), start(6, 9, 6), end(6, 8)]
    return json.dumps({"samples": [{"trace": {"events": events}}]}).encode()


sys.stdout.buffer.write(globals()[sys.argv[1]]())
