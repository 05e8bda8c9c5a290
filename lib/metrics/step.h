/*
 * The scalars of one training step: gauges of a snapshot, and rates, ratios
 * and averages from what its counters did since the snapshot before. The
 * tables of metrics/engine.h say what they are made of.
 *
 * A replica is a label set. It counts in a scalar when all that the scalar
 * needs of it grew or stayed since the snapshot before; one that restarted,
 * is new or vanished is left out of numerator and denominator alike. A
 * counter exported both as X_total and as X counts once, as X_total. A scalar
 * without any replica, or that would divide by zero, is left out: absent is
 * not zero.
 */
#ifndef OBS_METRICS_STEP_H
#define OBS_METRICS_STEP_H

#include "metrics/delta.h"
#include "metrics/engine.h"
#include "metrics/metric_out.h"
#include "metrics/series.h"

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
int step_summarise(struct step_summary *summary, const struct engine *engine,
		   const char *prefix, const struct series_table *before,
		   const struct series_table *now, double seconds,
		   struct err *err);

#endif
