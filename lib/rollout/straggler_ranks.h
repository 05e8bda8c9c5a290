/*
 * The stragglers that ended last and those that ran longest, of any number that
 * come in any order, from one rollout or from several.
 */
#ifndef OBS_ROLLOUT_STRAGGLER_RANKS_H
#define OBS_ROLLOUT_STRAGGLER_RANKS_H

#include "rollout/straggler.h"

/* The first of all by some order. */
struct straggler_rank {
	struct straggler *v;
	size_t n;
};

struct straggler_ranks {
	size_t most; /* in each of the two */
	struct straggler_rank last, longest;
};

/* False when memory ran out. */
bool straggler_ranks_init(struct straggler_ranks *ranks, size_t most);
void straggler_ranks_free(struct straggler_ranks *ranks);

/* Would it be among them? */
bool straggler_ranks_reach(const struct straggler_ranks *ranks,
			   const struct straggler *one);

/* Copy it, if it is among them. Two differ by dump or place. */
void straggler_ranks_add(struct straggler_ranks *ranks,
			 const struct straggler *one);

/* Those of both, each once with its ranks, the last first; of two that ended
 * together the longer, then the first by dump and place. The caller's to free;
 * NULL: no memory. */
struct straggler *straggler_ranks_join(const struct straggler_ranks *ranks,
				       size_t *count);

#endif
