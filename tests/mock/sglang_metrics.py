"""The metrics of an SGLang engine that generates steadily, as text.

Invented values under the engine's own names. They depend on the engine and on
how often it was asked alone, so that what is made of them can be compared.
"""

LABELS = 'engine_type="unified",model_name="qwen3-30b",tp_rank="0"'
BOUNDS = {
    "time_to_first_token_seconds": (0.1, 0.2, 0.4, 1, 2, 4, 10),
    "inter_token_latency_seconds": (0.005, 0.01, 0.02, 0.04, 0.1, 0.2),
    "e2e_request_latency_seconds": (1, 2, 4, 10, 20, 40, 100),
    "queue_time_seconds": (0.01, 0.05, 0.1, 0.5, 1, 5),
}


def gauges(index, times):
    running = 24 + (7 * index + 5 * times) % 16
    return {
        "num_running_reqs": running,
        "num_queue_reqs": (3 * index + times) % 5,
        "token_usage": round(running / 48, 4),
        "cache_hit_rate": round(0.6 + index / 20, 2),
        "gen_throughput": 38.5 * running,
    }


def counters(index, times):
    requests = times * (8 + index)
    return {
        "num_requests_total": requests,
        "prompt_tokens_total": 812 * requests,
        "generation_tokens_total": 1250 * requests,
        "cached_tokens_total": 490 * requests,
    }


def histogram(name, bounds, index, count):
    """Most observations in the middle; an engine with a high index is slow."""
    middle = bounds[len(bounds) // 2]
    for n, bound in enumerate(bounds, 1):
        seen = count * (1 - 2 ** (-n * n / (len(bounds) + index)))
        yield f'{name}_bucket{{{LABELS},le="{bound}"}} {int(seen)}'
    yield f'{name}_bucket{{{LABELS},le="+Inf"}} {count}'
    yield f"{name}_sum{{{LABELS}}} {round(count * middle * 0.6, 3)}"
    yield f"{name}_count{{{LABELS}}} {count}"


def exposition(index, times):
    """What engine number index answers the times-th time, from 1 on."""
    lines = []
    for kind, values in (("gauge", gauges(index, times)),
                         ("counter", counters(index, times))):
        for name, value in values.items():
            lines.append(f"# HELP sglang:{name} The engine's {name}.")
            lines.append(f"# TYPE sglang:{name} {kind}")
            lines.append(f"sglang:{name}{{{LABELS}}} {value}")
    count = counters(index, times)["num_requests_total"]
    for name, bounds in BOUNDS.items():
        lines.append(f"# HELP sglang:{name} Histogram of {name}.")
        lines.append(f"# TYPE sglang:{name} histogram")
        lines += histogram("sglang:" + name, bounds, index, count)
    return "\n".join(lines) + "\n"
