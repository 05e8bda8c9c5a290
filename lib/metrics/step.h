/*
 * The scalars of one training step: gauges of a snapshot, and rates, ratios
 * and averages from what its counters did since the snapshot before, by the
 * rows of lib/metrics/steps.tsv.
 *
 * A replica that restarted, is new or vanished is left out of numerator and
 * denominator alike. A scalar without any replica, or that would divide by
 * zero, is left out: absent is not zero.
 */
#ifndef OBS_METRICS_STEP_H
#define OBS_METRICS_STEP_H

#include "metrics/metric_out.h"
#include "metrics/series.h"

/* Which scalars are wanted. */
struct step_plan {
	const char *summary; /* one of step_summaries; NULL: no step */
	const char *prefix;  /* of keys */
	bool all_keys;
	bool spread;	  /* least, median and greatest of the workers, too */
	double peak;	  /* work of a GPU in TFLOP/s, for MFU; 0: unknown */
	double window;	  /* seconds that rates divide by; 0: measured */
	const bool *rows; /* of the catalogue that are used; NULL: all */
	const char *const *bounds; /* KEY=SECONDS: shares within a bound */
	size_t n_bounds;
};

/* Is a metric of the catalogue used by that summary? By vital signs where it
 * is NULL. */
bool step_uses(const char *summary, const struct catalogue_row *row);

/* Whether each row of the catalogue is; the caller frees it. NULL: no memory. */
bool *step_rows_used(const char *summary);

/* Whose metrics these are: the summary that uses most of them; NULL: none. */
const char *step_guess(const struct names *names);

/* Take "KEY=BOUND" apart; false unless the summary has quantiles of KEY. */
bool step_bound_read(const char *summary, const char *text, struct str *key,
		     double *bound);

struct step_summary {
	struct metric_scalar *scalars; /* in the order of the table */
	size_t n;
	size_t cap;
	struct arena text; /* of the keys */
};

void step_summary_free(struct step_summary *s);

/* One scalar more; its name outlives the summary. */
int step_summary_put(struct step_summary *summary, struct metric_scalar scalar,
		     struct err *err);

/*
 * Summarise `now`. before may be NULL: then there are gauges only. seconds is
 * what rates divide by; NaN leaves them out. Keys are PREFIX/NAME.
 */
int step_summarise(struct step_summary *summary, const struct step_plan *plan,
		   const struct series_table *before,
		   const struct series_table *now, double seconds,
		   struct err *err);

#endif
