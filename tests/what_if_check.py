#!/usr/bin/env python3
"""obs-perfsum --what-if on simulated rollouts (engine_sim.py), and on rollouts
that were tampered with.

	what_if_check.py OBS-PERFSUM CHECK
"""
import copy
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine_sim import START, Fleet, dump, play  # noqa: E402

PROGRAM = sys.argv[1]

# One batch on two engines, the second one slow.
PLAIN = {"engines": 2, "slots": 8, "groups": 12, "size": 8, "slow": {1: 3.0},
         "limit": None, "mixed": False, "tools": False, "turns": 1,
         "reward": 0.1, "base": 0.01}


def rollout(seed=5, **over):
    fleet = Fleet(seed, **{**PLAIN, **over})
    samples, wall = play(fleet, seed)
    return dump(fleet, samples), wall, fleet


def ask(data, *args, status=0):
    text = data if isinstance(data, str) else json.dumps(data)
    done = subprocess.run([PROGRAM, "--what-if", "--format", "json", *args,
                           "-"], input=text, capture_output=True, text=True,
                          check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return json.loads(done.stdout) if done.stdout else None


def screen(data, *args):
    """What people read, on one line."""
    done = subprocess.run([PROGRAM, "--what-if", "--format", "table", *args,
                           "-"], input=json.dumps(data), capture_output=True,
                          text=True, check=True)
    return " ".join(done.stdout.split())


def remedy(told, name):
    return next(r for r in told["remedies"] if r["id"] == name)


def spans(data, name="sglang_generate", kind="span_end"):
    for sample in data["samples"]:
        for event in sample["trace"]["events"]:
            if event["name"] == name and event["type"] == kind:
                yield event


def bill():
    """The bill adds up, whatever samples did."""
    for seed in range(20, 32):
        fleet = Fleet(seed)
        samples, wall = play(fleet, seed)
        told = ask(dump(fleet, samples))
        assert abs(told["wall"] - wall) < 0.01, (seed, told["wall"], wall)
        seconds = told["bill"]["seconds"]
        assert abs(sum(seconds.values()) - told["wall"]) < 1e-6, seed
        assert all(v > -1e-4 for v in seconds.values()), (seed, seconds)


def bill_parts():
    """What is known beforehand of the last sample is in its bill."""
    data, wall, fleet = rollout()
    told = ask(data)
    index = told["bill"]["sample"]
    seconds = told["bill"]["seconds"]
    own = data["samples"][index]
    events = {(e["name"], e["type"]): e for e in own["trace"]["events"]}
    attrs = events["sglang_generate", "span_end"]["attrs"]
    assert own["group_index"] == told["bill"]["group"]
    assert attrs["worker_addr"] == "http://10.0.0.1:30000"
    queued = seconds.get("queue", 0) + seconds.get("imbalance", 0)
    assert abs(queued - attrs["queue_time"]) < 1e-5
    reward = fleet.work[index]["reward"]
    assert abs(seconds["reward"] - reward) < 1e-5
    # a third of what the slow engine decodes would do
    decode = seconds["slow_engine"] + seconds.get("long_answer", 0) + \
        seconds["decode"]
    assert abs(seconds["slow_engine"] / decode - 2 / 3) < 0.02, seconds


def bill_imbalance():
    """A request waits for a slot from when it comes, even if another engine
    had an empty queue long before."""
    fleet = Fleet(5, **{**PLAIN, "slow": {}, "reward": 0})
    turn = fleet.work[0]["turns"][0]
    for number, work in enumerate(fleet.work):
        work["turns"][0].update(engine=int(number < 8), tokens=100)
    fleet.work[0]["turns"] = [
        {**turn, "engine": 1, "tokens": 100},
        {**turn, "engine": 0, "tokens": 500, "tool": 3.0}]
    samples, _ = play(fleet, 5)
    told = ask(dump(fleet, samples))
    first, second = samples[0]["requests"]
    assert told["bill"]["sample"] == 0
    assert second["in"] > max(s["requests"][0]["start"] for s in samples[:8])
    waited = second["start"] - second["in"]
    seconds = told["bill"]["seconds"]
    assert waited > 1, waited
    assert abs(seconds["imbalance"] - waited) < 1e-3, (seconds, waited)
    assert abs(seconds["queue"] - (first["start"] - first["in"])) < 1e-3


class Fixed(Fleet):
    """Only the steps of the quick engine depend on the batch."""

    def step(self, engine, batch, cache, noise):
        if engine in self.slow:
            return self.base * self.slow[engine] * noise
        return super().step(engine, batch, cache, noise)


def one_slowness():
    """The remedy and the stragglers have one figure for how slow an engine is,
    and the bill names its own."""
    fleet = Fixed(5, **{**PLAIN, "slots": 24, "slow": {1: 6.0}, "bucket": 1,
                        "a_request": 0.001, "a_thousand": 0})
    data = dump(fleet, play(fleet, 5)[0])
    told = ask(data, "--stragglers", "2")
    shown = screen(data, "--stragglers", "2")
    times = re.search(r"decode steps ([\d.]+) times as long", shown).group(1)
    assert f", {times} times that of the others; 2 of the 2 samples" in shown
    assert "per token with prefill" not in shown
    assert "slow decode steps (batch 8) " in shown, shown
    assert told["stragglers"][0]["cause"] == "slow engine"
    assert "'spent' above compares at batch 8, stalls " in shown


def fitted():
    """The step that the engines were given is found."""
    data, _, fleet = rollout(a_request=0.0002, a_thousand=0, bucket=1)
    told = ask(data)
    assert told["check"]["ok"] and abs(told["check"]["wall_error"]) < 0.02
    for engine, factor in zip(told["engines"], (1, 3)):
        a, b, c, d = engine["step"]
        for batch in (2, 8):
            true = (0.01 + 0.0002 * batch) * factor
            assert abs((a + b * batch) / true - 1) < 0.02, engine
        assert d == 0 and engine["slots"] == 8
        assert engine["slow"] == (factor == 3)
    assert [e["name"] for e in told["engines"]] == ["10.0.0.0:30000",
                                                    "10.0.0.1:30000"]
    assert told["client_limit"] is None and fleet.limit is None


def peers():
    """Engines are judged by the median of all: the mean of the middle two."""
    for factor, slow in ((1.2, [False] * 4), (1.5, [False, False, True, True])):
        data, _, _ = rollout(engines=4, groups=16, slow={2: factor, 3: factor})
        told = ask(data)
        assert told["check"]["ok"], told["check"]
        assert [e["slow"] for e in told["engines"]] == slow, told["engines"]


def limit():
    """The trainer's limit is found."""
    data, _, _ = rollout(limit=12)
    told = ask(data)
    assert told["client_limit"] == 12, told["client_limit"]
    assert told["check"]["ok"], told["check"]
    more = "more than 12 generating at once (never seen; try a higher " \
        "slime --sglang-server-concurrency)"
    assert more in screen(data), screen(data)
    data, _, _ = rollout(limit=None)
    assert ask(data)["client_limit"] is None
    assert "generating at once" not in screen(data)


def mixed():
    """Prefills that are part of steps are told from those that hold up."""
    data, _, _ = rollout(mixed=True, prefill=(0.0, 0.05), bucket=1)
    told = ask(data)
    assert told["check"]["ok"], told["check"]
    for engine, true in zip(told["engines"], (0.05, 0.15)):
        assert abs(engine["step"][3] / true - 1) < 0.05, engine
    data, _, _ = rollout()
    assert all(e["step"][3] == 0 for e in ask(data)["engines"])


def unnamed():
    """Without names everything about engines is refused, cuts are not."""
    data, _, fleet = rollout()
    for event in spans(data):
        del event["attrs"]["worker_addr"]
    told = ask(data)
    assert told["named"] is False and told["engines"] == []
    assert told["check"]["ok"] and told["check"]["fit_error"] is None
    for name in ("engines_equal", "stalls_gone", "engines_x2", "slots_x2"):
        assert "worker_addr" in remedy(told, name)["refused"]
    cut = remedy(told, "cut_p90")
    true = play(fleet, fleet.seed + 1000003, cut=int(cut["set"]["cut"]))[1]
    assert cut["low"] <= true <= cut["high"], (cut, true)
    assert "routing_luck" not in told and told["bounds"]["work"] is None


def waves():
    """Engines that work in waves have no step that follows the batch."""
    data, _, _ = rollout(waves=True)
    told = ask(data)
    assert not told["check"]["ok"] and told["check"]["refused"]
    for one in told["remedies"]:
        recorded = one["id"].startswith("stop_at")
        assert ("refused" in one) != recorded, one
        assert ("wall" in one) == recorded, one
    assert told["stack"] == []
    seconds = told["bill"]["seconds"]
    assert abs(sum(seconds.values()) - told["wall"]) < 1e-6


def waves_shown():
    """Unpriced, the text has the slow engine and how far off the model is."""
    data, _, _ = rollout(waves=True)
    told, shown = ask(data), screen(data)
    off = told["check"]["wall_error"]
    assert "; 10.0.0.1:30000 is slow; no remedy could be estimated: " in shown, shown
    assert "10.0.0.1:30000 is slow: a decode step takes 30 ms, 3 times the " \
        "10 ms of 10.0.0.0:30000 " in shown, shown
    assert off > 0.05
    assert f"replayed unchanged: wall {100 * off:.0f}% too long (limit 5%)" \
        in shown, shown
    ends, limit = told["check"]["end_error_p95"], 0.1 * told["wall"]
    assert f"ends within {ends:.1f} s (limit {limit:.2f} s)" in shown, shown
    assert "stalled" not in shown, shown


def open_span():
    """A rollout that was not over is not priced."""
    data, _, _ = rollout()
    events = data["samples"][7]["trace"]["events"]
    events.remove(next(e for e in events if e["type"] == "span_end" and
                       e["name"] == "reward_model"))
    told = ask(data)
    assert "not over" in told["check"]["refused"][0]
    assert "refused" in remedy(told, "cut_p95")
    assert remedy(told, "stop_at_90")["recorded"]
    assert told["bill"]["seconds"]


def groups():
    """Missing groups leave only the upper end of a price."""
    data, _, _ = rollout()
    whole = ask(data)
    data["samples"] = [s for s in data["samples"]
                       if s["group_index"] not in (3, 4)]
    told = ask(data)
    assert whole["missing_groups"] == 0 and told["missing_groups"] == 2
    priced = [r for r in told["remedies"] if "low" in r]
    if told["check"]["ok"]:
        assert priced and all(r["low"] is None and r["high"] > 0
                              for r in priced)
    # those at either end cannot be missed
    data["samples"] = [s for s in data["samples"] if s["group_index"] > 4]
    assert ask(data)["missing_groups"] == 0


def stop():
    """The time at which most groups were done is the recorded one."""
    data, wall, _ = rollout()
    told = ask(data)
    ends = {}
    for sample in data["samples"]:
        ends[sample["group_index"]] = max(
            e["ts"] for e in sample["trace"]["events"])
    first = min(e["ts"] for s in data["samples"]
                for e in s["trace"]["events"])
    done = sorted(v - first for v in ends.values())
    # 12 groups: 95% are 12 of them, 90% are 11
    assert abs(remedy(told, "stop_at_95")["wall"] - done[11]) < 1e-5
    assert abs(remedy(told, "stop_at_90")["wall"] - done[10]) < 1e-5
    assert done[10] < done[11]


def one_engine():
    """A fleet of one has no slow engine and no luck."""
    data, _, _ = rollout(engines=1, slow={})
    told = ask(data)
    assert told["check"]["ok"], told["check"]
    assert "only one engine" in remedy(told, "engines_equal")["refused"]
    assert "routing_luck" not in told
    assert remedy(told, "engines_x2")["range_only"]


def one_request():
    """A single request is too little for any model."""
    data, _, _ = rollout(engines=1, slow={}, groups=1, size=1)
    told = ask(data)
    assert told["requests"] == 1 and not told["check"]["ok"]
    assert "needs 8" in told["check"]["refused"][0]
    assert abs(sum(told["bill"]["seconds"].values()) - told["wall"]) < 1e-6


def one_token():
    """Answers of one token have no steps at all."""
    data, _, fleet = rollout()
    for sample in fleet.work:
        for turn in sample["turns"]:
            turn["tokens"] = 1
    told = ask(dump(fleet, play(fleet, 5)[0]))
    assert all(math.isfinite(r["wall"]) for r in told["remedies"]
               if "wall" in r)
    assert abs(sum(told["bill"]["seconds"].values()) - told["wall"]) < 1e-6
    del data


def stall():
    """A stall of 5 s that is put into a dump is found within 5%."""
    data, wall, _ = rollout(slow={}, reward=0, base=0.02)
    named = "http://10.0.0.1:30000"
    start = min(e["ts"] for e in spans(data, kind="span_start"))
    at = start + 0.5 * wall
    for sample in data["samples"]:
        shift_sample(sample, named, at, 5.0)
    told = ask(data)
    found = [s for e in told["engines"] for s in e["stalls"]
             if e["name"] in named]
    assert len(found) == 1, told["engines"]
    assert abs(found[0][1] / 5 - 1) < 0.05, found
    assert abs(found[0][0] - 0.5 * wall) < 0.5, (found, wall)
    if told["check"]["ok"]:
        gone = remedy(told, "stalls_gone")
        assert abs(gone["wall"] / wall - 1) < 0.05, (gone, wall)
        assert not gone["range_only"]
        assert remedy(told, "cut_p90")["range_only"]


def stalled():
    """A rollout in which the second engine stalls for 5 s."""
    data, wall, _ = rollout(slow={}, reward=0, base=0.02)
    start = min(e["ts"] for e in spans(data, kind="span_start"))
    for sample in data["samples"]:
        shift_sample(sample, "http://10.0.0.1:30000", start + 0.3 * wall, 5.0)
    return data


def stall_shown():
    """The text has a stall, and how much of the last sample's queue it was,
    whether or not remedies have a price."""
    data = stalled()
    told, shown = ask(data), screen(data)
    [[at, length]] = [s for e in told["engines"] for s in e["stalls"]]
    assert abs(length / 5 - 1) < 0.05 and told["check"]["ok"]
    assert f"; 10.0.0.1:30000 stalled for {length:.2f} s of it; best " \
        in shown, shown
    assert f" 10.0.0.1:30000 stalled for {length:.2f} s from {at:.2f} s " \
        in shown, shown
    assert f"({length:.2f} of it while its engine stalled)" in shown, shown
    del data["samples"][7]["trace"]["events"][-1]
    shown = screen(data)
    assert f"; 10.0.0.1:30000 stalled for {length:.2f} s of it; no remedy " \
        "could be estimated: the rollout was not over" in shown, shown


def shift_sample(sample, named, at, by):
    """As if its engine had stood still at that time."""
    events = sample["trace"]["events"]
    end = next(e for e in events if e["name"] == "sglang_generate" and
               e["type"] == "span_end")
    attrs = end["attrs"]
    if attrs["worker_addr"] == named:
        arrival = end["ts"] - attrs["e2e_latency"] - 0.0005
        first = arrival + attrs["queue_time"]
        last = end["ts"] - 0.0005
        if first >= at:
            attrs["queue_time"] += by
        elif last >= at and "decode_throughput" in attrs:
            decode = (attrs["completion_tokens"] - 1) / \
                attrs["decode_throughput"]
            attrs["decode_throughput"] = \
                (attrs["completion_tokens"] - 1) / (decode + by)
        if last >= at:
            attrs["e2e_latency"] += by
            end["ts"] += by
            call = next(e for e in events if e["name"] == "generate_and_rm"
                        and e["type"] == "span_end")
            call["ts"] += by
    for event in events:
        if event["name"] == "generate_and_rm_group" and \
                event["type"] == "span_end":
            event["ts"] += by


def odd():
    """Attributes that are no numbers, or not there, never break it."""
    data, _, _ = rollout()
    for name in ("prompt_tokens", "cached_tokens", "queue_time",
                 "e2e_latency", "decode_throughput"):
        for value in (None, math.nan, math.inf, -1, 1e300, "7", True, []):
            odd_data = copy.deepcopy(data)
            for number, event in enumerate(spans(odd_data)):
                if number % 3 == 0:
                    event["attrs"][name] = value
            told = ask(odd_data)
            seconds = told["bill"]["seconds"]
            assert abs(sum(seconds.values()) - told["wall"]) < 1e-6
    for event in spans(data):
        event["attrs"].pop("queue_time", None)
    told = ask(data)
    assert all(e["slots"] is None for e in told["engines"])
    for event in spans(data):
        event["attrs"].pop("completion_tokens", None)
    told = ask(data)
    assert "completion_tokens" in told["check"]["refused"][0]


def nothing():
    """A dump without generation spans cannot be modelled."""
    data, _, _ = rollout()
    for sample in data["samples"]:
        sample["trace"]["events"] = [
            e for e in sample["trace"]["events"]
            if e["name"] != "sglang_generate"]
    told = ask(data)
    assert told["refused"] and "remedies" not in told


def late():
    """What does not start together is not one batch."""
    data, wall, _ = rollout(slow={})
    for number, sample in enumerate(data["samples"]):
        for event in sample["trace"]["events"]:
            event["ts"] += wall * (number % 8)
    told = ask(data)
    assert any("one batch" in why for why in told["check"]["refused"])


def resumed():
    """What an earlier rollout left in resumed samples is dropped."""
    data, wall, _ = rollout()
    before = ask(data)
    for sample in data["samples"][:10]:
        old = copy.deepcopy(sample["trace"]["events"])
        for event in old:
            event["ts"] -= 3 * wall
            event["span_id"] = "old-" + event["span_id"]
            if event["parent_span_id"]:
                event["parent_span_id"] = "old-" + event["parent_span_id"]
        sample["trace"]["events"] = old + sample["trace"]["events"]
    told = ask(data)
    assert told["wall"] == before["wall"]
    assert told["remedies"] == before["remedies"]


def own_values():
    """A length and a number of slots of one's own."""
    data, _, fleet = rollout()
    told = ask(data, "--set", "cut=60", "--set", "slots=16", "--set",
               "slots=4")
    cut = remedy(told, "cut_60")
    true = play(fleet, 1000009, cut=60)[1]
    assert cut["low"] <= true <= cut["high"] and cut["set"] == {"cut": 60.0}
    assert cut["tokens_lost"] == sum(
        max(t["tokens"] - 60, 0) for w in fleet.work for t in w["turns"])
    assert remedy(told, "slots_16")["range_only"]
    both = remedy(told, "slots_16"), remedy(told, "slots_x2")
    assert both[0]["wall"] == both[1]["wall"]
    assert "fewer" in remedy(told, "slots_4")["refused"]
    chosen = ask(data, "--what-if=cut_p95,stop_at_90")
    assert [r["id"] for r in chosen["remedies"]] == ["cut_p95", "stop_at_90"]
    assert remedy(chosen, "cut_p95") == remedy(told, "cut_p95")


def same():
    """The same dump gives the same figures, alone and with others."""
    data, _, _ = rollout()
    with open("one.json", "w", encoding="utf-8") as file:
        json.dump(data, file)
    with open("two.json", "w", encoding="utf-8") as file:
        json.dump(rollout(6)[0], file)

    def lines(*args):
        return subprocess.run(
            [PROGRAM, "--what-if", "-f", "json", *args],
            capture_output=True, text=True, check=True).stdout.splitlines()

    alone = lines("one.json") + lines("two.json")
    together = lines("-j", "1", "one.json", "two.json")
    assert together == lines("-j", "2", "one.json", "two.json")
    assert together[:2] == alone
    last = json.loads(together[2])
    assert last["dumps"] == 2
    saves = sorted(remedy(json.loads(line), "engines_equal")["saves"] /
                   json.loads(line)["wall"] for line in alone)
    mine = remedy(last, "engines_equal")
    assert mine["priced"] == mine["sure"] == 2
    assert abs(mine["saves_min"] - saves[0]) < 1e-12
    assert abs(mine["saves_max"] - saves[1]) < 1e-12
    assert abs(mine["saves_median"] - sum(saves) / 2) < 1e-12


def joined():
    """What a trainer did not record comes from the logs of the engines."""
    fleet = Fleet(5, **PLAIN)
    samples, wall = play(fleet, 5)
    data = dump(fleet, samples)
    logs = {}
    for sample, played in zip(data["samples"], samples):
        request = played["requests"][0]
        event = next(e for e in sample["trace"]["events"]
                     if e["name"] == "sglang_generate" and
                     e["type"] == "span_end")
        attrs = event["attrs"]
        ident = "r%d" % sample["index"]
        logs.setdefault(request["engine"], []).append(dict(
            {k: v for k, v in attrs.items() if k != "worker_addr"},
            id=ident, request_parameters="{}",
            finish_reason={"type": "stop"},
            request_received_ts=START + request["in"],
            forward_entry_time=START + request["start"],
            prefill_finished_time=START + request["first"],
            request_finished_ts=START + request["end"]))
        event["attrs"] = {"sglang_request_id": ident,
                          "completion_tokens": attrs["completion_tokens"]}
    assert ask(data)["named"] is False
    options = []
    for engine, lines in logs.items():
        with open(f"e{engine}.log", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        options += ["--with", f"worker{engine}=e{engine}.log"]
    told = ask(data, *options)
    assert told["named"] and told["check"]["ok"], told["check"]
    assert [e["name"] for e in told["engines"]] == ["worker0", "worker1"]
    assert [e["slots"] for e in told["engines"]] == [8, 8]
    equal = remedy(told, "engines_equal")
    true = play(Fleet(5, **{**PLAIN, "slow": {}}), 6)[1]
    assert equal["low"] <= true <= equal["high"] < wall, (equal, true)


def stray():
    """Records that join no sample of the dump are not part of the model."""
    data, _, _ = rollout()
    before = ask(data)
    for shift in (-100, 100):
        with open("stray.jsonl", "w", encoding="utf-8") as file:
            for kind, at in (("span_start", 0), ("span_end", 1)):
                file.write(json.dumps(
                    {"trace_id": "elsewhere", "type": kind, "span_id": "s",
                     "name": "sglang_generate", "ts": START + shift + at,
                     "group_id": 999, "attrs": {"completion_tokens": 5}}) +
                    "\n")
        for more in ((), ("--breakdown",)):
            told = ask(data, "--with", "stray.jsonl", *more)
            assert told["wall"] == before["wall"], told["wall"]
            assert told["bill"] == before["bill"]
            assert told["remedies"] == before["remedies"]
            assert told["check"] == before["check"]


def pairs():
    """Where prefill and decode are apart, requests keep their own times."""
    data, _, fleet = rollout()
    for event in spans(data):
        attrs = event["attrs"]
        rate = attrs.pop("decode_throughput", 0)
        if rate:
            attrs["pd_decode_forward_duration"] = \
                (attrs["completion_tokens"] - 1) / rate
    told = ask(data)
    # They name their engines, which have no model.
    assert told["named"] is True and told["engines"] == []
    assert "prefill and decode" in remedy(told, "engines_equal")["refused"]
    assert told["check"]["ok"] and abs(told["check"]["wall_error"]) < 1e-6
    cut = remedy(told, "cut_p90")
    # All before decoding is prefill, unless its segments say how long.
    seconds = told["bill"]["seconds"]
    before = seconds["prefill"]
    assert before > 0.002 and abs(seconds.get("other", 0)) < 1e-3, seconds
    for event in spans(data):
        if "pd_decode_forward_duration" in event["attrs"]:
            event["attrs"]["pd_prefill_forward_duration"] = 0.0005
            event["attrs"]["pd_prefill_bootstrap_duration"] = 0.0005
    seconds = ask(data)["bill"]["seconds"]
    assert abs(seconds["prefill"] - 0.001) < 1e-6, seconds
    assert abs(seconds["other"] - (before - 0.001)) < 1e-3, seconds
    # Nobody moves up into the slots that cuts make free.
    assert cut["wall"] <= told["wall"] and cut["tokens_lost"] > 0
    assert "queue" not in told["bill"]["seconds"]
    del fleet


def large():
    """100,000 requests in 256 MiB of addresses."""
    fleet = Fleet(9, **{**PLAIN, "engines": 8, "slots": 256, "groups": 12500,
                        "reward": 0})
    for work in fleet.work:
        for turn in work["turns"]:
            turn["tokens"] = 1 + turn["tokens"] % 12
    with open("large.json", "w", encoding="utf-8") as file:
        json.dump(dump(fleet, play(fleet, 9)[0]), file)
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 262144 && exec "$0" '
         "--what-if=engines_equal -f json large.json", PROGRAM],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["requests"] == 100000
    assert abs(sum(told["bill"]["seconds"].values()) - told["wall"]) < 1e-6


CHECKS = {f.__name__: f for f in (
    bill, bill_parts, bill_imbalance, one_slowness, fitted, peers, limit,
    mixed, unnamed, waves, waves_shown, open_span, groups, stop, one_engine, one_request,
    one_token, stall, stall_shown,
    odd, nothing, late, resumed, own_values, same, joined, stray, pairs,
    large)}

if __name__ == "__main__":
    CHECKS[sys.argv[2]]()
