/*
 * TensorBoard's event files: records of one protobuf message each.
 *
 * Sources: tensorboard/summary/writer/record_writer.py (framing: length, masked
 * CRC-32C of it, the message, masked CRC-32C of that, all little endian),
 * tensorboard/compat/proto/event.proto and summary.proto (messages). The first
 * record is the version, brain.Event:2; each later one is an event with the
 * scalars of one step.
 *
 *	struct tfevents_event event = tfevents_event(wall_time, step);
 *	tfevents_scalar(&event, "perf/request/count", 512); ...
 *	tfevents_put(&file, &event);
 *
 * Records are appended to a buffer of the caller's, which is `failed` if out of
 * memory: write it out only in complete records.
 */
#ifndef OBS_FMT_FILE_TFEVENTS_H
#define OBS_FMT_FILE_TFEVENTS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* The first record of a file. wall_time: Unix seconds. */
void tfevents_begin(struct buf *file, double wall_time);

struct tfevents_event {
	double wall_time;
	int64_t step;
	struct buf summary; /* freed by tfevents_put */
};

struct tfevents_event tfevents_event(double wall_time, int64_t step);

/* tag is UTF-8; '/' in it makes groups. The value is stored as a float32. */
void tfevents_scalar(struct tfevents_event *event, struct str tag,
		     double value);

/* Append the event as a record and free it. */
void tfevents_put(struct buf *file, struct tfevents_event *event);

#endif
