#!/usr/bin/env python3
"""Make random JSON lines, good and broken, and what reading them must give.

  random_json.py SEED LINES INPUT EXPECTED

Python's json decides what is good. Each line is {"a": VALUE}; what is to be
printed for it is the same in Python's own words, with null for what is not
finite, or "error". Text that is skipped need not be UTF-8.
"""
import json
import math
import random
import re
import sys

seed, lines, to_input, to_expected = sys.argv[1:]
R = random.Random(int(seed))
WANTED = ("a", "trace")
WORDS = ["", "ts", "attrs", "sglang_generate", "é", "日本", "\U0001f600",
         "\ud83d", "\ude00", "\0", "\x7f", "\\", '"', "/", "\u2028", "a" * 70]
NUMBERS = ["0", "-0", "-0.0", "1e400", "-1E-400", "5e-324", "1.5e+3",
           "9007199254740993", "9223372036854775807", "9223372036854775808",
           "-9223372036854775809", "1" + "0" * 40, "0.1", "1E5", "NaN",
           "Infinity", "-Infinity", "123456789.123456789123456789"]


def string():
    text = "".join(R.choices(WORDS, k=R.randrange(4)))
    written = json.dumps(text, ensure_ascii=R.random() < .5)
    # A lone surrogate has no UTF-8 of its own: it must be escaped.
    return "".join("\\u%04X" % ord(c) if "\ud800" <= c <= "\udfff" else c
                   for c in written)


def number():
    kind = R.randrange(4)
    if kind == 0:
        return R.choice(NUMBERS)
    if kind == 1:
        return str(R.randrange(-10**R.randrange(1, 25), 10**6))
    if kind == 2:
        return repr(R.uniform(-1, 1) * 10**R.randrange(-20, 20))
    return "%.*e" % (R.randrange(25), R.gauss(0, 1) * 10**R.randrange(-99, 99))


def blank():
    return R.choice(["", "", "", " ", "\t", "\r", "  "])


def joined(parts):
    return (blank() + "," + blank()).join(parts)


def value(depth):
    kind = R.randrange(8 if depth < 6 else 4)
    if kind == 0:
        return R.choice(["null", "true", "false"])
    if kind == 1:
        return string()
    if kind in (2, 3):
        return number()
    count = R.randrange(6) if R.random() < .97 else R.randrange(200)
    if kind < 6:
        return "[" + blank() + joined(value(depth + 1)
                                      for _ in range(count)) + blank() + "]"
    return "{" + blank() + joined(
        string() + blank() + ":" + blank() + value(depth + 1)
        for _ in range(count)) + blank() + "}"


def spoiled(line):
    line = bytearray(line)
    for _ in range(R.randrange(1, 3)):
        at = R.randrange(len(line))
        what = R.randrange(3)
        if what == 0:
            del line[at:at + R.randrange(1, 4)]
        elif what == 1:
            line[at:at] = R.choice([b",", b"]", b"}", b"0", b"-", b".", b"e",
                                    b'"', b"\\", b"\\u", b"\x01", b"\xff",
                                    b"{", b"[", b":", b"null", b"\xc3"])
        else:
            line[at] = R.choice(b'0123456789eE+-.,:"\\[]{}tfn ')
    return bytes(line).replace(b"\n", b"")


def finite(v):
    if isinstance(v, float):
        return v if math.isfinite(v) else None
    if isinstance(v, list):
        return [finite(x) for x in v]
    if isinstance(v, dict):
        return {k: finite(x) for k, x in v.items()}
    return v


class Pairs(list):
    """An object, also with the keys that come again."""


def keeps_bad_bytes(text):
    """Is a byte that is no UTF-8, now \\udc80 to \\udcff, in what is kept?"""
    pairs = json.loads(text, object_pairs_hook=Pairs)
    kept = [(k, x if k in WANTED else None) for k, x in pairs]
    return re.search(r"\\udc[89a-f]", json.dumps(kept))


BLANKS = " \t\r\n\v\f"
DECODER = json.JSONDecoder()


def object_at(text, at):
    """The object that begins there, as it is printed, and its end; or None."""
    try:
        v, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    if not isinstance(v, dict) or keeps_bad_bytes(text[at:end]):
        return None
    v = {k: finite(x) if k in WANTED else "<skipped>" for k, x in v.items()}
    return json.dumps(v, separators=(",", ":")), end


def salvaged(text):
    """Whole objects behind a bad one: each ends where the line does or where
    another begins."""
    put, at = [], 1
    for match in re.finditer(r'\{[ \t\r\n\v\f]*"', text):
        found = object_at(text, match.start()) if match.start() >= at else None
        if found and text[found[1]:].strip(BLANKS)[:1] in ("", "{"):
            put.append(found[0])
            at = found[1]
    return put


def expected(line):
    text = line.decode(errors="surrogateescape").strip(" \t\r")
    put = []
    while text:
        found = object_at(text, 0)
        if not found:
            return "\n".join(put + ["error"] + salvaged(text))
        put.append(found[0])
        text = text[found[1]:].strip(" \t\r")
    return "\n".join(put)


if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)
with open(to_input, "wb") as i, open(to_expected, "w") as e:
    # The first line decides that these are lines: it is a good one.
    i.write(b'{"a": 1}\n')
    e.write('{"a":1}\n')
    for n in range(int(lines)):
        line = ("{" + blank() + '"a":' + value(0) + "}").encode()
        if n % 3 == 2:
            line = spoiled(line)
        if line.strip():
            i.write(line + b"\n")
            e.write(expected(line) + "\n")
