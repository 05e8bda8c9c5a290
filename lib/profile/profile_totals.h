/*
 * The totals of a set of traces for --compare: sums over their GPUs, groups,
 * steps and kernels. Computed from summaries, or read from their JSON
 * (sink/profile/profile_report.h).
 */
#ifndef OBS_PROFILE_PROFILE_TOTALS_H
#define OBS_PROFILE_PROFILE_TOTALS_H

#include "profile/groups.h"

struct kernel_total {
	struct str name; /* in full */
	struct tally of;
};

struct profile_totals {
	bool saved;	 /* kernels are those listed in JSON */
	uint64_t traces; /* how many there were */
	/* ns, sums over devices: doubles cannot overflow. */
	double span, busy, compute, communication, exposed_communication;
	double copy, exposed_copy, causes[GAP_CAUSES];
	double waited, group_span; /* of groups with matches */
	struct step_totals {
		uint64_t count, kernels, launches;
		int64_t batch; /* STEP_UNKNOWN if any is */
		int64_t host_total, gpu_total;
		struct tally categories[KERNEL_CATEGORIES];
		struct stats host, gpu, period; /* ns; sorted */
	} kinds[STEP_KINDS];
	struct intern names; /* of kernels */
	struct kernel_total *kernels;
	size_t kernel_cap; /* names.count are in use */
};

/* The totals of some summaries. 0 or an error; free them in either case. */
int profile_totals_sum(struct profile_totals *totals,
		       struct profile_summary *const *traces, size_t n,
		       const struct profile_groups *groups, struct err *err);

/* Does the text begin like the JSON of profile-summary? */
bool profile_totals_detect(struct str head);

/* The totals from such JSON; ERR_INPUT if it is something else. */
int profile_totals_read(struct profile_totals *totals, struct str json,
			struct err *err);

/* Add to a kernel. 0 or an error. */
int profile_totals_add_kernel(struct profile_totals *totals, struct str name,
			      uint64_t count, int64_t time, struct err *err);

/* Sort everything that was added. */
void profile_totals_sort(struct profile_totals *totals);

void profile_totals_free(struct profile_totals *totals);

#endif
