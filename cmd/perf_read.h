/*
 * The operands of obs-perfsum made into digests: rollout dumps by the policy
 * of dump.h, figures that it saved as JSON, and Prometheus text, told apart
 * by content.
 */
#ifndef OBS_CMD_PERF_READ_H
#define OBS_CMD_PERF_READ_H

#include "rollout/digest.h"

struct digests {
	struct digest **v;
	size_t n;
	size_t cap;
};

void digests_free(struct digests *digests);

/* Read one operand whole and add what it holds: a dump or an exposition is one
 * digest, saved figures one or more. None when it could not be read, which has
 * been said: what breaks off is a failure and gives no figures. */
void perf_read(const char *name, const struct digest_plan *plan,
	       struct digests *digests);

/* Does the name stand for standard input? */
bool is_stdin(const char *name);

#endif
