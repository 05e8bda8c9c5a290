"""Write a dump of random sample groups to standard output, as a trainer
records them and torn: one span around all samples of a group, rewards that the
group shares, several attempts, spans left open, copies of a sample, samples
without a group, workers by any of their names.

Usage: random_groups.py SEED
"""

import json
import random
import sys

R = random.Random(int(sys.argv[1]))
WORKERS = ["http://10.0.0.1:30000", "https://user:pw@h:1/path@x", "h@3", "", None,
           0, "http://10.0.0.2:30000/", "grpc://g:5", "http://h:9/v1@2"]
KEYS = ["worker_addr", "worker", "worker_url", "engine", "engine_addr",
        "server", "server_url", "url"]


class Trace:
    def __init__(self):
        self.events, self.made = [], 0

    def span(self, name, start, end, parent=None, attempt=0, start_attrs=None,
             end_attrs=None):
        """Its id. Without an end it is open."""
        self.made += 1
        span = "%s-%d" % (name, self.made)
        said = {"name": name, "span_id": span, "attempt": attempt}
        if parent:
            said["parent_span_id"] = parent
        self.events.append({"type": "span_start", "ts": start,
                            "attrs": start_attrs or {}, **said})
        if end is not None:
            self.events.append({"type": "span_end", "ts": end,
                                "attrs": end_attrs or {}, **said})
        return span


def attrs(worker):
    """Of a generation: at its start and at its end."""
    start, end = {}, {}
    if R.random() < .8:
        end["completion_tokens"] = R.randrange(1, 400)
    if R.random() < .4:
        end["queue_time"] = R.choice([.25, .5, R.random()])
    if worker is not None:
        R.choice([start, end])[R.choice(KEYS)] = worker
    if R.random() < .2:
        R.choice([start, end])["dp_rank"] = R.choice([0, 1, "2", None])
    if R.random() < .1:
        R.choice([start, end])[R.choice(KEYS)] = R.choice(WORKERS)
    return start, end


def tick():
    return R.choice([0, .25, .5, R.random(), round(R.random(), 6)])


def generate(trace, now, parent, attempt, worker):
    """Some turns of generation and tools; when they ended."""
    for turn in range(R.randrange(4)):
        start_attrs, end_attrs = attrs(worker)
        end = now + tick() * R.choice([1, 1, 4])
        trace.span(R.choice(["sglang_generate", "sglang_generate_stream"]),
                   now, None if R.random() < .04 else end, parent, attempt,
                   start_attrs, end_attrs)
        now = end
        if R.random() < .3:
            trace.span("tool_call", now, now + tick(), parent, attempt)
            now += tick()
    if R.random() < .5:
        trace.span("reward_model", now, now + .125, parent, attempt)
        now += .125
    return now


def work(trace, now, outer, attempt, worker):
    """What a sample does in its group; when it ended."""
    if R.random() < .15:  # another trainer's: no generate_and_rm
        return generate(trace, now, outer, attempt, worker)
    calls = R.choice([1, 1, 1, 1, 2])
    for _ in range(calls):
        at = len(trace.events)
        call = trace.span("generate_and_rm", now, 0, outer, attempt)
        end = trace.events.pop()
        now = generate(trace, now + tick() * R.choice([0, 1, 3]), call,
                       attempt, worker) + R.choice([0, .001])
        end["ts"] = now
        if R.random() > .06:
            trace.events.append(end)
        if R.random() < .05:
            del trace.events[at + 1:]  # no child
    return now


def group_attempt(traces, begin, attempt):
    """One attempt of all samples of a group; when it ended."""
    name = R.choice(["generate_and_rm_group"] * 6 + ["my_group", "reward_all"])
    outers, ends = [], []
    for trace in traces:
        outer = trace.span(name, begin, None, None, attempt)
        outers.append((outer, len(trace.events)))
        worker = R.choice(WORKERS + [None] * 4)
        ends.append(work(trace, begin + R.choice([0, .0003, tick()]), outer,
                         attempt, worker))
    last = max(ends)
    if R.random() < .4:
        for start, end in ((0, .5), (.75, 1)):
            for trace, (outer, _) in zip(traces, outers):
                trace.span("group_reward_model", last + start, last + end,
                           outer, attempt)
        last += 1
    for trace, (outer, _) in zip(traces, outers):
        if R.random() < .95:
            trace.events.append({
                "type": "span_end", "name": name, "span_id": outer,
                "ts": last + R.choice([0] * 9 + [-1, .001]), "attrs": {}})
    return last


def group(index, first):
    traces = [Trace() for _ in range(R.choice([1, 1, 2, 4, 8]))]
    begin = 1.7e9 + R.choice([0, R.random() * 3, 5])
    for attempt in range(R.choice([1, 1, 1, 2, 3])):
        begin = group_attempt(traces, begin, attempt) + R.choice([0, 2, 50])
    for trace in traces:
        if R.random() < .1:
            at = R.randrange(len(trace.events))
            del trace.events[at]
    made = [{"index": first + i, "group_index": index, "status": "completed",
             "response_length": R.choice([None, R.randrange(500)]),
             "trace": {"attempt": 0, "events": trace.events}}
            for i, trace in enumerate(traces)]
    for sample in list(made):
        while R.random() < .12:
            made.append(copy_of(sample))
    if R.random() < .1:
        for sample in made:
            sample["index"] = R.choice([None, first])
    return made


def copy_of(sample):
    """The same sample once more, perhaps of a later turn only."""
    made = json.loads(json.dumps(sample))
    turns = [e["span_id"] for e in made["trace"]["events"]
             if e["name"].startswith("sglang_generate")]
    lost = set(turns[:R.randrange(len(turns) + 1)])
    made["trace"]["events"] = [e for e in made["trace"]["events"]
                               if e["span_id"] not in lost]
    return made


def main():
    samples = []
    for index in range(R.randrange(12)):
        samples += group(R.choice([index, index, "g", None]), len(samples))
    if R.random() < .5:
        R.shuffle(samples)
    json.dump({"rollout_id": 1, "samples": samples}, sys.stdout)


main()
