/*
 * Two sets of traces side by side: shares of the GPUs' time, steps by kind,
 * and the kernels that take most of it.
 *
 * The change of a key is (to - from) / |from|, null from 0. Less is better,
 * but of utilisation more is; counts, batches and compute have no better.
 */
#ifndef OBS_PROFILE_PROFILE_COMPARE_H
#define OBS_PROFILE_PROFILE_COMPARE_H

#include "profile/groups.h"

struct profile_change {
	struct str key;
	double from, to; /* NAN: one side does not have it */
	double change;	 /* NAN: not known */
	const char *verdict;
};

/* Owns all; sorted by key. */
struct profile_changes {
	struct profile_change *v;
	size_t n, cap;
	struct arena text;
};

/* One side: its summaries and groups. */
struct profile_side {
	struct profile_summary **traces;
	size_t n;
	const struct profile_groups *groups;
};

/* Compare, with the top kernels by time of either side. 0 or an error. */
int profile_compare(struct profile_changes *changes,
		    const struct profile_side *from,
		    const struct profile_side *to, size_t top, struct err *err);
void profile_changes_free(struct profile_changes *changes);

/* Do both sides have the figure, and can its verdict be worse? */
bool profile_change_is_judged(const struct profile_change *change);

/* Did a figure get worse by more than the limit (0.05: a twentieth)? */
bool profile_change_exceeds(const struct profile_change *change, double limit);

#endif
