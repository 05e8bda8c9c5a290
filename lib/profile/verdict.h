/*
 * The problems of a trace, or of a group of ranks, judged by its figures. The
 * limits are in verdict.c, their meaning and remedies in man/profile-summary.1.
 */
#ifndef OBS_PROFILE_VERDICT_H
#define OBS_PROFILE_VERDICT_H

#include "profile/groups.h"

enum profile_verdict_kind {
	VERDICT_INCOMPLETE,
	VERDICT_NO_GPU,
	VERDICT_SUSPECT_TIMES,
	VERDICT_LAUNCH_BOUND,
	VERDICT_HOST_BOUND,
	VERDICT_SYNC_BOUND,
	VERDICT_HOST_COLLECTIVE_BOUND,
	VERDICT_DEPENDENCY_BOUND,
	VERDICT_RANK_WAIT,
	VERDICT_START_SKEW,
	VERDICT_COMMUNICATION_BOUND,
	VERDICT_COPY_BOUND,
	VERDICT_MEMORY_BOUND,
	VERDICT_GPU_BOUND,
	VERDICT_NOTHING_STANDS_OUT,
	VERDICT_STRAGGLER,
	VERDICT_RANK_SKEW,
	VERDICT_UNEVEN_WORK,
	VERDICT_KINDS
};

extern const char *const profile_verdict_names[VERDICT_KINDS];

struct trace_verdict {
	enum profile_verdict_kind kind;
	const struct device_summary *device; /* NULL: the whole trace */
	uint32_t member;		     /* for a group: its index */
	double share;			     /* of the span; NAN: none */
	double batch, ratio, waited;	     /* likewise */
};

struct profile_verdicts {
	struct trace_verdict *v;
	size_t n, cap;
};

int profile_verdicts_of_trace(struct profile_verdicts *verdicts,
			      const struct profile_summary *s,
			      const struct profile_groups *groups,
			      struct err *err);
int profile_verdicts_of_group(struct profile_verdicts *verdicts,
			      const struct profile_group *group,
			      struct err *err);
void profile_verdicts_free(struct profile_verdicts *verdicts);

#endif
