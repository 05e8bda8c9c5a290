/*
 * --compare: two operands side by side.
 */
#ifndef OBS_CMD_PERF_COMPARE_H
#define OBS_CMD_PERF_COMPARE_H

#include "base/io.h"
#include "rollout/digest.h"
#include "sink/perf/compare_sink.h"

/* Read the two operands, write the changes by put, and check the limits. False
 * if one could not be read, which has been reported. */
bool perf_compare(char *const *names, const struct digest_plan *plan,
		  compare_put *put, struct out *out);

#endif
