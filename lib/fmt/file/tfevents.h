/*
 * TensorBoard's event files: records of one protobuf message each.
 *
 * Sources: tensorboard/summary/writer/record_writer.py (framing: length,
 * masked CRC-32C of it, the message, masked CRC-32C of that, all little
 * endian), tensorboard/compat/proto/event.proto and summary.proto (messages).
 * The first record names the version, brain.Event:2; each other one is an
 * event with the scalars of one step.
 *
 *	struct tfevents_event event = tfevents_event(wall_time, step);
 *	tfevents_scalar(&event, "perf/request/count", 512); ...
 *	tfevents_put(&file, &event);
 *
 * Records are appended to a buffer of the caller's, whose `failed` tells of
 * lack of memory: whoever writes it out writes whole records.
 */
#ifndef OBS_FMT_FILE_TFEVENTS_H
#define OBS_FMT_FILE_TFEVENTS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* The record that a file begins with. wall_time: Unix seconds. */
void tfevents_begin(struct buf *file, double wall_time);

struct tfevents_event {
	double wall_time;
	int64_t step;
	struct buf summary; /* freed by tfevents_put */
};

struct tfevents_event tfevents_event(double wall_time, int64_t step);

/* tag is UTF-8; '/' in it makes groups. The value is kept as a float32. */
void tfevents_scalar(struct tfevents_event *event, struct str tag,
		     double value);

/* Append the event as a record and free it. */
void tfevents_put(struct buf *file, struct tfevents_event *event);

/* CRC-32C (Castagnoli): 0xe3069283 of "123456789". */
uint32_t crc32c(struct str bytes);

#endif
