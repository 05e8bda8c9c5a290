/*
 * The perf/ metrics of a rollout: what its generation requests and samples
 * took, by the keys that slime documents (docs/en/developer_guide/trace.md
 * and slime/ray/rollout.py, read at 624b824a8).
 *
 * A request is one span_end of a generation span (sglang_generate, or
 * sglang_generate_stream) that has attributes, or an SGLang response. Its PD timings are its own
 * pd_* attributes or, where it has none, those of the spans and events below
 * it. A value counts when it is a finite int or float and no bool. Times are
 * seconds, throughputs tokens per second.
 *
 * Every value is kept (8 bytes each), so that order statistics are exact.
 */
#ifndef OBS_ROLLOUT_PERF_H
#define OBS_ROLLOUT_PERF_H

#include "base/err.h"
#include "base/stats.h"
#include "rollout/figures.h"
#include "rollout/sample.h"

struct perf;

/* NULL when memory ran out. */
struct perf *perf_new(void);
void perf_free(struct perf *perf);

/* Requests whose queue_time is negative, which counts as it is. */
uint64_t perf_negative_queues(const struct perf *perf);

struct sample_trace; /* rollout/sample_trace.h */

/* Where the requests of a sample go that are not summarised together. */
struct perf_split {
	/* The summary that a request with these attributes belongs to, at its
	 * end and its start (VALUE_ABSENT: not known); NULL with err filled
	 * when there is none. */
	struct perf *(*of)(struct perf_split *split, struct value end_attrs,
			   struct value start_attrs, struct err *err);
};

/*
 * Take the requests of a sample in, with its trace as sample_trace_read gives it:
 * each into the summary that split tells, or where that is NULL into perf.
 * Returns 0 or an error. Parts of the trace that cannot be used are ignored,
 * as by slime.
 */
int perf_add_requests(struct perf *perf, struct perf_split *split,
		      const struct sample *sample,
		      const struct sample_trace *trace, struct err *err);

/* Take in what the sample says of itself: its length and its waits. */
int perf_add_sample(struct perf *perf, const struct sample *sample,
		    struct err *err);

/* Which metrics are asked for beyond those every rollout has. */
struct perf_wanted {
	const double *percentiles; /* 0 to 100, in the order given */
	size_t percentile_count;
	double rollout_time; /* seconds; 0: not known */
	double rollout_gpus; /* 0: not known */
};

/* Add the metrics to figures, in a fixed order, key "perf/...". Metrics without
 * values are absent. 0 or an error. */
int perf_figures(struct perf *perf, const struct perf_wanted *wanted,
		 struct figures *figures, struct err *err);

/* What was taken in. */
struct perf_counts {
	uint64_t samples;
	uint64_t requests;
	uint64_t profiled; /* requests with at least one value */
};
struct perf_counts perf_counts(const struct perf *perf);

/* The values of a metric, by its place in perf_metrics. */
const struct stats *perf_metric_values(const struct perf *perf, size_t metric);

/* The values behind a key "perf/METRIC/STATISTIC", sorted by
 * perf_figures; NULL when the key is not made of values that are known. */
const struct stats *perf_values(const struct perf *perf, const char *key);

#endif
