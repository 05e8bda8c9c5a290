/*
 * The attempts of samples recorded in a trace file.
 */
#ifndef OBS_CMD_SPAN_ATTEMPT_H
#define OBS_CMD_SPAN_ATTEMPT_H

#include <stdint.h>

/* The highest attempt of any of the samples: comma-separated lists of trace ids
 * and sample ids; the n-th entries name one sample. 0 if there is none, or if
 * the file cannot be read. */
int64_t span_attempt(const char *file, const char *ids, const char *samples);

#endif
