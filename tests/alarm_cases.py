#!/usr/bin/env python3
"""Series in which one alarm should begin and end, and when.

Usage: alarm_cases.py names
       alarm_cases.py stream NAME           as obs-scrape -i 10 writes it
       alarm_cases.py check NAME < JSONL    events of obs-aggregate --alarms
       alarm_cases.py promtool RULES.YML [NAME...]    for promtool test rules

Samples are 10 seconds apart. Of each case the alarms are listed with the worker,
the time when they begin and the time when they end, in seconds; others must not
begin. Prometheus, whose windows reach further back, may be SLACK later.
"""

import json
import sys

STEP, N, START, SLACK = 10, 72, 1_800_000_000, 40
S = 'sglang:{}{{worker_addr="{}",model_name="m",engine_type="{}"{}}}'
V = 'vllm:{}{{worker_addr="{}",model_name="m"{}}}'


def s(name, worker="w1", more="", role="unified"):
    return S.format(name, worker, role, more and "," + more)


def v(name, worker="w1", more=""):
    return V.format(name, worker, more and "," + more)


def at(*pairs):
    """A gauge: (from second, value); None: the series is not there."""
    values = []
    for i in range(N):
        values.append([value for since, value in pairs
                       if since <= i * STEP][-1])
    return values


def grow(*pairs, start=0):
    """A counter: (from second, increase per step)."""
    values = [start]
    for i in range(1, N):
        step = [step for since, step in pairs if since < i * STEP or not since]
        values.append(values[-1] + step[-1])
    return values


def ramp(since, until, step):
    """A gauge that rises from one time to the other, and then drops to 0."""
    return [max(0, i * STEP - since) // STEP * step if i * STEP <= until else 0
            for i in range(N)]


def busy(worker, running=8, make=s, **more):
    name = {s: "num_running_reqs", v: "num_requests_running"}[make]
    return {make(name, worker, **more): at((0, running))}


