/*
 * Which keys of a sample a reader builds.
 *
 * A dump is mostly payload (token ids, log probs, tensors) that no program
 * here looks at. A reader given a filter checks the syntax of a sample's
 * other keys and makes VALUE_SKIPPED of them without building anything. The
 * filter speaks of the keys of a sample only: what a wanted key holds is
 * built whole.
 */
#ifndef OBS_FMT_VALUE_VALUE_FILTER_H
#define OBS_FMT_VALUE_VALUE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct value_filter {
	const struct str *wanted; /* these keys are built; borrowed */
	size_t count;
	/* This key is skipped as well, but a flat list of numbers leaves its
	 * count and sum (struct value_skipped) and null is VALUE_NONE. */
	struct str summed;
};

static inline bool value_filter_wants(const struct value_filter *f,
				      struct str key)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->wanted[i], key))
			return true;
	return false;
}

#endif
