#!/usr/bin/env python3
"""End each program by each signal at many moments, and look what is left.

  signals.py [--times N] BIN_DIR DUMP

DUMP is one that takes a while. N moments a program and signal, from its start
to when it would have ended, chosen by a seed that is the same each time. What
must hold: the status is that of the signal, or what it is without one; no
process of its group is left, no file beside OUT, OUT is whole if it is there,
and no engine is left profiling. Ends "N passed, N failed, 0 skipped".
"""
import argparse
import http.server
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)

# Seconds that a program takes at most, and its command: < gives standard
# input through a pipe, ? asks a server for a path.
CASES = """
0.4 trace-timeline -f html -o OUT DUMP
0.4 trace-timeline -f cache -o OUT < DUMP
0.4 trace-timeline --no-serve COPY
0.3 obs-perfsum -o OUT < DUMP
0.3 obs-aggregate -o OUT FAMILIES
0.3 trace-span --collect -o OUT RECORDS
0.3 trace-span --file SPANS sleep 0.3
0.3 trace-span --file SPANS --sglang-meta cat < DUMP
0.3 obs-scrape --retries 0 -o OUT MOCK/slow
0.3 obs-scrape -i 0.05 -n 3 -o OUT MOCK
0.6 obs-serve --listen 0 -- sh -c 'sleep\t100' ? /metrics
0.6 profile-rollout --action start --wait=60 --output-dir DIR --worker MOCK
"""


class Mock(http.server.BaseHTTPRequestHandler):
    """A worker: of metrics, and an engine that is slow to start."""
    profiling = False

    def do_GET(self):
        if self.path == "/slow":
            time.sleep(1)
        if self.path == "/start_profile":
            Mock.profiling = True
            time.sleep(0.1)
        if self.path == "/stop_profile":
            Mock.profiling = False
        body = b"a 1\n"
        if "info" in self.path:
            body = b'{"tp_size":1}'
        elif "profile" in self.path:
            body = b"Start profiling.\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *args):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Clients end in the middle: as they are told."""


def runs_in(group, pid):
    """Is the process one of the group, and more than an ended one's entry?
    (What looks for leaks under ASan is a process too, whose entry stays until
    init has taken it, when a signal ends the program just then.)"""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            state, _, its_group = stat.read().rpartition(")")[2].split()[:3]
    except OSError:
        return False
    return its_group == str(group) and state not in "ZX"


def group_is_empty(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return not any(runs_in(group, pid) for pid in os.listdir("/proc")
                   if pid.isdigit())


class Run:
    """One run of a case in a folder of its own, ended by a signal."""

    def __init__(self, setting, command, folder):
        self.folder = folder
        self.before = set(os.listdir(folder))
        command, _, self.path = command.partition(" ? ")
        command, _, stdin = command.partition(" < ")
        words = [setting.get(w, w).replace("MOCK/", setting["MOCK"] + "/")
                 .replace("\t", " ").strip("'") for w in command.split(" ")]
        self.child = subprocess.Popen(
            [os.path.join(setting["BIN"], words[0])] + words[1:], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env=dict(os.environ, TMPDIR=folder))
        source = setting[stdin] if stdin else os.devnull
        threading.Thread(target=self.feed, args=(source,),
                         daemon=True).start()
        if self.path:
            url = self.child.stdout.readline().decode().strip()
            self.root = "/".join(url.split("/")[:3])
            threading.Thread(target=self.ask, daemon=True).start()

    def feed(self, source):
        try:
            with open(source, "rb") as f, self.child.stdin as pipe:
                shutil.copyfileobj(f, pipe)
        except (BrokenPipeError, ValueError):
            pass

    def ask(self):
        try:
            urllib.request.urlopen(self.root + self.path, timeout=60).read()
        except OSError:
            pass

    def end(self, which, moment):
        """What was wrong, or None."""
        time.sleep(moment)
        self.child.send_signal(which)
        try:
            status = self.child.wait(0.5)
        except subprocess.TimeoutExpired:
            # Servers do not mind a hang-up or a lost reader.
            self.child.terminate()
            try:
                status = self.child.wait(120)
            except subprocess.TimeoutExpired:
                self.child.kill()
                return "does not end"
        self.child.stdout.close()
        return self.look(which, status)

    def look(self, which, status):
        if status < 0 and -status not in (which, signal.SIGTERM):
            return "ended by signal %d" % -status
        if status > 128 and status - 128 not in (which, signal.SIGTERM):
            return "status %d" % status
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if group_is_empty(self.child.pid):
                break
            time.sleep(0.01)
        else:
            os.killpg(self.child.pid, signal.SIGKILL)
            return "leaves a process"
        whole = {"OUT", "copy.trace_timeline_cache.json",
                 "copy.trace_timeline_viewer.html"}
        left = set(os.listdir(self.folder)) - self.before - whole
        if left:
            return "leaves " + " ".join(sorted(left))
        if Mock.profiling:
            return "leaves an engine profiling"
        return None


def check_whole(folder, known, command):
    """Files of one name are the same whenever they are there."""
    for name in set(os.listdir(folder)) - {"copy.pt"}:
        size = os.path.getsize(os.path.join(folder, name))
        if known.setdefault((command, name), size) != size:
            return "%s of %d bytes, not %d" % (name, size,
                                               known[(command, name)])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("dump")
    parser.add_argument("--times", type=int, default=4)
    args = parser.parse_args()
    moments = random.Random(1)
    server = Quiet(("127.0.0.1", 0), Mock)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = passed = 0
    known = {}
    with tempfile.TemporaryDirectory() as top:
        setting = {"BIN": os.path.abspath(args.bin_dir), "COPY": "copy.pt",
                   "DUMP": os.path.abspath(args.dump),
                   "FAMILIES": top + "/families", "DIR": top,
                   "RECORDS": top + "/records", "SPANS": top + "/spans",
                   "MOCK": "http://127.0.0.1:%d" % server.server_address[1]}
        with open(setting["FAMILIES"], "w") as f:
            f.writelines("f%d 1\n" % i for i in range(300000))
        with open(setting["RECORDS"], "w") as f:
            f.writelines('{"type":"event","name":"e","ts":%d,"sample_id":%d}\n'
                         % (i, i % 1000) for i in range(200000))
        for line in CASES.strip().splitlines():
            seconds, _, command = line.partition(" ")
            for which in SIGNALS * args.times:
                moment = moments.random() * float(seconds)
                Mock.profiling = False
                with tempfile.TemporaryDirectory(dir=top) as folder:
                    os.symlink(setting["DUMP"], folder + "/copy.pt")
                    text = Run(setting, command, folder).end(which, moment)
                    text = text or check_whole(folder, known, command)
                passed += not text
                failed += bool(text)
                if text:
                    print("not ok %s: %s after %.3f s: %s" % (
                        command, which.name, moment, text), flush=True)
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
