/* What the catalogue has on a column of a table: its unit, which of its
 * values is the worst, and how soon a person wants to see it. */
#ifndef OBS_SINK_METRICS_COLUMN_H
#define OBS_SINK_METRICS_COLUMN_H

#include "base/buf.h"
#include "metrics/catalogue.h"

/* Is a higher value of the metric better or worse? RISING_NEUTRAL if neither
 * or unknown. */
enum metric_rising column_rising(struct str name);

/* Append the unit that a reader needs next to the name; nothing if the name
 * says it or there is none. rate: the values are per second. */
void column_put_unit(struct buf *b, struct str name, bool rate);

/* Append the unit, even if the name says it. */
void column_put_plain_unit(struct buf *b, struct str name, bool rate);

/* The place of the metric in a table, the lowest first. */
unsigned int column_rank(struct str name);

/* Is `wanted`, as a user wrote it, this metric? By its name, any spelling that
 * the catalogue knows, what is behind the colon, or a glob. Both end in NUL. */
bool column_is_named(struct str name, struct str wanted);

#endif
