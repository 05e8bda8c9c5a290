/*
 * The keys of the perf/ metrics: perf/METRIC/STATISTIC, and some of the whole
 * rollout without a statistic.
 */
#ifndef OBS_ROLLOUT_PERF_KEYS_H
#define OBS_ROLLOUT_PERF_KEYS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* A metric of requests and its source attribute. */
struct perf_metric {
	const char *key; /* "request/e2e_latency" */
	struct str attr;
	const char *unit; /* "s"; "" for a plain number */
};

enum { PERF_METRICS = 16, PERF_FIRST_PD = 3 };
extern const struct perf_metric perf_metrics[PERF_METRICS];

#define PERF_KEY_PREFIX "perf/"
#define PERF_KEY_WALL PERF_KEY_PREFIX "wall" /* seconds, from the spans */
enum { PERF_KEY_MAX = 192 };		     /* including its NUL */

/* The full key: with its prefix, and its percentile as printed (p95 for p95.0).
 * False if it is too long for a key. */
bool perf_key_spell(char key[PERF_KEY_MAX], struct str text);

/* The percentile at the end of a key (95 for ".../p95"); false: none. */
bool perf_key_percentile(struct str key, double *percent);

/* The unit of a key with or without its statistic: "s", "tokens/s"; "" if it
 * has none or is unknown. */
const char *perf_key_unit(struct str key);

/* Can a rollout have a metric with this key, as made by perf_key_spell? */
bool perf_key_known(struct str key);

/* Append the known keys nearest to this one, without the prefix and
 * comma-separated; nothing if none is near. */
void perf_keys_near(struct buf *text, struct str key);

#endif
