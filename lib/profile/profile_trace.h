/*
 * A profiler's trace as records: what its GPUs and its host did, when.
 *
 * Source of the format: pytorch/kineto, libkineto/src/output_json.cpp;
 * fmt/file/chrome_read.h reads it. Times are whole nanoseconds, from the
 * decimal text of microseconds: a double of today's times is 1 ns coarse.
 * Events come in any order, so all that figures need is kept, in records of
 * 24 to 48 bytes; a name is kept once.
 *
 * Only complete events (ph "X") count. One without a usable ts is skipped, as
 * is a GPU event whose ts and dur are 0, which the profiler never filled; a
 * dur that is unusable or negative is 0, and counted as repaired.
 */
#ifndef OBS_PROFILE_PROFILE_TRACE_H
#define OBS_PROFILE_PROFILE_TRACE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/source.h"
#include "profile/call_class.h"

enum { PROFILE_NONE = -1 };

enum gpu_kind { GPU_KERNEL, GPU_COPY, GPU_SET };

/* What a GPU did. */
struct gpu_event {
	int64_t start, dur;
	uint64_t correlation;	 /* 0: none */
	int64_t bytes;		 /* of a copy */
	uint32_t name;		 /* in trace.names */
	uint32_t place;		 /* in the file */
	uint32_t group;		 /* process group, in trace.names */
	int32_t call;		 /* that submitted it, or PROFILE_NONE */
	uint32_t device, stream; /* in trace.devices, trace.streams */
	uint8_t kind;		 /* enum gpu_kind */
};

/* What a thread did: a call of the GPU's runtime, an operator, a Python
 * function or an annotation. */
struct host_event {
	int64_t start, dur;
	uint64_t correlation; /* of a call */
	uint32_t name;
	uint32_t place;
	uint32_t thread; /* in trace.threads */
	uint8_t class;	 /* of a call: enum call_class */
};

struct host_events {
	struct host_event *v;
	size_t n, cap;
};

struct profile_trace {
	char *path; /* as given */
	uint64_t events, skipped, repaired, damaged;
	bool truncated;
	struct err cut;		  /* why */
	int64_t base;		  /* ns, of the times below */
	int64_t rank, world_size; /* of distributedInfo; PROFILE_NONE */
	struct str gpu;		  /* model of the first device; n is 0 */
	int64_t earliest, latest; /* of what counts; latest < earliest: none */

	struct intern names, devices, streams, threads;
	struct gpu_event *gpu_events;
	size_t gpu_n, gpu_cap;
	struct host_events calls, ops, python, notes;
	uint64_t overhead_count;
	int64_t overhead_time;
	struct intern other_categories;
	uint64_t *other_counts;
	size_t other_cap;

	struct map calls_of; /* correlation to a number */
	int32_t *first_call; /* by that number: the earliest call */
	size_t first_call_cap;
	struct buf scratch;
	struct arena text;
};

/* Read a trace from source. Returns it, or NULL with err filled when the input
 * is not a trace, or memory ran out. */
struct profile_trace *profile_trace_read(const char *path,
					 struct byte_source *source,
					 struct err *err);
void profile_trace_free(struct profile_trace *trace); /* NULL is a no-op */

#endif
