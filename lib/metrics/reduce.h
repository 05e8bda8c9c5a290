/*
 * Reduction: the samples of many series become one a group, while they
 * stream by. What is kept is the groups and a fingerprint of each series (of a
 * histogram, one for all of its buckets, see metrics/bucket_path.h), by which
 * duplicates are known: the first counts, as everywhere.
 *
 * A histogram is one series in this: where an earlier part has it, its
 * buckets are duplicates, however le is spelled.
 *
 * A group has the labels that are kept. Counters and gauges are reduced as
 * the catalogue says, those that it does not know by type and name. What
 * belongs to histograms and summaries is added up. Histograms are merged on
 * the bounds that all their series have, le compared as a number. Quantiles of
 * summaries and _created stamps cannot be reduced and are left out. NaN is
 * kept out unless `propagate_nan`, and counted.
 *
 * Unless `raw`, copies of one fact count once (metrics/facts.h), and of a
 * total and its parts only one.
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
	const struct str *labels; /* kept, or with `without` left out */
	size_t n_labels;
	bool without;
	enum reduce_op op;
	const char *const *mean; /* globs of families that OP_MEAN is for */
	const char *const *max;
	size_t n_mean;
	size_t n_max;
	bool propagate_nan;
	const double *quantiles; /* what histograms become; none: stay */
	size_t n_quantiles;
	bool differences; /* values are increases: counters become gauges */
	bool parted;	  /* there may be several parts, which may clash */
	bool raw;	  /* every series counts */
};

struct group {
	struct str labels;
	struct fold fold;
	struct buckets buckets; /* of ROLE_BUCKET, and: */
	uint64_t recent;	/* the histogram that came last */
	uint32_t histogram;	/* and its place */
	uint32_t metric;
	uint64_t series; /* sum of the fingerprints of their labels */
	bool plain; /* it has samples that were no buckets when they came */
};

enum { NO_PATH = UINT32_MAX };

/* One series with buckets. */
struct histogram {
	uint32_t part; /* where it was met first */
	uint32_t path; /* the buckets it has had; NO_PATH: see `seen` */
	bool copy;     /* it does not count */
};

/* A sample, and what is known of its series: that stays for the next sample,
 * which often is another bucket of the same histogram. */
struct incoming {
	const struct prom_line *line;
	int64_t line_number;
	const struct prom_label *le; /* that label; NULL: there is none */
	double bound;		     /* of a bucket */
	const struct metric *metric;
	uint64_t series; /* fingerprint of all labels, less le of a bucket */
	uint64_t fact;	 /* of these, less those in which copies differ */
	uint64_t part;	 /* of the label that a total lacks, or 0 */
	bool splits;	 /* groups have that label */
	struct copy_rank rank;
	bool may_be_copy;    /* or a total: not every series counts */
	struct group *group; /* NULL: nothing is known yet */
};

struct reduce {
	const struct reduce_how *how;
	struct arena *arena; /* of the names too */
	struct names *names;
	struct map seen;      /* series and facts; buckets out of order; to the
			       * part of each, if there may be several */
	struct map by_series; /* histograms */
	struct histogram *histograms;
	uint32_t n_histograms;
	size_t histograms_cap;
	struct bucket_paths paths;
	bool plain_le;	   /* a sample with le was no bucket when it came */
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

/* Take a sample, of whose line labels, value and time are used. 0, also when
 * it was left out, or an error. */
int reduce_add(struct reduce *r, const struct metric *m,
	       const struct prom_line *line, int64_t line_number,
	       struct err *err);

/* No more samples come: what was held back counts. 0 or an error. */
int reduce_settle(struct reduce *r, struct err *err);

/* Settle, and hand the groups to the sink, family by family, sorted by
 * labels. */
int reduce_walk(struct reduce *r, struct metric_sink *sink, struct err *err);

#endif
