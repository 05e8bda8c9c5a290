/*
 * What obs-perfsum does with partials (rollout/partial.h): written of the dumps
 * it reads, or merged from files.
 */
#ifndef OBS_CMD_PERF_PARTIAL_H
#define OBS_CMD_PERF_PARTIAL_H

#include "rollout/partial.h"

/* Merge the partials that the operands hold, one or more each, where no name
 * stands for standard input. What cannot be used is reported and left out. */
void perf_merge_partials(struct partial *to, size_t count, char *const *names);

#endif
