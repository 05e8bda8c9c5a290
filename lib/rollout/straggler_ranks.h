/*
 * The stragglers that ended last and those that ran longest, among any number
 * in any order, from one or several rollouts.
 */
#ifndef OBS_ROLLOUT_STRAGGLER_RANKS_H
#define OBS_ROLLOUT_STRAGGLER_RANKS_H

#include "rollout/straggler.h"

/* The top entries by some order. */
struct straggler_rank {
	struct straggler *v;
	size_t n;
};

struct straggler_ranks {
	size_t most; /* in each of the two */
	struct straggler_rank last, longest;
};

/* False if out of memory. */
bool straggler_ranks_init(struct straggler_ranks *ranks, size_t most);
void straggler_ranks_free(struct straggler_ranks *ranks);

/* Would it be ranked? */
bool straggler_ranks_reach(const struct straggler_ranks *ranks,
			   const struct straggler *one);

/* Copy it, if it is ranked. Entries differ by dump or position. */
void straggler_ranks_add(struct straggler_ranks *ranks,
			 const struct straggler *one);

/* Those of both, each once with its ranks, the last to end first; if two ended
 * together the longer, then the first by dump and position. Freed by the
 * caller; NULL: no memory. */
struct straggler *straggler_ranks_join(const struct straggler_ranks *ranks,
				       size_t *count);

#endif
