#!/usr/bin/env python3
"""Let the system refuse each call of each program in turn.

  torture.py [--most N] [--only TEXT] [--places] BIN_DIR FAULT_LIBRARY

Each command of CASES runs once as it is, to count its calls, and then once
for each fault: every allocation fails in turn, alone and with all that
follow, and every read, write, open and so on fails or is cut short. --most N
takes N faults of a kind and case, spread evenly. --only: cases that hold TEXT.
--places: the first allocation of each place in the code, too.

What must hold: no signal, no status but 0, 1, 3 and 4 (and what the command
gives when all is well), with 0 the same output as then, with another exactly
one message more, and a file OUT that is there whole or not at all, with
nothing beside it. Ends "N passed, N failed, 0 skipped", a case being one.
"""
import argparse
import concurrent.futures
import errno
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

TESTS = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(TESTS, "data")
# Small files of other formats.
FOREIGN = {"OTLP": "otlp", "PROMPTS": "otlp-prompt", "AREAL": "areal",
           "TRACES": "areal-traces", "MILES": "miles",
           "PHASES": "miles-phases", "PRIME": "prime"}
PROM = """# HELP reqs_total Requests.
# TYPE reqs_total counter
reqs_total{engine="%(n)d"} %(n)d5
# TYPE lat histogram
lat_bucket{le="0.1"} 1
lat_bucket{le="+Inf"} %(n)d9
lat_sum 3.5
lat_count %(n)d9
"""
# What the step summary reads, besides.
STEP = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3\n"
STREAM = "".join(
    'sglang:num_running_reqs{worker_addr="%d"} %d %d000\n'
    'sglang:num_queue_reqs{worker_addr="%d"} 3\n'
    'sglang:token_usage{worker_addr="%d"} 0.95\n'
    'sglang:realtime_tokens_total{worker_addr="%d",mode="decode"} 7\n'
    % (w, 30 if w == 1 else 1, n, w, w, w) + "# EOF\n" * (w == 3)
    for n in (1, 2, 3) for w in (1, 2, 3))
WHOLE = "".join(PROM % {"n": n} + STEP + "# EOF\n" for n in (1, 2))

