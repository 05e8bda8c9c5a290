/*
 * A record of a trace file as a line of JSON; internal to lib/trace and for
 * trace-span, which also records finished spans.
 */
#ifndef OBS_TRACE_RECORD_H
#define OBS_TRACE_RECORD_H

#include "base/buf.h"
#include "trace/trace.h"

struct trace_record {
	const char *type; /* "span_start", "span_end", "event" */
	const char *name;
	int64_t ts; /* wall, ns */
	int attempt;
	const char *span_id;   /* "": none */
	const char *parent_id; /* likewise */
	const struct obs_attr *attrs;
	size_t n;
};

/* An id of the trace or a sample: the digits of an int64 as a number, other
 * text as a string, "" as null. */
void trace_record_put_id(struct buf *b, struct str id);

/* Append the record as a line. ids: the identity as JSON members, each preceded
 * by a comma. */
void trace_record_put(struct buf *b, const struct trace_record *record,
		      struct str ids);

/* Write it to the trace, one line per sample. */
void trace_record(struct obs_trace *trace, const struct trace_record *record);

/* A new span id. */
void trace_record_new_id(struct obs_trace *trace, char id[17]);

#endif
