/*
 * --tensorboard: figures as scalars of a TensorBoard event file, one step per
 * rollout. There is one file per run, written at its end in the order of the
 * steps, whatever the order of the operands. Failures to write it end the
 * program.
 */
#ifndef OBS_CMD_PERF_TENSORBOARD_H
#define OBS_CMD_PERF_TENSORBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/file/tfevents.h"
#include "rollout/digest.h"

/* A rollout that waits for the end. */
struct tensorboard_step {
	struct tfevents_event event;
	char *dump;
	size_t order; /* of the operands */
	bool eval;    /* its tags begin with eval/ */
};

struct tensorboard {
	const char *directory; /* NULL: none is written */
	int64_t step;	       /* asked for, or negative: the rollout's id */
	struct tensorboard_step *v;
	size_t n, cap;
};

/* Add the digest's figures as its step. */
void tensorboard_add(struct tensorboard *board, const struct digest *digest,
		     const struct figures *figures);

/* Write the file, if there is any step. */
void tensorboard_end(struct tensorboard *board);

#endif
