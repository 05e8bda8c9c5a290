/*
 * A dump made into a digest, by the policy of dump.h.
 */
#ifndef OBS_CMD_PERF_READ_H
#define OBS_CMD_PERF_READ_H

#include "model/digest.h"

/* Read one dump whole. NULL when it could not be, which has been said: a dump
 * that breaks off is a failure and gives no figures. */
struct digest *perf_read(const char *name, const struct digest_plan *plan);

#endif
