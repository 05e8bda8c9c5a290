/*
 * Distinguishes samples from other elements. A file mistaken for a dump must
 * not become one of zero requests: one whose elements have no fields of a
 * sample is not a dump.
 *
 * A sample is a dict or an object that has a trace, a response's meta_info,
 * response_length, non_generation_time, loss_mask, group_index or
 * rollout_log_probs, or is a trace carrier; in a list called "samples" any
 * field of slime's Sample will do. Earlier elements keep their positions.
 */
#ifndef OBS_ROLLOUT_SIFT_H
#define OBS_ROLLOUT_SIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "rollout/not_dump.h"

struct sift {
	bool json;		  /* set by the owner: the format */
	uint64_t elements;	  /* seen */
	uint64_t lists;		  /* of them */
	uint64_t others;	  /* that cannot be samples */
	bool any;		  /* a sample among them */
	bool traced;		  /* a sample with a trace or meta_info */
	char first[NOT_DUMP_MAX]; /* the kind of the first, if not a sample */
};

/* Add an element; in_samples: its list is called "samples". Returns true once
 * there was a sample. */
bool sift_take(struct sift *sift, struct value element, bool in_samples);

/* Is an object found after a torn one on its line a sample? After a colon it
 * may be the trace of the torn one. */
bool sift_is_whole(struct value v, char before);

#endif
