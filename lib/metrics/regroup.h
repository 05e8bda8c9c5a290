/*
 * Passes on a snapshot family by family: HELP and TYPE once, the samples of a
 * family together.
 */
#ifndef OBS_METRICS_REGROUP_H
#define OBS_METRICS_REGROUP_H

#include "metrics/delta.h"
#include "metrics/metric_out.h"
#include "metrics/reduce.h"
#include "metrics/series.h"

/*
 * Pass a table to the sink. With `pad` all samples of a family get the same
 * labels, missing ones as "" (except le and quantile). With a delta, values are
 * differences, and families without any are omitted.
 */
int regroup_walk(const struct series_table *t, const struct delta *d, bool pad,
		 struct metric_sink *sink, struct err *err);

/* Pass the differences of a table to a reduction. */
int regroup_reduce(const struct series_table *t, const struct delta *d,
		   struct reduce *r, struct err *err);

#endif
