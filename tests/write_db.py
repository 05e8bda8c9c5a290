"""Write a value file as prometheus_client does, or damaged on purpose.

Usage: write_db.py FILE [--old] [--used N] [--tail HEX] [--size N] ENTRY...

ENTRY   a JSON list [family, sample, {labels}, help, value, timestamp], the
        last two 1 and 0 when left out; or TEXT=VALUE, where TEXT is the key
--old   the layout without timestamps
--tail  bytes behind the entries, counted as in use
--used  what the header says is in use, whatever is there
--size  cut the file, or fill it with zeros, to so many bytes
"""
import argparse
import json
import struct

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("file")
parser.add_argument("--old", action="store_true")
parser.add_argument("--used", type=int)
parser.add_argument("--tail", type=bytes.fromhex, default=b"")
parser.add_argument("--size", type=int, default=4096)
parser.add_argument("entries", nargs="*")
args = parser.parse_intermixed_args()

body = b""
for entry in args.entries:
    if entry.endswith("]"):
        parts = json.loads(entry)
        value, stamp = parts[4:] + [1, 0][len(parts) - 4:]
        text = json.dumps(parts[:4], ensure_ascii=False).encode()
    else:
        text, value = entry.rsplit("=", 1)
        text, stamp = text.encode(), 0
    body += struct.pack("i", len(text)) + text
    body += b" " * (8 - len(body) % 8) + struct.pack("d", float(value))
    if not args.old:
        body += struct.pack("d", stamp)
body += args.tail
used = len(body) + 8 if args.used is None else args.used
with open(args.file, "wb") as f:
    f.write(struct.pack("ii", used, 0) + body)
    f.truncate(args.size)
