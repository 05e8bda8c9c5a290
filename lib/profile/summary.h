/*
 * The summary of a trace: figures of its GPUs, its steps and its host, each
 * defined in man/profile-summary.1. Times are nanoseconds, sums are exact.
 * Lists are sorted: most time first, then by name.
 */
#ifndef OBS_PROFILE_SUMMARY_H
#define OBS_PROFILE_SUMMARY_H

#include "base/stats.h"
#include "profile/covered.h"
#include "profile/engine_step.h"
#include "profile/gaps.h"
#include "profile/kernel_name.h"
#include "profile/profile_trace.h"
#include "profile/tally.h"

enum copy_kind {
	COPY_HTOD,
	COPY_DTOH,
	COPY_DTOD,
	COPY_PTOP,
	COPY_HTOH,
	COPY_OTHER,
	COPY_KINDS
};

extern const char *const copy_kind_names[COPY_KINDS];

struct copies {
	uint64_t count, pageable;
	int64_t bytes, time;
	int64_t exposed; /* union minus kernels */
};

/* A communication kernel. */
struct collective_event {
	int64_t start, dur;
	uint32_t work; /* in trace.works */
};

struct device_summary {
	uint32_t device;    /* in trace.devices */
	size_t begin, n;    /* its events in trace.gpu_events */
	int64_t start, end; /* first start, last end */
	int64_t busy, compute, communication, exposed_communication;
	int64_t copy, exposed_copy;
	uint64_t kernels, early, called;
	int64_t kernel_time, overlap;
	struct named_tallies streams, top, collectives;
	struct tally categories[KERNEL_CATEGORIES];
	struct copies copies[COPY_KINDS];
	uint64_t gap_count;
	struct gap *gaps; /* the longest, in that order */
	size_t gap_n, gap_cap;
	struct collective_event *collective_events; /* by start */
	size_t collective_n, collective_cap;
	struct tally causes[GAP_CAUSES], after_sync;
};

static inline int64_t device_span(const struct device_summary *d)
{
	return d->end - d->start;
}

static inline int64_t device_idle(const struct device_summary *d)
{
	return device_span(d) - d->busy;
}

/* All steps of a kind. */
struct engine_step_sums {
	uint64_t count, kernels, launches, graph_launches;
	int64_t batch, tokens; /* sums; STEP_UNKNOWN if any is unknown */
	struct stats host, gpu, period, bubble; /* ns; per step; sorted */
	int64_t gpu_total;
	int64_t period_tokens; /* of steps with a period; or STEP_UNKNOWN */
	int64_t period_total, host_total, bubble_total;
	struct tally categories[KERNEL_CATEGORIES];
};

struct host_summary {
	struct tally classes[CALL_CLASSES];
	struct named_tallies calls, ops, python;
	struct {
		uint64_t count;
		double p50, p95, max; /* ns; NAN without any */
	} delay;		      /* from a launch to its kernel */
	uint64_t graph_launches, graph_events, graph_empty;
	int64_t graph_time;
};

/* Names of a trace's kernels. */
struct kernel_names {
	struct intern shorts;
	uint32_t *short_of; /* by name */
	uint8_t *category;  /* by name */
};

struct profile_summary {
	struct profile_trace *trace; /* owned */
	struct kernel_names names;
	struct engine_steps steps;
	size_t gaps; /* how many of a device's longest gaps to keep */
	struct device_summary *devices;
	size_t device_n, device_cap;
	struct engine_step_sums kinds[STEP_KINDS];
	struct host_summary host;
};

/* The summary of a trace, which it takes over, even on failure, and whose
 * records it frees; with so many of the longest gaps per device. NULL with err
 * filled if out of memory. */
struct profile_summary *profile_summarise(struct profile_trace *trace,
					  size_t gaps, struct err *err);
void profile_summary_free(struct profile_summary *s);

/* The short name of GPU work; for a copy the part before its kinds of
 * memory. */
struct str gpu_work_name(const struct profile_summary *s, uint32_t work);

static inline bool work_communicates(const struct profile_summary *s,
				     const struct gpu_work *work)
{
	return work->kind == GPU_KERNEL &&
	       s->names.category[work->name] == KERNEL_COMMUNICATION;
}

/* Parts of profile_summarise, one per file: 0 or an error. */
int devices_summarise(struct profile_summary *s, struct err *err);
int device_find_gaps(struct profile_summary *s, struct device_summary *d,
		     struct err *err);
int steps_summarise(struct profile_summary *s, struct err *err);
int host_summarise(struct profile_summary *s, struct err *err);

#endif
