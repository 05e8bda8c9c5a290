/*
 * The scalars of one training step: gauges of a snapshot, and rates, ratios and
 * averages of its counters' increases since the previous one, by the rows of
 * lib/metrics/steps.tsv.
 *
 * A replica that restarted, is new or vanished is omitted from both numerator
 * and denominator. A scalar without any replica, or that would divide by zero,
 * is omitted: absent is not zero.
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
	bool spread;	  /* also minimum, median and maximum over workers */
	double peak;	  /* a GPU's peak TFLOP/s, for MFU; 0: unknown */
	double window;	  /* divisor of rates in seconds; 0: measured */
	const bool *rows; /* rows of the catalogue to use; NULL: all */
	const char *const *bounds; /* KEY=SECONDS: shares within a bound */
	size_t n_bounds;
};

/* Does that summary use a metric of the catalogue? NULL: the vital signs. */
bool step_uses(const char *summary, const struct catalogue_row *row);

/* The answer for each row of the catalogue; freed by the caller. NULL: no
 * memory. */
bool *step_rows_used(const char *summary);

/* The summary that uses most of these metrics; NULL: none. */
const char *step_guess(const struct names *names);

/* Split "KEY=BOUND"; false unless the summary has quantiles of KEY. */
bool step_bound_read(const char *summary, const char *text, struct str *key,
		     double *bound);

struct step_summary {
	struct metric_scalar *scalars; /* in the order of the table */
	size_t n;
	size_t cap;
	struct arena text; /* of the keys */
};

void step_summary_free(struct step_summary *s);

/* Add one scalar; its name outlives the summary. */
int step_summary_put(struct step_summary *summary, struct metric_scalar scalar,
		     struct err *err);

/*
 * Summarise `now`. before may be NULL: then only gauges. seconds divides rates;
 * NaN omits them. Keys are PREFIX/NAME.
 */
int step_summarise(struct step_summary *summary, const struct step_plan *plan,
		   const struct series_table *before,
		   const struct series_table *now, double seconds,
		   struct err *err);

#endif
