/*
 * What a sample did between its requests: rewards, tools, or neither, from the
 * names of its spans. Overlaps count as reward.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_COVER_H
#define OBS_ROLLOUT_WHAT_IF_COVER_H

#include "rollout/timed_row.h"
#include "rollout/what_if/scene.h"

/* Zero-initialised, it is empty; reused for each sample. */
struct cover {
	struct cover_mark *marks;
	struct cover_part *parts;
	size_t mark_count, mark_cap, part_count, part_cap;
};

void cover_free(struct cover *cover);

/* Clear the previous sample. */
void cover_begin(struct cover *cover);

/* Add a span of the sample, if it is a reward or a tool. */
int cover_add(struct cover *cover, const struct timed_span *span,
	      enum activity activity, struct err *err);

/* After all spans were added. 0 or ERR_MEMORY. */
int cover_end(struct cover *cover, struct err *err);

/* The cover between two times, in us; all 0 if it ends before it starts. */
struct what_if_gap cover_between(const struct cover *cover, int64_t from,
				 int64_t to);

#endif
