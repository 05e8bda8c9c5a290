/*
 * Finds closed spans common to several samples of one group: the same name,
 * start and end. 24 bytes per slot, with twice as many slots as spans, for one
 * group at a time.
 */
#ifndef OBS_ROLLOUT_SHARED_SPANS_H
#define OBS_ROLLOUT_SHARED_SPANS_H

#include "rollout/timed_row.h"

struct shared_spans {
	struct shared_slot *slots;
	size_t cap;  /* allocated slots */
	size_t mask; /* slots in use - 1 */
};

/* Begin a group with up to that many spans. 0 or ERR_MEMORY. */
int shared_spans_begin(struct shared_spans *shared, size_t spans,
		       struct err *err);
void shared_spans_free(struct shared_spans *shared);

/* Add the spans of a row of a sample, whose number is below UINT32_MAX - 1. */
void shared_spans_see(struct shared_spans *shared,
		      const struct timed_row *timed, uint32_t sample);

/* Set is_shared of the row's spans, after all rows were added. */
void shared_spans_mark(const struct shared_spans *shared,
		       struct timed_row *timed);

#endif
