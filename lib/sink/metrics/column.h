/* The catalogue's facts for a column of a table: its unit, which of its values
 * is the worst, and its priority. */
#ifndef OBS_SINK_METRICS_COLUMN_H
#define OBS_SINK_METRICS_COLUMN_H

#include "base/buf.h"
#include "metrics/catalogue.h"

/* Is a higher value of the metric better or worse? RISING_NEUTRAL if neither
 * or unknown. */
enum metric_rising column_rising(struct str name);

/* Append the unit if it should follow the name; nothing if the name contains it
 * or there is none. rate: the values are per second. */
void column_put_unit(struct buf *b, struct str name, bool rate);

/* Append the unit, even if the name contains it. */
void column_put_plain_unit(struct buf *b, struct str name, bool rate);

/* The position of the metric in a table, the lowest first. */
unsigned int column_rank(struct str name);

/* Does `wanted`, as typed by a user, mean this metric? By its name, any
 * spelling in the catalogue, the part after the colon, or a glob. Both are
 * NUL-terminated. */
bool column_is_named(struct str name, struct str wanted);

#endif
