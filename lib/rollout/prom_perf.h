/*
 * The perf/ metrics that an engine's own histograms hold, from one exposition
 * of Prometheus text: since the engine's start rather than of one rollout.
 *
 * A histogram counts when it means the same as the attribute of a request
 * that the key is made of elsewhere: the rows "perf" of lib/metrics/steps.tsv.
 * All series are added up, over workers and labels, but copies that other ranks
 * write, and of a prefill/decode pair one side.
 * The mean and perf/request/count are exact; medians and percentiles come out
 * of buckets, as PromQL's histogram_quantile makes them, and are marked
 * approximate. There is neither max nor min.
 */
#ifndef OBS_ROLLOUT_PROM_PERF_H
#define OBS_ROLLOUT_PROM_PERF_H

#include <stdbool.h>

#include "base/err.h"
#include "metrics/series.h"
#include "rollout/perf.h"

/* Is that how an exposition begins? Told from a comment or a whole first
 * sample. */
bool prom_perf_detect(struct str head);

/* The figures of the snapshot's histograms, added to figures: 0 or an error.
 * Without any such histogram none is added. */
int prom_perf(const struct series_table *table,
	      const struct perf_wanted *wanted, struct figures *figures,
	      struct err *err);

#endif
