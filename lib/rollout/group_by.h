/*
 * By what the samples of a rollout are told apart when each group of them is
 * summarised by itself.
 */
#ifndef OBS_ROLLOUT_GROUP_BY_H
#define OBS_ROLLOUT_GROUP_BY_H

#include "rollout/rollout.h"
#include "rollout/span.h"

enum group_by {
	BY_NOTHING = -1,
	BY_GROUP,   /* the sample's group_index */
	BY_SOURCE,  /* as rows have it: struct row */
	BY_STATUS,  /* likewise */
	BY_ATTEMPT, /* of the sample's trace: its last one */
};

/* "group" and so on, NULL at the end. */
extern const char *const group_by_words[];

/* The sample's value; none when it has none. row is its row, or NULL for a
 * sample that has none. */
struct value group_by_value(enum group_by by, const struct sample *sample,
			    const struct row *row);

#endif
