/*
 * Trace records in a separate file: JSONL, one event of slime's trace carrier
 * per line, as appended by trace-span and obstools/trace.h.
 *
 * A line is a record if it is an object with a text "type" and a number "ts".
 * Records with one "trace_id" are a sample, in file order; those without are
 * grouped by "sample_id". Any other line is an error and skipped; but complete
 * records that share a line, even with a torn one, as left by a kill during a
 * write, are used.
 *
 * Memory: the text of the files (at most LIMIT_KEPT), 24 bytes per record and
 * the ids; values are built for one sample at a time.
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

/* NULL if out of memory. */
struct records *records_new(void);
void records_free(struct records *records);

/* Read the rest of an input. 0 or an error. */
int records_load(struct records *records, struct input *input, struct err *err);

/* The same for a file, "-" being stdin. */
int records_load_file(struct records *records, const char *path,
		      struct err *err);

/* Index the records last loaded: 0 when done; 1 with err filled for a bad line,
 * call again to continue; or an error. */
int records_index(struct records *records, struct err *err);

/* Records found so far. */
size_t records_total(const struct records *records);

/* Samples found so far, in order of their first records. */
size_t records_count(const struct records *records);

/* Their time span. */
struct interval records_times(const struct records *records);

/* How many records have a time in an interval. */
size_t records_within(const struct records *records, struct interval interval);

/* Skip all records with a time outside of an interval from now on. */
void records_keep(struct records *records, struct interval interval);

/* The time span of a sample's records that are not skipped, and how many. */
struct interval records_sample_times(const struct records *records, size_t i,
				     size_t *n);

/* One of them as {"index", "group_index", "trace": carrier}, built in the
 * arena. The first two are omitted if no record has them. */
int records_sample(const struct records *records, size_t i, struct arena *a,
		   struct value *sample, struct err *err);

/* Instead of a sample: not found; out of memory. */
enum { RECORDS_NONE = -1, RECORDS_FAILED = -2 };

/* The sample with a trace id, or of records without one that have its id. */
int64_t records_find(const struct records *records, struct value trace_id,
		     struct value sample_id);

/* The samples, with any trace id, whose first record with a sample_id has this
 * one: the first, and the one after a sample. */
int64_t records_find_named(const struct records *records,
			   struct value sample_id);
int64_t records_next_named(const struct records *records, int64_t i);

#endif