def moved(count, until):
    """A gauge with a new value at each step, up to a time."""
    return [count + min(i, until // STEP) % 7 for i in range(N)]


LATE = {
    **busy("w1", 3),
    s("num_queue_reqs"): at((0, 5)),
    s("gen_throughput"): moved(700, 200),
    s("token_usage"): at((0, 0.7)),
    s("num_requests_total"): grow((0, 0)),
    s("generation_tokens_total"): grow((0, 0)),
}

PACE = [("w1", 1), ("w2", 1), ("w3", 3)]

CASES = {
    "down": (
        {**busy("w1"), s("num_running_reqs", "w2"): at((0, 8), (120, None))},
        {("down", "w2"): (140, None)}),
    "down_by_up": (
        {**busy("w1"), 'up{worker_addr="w1"}': at((0, 1), (100, 0), (300, 1)),
         'up{worker_addr="w2"}': at((0, 1))},
        {("down", "w1"): (120, 300)}),
    "up_fails_twice": (
        {**busy("w1"), 'up{worker_addr="w1"}':
             at((0, 1), (100, 0), (120, 1), (200, 0), (210, 1))}, {}),
    "stalled": (
        {**busy("w1"), **busy("w2"),
         s("realtime_tokens_total", "w1", 'mode="decode"'):
             grow((0, 90), (200, 0), (400, 90)),
         s("realtime_tokens_total", "w2", 'mode="decode"'): grow((0, 90))},
        {("stalled", "w1"): (230, 410)}),
    "stalled_vllm": (
        {**busy("w1", make=v), v("generation_tokens_total"):
             grow((0, 90), (200, 0)), v("prompt_tokens_total"): grow((0, 0))},
        {("stalled", "w1"): (230, None)}),
    "prefill_goes_on": (
        {**busy("w1", make=v), v("generation_tokens_total"): grow((0, 0)),
         v("prompt_tokens_total"): grow((0, 10))}, {}),
    "stalled_late": (LATE, {("stalled", "w1"): (230, None)}),
    "long_answers": (
        {**LATE, s("gen_throughput"): moved(700, N * STEP)}, {}),
    "paused": (
        {**busy("w1"), s("num_paused_reqs"): at((0, 0), (190, 8), (600, 0)),
         s("realtime_tokens_total", "w1", 'mode="decode"'):
             grow((0, 90), (200, 0), (600, 90))}, {}),
    "kv_full": (
        {**busy("w1"), s("token_usage"): at((0, 0.7), (100, 0.95), (300, 0.7)),
         s("num_queue_reqs"): at((0, 3))},
        {("kv_full", "w1"): (160, 300)}),
    "kv_full_by_retractions": (
        {**busy("w1", make=v), v("kv_cache_usage_perc"): at((0, 0.95)),
         v("num_requests_waiting"): at((0, 0)),
         v("num_preemptions_total"): grow((0, 0), (100, 1), (300, 0))},
        {("kv_full", "w1"): (170, 360)}),
    "kv_full_unused": (
        {**busy("w1"), s("token_usage"): at((0, 0.95)),
         s("num_queue_reqs"): at((0, 0))}, {}),
    "queue_growing": (
        {**busy("w1"), s("num_queue_reqs"): ramp(200, 400, 5),
         s("token_usage"): at((0, 0.7))},
        {("queue_growing", "w1"): (220, 410)}),
    "queue_by_half": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 8), (200, 13)),
         s("token_usage"): at((0, 0.7))},
        {("queue_growing", "w1"): (200, 260)}),
    "queue_by_exactly_half": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 12), (200, 18)),
         s("token_usage"): at((0, 0.7))},
        {("queue_growing", "w1"): (200, 260)}),
    "queue_by_less_than_half": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 13), (200, 19)),
         s("token_usage"): at((0, 0.7))}, {}),
    "queue_by_half_of_the_limit": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 9), (200, 14)),
         s("token_usage"): at((0, 0.7))},
        {("queue_growing", "w1"): (200, 260)}),
    "queue_of_two": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 1), (200, 2), (300, 6)),
         s("token_usage"): at((0, 0.7))}, {}),
    "cap_bound": (
        {**busy("w1"), s("num_queue_reqs"): at((0, 0), (50, 5), (300, 0)),
         s("token_usage"): at((0, 0.3))},
        {("cap_bound", "w1"): (110, 300)}),
    "slow_engine": (
        {key: value for worker, factor in PACE for key, value in {
            **busy(worker, make=v),
            v("inter_token_latency_seconds_sum", worker):
                grow((0, 0.8 * factor), (200, 0.8)),
            v("inter_token_latency_seconds_count", worker): grow((0, 80)),
        }.items()},
        {("slow_engine", "w3"): (40, 230)}),
    # The others finish their requests first: the last comparison stands for as
    # long as the slow one has requests.
    "slow_engine_is_left": (
        {key: value for worker, rate, running in (
            ("w1", 900, at((0, 8), (200, 1), (300, 0))),
            ("w2", 300, at((0, 8), (400, 2), (500, 0))))
         for key, value in {
             s("num_running_reqs", worker): running,
             s("realtime_tokens_total", worker, 'mode="decode"'):
                 grow((0, rate))}.items()},
        {("slow_engine", "w2"): (40, 510)}),
    # They come back, and it is no longer slow.
    "slow_engine_recovers": (
        {key: value for worker, rate, running in (
            ("w1", ((0, 900),), at((0, 8), (200, 1), (400, 8))),
            ("w2", ((0, 300), (300, 900)), at((0, 8))))
         for key, value in {
             s("num_running_reqs", worker): running,
             s("realtime_tokens_total", worker, 'mode="decode"'):
                 grow(*rate)}.items()},
        {("slow_engine", "w2"): (40, 400)}),
    # What was slow for too short a time never becomes slow by being alone.
    "slow_engine_not_for_long": (
        {key: value for worker, rate, running in (
            ("w1", ((0, 900),), at((0, 8), (210, 1))),
            ("w2", ((0, 900), (180, 100)), at((0, 8))))
         for key, value in {
             s("num_running_reqs", worker): running,
             s("realtime_tokens_total", worker, 'mode="decode"'):
                 grow(*rate)}.items()}, {}),
    "slow_engine_of_two": (
        {key: value for worker, rate in (("w1", 900), ("w2", 600))
         for key, value in {
             **busy(worker),
             s("realtime_tokens_total", worker, 'mode="decode"'):
                 grow((0, rate))}.items()},
        {("slow_engine", "w2"): (40, None)}),
    "hit_rate_low": (
        {key: value for worker, hits in (("w1", 80), ("w2", 70), ("w3", 10))
         for key, value in {
             **busy(worker, make=v),
             v("prefix_cache_hits_total", worker): grow((0, hits)),
             v("prefix_cache_queries_total", worker): grow((0, 100)),
         }.items()},
        {("hit_rate_low", "w3"): (120, None)}),
    "retractions": (
        {**busy("w1", 2), s("num_retracted_requests_total"): grow((0, 4)),
         **busy("w2", 2), s("num_retracted_requests_total", "w2"):
             grow((0, 0), (50, 1), (60, 0))},
        {("retractions", "w1"): (60, None)}),
    "aborts": (
        {**busy("w1", make=v),
         v("request_success_total", "w1", 'finished_reason="stop"'):
             grow((0, 9)),
         v("request_success_total", "w1", 'finished_reason="abort"'):
             grow((0, 1)), **busy("w2", make=v),
         v("request_success_total", "w2", 'finished_reason="stop"'):
             grow((0, 1)),
         v("request_success_total", "w2", 'finished_reason="abort"'):
             grow((0, 1))},
        {("aborts", "w1"): (300, None)}),
    "imbalance": (
        {**busy("w1", 1), **busy("w2", 1),
         s("num_running_reqs", "w3"): at((0, 1), (50, 20), (300, 1))},
        {("imbalance", None): (110, 300)}),
    "roles": (
        {**busy("w1", 1, role="prefill"), **busy("w2", 1, role="prefill"),
         **busy("w3", 1, role="prefill"), **busy("w4", 40, role="decode")},
        {}),
    "weights_behind": (
        {**busy("w1"), **busy("w2"),
         s("weight_version", "w1"): at((0, 4), (100, 5)),
         s("weight_version", "w2"): at((0, 4), (400, 5))},
        {("weights_behind", "w2"): (160, 400)}),
}


