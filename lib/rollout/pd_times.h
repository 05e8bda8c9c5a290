/*
 * The time of requests in the phases and segments of prefill and decode, as
 * reported by engines that disaggregate the two.
 *
 * A segment's duration is the attribute pd_PHASE_SEGMENT_duration, if above 0:
 * from the generation span's own end attributes (the older form of traces) or,
 * if these have none, from the sglang_pd_ spans below it; never both. A phase's
 * duration is the sum of its segments in one request. Segments may overlap: a
 * phase can last longer than its request.
 */
#ifndef OBS_ROLLOUT_PD_TIMES_H
#define OBS_ROLLOUT_PD_TIMES_H

#include "base/stats.h"
#include "rollout/pd_role.h"
#include "rollout/span.h"

/* Seconds, one value per request. Zero-initialised, it is empty. */
struct pd_times {
	struct stats phases[PD_ROLES];
	struct stats segments[PD_ROLES][PD_SEGMENTS];
};

void pd_times_free(struct pd_times *times);

/* Seconds of a role in a segment, from attributes; 0: none. */
double pd_segment_seconds(struct value attrs, size_t role, size_t segment);

/* Add a row; the arena is used during the call. Returns 0 or ERR_MEMORY. */
int pd_times_add(struct pd_times *times, const struct row *row, struct arena *a,
		 struct err *err);

#endif
