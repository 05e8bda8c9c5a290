/*
 * Reads many operands in parallel threads; the calling thread passes on their
 * digests and messages in the order of the operands, as if they had been read
 * one by one.
 *
 * Threads rather than processes: a digest goes directly to its sink, and the
 * library has no shared state. Memory use is that of the dumps in progress and
 * of at most twice as many waiting digests.
 */
#ifndef OBS_CMD_PERF_POOL_H
#define OBS_CMD_PERF_POOL_H

#include <stdbool.h>

#include "perf_read.h"

struct perf_pool {
	const struct digest_plan *plan;
	size_t jobs;   /* dumps at a time; 0: one per CPU */
	bool progress; /* requested ones */
	void (*take)(void *taker, struct digest *digest);
	void *taker;
};

/* Read them all; no name is standard input. */
void perf_pool_run(const struct perf_pool *pool, size_t count,
		   char *const *names);

#endif