# A line a case. DEMO, JSONL, PROM1, PROM2, WHOLE and DBS are inputs, OUT is a
# file to be written, MOCK an HTTP server; `<` gives standard input, and
# `? PATH...` asks a server for these before it is sent SIGTERM.
CASES = """
obs-perfsum DEMO
obs-perfsum -f table -p 50,99 -o OUT DEMO SHARED
obs-perfsum -f jsonl < DEMO
obs-perfsum --rollout-time 5 < JSONL
obs-perfsum --breakdown --stragglers 3 -f table -o OUT DEMO
obs-perfsum --breakdown --stragglers 3 --by group SHARED OBJECTS
obs-perfsum --breakdown --stragglers 3 -f prom -o OUT DEMO
obs-perfsum -f tsv --by status DEMO
obs-perfsum --compare -f table -o OUT DEMO OBJECTS
obs-perfsum --compare --threshold 100000% SAVED DEMO
obs-perfsum --tensorboard BOARD --step 3 DEMO
obs-perfsum LATENCY
obs-perfsum -f table DEMO OBJECTS SHARED
obs-perfsum --what-if -f table -o OUT MANY
obs-perfsum --what-if --set cut=100 --breakdown --stragglers 2 MANY
obs-perfsum --partial -o OUT MANY DEMO
obs-perfsum --merge-partials --breakdown --stragglers 2 PART
obs-perfsum --fail-if request/e2e_latency/p95>1000 -f prom DEMO
obs-perfsum OTLP
obs-perfsum AREAL
obs-perfsum MILES
obs-perfsum PRIME
obs-perfsum TRACES
trace-timeline -f cache OTLP
trace-timeline -f cache PROMPTS
trace-timeline -f cache TRACES
trace-timeline -f cache PHASES
trace-timeline -f html --metrics STREAM -o OUT DEMO
trace-timeline -f html --profile RANK0 -o OUT DEMO
profile-summary -f tsv -j 1 RANK0 RANK1
profile-summary --compare -f table -j 1 SUMMARY RANK0
trace-timeline -f cache -o OUT DEMO
trace-timeline -f html -o OUT OBJECTS
trace-timeline -f chrome < DEMO
trace-timeline -f chrome -o OUT --merge PROFILE DEMO
profile-summary -f table -j 1 -o OUT RANK0 RANK1
profile-summary -f json < RANK0
profile-summary --compare -f tsv -j 1 -o OUT RANK0 RANK1
trace-timeline -f summary SHARED
trace-timeline -f cache < JSONL
trace-timeline --port 0 DEMO ? /demo.trace_timeline_viewer.html /none
trace-timeline -f cache --with SPANS -o OUT DEMO
obs-perfsum --with SPANS DEMO
trace-span --collect -o OUT SPANS
trace-span --collect < SPANS
trace-span --file spans -s 1,2 --next-attempt --sglang-meta cat ANSWER
trace-span --file spans --event e -a a:=[1]
obs-aggregate PROM1@worker=1 PROM2@worker=2
obs-aggregate -o OUT --by engine,worker --pad-labels PROM1@worker=1 PROM2@worker=2
obs-aggregate -f json --quantile 0.5,0.9 --match engine=1 < PROM1
obs-aggregate -f tsv --match engine=~1|2 < PROM1
obs-aggregate -f table --select reqs* PROM1@worker=1 PROM2@worker=2
obs-aggregate -f tsv --delta WHOLE
obs-aggregate --rate --state STATE -o OUT PROM1
obs-aggregate -f json --step-summary vllm WHOLE
obs-aggregate -f json --alarms --limit stalled.for=1s STREAM
obs-aggregate --alarms --limit imbalance.for=1s --limit kv_full.for=0 STREAM
obs-top --once < STREAM
obs-top --once -f tsv --by role < STREAM
obs-top --events -f json --limit stalled.for=1s < STREAM
obs-multiproc DBS
obs-multiproc --live-only -o OUT DBS
obs-scrape -t 60 --up -l a=b MOCK
obs-scrape -t 60 -o OUT MOCK MOCK/other
obs-scrape -t 60 --router MOCK
obs-scrape --list -f file_sd --sd SD
obs-serve --listen 0 -- cat PROM1 ? /metrics /metrics /none
profile-rollout --action status -t 60 --router-url MOCK
profile-rollout --action start -t 60 --worker MOCK -f json -o OUT
"""

# What each kind of call is refused by; "+" for it and all that follow.
FAULTS = {
    "alloc": [errno.ENOMEM],
    "inner": [errno.ENOMEM],
    "open": [errno.EMFILE, errno.EACCES],
    "read": [errno.EIO, errno.EINTR],
    "write": [errno.ENOSPC, errno.EIO, errno.EINTR],
    "close": [errno.EIO],
    "stat": [errno.EIO],
    "rename": [errno.EIO],
    "seek": [errno.EIO],
    "receive": [errno.ECONNRESET, errno.EINTR],
    "send": [errno.EPIPE, errno.EINTR],
    "poll": [errno.EINTR],
    "socket": [errno.EMFILE],
    "pipe": [errno.EMFILE],
}
PATIENCE = 120  # seconds: only what hangs takes as long on a busy machine
HARMLESS = ("short", errno.EINTR)
LOSES_OUTPUT = ("rename", "close", "write")


# What is not ours: glibc's regcomp frees twice when it lacks memory.
NOT_OURS = {"inner": "=~"}
# Nor that a sanitizer gives up when a thread that begins lacks memory.
SANITIZER = "CHECK failed: sanitizer_"


