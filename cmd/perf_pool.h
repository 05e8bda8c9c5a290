/*
 * Many operands read side by side by threads, their digests handed on in the
 * order of the operands by the calling thread, as if they had been read one
 * after the other; so are the messages about them.
 *
 * Threads rather than processes: a digest goes to its sink as it is, and the
 * library has no state that threads would share. Memory is that of the dumps
 * under way and of at most twice as many digests that wait for their turn.
 */
#ifndef OBS_CMD_PERF_POOL_H
#define OBS_CMD_PERF_POOL_H

#include <stdbool.h>

#include "perf_read.h"

struct perf_pool {
	const struct digest_plan *plan;
	size_t jobs;   /* dumps at a time; 0: one a processor */
	bool progress; /* asked for */
	void (*take)(void *taker, struct digest *digest);
	void *taker;
};

/* Read them all; no name stands for standard input alone. */
void perf_pool_run(const struct perf_pool *pool, size_t count,
		   char *const *names);

#endif
