/*
 * The perf/ metrics in an engine's own histograms, from one Prometheus text
 * exposition: since the engine's start rather than for one rollout.
 *
 * A histogram is used if it has the meaning of the request attribute behind a
 * key: the rows "perf" of lib/metrics/steps.tsv. All series are summed, over
 * workers and labels, except copies written by other ranks, and one side of a
 * prefill/decode pair. The mean and perf/request/count are exact; medians and
 * percentiles are computed from buckets like PromQL's histogram_quantile, and
 * marked approximate. There is no max or min.
 */
#ifndef OBS_ROLLOUT_PROM_PERF_H
#define OBS_ROLLOUT_PROM_PERF_H

#include <stdbool.h>

#include "base/err.h"
#include "metrics/series.h"
#include "rollout/perf.h"

/* Does an exposition begin like this? Decided by a comment or a complete first
 * sample. */
bool prom_perf_detect(struct str head);

/* Add the figures of the snapshot's histograms to figures: 0 or an error. Adds
 * nothing if there is no such histogram. */
int prom_perf(const struct series_table *table,
	      const struct perf_wanted *wanted, struct figures *figures,
	      struct err *err);

#endif