class Mock(http.server.BaseHTTPRequestHandler):
    """Every page of a worker and of a router."""

    def do_GET(self):
        if self.path == "/workers":
            worker = "http://127.0.0.1:%d" % self.server.server_address[1]
            body = json.dumps({"workers": [{"id": "1", "url": worker}]})
        elif self.path in ("/server_info", "/get_server_info"):
            body = json.dumps({"tp_size": 1})
        elif self.path in ("/start_profile", "/stop_profile"):
            body = "Start profiling.\n"
        else:
            body = PROM % {"n": 1}
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET

    def log_message(self, *args):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that was refused its calls hangs up: as it should."""


class Case:
    def __init__(self, text, words):
        self.text = text
        command, _, asked = text.partition(" ? ")
        command, _, stdin = command.partition(" < ")
        self.asked = asked.split()
        # Its output tells times.
        self.volatile = any(w in text for w in ("html", "--up", "profile-"))
        # A report of what every worker answered is a result in itself.
        self.reports_failure = text.startswith("profile-rollout")
        self.most_messages = 2 if "MOCK" in text else 1
        self.argv = [self.fill(w, words) for w in command.split()]
        self.stdin = self.fill(stdin, words) if stdin else os.devnull

    @staticmethod
    def fill(word, words):
        for name, value in words.items():
            if word.startswith(name) and not word[len(name):].strip(
                    "@/=abcdefghijklmnopqrstuvwxyz0123456789"):
                return value + word[len(name):]
        return word

    def ask(self, child, folder):
        """Ask a server that came up; it ends by SIGTERM."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if child.poll() is not None:
                return
            with open(folder + "/stdout") as f:
                url = f.readline()
            if url.endswith("\n"):
                break
            time.sleep(0.01)
        root = "/".join(url.strip().split("/")[:3])
        for path in self.asked:
            try:
                urllib.request.urlopen(root + path, timeout=PATIENCE).read()
            except (OSError, ValueError, http.client.HTTPException):
                pass
        child.terminate()

    def run(self, setting, fault):
        """(status, stdout, stderr, OUT or None, names left beside it)"""
        with tempfile.TemporaryDirectory(dir=setting.folder) as folder:
            setting.furnish(folder)
            env = dict(os.environ, LD_PRELOAD=setting.library,
                       LC_ALL="C", TMPDIR=folder,
                       OBS_FAULT_LOG=folder + "/log",
                       ASAN_OPTIONS="exitcode=99:verify_asan_link_order=0")
            if fault:
                env["OBS_FAULT"] = fault
            if fault and fault.startswith("inner"):
                # Several libraries leak what they hold at that moment.
                env["ASAN_OPTIONS"] += ":detect_leaks=0"
            with open(os.path.join(folder, self.stdin)) as stdin, \
                    open(folder + "/stdout", "wb") as out, \
                    open(folder + "/stderr", "wb") as err:
                child = subprocess.Popen(
                    [setting.bin + "/" + self.argv[0]] + self.argv[1:],
                    cwd=folder, env=env, stdin=stdin, stdout=out, stderr=err)
                if self.asked:
                    self.ask(child, folder)
                try:
                    status = child.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()
                    status = "hangs"
            return Result(folder, status, bool(self.asked))


class Result:
    def __init__(self, folder, status, is_server):
        self.status = status
        self.stdout = self.lines(folder, "stdout")
        self.stderr = self.contents(folder, "stderr").decode(
            errors="replace").splitlines()
        lines = self.contents(folder, "log").decode().splitlines()
        self.counts = dict(line.split() for line in lines if "@" not in line)
        self.places = [int(re.search(r"@(\d+)", line)[1]) for line in lines
                       if "@" in line]
        self.out = self.lines(folder, "OUT")
        if is_server:
            self.stdout = []  # the port is another each time
        self.names = sorted(set(os.listdir(folder)) - {"log", "OUT"})

    @classmethod
    def lines(cls, folder, name):
        """In order: workers answer in any, and metadata may come twice where
        memory is short. When a cache was made does not count, nor whether
        the path of its dump could be made absolute."""
        text = re.sub(rb'"generated_at":[0-9.]+|"pt_path":"[^"]*"', b"",
                      cls.contents(folder, name))
        return sorted(set(text.split(b"\n"))) if text else []

    @staticmethod
    def contents(folder, name):
        try:
            with open(folder + "/" + name, "rb") as f:
                return f.read()
        except FileNotFoundError:
            return b""


