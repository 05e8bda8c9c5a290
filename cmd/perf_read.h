/*
 * Makes digests of the operands of obs-perfsum: rollout dumps by the policy of
 * dump.h, its own saved JSON, and Prometheus text, detected from the content.
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

/* Read one operand and add its digests: one for a dump or an exposition, one or
 * more for saved figures. None if it could not be read, which has been
 * reported: a truncated one fails and gives no figures. */
void perf_read(const char *name, const struct digest_plan *plan,
	       struct digests *digests);

#endif
