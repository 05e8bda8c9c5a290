/* Metrics of engines as counter tracks of a Chrome trace: one process per
 * strip, one counter per worker. */
#ifndef OBS_SINK_TIMELINE_COUNTERS_H
#define OBS_SINK_TIMELINE_COUNTERS_H

#include "fmt/json/json_write.h"
#include "metrics/strips.h"

/* The time of the first point, in µs; INT64_MAX: none. */
int64_t counters_earliest(const struct strips *strips);

/* Add the events to the array that w is in, on the processes from first_pid on,
 * with times from earliest. */
void counters_write(const struct strips *strips, struct json_writer *w,
		    uint64_t first_pid, int64_t earliest);

#endif
