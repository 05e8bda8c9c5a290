/*
 * Differences between two snapshots, series by series, so that a restarted
 * engine only affects itself: increases are added up afterwards.
 *
 * A counter that went down was reset to zero, as in PromQL's increase; all
 * series of a histogram or summary were if a bucket or the count went down. A
 * series without an earlier value contributes nothing, since its history is
 * unknown, unless `new_from_zero`; nor does one that vanished.
 */
#ifndef OBS_METRICS_DELTA_H
#define OBS_METRICS_DELTA_H

#include <stdbool.h>

#include "metrics/metric_out.h"
#include "metrics/series.h"

struct delta {
	const struct series_table *before; /* NULL: counters are omitted */
	const struct series_table *now;
	double seconds; /* between them; NaN: unknown */
	bool rate;	/* increases per second */
	bool new_from_zero;
	bool skips_resets; /* for remarks: series that reset are omitted */
	uint64_t resets;
	uint64_t fresh; /* series without an earlier value */
	uint64_t gone;
	struct map restarted; /* histograms and summaries */
};

/* Free with delta_free. */
struct delta delta_of(const struct series_table *before,
		      const struct series_table *now);

void delta_free(struct delta *d);

/* Find the histograms and summaries that were reset, for delta_value and
 * delta_count_fates. 0 or ERR_MEMORY. */
int delta_find_restarts(struct delta *d, struct err *err);

/* Does the family have such series? */
bool delta_is_growing(const struct names *names, const struct family *f);

/* Has the snapshot any such series, hidden ones too? */
bool delta_has_counters(const struct series_table *t);

/* What happened to a series since the previous snapshot. */
enum delta_fate { DELTA_GREW, DELTA_RESET, DELTA_FRESH };

/* *increase is the full value of a series that was reset or is new. */
enum delta_fate delta_fate(const struct series_table *before,
			   const struct series *s, double *increase);

/* Replace *value, the series' own, by its increase or rate. False: omit the
 * series. */
bool delta_value(const struct delta *d, const struct metric *m,
		 const struct series *s, double *value);

/* Count and remark on series that were reset, are new, or vanished. */
void delta_count_fates(struct delta *d);

/* The results as scalars: seconds, resets, new and vanished series. */
enum { DELTA_SCALARS = 4 };
void delta_scalars(const struct delta *d,
		   struct metric_scalar scalars[DELTA_SCALARS]);

#endif
