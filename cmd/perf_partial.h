/*
 * The partials of obs-perfsum (rollout/partial.h): written for the dumps it
 * reads, or merged from files.
 */
#ifndef OBS_CMD_PERF_PARTIAL_H
#define OBS_CMD_PERF_PARTIAL_H

#include "rollout/partial.h"

/* Merge the partials in the operands, one or more each; no name is standard
 * input. Unusable ones are reported and skipped. */
void perf_merge_partials(struct partial *to, size_t count, char *const *names);

#endif