class Setting:
    """Where the inputs are, and what commands call them."""

    def __init__(self, folder, bin_dir, library, mock):
        self.folder = folder
        self.bin = os.path.abspath(bin_dir)
        self.library = os.path.abspath(library)
        self.words = {"DEMO": "demo.pt", "SHARED": "shared.pt",
                      "OBJECTS": "objects.pt",
                      "JSONL": folder + "/jsonl", "PROM1": folder + "/prom1",
                      "PROM2": folder + "/prom2", "WHOLE": folder + "/whole",
                      "STREAM": folder + "/stream",
                      "SAVED": folder + "/saved",
                      "LATENCY": folder + "/latency", "BOARD": "board",
                      "SPANS": folder + "/spans",
                      "ANSWER": folder + "/answer",
                      "STATE": "state", "SD": folder + "/sd",
                      "DBS": folder + "/dbs", "PROFILE": folder + "/profile",
                      **{f"RANK{r}": DATA + "/profile/1790857026-TP-%d-"
                         "DECODE.trace.json.gz" % r for r in (0, 1)},
                      **{word: f"{TESTS}/fuzz/corpus/foreign/{name}"
                         for word, name in FOREIGN.items()},
                      "MANY": folder + "/many.jsonl",
                      "PART": folder + "/part",
                      "SUMMARY": folder + "/summary",
                      "OUT": "OUT", "MOCK": mock}
        self.make_inputs()

    def make_inputs(self):
        for n in (1, 2):
            self.write("prom%d" % n, PROM % {"n": n})
        self.write("whole", WHOLE)
        self.write("stream", STREAM)
        self.write("latency", PROM.replace(
            "lat", "sglang:e2e_request_latency_seconds") % {"n": 1})
        self.write("saved", json.dumps({
            "dump": "x", "rollout_id": 1,
            "perf/request/e2e_latency/mean": 2.5}) + "\n")
        self.write("sd", json.dumps([{"targets": ["a:1", "b:2"],
                                      "labels": {"job": "j"}}]))
        self.write("profile", json.dumps({"traceEvents": [
            {"ph": "X", "name": "k", "pid": 1, "tid": 1, "ts": 5, "dur": 1}]}))
        events = [{"type": "span_start", "name": "s", "ts": 1.0, "span_id": 1},
                  {"type": "span_end", "name": "s", "ts": 2.0, "span_id": 1}]
        self.write("jsonl", json.dumps({"index": 0, "trace": {
            "events": events}}) + "\n")
        self.write("spans", "".join(json.dumps(dict(
            event, sample_id=n)) + "\n" for n in (2, 99) for event in events))
        self.write("answer", json.dumps({"meta_info": {
            "id": "a", "queue_time": 0.5,
            "pd_decode_forward_duration": 1.5}}) + "\n")
        os.mkdir(self.folder + "/dbs")
        for n in (1, 2):
            entry = ["reqs", "reqs_total", {"engine": str(n)}, "Requests", n]
            subprocess.run([sys.executable, os.path.join(
                DATA, "../write_db.py"), self.folder + "/dbs/counter_%d.db"
                % n, json.dumps(entry)], check=True)

        self.make_reports()

    def make_reports(self):
        """Inputs that our programs wrote."""
        subprocess.run([TESTS + "/../scripts/gen-rollout", "json",
                        self.words["MANY"], "--samples", "30"], check=True)
        for word, command in (
                ("PART", ["obs-perfsum", "--partial", "--breakdown",
                       "--stragglers", "2", self.words["MANY"]]),
                ("SUMMARY", ["profile-summary", "-f", "json",
                             self.words["RANK1"]])):
            with open(self.words[word], "w") as f:
                subprocess.run([self.bin + "/" + command[0]] + command[1:],
                               stdout=f, check=True)

    def write(self, name, text):
        with open(self.folder + "/" + name, "w") as f:
            f.write(text)

    @staticmethod
    def furnish(folder):
        for name, source in (("demo.pt", "demo.pt"),
                             ("shared.pt", "rollout/shared_refs.pt"),
                             ("objects.pt",
                              "rollout/sample_objects_p2.pt")):
            os.symlink(os.path.join(DATA, source), folder + "/" + name)


