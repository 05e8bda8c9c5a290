"""Processes that write through Debian's prometheus_client without a pause.

Usage: multiproc_writers.py DIR PROCESSES SECONDS

Each process counts, observes and makes new series until the time is over, so
that a reader meets files being made, grown and written. Then the totals are
printed as prometheus_client's own collector has them.
"""
import os
import sys
import time

directory, processes, seconds = sys.argv[1:]
os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory

from prometheus_client import (CollectorRegistry, Counter, Gauge, Histogram,
                               Summary, generate_latest)
from prometheus_client.multiprocess import MultiProcessCollector


def write_until(end, number):
    registry = CollectorRegistry()
    requests = Counter("requests", "Requests", ["route"], registry=registry)
    latency = Histogram("latency", "Seconds a request took", ["route"],
                        registry=registry)
    size = Summary("size", "Bytes", registry=registry)
    gauges = [Gauge(f"depth_{mode}", 'A "depth"\\', ["route"],
                    multiprocess_mode=mode, registry=registry)
              for mode in ("all", "liveall", "min", "max", "sum", "livesum")]
    turn = 0
    while time.monotonic() < end:
        route = f'/v1/"{turn % (1 + turn // 50)}\n'
        requests.labels(route).inc()
        latency.labels(route).observe(turn % 97 / 8)
        size.observe(turn * 0.25)
        for gauge in gauges:
            gauge.labels(route).set(turn * 0.5 - number)
        turn += 1


children = []
end = time.monotonic() + float(seconds)
for number in range(int(processes)):
    child = os.fork()
    if child == 0:
        write_until(end, number)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
registry = CollectorRegistry()
MultiProcessCollector(registry, directory)
sys.stdout.buffer.write(generate_latest(registry))
