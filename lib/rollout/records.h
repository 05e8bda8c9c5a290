/*
 * Trace records in a file of their own: JSONL, an event of slime's trace
 * carrier a line, as trace-span and obstools/trace.h append them.
 *
 * A line is a record when it is an object with a text "type" and a number
 * "ts". Records of one "trace_id" are a sample, in the order of the file;
 * those without are told apart by "sample_id". A line that is none is an
 * error and passed over; but whole records count that share a line, or stand on
 * it before or behind a torn one, which is what a kill within a write leaves.
 *
 * Memory: the text of the files (at most LIMIT_KEPT), 16 bytes a record and
 * the ids; values are made for one sample at a time.
 */
#ifndef OBS_ROLLOUT_RECORDS_H
#define OBS_ROLLOUT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/interval.h"
#include "fmt/input.h"
#include "fmt/value/value.h"

struct records;

/* NULL when memory ran out. */
struct records *records_new(void);
void records_free(struct records *records);

/* Read what is left of an input. 0 or an error. */
int records_load(struct records *records, struct input *input, struct err *err);

/* The same of a file, "-" being stdin. */
int records_load_file(struct records *records, const char *path,
		      struct err *err);

/* Find the records in what was loaded last: 0 when that is done; 1 with err
 * filled for a line that is none, the next call goes on; or an error. */
int records_index(struct records *records, struct err *err);

/* Records found so far. */
size_t records_total(const struct records *records);

/* Samples found so far, in order of their first records. */
size_t records_count(const struct records *records);

/* When they happened. */
struct interval records_times(const struct records *records);

/* One of them as {"index", "group_index", "trace": carrier}, built in the
 * arena. The first two are left out when no record has them. */
int records_sample(const struct records *records, size_t i, struct arena *a,
		   struct value *sample, struct err *err);

/* In place of a sample: there is none; memory ran out. */
enum { RECORDS_NONE = -1, RECORDS_FAILED = -2 };

/* The sample of a trace id, or of records without one that name the sample. */
int64_t records_find(const struct records *records, struct value trace_id,
		     struct value sample_id);

/* The samples, whatever their trace ids, whose first record to name one names
 * sample_id: the first, and the one after a sample. */
int64_t records_find_named(const struct records *records,
			   struct value sample_id);
int64_t records_next_named(const struct records *records, int64_t i);

#endif
