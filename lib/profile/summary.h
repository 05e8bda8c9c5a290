/*
 * What a trace says: figures of its GPUs, its steps and its host.
 *
 * Times are nanoseconds, sums are exact. Lists are sorted: most time first,
 * then by name. ../design is not needed to read them: man/profile-summary.1
 * defines each figure.
 */
#ifndef OBS_PROFILE_SUMMARY_H
#define OBS_PROFILE_SUMMARY_H

#include "base/stats.h"
#include "profile/covered.h"
#include "profile/kernel_name.h"
#include "profile/step.h"
#include "profile/trace.h"

struct tally {
	uint64_t count;
	int64_t time, max;
};

/* A tally of what has a name. */
struct named_tally {
	uint32_t name; /* in trace.names, trace.streams or names.shorts */
	struct tally of;
	int64_t self; /* of operators and Python functions */
};

struct named_tallies {
	struct named_tally *v;
	size_t n, cap;
};

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
	int64_t exposed; /* union less kernels */
};

enum gap_cause {
	GAP_LAUNCH,
	GAP_HOST,
	GAP_SYNC,
	GAP_COLLECTIVE,
	GAP_DEVICE,
	GAP_UNKNOWN,
	GAP_CAUSES
};

extern const char *const gap_cause_names[GAP_CAUSES];

struct gap {
	int64_t start, time; /* start: in the trace's own time */
	enum gap_cause cause;
	uint32_t before, after; /* places in trace.gpu_events */
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
	struct gap *gaps; /* longest first */
	size_t gap_n, gap_cap;
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
struct step_summary {
	uint64_t count, kernels, launches, graph_launches;
	int64_t batch, tokens; /* sums; STEP_UNKNOWN when one is unknown */
	struct stats host, gpu, period, bubble; /* ns; of each step; sorted */
	int64_t gpu_total;
	int64_t period_tokens; /* of steps with a period; or STEP_UNKNOWN */
	int64_t period_total, host_total, bubble_total;
	struct tally categories[KERNEL_CATEGORIES];
};

struct host_summary {
	struct tally classes[CALL_CLASSES];
	struct named_tallies calls, ops, python;
	struct stats delays; /* ns, sorted */
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
	struct steps steps;
	struct covered sync, busy, collective; /* time of host threads */
	struct device_summary *devices;
	size_t device_n, device_cap;
	struct step_summary kinds[STEP_KINDS];
	struct host_summary host;
};

/* The summary of a trace, which it takes over, also when it fails. NULL with
 * err filled when memory ran out. */
struct profile_summary *profile_summarise(struct profile_trace *trace,
					  struct err *err);
void profile_summary_free(struct profile_summary *s);

/* The short name of a GPU event; of a copy what stands before its kinds of
 * memory. */
struct str gpu_event_name(const struct profile_summary *s,
			  const struct gpu_event *e);

/* Parts of profile_summarise, a file each: 0 or an error. */
int devices_summarise(struct profile_summary *s, struct err *err);
int device_find_gaps(struct profile_summary *s, struct device_summary *d,
		     struct err *err);
int steps_summarise(struct profile_summary *s, struct err *err);
int host_summarise(struct profile_summary *s, struct err *err);

/* Add to the tally of a name. where has room for each name, and is zero; a
 * name's place in list, plus one. */
int tally_add(struct named_tallies *list, uint32_t *where, uint32_t name,
	      int64_t time, struct err *err);

/* Sort by time, or self time, and name, and forget the places. */
void tally_sort(struct named_tallies *list, uint32_t *where,
		const struct intern *names, bool by_self);

static inline void tally_count(struct tally *t, int64_t time)
{
	t->count++;
	t->time += time;
	t->max = time > t->max ? time : t->max;
}

#endif
