/* Alarms as text and as JSON, a line each. */
#ifndef OBS_SINK_METRICS_ALARM_OUT_H
#define OBS_SINK_METRICS_ALARM_OUT_H

#include "base/buf.h"
#include "base/io.h"
#include "metrics/alarms.h"

/* What people call the worker of an event: "fleet" and "the worker" where it
 * has no name. */
int alarm_worker_name(struct buf *b, struct str worker, struct err *err);

/* TIME  begin|end  ALARM  WORKER  since TIME  VALUE UNIT (limit N)  text */
int alarm_out_text(struct out *out, const struct alarm_event *event,
		   struct err *err);

/* {"time", "event", "alarm", "worker", "since", "value", "limit", "unit",
 * "text", "try"}; what is unknown is null. */
int alarm_out_json(struct out *out, const struct alarm_event *event,
		   struct err *err);

#endif
