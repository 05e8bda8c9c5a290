/*
 * What is remarkable about a dump that was read to its end, in messages.
 */
#ifndef OBS_CMD_DUMP_REMARK_H
#define OBS_CMD_DUMP_REMARK_H

#include "rollout/clock_check.h"
#include "rollout/rollout.h"

/* Its samples, and what was skipped or ignored; with -v, its classes. */
void dump_remark(const char *name, const struct rollout *rollout);

/* Samples with impossible times, if any. */
void dump_remark_clock(const char *name, struct clock_check *check);

#endif
