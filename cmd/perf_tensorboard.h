/*
 * --tensorboard: figures as scalars of a TensorBoard event file, one step per
 * rollout. There is one file per run, written at its end in the order of steps,
 * whatever the order of operands. Failing to write it ends the program.
 */
#ifndef OBS_CMD_PERF_TENSORBOARD_H
#define OBS_CMD_PERF_TENSORBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "fmt/file/tfevents.h"
#include "rollout/digest.h"

/* A rollout, kept until the end. */
struct tensorboard_step {
	struct tfevents_event event;
	char *dump;
	size_t order; /* of the operands */
	bool eval;    /* its tags begin with eval/ */
};

struct tensorboard {
	const char *directory; /* NULL: none is written */
	int64_t step;	       /* as requested; negative: the rollout's id */
	struct tensorboard_step *v;
	size_t n, cap;
};

/* Add the digest's figures as one step. */
void tensorboard_add(struct tensorboard *board, const struct digest *digest,
		     const struct figures *figures);

/* Write the file, if there are any steps. */
void tensorboard_end(struct tensorboard *board);

#endif
