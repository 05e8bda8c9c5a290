/* Gaps between the events of a GPU, and why it was idle. */
#ifndef OBS_PROFILE_GAPS_H
#define OBS_PROFILE_GAPS_H

#include <stdint.h>

enum gap_cause {
	GAP_LAUNCH,
	GAP_HOST,
	GAP_SYNC,
	GAP_COLLECTIVE,
	GAP_DEVICE,
	GAP_UNKNOWN,
	GAP_CAUSES
};

extern const char *const gap_cause_names[GAP_CAUSES];

#define GAP_NO_CALL UINT32_MAX
#define GAP_NO_STEP UINT32_MAX

struct gap {
	int64_t start, time; /* start: in the trace's own time */
	enum gap_cause cause;
	uint32_t before, after; /* in trace.works */
	uint32_t call;		/* its name in trace.names; GAP_NO_CALL */
	uint32_t step;		/* the same; GAP_NO_STEP */
};

#endif
