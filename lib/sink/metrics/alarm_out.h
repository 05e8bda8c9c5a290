/* Alarms as text and as JSON, one per line. */
#ifndef OBS_SINK_METRICS_ALARM_OUT_H
#define OBS_SINK_METRICS_ALARM_OUT_H

#include "base/buf.h"
#include "base/io.h"
#include "fmt/json/json_write.h"
#include "metrics/alarms.h"

/* The display name of an event's worker: "fleet", or "the worker" if it has
 * none. */
int alarm_worker_name(struct buf *b, struct str worker, struct err *err);

/* TIME  begin|end  ALARM  WORKER  since TIME  VALUE UNIT (limit N)  text */
int alarm_out_text(struct out *out, const struct alarm_event *event,
		   struct err *err);

enum { ALARM_STAMP_MAX = 64 };

/* "2026-11-28T14:02:11.250Z", in text; or "unknown". */
const char *alarm_stamp(char text[ALARM_STAMP_MAX], double seconds);

/* The text of an event. Once an engine can't be compared with others, the text
 * says when the comparison ended and why. */
void alarm_put_evidence(struct buf *b, const struct alarm_event *event);

/* "2026-11-28T14:02:11.250Z" */
void alarm_put_stamp(struct out *out, double seconds);

/* The same as JSON, as a value inside a larger one. */
int alarm_put_json(struct json_writer *w, const struct alarm_event *event,
		   struct err *err);

/* {"time", "event", "alarm", "worker", "since", "value", "limit", "unit",
 * "text", "try"}; unknown values are null. */
int alarm_out_json(struct out *out, const struct alarm_event *event,
		   struct err *err);

#endif