def faults(text, counts, most):
    """Faults of a run that called what counts says, as OBS_FAULT."""
    for call, count in counts.items():
        if NOT_OURS.get(call, "\n") in text:
            continue
        count = int(count)
        step = max(1, count // most)
        for how in FAULTS[call]:
            for n in range(1, count + 1, step):
                yield "%s:%d:%d" % (call, n, how)
        if call == "alloc":
            for n in range(1, count + 1, step):
                yield "%s:%d+:%d" % (call, n, errno.ENOMEM)
        # A server takes a socket that gave less for empty, waits for the
        # system to say that it is not, and then hangs up: 20 s a request.
        if call in ("read", "write") or (
                call in ("receive", "send") and " ? " not in text):
            yield call + ":1+:short"


def difference(have, good):
    lines = set(have.stdout + have.out)
    before = set(good.stdout + good.out)
    return "%.70s instead of %.70s" % (sorted(lines - before)[:1],
                                       sorted(before - lines)[:1])


def wrong(case, fault, have, good):
    """What is wrong with a run under a fault, or None."""
    call, _, how = fault.split(":")
    if isinstance(have.status, str):
        return have.status
    if call == "inner" and any(SANITIZER in line for line in have.stderr):
        return None
    if have.status < 0:
        return "died of " + signal.Signals(-have.status).name
    if have.status not in (0, 1, 3, 4, good.status):
        return "status %d" % have.status
    if set(have.names) - set(good.names):
        return "leaves " + " ".join(sorted(set(have.names) - set(good.names)))
    if have.status == good.status:
        if not case.volatile and (have.stdout, have.out) != (
                good.stdout, good.out):
            return "status %d with another output, %s" % (
                have.status, difference(have, good))
        return None
    if how in map(str, HARMLESS):
        return "status %d, but the call could be made again" % have.status
    new = [line for line in have.stderr if line not in good.stderr]
    # A cause and what comes of it are two; with all that follows failing, each
    # of several inputs has its own.
    if not new or len(new) > (9 if "+" in fault else case.most_messages):
        return "%d messages" % len(new)
    if have.status == 4 and any(
            re.fullmatch("[^:]*: out of memory", line) for line in new):
        return "status 4, and what lacked was memory"
    if have.status in (3, 4) and have.out and not case.reports_failure:
        return "status %d, and yet OUT is there" % have.status
    return None


def torture(case, setting, most, by_place, pool):
    """Run one case under all its faults; returns what is wrong."""
    good = case.run(setting, None)

    found = []
    if good.status not in (0, 1) or not good.counts:
        found.append("status %s without a fault: %s" % (good.status,
                                                        good.stderr))
    todo = list(faults(case.text, good.counts, most))
    if by_place:
        todo += ["alloc:%d:%d" % (n, errno.ENOMEM) for n in good.places]
        todo = list(dict.fromkeys(todo))
    for fault, have in zip(todo, pool.map(
            lambda fault: case.run(setting, fault), todo)):
        text = wrong(case, fault, have, good)
        if text:
            found.append("%s: %s: %s" % (fault, text, " | ".join(
                have.stderr[:40])))
    print("%s %s: %d faults" % ("not ok" if found else "ok", case.text,
                                len(todo)), flush=True)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("library")
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--only", default="")
    parser.add_argument("--places", action="store_true")
    args = parser.parse_args()
    mock = Quiet(("127.0.0.1", 0), Mock)
    threading.Thread(target=mock.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d" % mock.server_address[1]
    failed = []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        setting = Setting(folder, args.bin_dir, args.library, url)
        cases = [Case(text, setting.words) for text in
                 CASES.strip().splitlines() if args.only in text]
        for case in cases:
            found = torture(case, setting, args.most, args.places, pool)
            failed += [(case, found)] if found else []
    # At the end, where a log that is cut still has them.
    for case, found in failed:
        print("# %s:" % case.text)
        for text in found:
            print("# " + text)
    print("%d passed, %d failed, 0 skipped" % (len(cases) - len(failed),
                                               len(failed)))
    return 1 if failed or not cases else 0


sys.exit(main())
