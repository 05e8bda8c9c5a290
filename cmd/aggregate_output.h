/*
 * What obs-aggregate's answers become: the format, the order of rows, and the
 * limits that they are judged by.
 */
#ifndef OBS_CMD_AGGREGATE_OUTPUT_H
#define OBS_CMD_AGGREGATE_OUTPUT_H

#include "aggregate_settings.h"
#include "options.h"
#include "output.h"
#include "sink/metrics/metric_sink.h"

/* Of --fail-if. */
opt_take take_limit;
bool aggregate_has_limits(void);

/* Open the sink; sort: the key of --sort or NULL. A failure, or a key that the
 * format has no use for, ends the program. */
struct metric_sink *aggregate_open_sink(const struct aggregate_settings *s,
					struct output *output);

/* All is written: report a key or a limit that nothing was found for. */
void aggregate_end_output(void);

#endif
