/*
 * The attempts that a trace file has of samples.
 */
#ifndef OBS_CMD_SPAN_ATTEMPT_H
#define OBS_CMD_SPAN_ATTEMPT_H

#include <stdint.h>

/* The highest attempt of any of the samples: lists of trace ids and sample ids,
 * separated by commas, the n-th of each naming one sample. 0 where there is
 * none, and where the file cannot be read. */
int64_t span_attempt(const char *file, const char *ids, const char *samples);

#endif
