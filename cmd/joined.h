/*
 * Operands that are read as one input, since their samples may span several
 * files, such as rotated ones of OTLP: each is appended to the first of its
 * format.
 */
#ifndef OBS_CMD_JOINED_H
#define OBS_CMD_JOINED_H

#include <stdbool.h>
#include <stddef.h>

#include "rollout/rollout.h"

/* Find such operands, and remove those that are appended from the names.
 * Returns how many are left. */
int joined_find(int count, char **names);

/* Are other operands appended to this one? */
bool joined_has(const char *name);

struct joined_file {
	const char *name;
	struct input *input;
};

/* The files appended to an operand, open. All zeros: none. */
struct joined {
	struct joined_file *v;
	size_t n;
};

/* Open those of an operand, or rewind them, and add them to its rollout. 0 or an
 * error with its source. */
int joined_open(struct joined *joined, const char *name,
		struct rollout *rollout, struct err *err);
void joined_close(struct joined *joined);

#endif
