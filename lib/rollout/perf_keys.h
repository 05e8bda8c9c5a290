/*
 * The keys of the perf/ metrics: perf/METRIC/STATISTIC, and some of the whole
 * rollout without a statistic.
 */
#ifndef OBS_ROLLOUT_PERF_KEYS_H
#define OBS_ROLLOUT_PERF_KEYS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* A metric of the requests and the attribute it is taken from. */
struct perf_metric {
	const char *key; /* "request/e2e_latency" */
	struct str attr;
	const char *unit; /* "s"; "" of a number without one */
};

enum { PERF_METRICS = 16, PERF_FIRST_PD = 3 };
extern const struct perf_metric perf_metrics[PERF_METRICS];

#define PERF_KEY_PREFIX "perf/"
enum { PERF_KEY_MAX = 192 }; /* with its NUL */

/* The key as metrics have it: with its prefix, its percentile as it is
 * printed (p95 of p95.0). False when it is longer than a key. */
bool perf_key_spell(char key[PERF_KEY_MAX], struct str text);

/* The percentile that a key ends in (95 of ".../p95"); false: in none. */
bool perf_key_percentile(struct str key, double *percent);

/* The unit of a key or of its part without a statistic: "s", "tokens/s"; "" if
 * it has none or is not known. */
const char *perf_key_unit(struct str key);

/* Can a rollout have a metric of this key, which perf_key_spell made? */
bool perf_key_known(struct str key);

/* Append the known keys nearest to this one, without the prefix and separated
 * by commas; nothing when none is near. */
void perf_keys_near(struct buf *text, struct str key);

#endif
