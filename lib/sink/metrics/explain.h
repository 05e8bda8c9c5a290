/* One metric of the catalogue, as text for people. */
#ifndef OBS_SINK_METRICS_EXPLAIN_H
#define OBS_SINK_METRICS_EXPLAIN_H

#include "base/buf.h"
#include "base/io.h"
#include "metrics/catalogue.h"

/* Write what the catalogue says of the name, in all engines that have it.
 * Returns how many do. */
size_t explain_metric(struct out *out, struct str name);

/* Append names of the catalogue that are spelled much like this one, up to
 * three, separated by ", ". */
void explain_similar(struct buf *names, struct str name);

#endif
