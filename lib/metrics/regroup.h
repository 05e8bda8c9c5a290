/*
 * A snapshot leaves as it came, family by family: HELP and TYPE once, the
 * samples of a family together.
 */
#ifndef OBS_METRICS_REGROUP_H
#define OBS_METRICS_REGROUP_H

#include "metrics/delta.h"
#include "metrics/metric_out.h"
#include "metrics/reduce.h"
#include "metrics/series.h"

/*
 * Hand a table to the sink. With `pad` all samples of a family get the same
 * labels, those missing as "" (le and quantile apart). With a delta, values
 * are differences, and families that have none are left out.
 */
int regroup_walk(const struct series_table *t, const struct delta *d, bool pad,
		 struct metric_sink *sink, struct err *err);

/* Hand the differences of a table to a reduction. */
int regroup_reduce(const struct series_table *t, const struct delta *d,
		   struct reduce *r, struct err *err);

#endif
