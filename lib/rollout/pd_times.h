/*
 * The time that requests spent in the phases and segments of prefill and
 * decode, as engines report it that split the two.
 *
 * A segment's duration is what a request's attribute pd_PHASE_SEGMENT_duration
 * says, above 0: of the generation span's own end attributes (the older form
 * of traces) or, where these have none, of the sglang_pd_ spans below it;
 * never of both. A phase's duration is the sum of its segments' in one
 * request. Segments overlap in truth: a phase may last longer than its
 * request.
 */
#ifndef OBS_ROLLOUT_PD_TIMES_H
#define OBS_ROLLOUT_PD_TIMES_H

#include "base/stats.h"
#include "rollout/pd_role.h"
#include "rollout/span.h"

/* Seconds, a value a request. Zero-initialised it is empty. */
struct pd_times {
	struct stats phases[PD_ROLES];
	struct stats segments[PD_ROLES][PD_SEGMENTS];
};

void pd_times_free(struct pd_times *times);

/* Seconds that a role spent in a segment, from attributes; 0: none. */
double pd_segment_seconds(struct value attrs, size_t role, size_t segment);

/* Take a row in; the arena is used for the call. Returns 0 or ERR_MEMORY. */
int pd_times_add(struct pd_times *times, const struct row *row, struct arena *a,
		 struct err *err);

#endif
