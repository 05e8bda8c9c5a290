/* What the catalogue says of a column of a table: its unit, and which of its
 * values is the worst. */
#ifndef OBS_SINK_METRICS_COLUMN_H
#define OBS_SINK_METRICS_COLUMN_H

#include "metrics/catalogue.h"

/* Is a higher value of the metric better or worse? Counts and sums of
 * distributions are neither. */
enum metric_rising column_rising(struct str name);

/* The unit that a heading needs, which is one that the name does not tell;
 * NULL: none. */
const char *column_unit(struct str name);

/* Does le belong to the row, as in gauges that look like histograms? */
bool column_keeps_le(struct str name);

#endif
