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

struct gap {
	int64_t start, time; /* start: in the trace's own time */
	enum gap_cause cause;
	uint32_t before, after; /* places in trace.gpu_events */
};

#endif
