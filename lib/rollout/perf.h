/*
 * The perf/ metrics of a rollout's generation requests and samples, by the keys
 * documented by slime (docs/en/developer_guide/trace.md
 * and slime/ray/rollout.py, read at 624b824a8).
 *
 * A request is one span_end of a generation span (sglang_generate, or
 * sglang_generate_stream) that has attributes, or an SGLang response. Its PD
 * timings are its own pd_* attributes or, if it has none, those of the spans
 * and events below it. A value counts if it is a finite int or float and not a
 * bool. Times are seconds, throughputs tokens per second.
 *
 * Every value is kept (8 bytes each), so order statistics are exact.
 */
#ifndef OBS_ROLLOUT_PERF_H
#define OBS_ROLLOUT_PERF_H

#include "base/err.h"
#include "base/stats.h"
#include "rollout/figures.h"
#include "rollout/sample.h"

struct perf;

/* NULL if out of memory. */
struct perf *perf_new(void);
void perf_free(struct perf *perf);

/* Negative values. Those of metrics are used as they are: of queue_time, which
 * have a known cause, and of others. Counts of tokens and times outside of
 * generation are not used. */
struct perf_negatives {
	uint64_t queues;
	uint64_t others;
	const char *other; /* the attribute of the first of the others */
	uint64_t unused;
	const char *unused_name; /* the first of them */
};
struct perf_negatives perf_negatives(const struct perf *perf);

struct sample_trace; /* rollout/sample_trace.h */

/* Maps the requests of a sample to separate summaries. */
struct perf_split {
	/* The summary of a request with these attributes, at its end and its
	 * start (VALUE_ABSENT: unknown); NULL with err filled if there is
	 * none. */
	struct perf *(*of)(struct perf_split *split, struct value end_attrs,
			   struct value start_attrs, struct err *err);
};

/*
 * Add the requests of a sample, with its trace from sample_trace_read: each to
 * the summary given by split, or to perf if that is NULL. Returns 0 or an
 * error. Unusable parts of the trace are ignored, as in slime.
 */
int perf_add_requests(struct perf *perf, struct perf_split *split,
		      const struct sample *sample,
		      const struct sample_trace *trace, struct err *err);

/* Add the sample's own fields: its length and its waits. */
int perf_add_sample(struct perf *perf, const struct sample *sample,
		    struct err *err);

/* Which metrics to compute beyond the usual ones. */
struct perf_wanted {
	const double *percentiles; /* 0 to 100, in the given order */
	size_t percentile_count;
	size_t percentiles_asked; /* the first of them: by -p */
	double rollout_time;	  /* seconds; 0: unknown */
	double rollout_gpus;	  /* 0: unknown */
};

/* Add the metrics to figures, in a fixed order, with the key "perf/...".
 * Metrics without values are omitted. 0 or an error. */
int perf_figures(struct perf *perf, const struct perf_wanted *wanted,
		 struct figures *figures, struct err *err);

/* Input counts. */
struct perf_counts {
	uint64_t samples;
	uint64_t requests;
	uint64_t profiled; /* requests with at least one value */
};
struct perf_counts perf_counts(const struct perf *perf);

/* The values of a metric, by its index in perf_metrics, sorted by
 * perf_figures. */
const struct stats *perf_metric_values(const struct perf *perf, size_t metric);

#endif
