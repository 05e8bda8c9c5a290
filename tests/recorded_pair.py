"""Write a rollout and the metrics that were recorded of its engines, as they
come about: two engines of four slots, 24 requests each, all sent at once. The
client sees a request end after its engine does. The stream is scraped four
times a second; engines report what they ran at their last step.

Usage: recorded_pair.py DUMP STREAM [AHEAD]

AHEAD: seconds by which the clock of the stream's host is ahead (0).
"""

import heapq
import json
import random
import sys

R = random.Random(7)
START = 1766101000.0
SLOTS, REQUESTS, STEP, INTERVAL = 4, 24, 0.02, 0.25
ENGINES = ["http://10.0.0.1:30000", "http://10.0.0.2:30000"]


def serve(engine):
    """(admitted, released) and the sample of each request, by its arrival."""
    free = [0.0] * SLOTS
    for n in range(REQUESTS):
        sent = 0.1 + 0.01 * n + 0.002 * R.random()
        arrived = sent + R.uniform(0.0001, 0.0004)
        took = R.uniform(0.2, 1.5)
        admitted = max(arrived + 0.001, heapq.heappop(free))
        released = admitted + took
        heapq.heappush(free, released)
        seen = released + R.uniform(0.0002, 0.0006)
        attrs = {"worker_addr": engine, "queue_time": admitted - arrived,
                 "e2e_latency": released - arrived,
                 "completion_tokens": int(100 * took)}
        yield admitted, released, {"events": [
            {"type": "span_start", "name": "sglang_generate", "span_id": "a",
             "ts": START + sent},
            {"type": "span_end", "name": "sglang_generate", "span_id": "a",
             "ts": START + seen, "attrs": attrs}]}


def main():
    dump, stream = sys.argv[1:3]
    ahead = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    served = {engine: list(serve(engine)) for engine in ENGINES}
    end = max(last for some in served.values() for _, last, _ in some)
    with open(dump, "w") as out:
        traces = [trace for some in served.values() for _, _, trace in some]
        json.dump({"samples": [{"index": n, "trace": trace}
                               for n, trace in enumerate(traces)]}, out)
    with open(stream, "w") as out:
        out.write("# obs-scrape stream\n")
        for n in range(int(end / INTERVAL) + 2):
            now = n * INTERVAL + 0.01 * R.random()
            for engine, some in served.items():
                step = now - R.uniform(0, STEP)
                running = sum(a <= step < b for a, b, _ in some)
                out.write(f'sglang:num_running_reqs{{worker_addr="{engine}"}} '
                          f"{running} {round((START + now + ahead) * 1000)}\n")
            out.write("# EOF\n")


main()
