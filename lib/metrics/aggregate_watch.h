/* Alarms over the snapshots of an aggregate. Private to metrics/aggregate. */
#ifndef OBS_METRICS_AGGREGATE_WATCH_H
#define OBS_METRICS_AGGREGATE_WATCH_H

#include "metrics/aggregate.h"

/* Judge the snapshot that was read, `seconds` after the one before (NaN:
 * unknown). 0 or an error. */
int aggregate_judge(struct aggregate *a, double seconds, struct err *err);

#endif
