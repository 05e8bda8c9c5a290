/*
 * A profiler's trace as records: the activity of its GPUs and its host.
 *
 * Source of the format: pytorch/kineto, libkineto/src/output_json.cpp;
 * fmt/file/chrome_read.h reads it. Times are whole nanoseconds, from the
 * decimal text of microseconds: a double of current times would be imprecise by
 * 1 ns. Events come in any order, so everything figures need is kept, in
 * records of 24 or 32 bytes (base/spill_list.h), and each name once.
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
#include "base/source.h"
#include "base/spill_list.h"
#include "profile/call_class.h"
#include "profile/covered.h"

enum { PROFILE_NONE = -1 };

enum gpu_kind { GPU_KERNEL, GPU_COPY, GPU_SET };

/* Common to many GPU events. */
struct gpu_work {
	uint32_t name;		 /* in trace.names */
	uint32_t group;		 /* process group, in trace.names */
	uint32_t device, stream; /* in trace.devices, trace.streams */
	enum gpu_kind kind;
};

/* One execution on a GPU. */
struct gpu_event {
	int64_t start, dur;
	uint64_t correlation; /* 0: none */
	uint32_t work;	      /* in trace.works */
	int32_t call;	      /* the submitting call, or PROFILE_NONE */
};

/* A call of the GPU's runtime. */
struct host_call {
	int64_t start, dur;
	uint64_t correlation;
	uint32_t name;
	uint32_t thread : 29; /* in trace.threads */
	uint32_t class : 3;   /* enum call_class */
};

/* Another event of a thread: an operator, a Python function or an
 * annotation. */
struct host_event {
	int64_t start, dur;
	uint32_t name;
	uint32_t thread;
};

struct profile_trace {
	char *path; /* raw values */
	uint64_t events, skipped, repaired, damaged;
	int64_t durations; /* their sum, so that no part of it overflows */
	bool truncated;
	struct err cut;		  /* why */
	int64_t base;		  /* ns, to be added to the times below */
	bool has_base;		  /* it was in the file */
	int64_t rank, world_size; /* from distributedInfo; PROFILE_NONE */
	struct str gpu;		  /* first device's model; n is 0: unknown */
	int64_t earliest, latest; /* of what counts; latest < earliest: none */

	struct intern names, devices, streams, threads;
	struct intern works; /* each a struct gpu_work */
	int64_t *work_bytes; /* copied by all events of a work */
	size_t work_cap;
	struct spill spill;	      /* of the lists below */
	struct spill_list gpu_events; /* struct gpu_event */
	struct spill_list calls; /* struct host_call, by correlation and start */
	struct spill_list ops, python; /* struct host_event */
	struct spill_list steps;       /* the same: annotations of steps */
	struct covered sync, busy, collective; /* time of host threads */
	uint64_t overhead_count;
	int64_t overhead_time;
	struct intern other_categories;
	uint64_t *other_counts;
	size_t other_cap;

	struct buf scratch;
	struct arena text;
};

/* Read a trace from source. Records beyond in_memory bytes go to temporary
 * files. Returns NULL with err filled if the input is not a trace, or if out of
 * memory. */
struct profile_trace *profile_trace_read(const char *path,
					 struct byte_source *source,
					 size_t in_memory, struct err *err);
void profile_trace_free(struct profile_trace *trace); /* NULL is a no-op */

static inline struct gpu_event *trace_gpu(const struct profile_trace *t,
					  size_t i)
{
	return spill_list_at(&t->gpu_events, i);
}

static inline const struct host_call *trace_call(const struct profile_trace *t,
						 size_t i)
{
	return spill_list_at(&t->calls, i);
}

/* The call that submitted an event; NULL if unknown. */
static inline const struct host_call *
trace_call_of(const struct profile_trace *t, const struct gpu_event *e)
{
	return e->call == PROFILE_NONE ? NULL : trace_call(t, (size_t)e->call);
}

static inline const struct gpu_work *trace_work(const struct profile_trace *t,
						uint32_t work)
{
	return (const struct gpu_work *)intern_text(&t->works, work).p;
}

/* The last step of reading: find the call of each GPU event, and join covered
 * time. */
int profile_trace_join(struct profile_trace *t, struct err *err);

/* Call in loops over records with the current index: releases memory of records
 * in files now and then. */
void profile_trace_pass(const struct profile_trace *t, size_t i);

/* Free the records, once the figures are computed. */
void profile_trace_drop(struct profile_trace *t);

#endif
