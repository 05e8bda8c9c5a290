/*
 * --tensorboard: figures as scalars of a TensorBoard event file, a step a
 * rollout. One file a run, made when the first rollout comes and grown by
 * whole records. Failures to write it end the program.
 */
#ifndef OBS_CMD_PERF_TENSORBOARD_H
#define OBS_CMD_PERF_TENSORBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "rollout/digest.h"

struct tensorboard {
	const char *directory; /* NULL: none is written */
	int64_t step;	       /* asked for, or negative: the rollout's id */
	int fd;
	bool begun;
};

/* Add the digest's figures as its step. */
void tensorboard_add(struct tensorboard *board, const struct digest *digest,
		     const struct figures *figures);

void tensorboard_end(struct tensorboard *board);

#endif
