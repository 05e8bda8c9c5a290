#!/usr/bin/env python3
"""Files that are no rollout dumps, with the words that messages have of them.

Usage: make_others.py DIR    writes DIR/NAME and DIR/NAME.says

What needs torch is left out where there is none.
"""

import collections
import gzip
import json
import os
import pickle
import sqlite3
import struct
import sys
import tarfile
import zipfile

LINES = {
    "verl.jsonl": ({"input": "a", "output": "b", "gts": "4", "score": 1.0,
                    "step": 3}, "verl's rollout data"),
    "skyrl.jsonl": ({"input_prompt": "a", "output_response": "b",
                     "score": 1.0}, "SkyRL's evaluation data"),
    "log.jsonl": ({"level": "info", "msg": "x", "ts": 1.5}, "a log"),
    # Neither does a type and a time make a trace record.
    "typed.jsonl": ({"type": "request", "ts": 1.5, "path": "/x"},
                    'JSON lines that begin with an object with the keys '
                    '"type", "ts", "path"'),
    "pairs.jsonl": ({"prompt": "a", "response": "b", "source": "c"},
                    '"prompt", "response", "source"'),
}

DOCUMENTS = {
    "config.json": ({"model_type": "x", "hidden_size": 8},
                    "a model's configuration"),
    "error.json": ({"error": "busy"}, "an error message"),
    "data.json": ({"data": [{"index": 0}]}, 'an object with the key "data"'),
    "one.json": ({"a": 1}, 'an object with the key "a"'),
    "empty.json": ({}, "an empty object"),
    "profile.json": ({"schemaVersion": 1, "traceEvents": []},
                     "a Chrome trace or Kineto profile"),
    "events.json": ([{"ph": "X", "name": "a", "pid": 1}], "profiler events"),
    "numbers.json": ([1, 2], "a list that begins with a number"),
    "inside.json": ({"samples": {"0": {"index": 0}}},
                    'a dict whose "samples" is not a list'),
    "null.json": ({"samples": None}, 'a dict whose "samples" is not a list'),
    "other.json": ({"samples": [{"text": "x"}]},
                   'a list that begins with an object with the key "text"'),
    "cache.json": ({"cache_version": 1, "pt_path": "/x", "rows": []},
                   "a timeline cache"),
}

PICKLES = {
    "none": (None, "None"), "number": (5, "a number"),
    "text": ("x", "a text"), "set": ({1}, "a set"),
    "error": ({"error": "x"}, "an error message"),
    "list": ([1, 2], "a list that begins with a number"),
    "dicts": ([{"a": 1}], 'a list that begins with a dict with the key "a"'),
    "ordered": (collections.OrderedDict(a=1), 'a dict with the key "a"'),
    "training": ({"rollout_id": 3, "rank": 0, "rollout_data": {"tokens": [1]}},
                 "the trainer's training data"),
    "inside": ({"samples": {"0": {"index": 0}}},
               'a dict whose "samples" is not a list'),
}

BYTES = {
    "page.html": (b"<!DOCTYPE html>\n<html></html>\n", "an HTML page"),
    "table.csv": (b"index,reward\n1,2\n", "plain text"),
    # c is the first opcode of many pickles, as ( and [ begin other formats.
    "columns.csv": (b"col1,col2\n1,2\n", "plain text"),
    "config.yaml": (b"config:\n  a: 1\n", "plain text"),
    "keys.yaml": (b"a: 1\nb:\n  - c\n", "plain text"),
    "app.log": (b"[INFO] hi\n" * 3, "plain text"),
    "main.log": (b"(main) hi\n" * 3, "plain text"),
    "notes.md": (b"# Title\n\nSome text\n- a\n", "plain text"),
    "code.py": (b"# comment\nimport x\n", "plain text"),
    "repr.jsonl": (b"{'a': 1}\n" * 30, "plain text"),
    "run.sh": (b"#!/bin/sh\necho\n", "a script"),
    "pointer.pt": (b"version https://git-lfs.github.com/spec/v1\n",
                   "a Git LFS pointer"),
    "x.npy": (b"\x93NUMPY\1\0", "a NumPy array"),
    "x.h5": (b"\x89HDF\r\n\x1a\n" + bytes(50), "an HDF5 file"),
    "x.parquet": (b"PAR1" + bytes(50), "a Parquet file"),
    "x.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG image"),
    "zeros": (bytes(1000), "binary data"),
    "events.tf": (struct.pack("<QI", 24, 5) + b"\x09" + bytes(8)
                  + b"\x1a\x0dbrain.Event:2", "a TensorBoard event file"),
    "blank": (b" \n\n", "the input is empty"),
    "empty": (b"", "the input is empty"),
}


def say(path, words):
    with open(path + ".says", "w", encoding="utf-8") as f:
        f.write(words)


def write(path, data, words):
    with open(path, "wb") as f:
        f.write(data)
    say(path, words)


def archives(to):
    with zipfile.ZipFile(to + "/x.zip", "w") as z:
        z.writestr("readme.txt", "hi")
    say(to + "/x.zip", "zip archive without data.pkl: not a torch file; "
                       "it holds readme.txt")
    with zipfile.ZipFile(to + "/x.npz", "w") as z:
        z.writestr("a.npy", "hi")
    say(to + "/x.npz", "NumPy archive (.npz)")
    with tarfile.open(to + "/x.tar", "w") as t:
        t.add(to + "/one.json", "one.json")
    say(to + "/x.tar", "a tar archive")
    write(to + "/x.json.gz", gzip.compress(b'{"samples": []}'), "gzip data")
    db = sqlite3.connect(to + "/x.db")
    db.execute("create table a(b)")
    db.commit()
    db.close()
    say(to + "/x.db", "an SQLite database")
    # The length before the header begins like a pickle of protocol 2.
    header = json.dumps({"w": {"dtype": "F32"}}).encode().ljust(0x280)
    write(to + "/x.safetensors", struct.pack("<Q", len(header)) + header,
          "a safetensors file")


def torch_files(to):
    import torch
    model = torch.nn.Linear(2, 2)
    adam = torch.optim.Adam(model.parameters())
    for name, value, words in (
            ("model", model.state_dict(), "a model checkpoint"),
            ("module", model, "a model of the class torch.nn"),
            ("optimizer", adam.state_dict(), "an optimizer state"),
            ("all", {"model": model.state_dict(),
                     "optimizer": adam.state_dict()}, "a training checkpoint"),
            ("tensor", torch.ones(3), "a tensor"),
            ("tensors", [torch.ones(3)], "a list that begins with a tensor")):
        for old in (True, False):
            path = "%s/%s%d.pt" % (to, name, old)
            torch.save(value, path, _use_new_zipfile_serialization=not old)
            say(path, words)


def main():
    to = sys.argv[1]
    os.makedirs(to, exist_ok=True)
    for name, (line, words) in LINES.items():
        text = (json.dumps(line) + "\n") * 3
        write(to + "/" + name, text.encode(), words)
    for name, (value, words) in DOCUMENTS.items():
        text = json.dumps(value, indent=1)
        write(to + "/" + name, text.encode(), words)
    for name, (value, words) in PICKLES.items():
        for protocol in (2, 4):
            write("%s/%s%d.pkl" % (to, name, protocol),
                  pickle.dumps(value, protocol), words)
    for name, (data, words) in BYTES.items():
        write(to + "/" + name, data, words)
    archives(to)
    try:
        torch_files(to)
    except ImportError:
        pass


main()
