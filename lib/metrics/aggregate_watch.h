/* Alarms over the snapshots of an aggregate. Private to metrics/aggregate. */
#ifndef OBS_METRICS_AGGREGATE_WATCH_H
#define OBS_METRICS_AGGREGATE_WATCH_H

#include "metrics/aggregate.h"

/* Evaluate the current snapshot, `seconds` after the previous one (NaN:
 * unknown). 0 or an error. */
int aggregate_judge(struct aggregate *a, double seconds, struct err *err);

#endif
