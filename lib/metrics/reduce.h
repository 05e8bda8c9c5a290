/*
 * Reduction: combines the samples of many series into one per group, in one
 * pass. Only the groups and a fingerprint of each series are kept (one for all
 * buckets of a histogram, see metrics/bucket_path.h), to detect duplicates: the
 * first counts, as everywhere.
 *
 * A histogram is one series here: if an earlier part has it, its buckets are
 * duplicates, however le is spelled.
 *
 * A group has the kept labels. Counters and gauges are reduced as in the
 * catalogue, unknown ones by type and name. Histograms and summaries are
 * summed. Histograms are merged on the bounds that all their series have, le
 * compared as a number. Quantiles of summaries and _created stamps cannot be
 * reduced and are dropped. NaN is ignored unless `propagate_nan`, and counted.
 *
 * Unless `raw`, copies of one fact count once (metrics/facts.h), and either a
 * total or its parts count.
 */
#ifndef OBS_METRICS_REDUCE_H
#define OBS_METRICS_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/bucket_path.h"
#include "metrics/facts.h"
#include "metrics/family.h"
#include "metrics/fold.h"
#include "metrics/labels.h"
#include "metrics/metric_out.h"
#include "metrics/quantile.h"
#include "metrics/totals.h"

struct reduce_how {
	const struct str *labels; /* kept, or dropped if `without` */
	size_t n_labels;
	bool without;
	enum reduce_op op;
	const char *const *mean; /* globs of families for OP_MEAN */
	const char *const *max;
	size_t n_mean;
	size_t n_max;
	bool propagate_nan;
	const double *quantiles; /* quantiles replacing histograms; none:
				  * keep */
	size_t n_quantiles;
	bool differences; /* values are increases: counters become gauges */
	bool parted;	  /* there may be several, possibly conflicting parts */
	bool raw;	  /* every series counts */
};

struct group {
	struct str labels;
	struct fold fold;
	struct buckets buckets; /* for ROLE_BUCKET, and: */
	uint64_t recent;	/* the last histogram */
	uint32_t histogram;	/* and its index */
	uint32_t metric;
	uint64_t series; /* sum of the fingerprints of their labels */
	bool plain; /* it has samples that were not recognised as buckets */
};

enum { NO_PATH = UINT32_MAX };

/* One series with buckets. */
struct histogram {
	uint32_t part; /* where it was first seen */
	uint32_t path; /* its buckets so far; NO_PATH: see `seen` */
	bool copy;     /* it does not count */
};

/* A sample and the facts about its series, which are kept for the next sample:
 * often another bucket of the same histogram. */
struct incoming {
	const struct prom_line *line;
	int64_t line_number;
	const struct prom_label *le; /* that label; NULL: none */
	double bound;		     /* for a bucket */
	const struct metric *metric;
	uint64_t series; /* fingerprint of all labels, without a bucket's le */
	uint64_t fact;	 /* of these, without those that distinguish copies */
	uint64_t part;	 /* of the label that a total lacks, or 0 */
	bool splits;	 /* groups have that label */
	struct copy_rank rank;
	bool may_be_copy;    /* or a total: not every series counts */
	struct group *group; /* NULL: unknown */
};

struct reduce {
	const struct reduce_how *how;
	struct arena *arena; /* also of the names */
	struct names *names;
	struct map seen;      /* series and facts; buckets out of order; with
			       * the part of each, if there may be several */
	struct map by_series; /* histograms */
	struct histogram *histograms;
	uint32_t n_histograms;
	size_t histograms_cap;
	struct bucket_paths paths;
	bool plain_le;	   /* a sample with le was not recognised as a bucket */
	struct map by_key; /* groups */
	struct group **groups;
	uint32_t n;
	size_t cap;
	struct label_set scratch;
	struct incoming in;
	struct facts facts;
	struct totals totals;
};

struct reduce reduce_new(const struct reduce_how *how, struct names *names);
void reduce_free(struct reduce *r);
void reduce_clear(struct reduce *r);

/* Add a sample; only its line's labels, value and time are used. 0, also if it
 * is ignored, or an error. */
int reduce_add(struct reduce *r, const struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err);

/* End of samples: those held back now count. 0 or an error. */
int reduce_settle(struct reduce *r, struct err *err);

/* Settle, and pass the groups to the sink, family by family, sorted by
 * labels. */
int reduce_walk(struct reduce *r, struct metric_sink *sink, struct err *err);

#endif
