/*
 * Samples and what only stands in their place. A file that users take for a
 * dump must not become one of zero requests: an input whose elements have none
 * of the fields of a sample is no dump.
 *
 * What is a sample: a dict or an object that has a trace, a response's
 * meta_info, response_length, non_generation_time, loss_mask, group_index or
 * rollout_log_probs, or is a trace carrier; in a list that is called "samples" any field of slime's
 * Sample will do. Elements before the first sample keep their places.
 */
#ifndef OBS_ROLLOUT_SIFT_H
#define OBS_ROLLOUT_SIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "rollout/not_dump.h"

struct sift {
	bool json;		  /* set by the owner: what is read */
	uint64_t elements;	  /* seen */
	uint64_t lists;		  /* of them */
	bool any;		  /* a sample among them */
	bool traced;		  /* a sample with a trace or meta_info */
	char first[NOT_DUMP_MAX]; /* what the first is, if not a sample */
};

/* Take an element; in_samples: its list is called "samples". True: there has
 * been a sample by now. */
bool sift_take(struct sift *sift, struct value element, bool in_samples);

/* Is an object that was found behind a torn one on its line a sample? What
 * stood behind a colon may be the trace of the torn one. */
bool sift_is_whole(struct value v, char before);

#endif
