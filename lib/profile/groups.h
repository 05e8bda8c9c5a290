/*
 * The ranks of one engine: their collectives matched across files, and which
 * rank was late.
 *
 * Kernels of a collective end together on all ranks, whichever came last: the
 * ends align the clocks, the starts are the arrival times.
 */
#ifndef OBS_PROFILE_GROUPS_H
#define OBS_PROFILE_GROUPS_H

#include "profile/summary.h"

struct group_member {
	const struct profile_summary *trace;
	const struct device_summary *device;
	int64_t rank;	/* PROFILE_NONE */
	int64_t offset; /* clock offset from the first member's, ns */
	int64_t waited, start_wait, caused;
	uint64_t last; /* how often it came last */
};

/* A collective that all members took part in. */
struct group_match {
	int64_t late; /* when the last one arrived, by the first one's clock */
	int64_t early, transfer; /* least duration */
	uint32_t last;		 /* index of the member */
	struct str name;
};

struct profile_group {
	struct str directory, name;
	struct group_member *members;
	size_t n, cap;
	struct group_match *matches; /* by lateness */
	size_t match_n;
	struct str *unmatched; /* classes that could not be matched */
	size_t unmatched_n, unmatched_cap;
	int64_t transfer;
	int64_t origin;	    /* the earliest event of the group */
	struct stats skews; /* ns, sorted; without the first match */
};

/* All groups, sorted by directory and name. */
struct profile_groups {
	struct profile_group *v;
	size_t n, cap;
	struct arena text;
};

/* Sort traces into groups and match their collectives. 0 or an error. */
int profile_groups_find(struct profile_groups *groups,
			struct profile_summary *const *traces, size_t n,
			struct err *err);
void profile_groups_free(struct profile_groups *groups);

/* The rank of a trace: distributedInfo's, else its file name's, else
 * PROFILE_NONE. */
int64_t profile_rank(const struct profile_summary *s);

/* The matches that count, longest skew first; n of them. The first only
 * reflects when the profilers started. */
void group_longest(const struct profile_group *group,
		   const struct group_match **longest, size_t n);

/* Matches that count: all but the first. */
static inline size_t group_counted(const struct profile_group *g)
{
	return g->match_n > 0 ? g->match_n - 1 : 0;
}

#endif