def stream(series):
    lines = ["# obs-scrape stream"]
    for i in range(N):
        stamp = (START + i * STEP) * 1000
        lines += [f"{name} {values[i]} {stamp}"
                  for name, values in series.items() if values[i] is not None]
        lines.append("# EOF")
    return "\n".join(lines)


def check(name):
    """What differs, as lines."""
    expected = dict(CASES[name][1])
    for line in sys.stdin:
        event = json.loads(line)
        key = event["alarm"], event["worker"]
        index = ("begin", "end").index(event["event"])
        want = expected.get(key, (None, None))[index]
        if event["time"] - START != want:
            yield (f"{key} {event['event']} at {event['time'] - START:g}, "
                   f"not {want}")
        elif index == 0 and expected[key][1] is None:
            del expected[key]
        elif index == 1:
            del expected[key]
    for key, when in expected.items():
        yield f"{key} is missing: {when}"


def values_of(values):
    """In promtool's notation: a series that is gone is stale at first."""
    words, there = [], False
    for value in values:
        words.append("stale" if value is None and there else
                     "_" if value is None else f"{value:g}")
        there = value is not None
    return " ".join(words)


def probes(expected):
    """Seconds at which it is clear which alarms are on."""
    last = (N - 1) * STEP
    seconds = {0, last}
    for begin, end in expected.values():
        seconds |= {max(0, begin - STEP), min(last, begin + SLACK)}
        if end is not None:
            seconds |= {end - STEP, min(last, end + SLACK)}
    return sorted(seconds)


def is_on(when, second):
    begin, end = when
    return begin <= second and (end is None or second < end)


def firing(alarm, worker):
    labels = f'alarm="{alarm}"'
    if worker is not None:
        labels += f',worker_addr="{worker}"'
    return {"labels": "{" + labels + "}", "value": 1}


def promtool_test(name):
    series, expected = CASES[name]
    return {
        "name": name, "interval": f"{STEP}s",
        "input_series": [{"series": key, "values": values_of(values)}
                         for key, values in series.items()],
        "promql_expr_test": [{
            "expr": 'count by (alarm, worker_addr) '
                    '(ALERTS{alertstate="firing"})',
            "eval_time": f"{second}s",
            "exp_samples": [firing(*key) for key, when in expected.items()
                            if is_on(when, second)],
        } for second in probes(expected)]}


def promtool(rules, names):
    return {"rule_files": [rules], "evaluation_interval": f"{STEP}s",
            "tests": [promtool_test(name) for name in names or CASES]}


def main(argv):
    if argv[1] == "names":
        print("\n".join(CASES))
    elif argv[1] == "stream":
        print(stream(CASES[argv[2]][0]))
    elif argv[1] == "promtool":
        print(json.dumps(promtool(argv[2], argv[3:])))
    else:
        wrong = list(check(argv[2]))
        print("\n".join(wrong))
        return 1 if wrong else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
