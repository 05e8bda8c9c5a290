#!/usr/bin/env python3
"""Fleets of engines, simulated step by step, and rollouts on them as dumps.

It shares no code and no idea with lib/rollout/what_if but continuous batching:
an engine makes one step after the other, each as long as its batch says, with
noise; prefills run before a step or as part of one. A fleet is drawn at random
by a seed. `play` runs a rollout, with a remedy in place when one is given;
`dump` writes it the way that the trainer does.

	engine_sim.py dump SEED [SETTING=JSON]... > rollout.json
	engine_sim.py check OBS-PERFSUM FIRST LAST
	engine_sim.py check-unnamed OBS-PERFSUM FIRST LAST

A check plays the rollouts of the seeds from FIRST to before LAST, asks what
the remedies would save, plays each again with the remedy really in place, and
fails when fewer than 9 of 10 prices have the true time in their interval, or
when the median error of the cuts or of engines_equal is 3% or more. Without
names of engines only the intervals count.
"""
import heapq
import json
import random
import subprocess
import sys
from collections import deque

START = 1700000000.0


class Fleet:
    """What a rollout runs on, and what it has to do."""

    def __init__(self, seed, **over):
        r = random.Random(seed)
        self.seed = seed
        self.engines = r.choice([1, 2, 2, 3, 4, 6])
        self.slots = r.choice([8, 12, 16, 24, 32])
        per_engine = r.choice([3, 4, 5, 6]) * self.slots
        self.size = r.choice([4, 8])
        self.groups = max(4, self.engines * per_engine // self.size)
        self.base = r.uniform(0.004, 0.02)
        self.a_request = self.base * r.choice([0, 0.005, 0.02])
        self.a_thousand = self.base * r.choice([0, 0, 0.002, 0.01])
        self.bucket = r.choice([1, 1, 4, 8])
        self.prefill = (self.base * r.uniform(0.5, 2),
                        self.base * r.uniform(0.2, 2))
        self.mixed = r.random() < 0.2
        self.noise = 0.015
        self.slow = {}
        if self.engines > 1 and r.random() < 0.7:
            self.slow[r.randrange(self.engines)] = r.uniform(1.4, 4)
        self.limit = None
        if r.random() < 0.2:
            self.limit = int(self.engines * self.slots * r.uniform(0.5, 0.9))
        self.tools = r.random() < 0.4
        self.turns = r.choice([1, 1, 2, 3]) if self.tools else 1
        self.reward = r.choice([0, 0, 0.05, 0.3])
        self.stall = None  # [engine, from, seconds, False]
        self.named = True
        self.waves = False  # nobody joins a batch under way
        for key, value in over.items():
            setattr(self, key, value)
        self.draw_work()

    def draw_work(self):
        r = random.Random(self.seed * 7919 + 1)
        self.work = []
        mean = r.uniform(60, 200)
        order = 0
        for group in range(self.groups):
            prompt = int(r.uniform(20, 600))
            for _ in range(self.size):
                turns = []
                for turn in range(r.randint(1, self.turns)):
                    tokens = max(1, int(r.lognormvariate(0, 0.7) * mean))
                    gap = 0.0
                    if turn:
                        gap = r.lognormvariate(0, 1) * self.base * 30
                    turns.append({
                        "prompt": prompt + turn * 50, "tokens": tokens,
                        "cached": int(prompt * 0.5) if turn else 0,
                        "engine": order % self.engines, "tool": gap})
                    order += 1
                reward = 0.0
                if self.reward:
                    reward = r.lognormvariate(0, 0.8) * self.reward
                self.work.append({"group": group, "turns": turns,
                                  "reward": reward,
                                  "start": r.uniform(0, 0.002)})

    def step(self, engine, batch, cache, noise):
        full = -(-batch // self.bucket) * self.bucket
        seconds = (self.base + self.a_request * full +
                   self.a_thousand * cache / 1000)
        return seconds * self.slow.get(engine, 1) * noise

    def prefill_time(self, engine, fresh):
        return ((self.prefill[0] + self.prefill[1] * fresh / 1000) *
                self.slow.get(engine, 1))


class Engine:
    """One engine: makes a step, then looks who waits."""

    def __init__(self, fleet, number, rng):
        self.fleet, self.number, self.rng = fleet, number, rng
        self.queue, self.running = deque(), []
        self.busy = False

    def plan(self, now):
        """What happens next: (end, finished requests)."""
        fleet = self.fleet
        stall = fleet.stall
        wait = 0.0
        if stall and stall[0] == self.number and not stall[3] \
                and now >= stall[1]:
            wait = stall[2]
            stall[3] = True
        seconds = wait
        room = fleet.slots - len(self.running)
        if fleet.waves and any(q["left"] < q["steps"] for q in self.running):
            room = 0
        while self.queue and room > 0 and not fleet.mixed:
            request = self.queue.popleft()
            request["start"] = now + seconds
            seconds += fleet.prefill_time(self.number, request["fresh"])
            request["first"] = now + seconds
            request["left"] = request["steps"]
            room -= 1
            self.running.append(request)
            if request["left"] == 0:
                break
            return now + seconds, self.take_done(now + seconds)
        extra = 0.0
        if fleet.mixed and self.queue and room > 0:
            request = self.queue.popleft()
            request["start"] = now + seconds
            extra = fleet.prefill_time(self.number, request["fresh"])
            request["left"] = request["steps"] + 1
            request["mixed"] = True
            self.running.append(request)
        if not self.running:
            return None
        if all(q["left"] == 0 for q in self.running):
            return now + seconds, self.take_done(now + seconds)
        batch = sum(1 for q in self.running if not q.get("mixed"))
        cache = sum(q["prompt"] + q["steps"] - q["left"]
                    for q in self.running if not q.get("mixed"))
        noise = self.rng.lognormvariate(0, fleet.noise)
        seconds += (fleet.step(self.number, batch, cache, noise)
                    if batch else 0) + extra
        end = now + seconds
        for q in self.running:
            q["left"] -= 1
            if q.pop("mixed", False):
                q["first"] = end
        return end, self.take_done(end)

    def take_done(self, end):
        done = [q for q in self.running if q["left"] <= 0]
        self.running = [q for q in self.running if q["left"] > 0]
        for q in done:
            q["end"] = end
        return done


def play(fleet, noise_seed, cut=None, tool_cap=None, reward_cap=None):
    """Run the rollout. Returns the samples with what happened, and the wall."""
    rng = random.Random(noise_seed)
    engines = [Engine(fleet, i, random.Random(rng.random()))
               for i in range(fleet.engines)]
    events, made = [], 0
    if fleet.stall:
        fleet.stall[3] = False
    samples = []
    generating, line = 0, deque()

    def push(at, kind, what):
        nonlocal made
        made += 1
        heapq.heappush(events, (at, made, kind, what))

    def ask(sample, turn, at):
        w = sample["work"]["turns"][turn]
        tokens = min(w["tokens"], cut) if cut else w["tokens"]
        request = {"in": at, "sample": sample, "turn": turn, "tokens": tokens,
                   "steps": tokens - 1, "prompt": w["prompt"],
                   "cached": w["cached"], "fresh": w["prompt"] - w["cached"],
                   "engine": w["engine"]}
        sample["requests"].append(request)
        push(at + 0.0002, "arrive", request)

    def begin(sample, at):
        nonlocal generating
        if fleet.limit and generating >= fleet.limit:
            line.append(sample)
            return
        generating += 1
        ask(sample, 0, at + 0.0001)

    for work in fleet.work:
        sample = {"work": work, "requests": [], "tools": []}
        samples.append(sample)
        push(work["start"], "begin", sample)
    while events:
        now, _, kind, what = heapq.heappop(events)
        if kind == "begin":
            begin(what, now)
        elif kind == "arrive":
            engine = engines[what["engine"]]
            engine.queue.append(what)
            if not engine.busy:
                engine.busy = True
                push(now, "engine", engine)
        elif kind == "engine":
            plan = what.plan(now)
            if plan is None:
                what.busy = False
                continue
            for request in plan[1]:
                push(plan[0] + 0.0005, "out", request)
            push(plan[0], "engine", what)
        else:
            what["out"] = now
            sample = what["sample"]
            turn = what["turn"] + 1
            if turn < len(sample["work"]["turns"]):
                tool = sample["work"]["turns"][turn]["tool"]
                if tool_cap is not None:
                    tool = min(tool, tool_cap)
                sample["tools"].append((now, now + tool))
                ask(sample, turn, now + tool + 0.0001)
                continue
            reward = sample["work"]["reward"]
            if reward_cap is not None:
                reward = min(reward, reward_cap)
            sample["reward"] = (now, now + reward)
            sample["end"] = now + reward
            generating -= 1
            if line:
                begin(line.popleft(), now)
    return samples, max(s["end"] for s in samples)


def dump(fleet, samples):
    """The dump that the trainer would write."""
    ends = {}
    for s in samples:
        group = s["work"]["group"]
        ends[group] = max(ends.get(group, 0), s["end"])
    out = []
    for index, s in enumerate(samples):
        events, number = [], [0]
        trace = "%08x" % index

        def span(name, start, end, attrs=None, parent=None):
            number[0] += 1
            ident = f"{trace}-{number[0]}"
            common = {"name": name, "trace_id": trace, "sample_id": index,
                      "group_id": s["work"]["group"], "attempt": 0,
                      "span_id": ident, "parent_span_id": parent}
            events.append(dict(common, type="span_start", ts=START + start))
            events.append(dict(common, type="span_end", ts=START + end,
                               attrs=attrs or {}))
            return ident

        group = s["work"]["group"]
        first = s["work"]["start"]
        top = span("generate_and_rm_group", 0, ends[group] + 0.0001)
        call = span("generate_and_rm", first, s["end"], parent=top)
        for q in s["requests"]:
            attrs = {"prompt_tokens": q["prompt"],
                     "completion_tokens": q["tokens"],
                     "cached_tokens": q["cached"],
                     "queue_time": q["start"] - q["in"],
                     "e2e_latency": q["end"] - q["in"],
                     "finish_reason": "stop"}
            if q["steps"] > 0 and q["end"] > q["first"]:
                attrs["decode_throughput"] = q["steps"] / (q["end"] -
                                                           q["first"])
            if fleet.named:
                attrs["worker_addr"] = f"http://10.0.0.{q['engine']}:30000"
            span("sglang_generate", q["in"], q["out"], attrs, call)
        for start, end in s["tools"]:
            span("tool_call", start, end, None, call)
        if s["work"]["reward"]:
            span("reward_model", *s["reward"], None, call)
        out.append({"group_index": group, "index": index, "prompt": "p",
                    "response": "r", "response_length":
                    sum(q["tokens"] for q in s["requests"]),
                    "status": "completed", "reward": 1.0,
                    "trace": {"version": 1, "trace_id": trace,
                              "sample_id": index, "group_id": group,
                              "attempt": 0, "events": events}})
    return {"rollout_id": fleet.seed, "samples": out}


def ask_perfsum(program, fleet, samples, *args):
    done = subprocess.run(
        [program, "--what-if", "--format", "json", *args, "-"],
        input=json.dumps(dump(fleet, samples)), capture_output=True,
        text=True, check=True)
    return json.loads(done.stdout)


def without_slow(fleet):
    return Fleet(fleet.seed, **{"slow": {}, "named": fleet.named,
                                "stall": fleet.stall})


def measure(fleet, remedy):
    """The wall of the rollout with a remedy: what really happens."""
    change = remedy.get("set", {})
    seed = fleet.seed + 1000003
    if "cut" in change:
        return play(fleet, seed, cut=int(change["cut"]))[1]
    if "tool" in change:
        return play(fleet, seed, tool_cap=change["tool"])[1]
    if "reward" in change:
        return play(fleet, seed, reward_cap=change["reward"])[1]
    if change == {"equal": 1}:
        return play(without_slow(fleet), seed)[1]
    return None


def check(program, seeds, named=True):
    errors, inside, refused, priced = {}, 0, [], 0
    for seed in seeds:
        fleet = Fleet(seed, named=named)
        samples, wall = play(fleet, seed)
        told = ask_perfsum(program, fleet, samples)
        assert abs(told["wall"] - wall) < 0.01 * wall, (seed, told["wall"])
        if not told["check"]["ok"]:
            refused.append((seed, told["check"]["refused"]))
            continue
        for remedy in told["remedies"]:
            if "low" not in remedy:
                continue
            true = measure(fleet, remedy)
            if true is None:
                continue
            priced += 1
            good = remedy["low"] <= true <= remedy["high"]
            inside += good
            error = remedy["wall"] / true - 1
            errors.setdefault(remedy["id"], []).append(abs(error))
            if not good:
                print(f"seed {seed}: {remedy['id']}: {true:.4f} is not in "
                      f"{remedy['low']:.4f} - {remedy['high']:.4f} "
                      f"(of {wall:.4f})", file=sys.stderr)
    return errors, inside, priced, refused


def report(checked, named):
    """Print the errors; were the prices right often enough?"""
    errors, inside, priced, refused = checked
    good = inside >= 0.9 * priced and priced > 0
    for name, v in sorted(errors.items()):
        v.sort()
        median = v[len(v) // 2]
        if named and (name.startswith("cut") or name == "engines_equal"):
            good = good and median < 0.03
        print(f"{name}: {len(v)} prices, median error {100 * median:.2f}%, "
              f"worst {100 * v[-1]:.2f}%")
    print(f"inside: {inside} of {priced}; refused: {len(refused)}")
    for seed, why in refused:
        print(f"  seed {seed}: {why}")
    return good and len(refused) <= 0.1 * (priced + len(refused))


def main(argv):
    if argv[1] == "dump":
        over = dict((k, json.loads(v)) for k, v in
                    (a.split("=", 1) for a in argv[3:]))
        fleet = Fleet(int(argv[2]), **over)
        json.dump(dump(fleet, play(fleet, fleet.seed)[0]), sys.stdout)
        return 0
    seeds = range(int(argv[3]), int(argv[4]))
    named = argv[1] != "check-unnamed"
    return 0 if report(check(argv[2], seeds, named), named) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
