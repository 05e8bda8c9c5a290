/* One metric of the catalogue or one alarm, as text for people. */
#ifndef OBS_SINK_METRICS_EXPLAIN_H
#define OBS_SINK_METRICS_EXPLAIN_H

#include "base/buf.h"
#include "base/io.h"
#include "metrics/catalogue.h"

/* Write the catalogue's text on the name, for all engines that have it. Returns
 * how many do. */
size_t explain_metric(struct out *out, struct str name);

/* Write what the alarm means and what to do about it; false: none has that
 * name. */
bool explain_alarm(struct out *out, struct str name);

/* Append up to three similarly spelled names of the catalogue, separated by ",
 * ". */
void explain_similar(struct buf *names, struct str name);

#endif
