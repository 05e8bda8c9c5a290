/*
 * Which keys of a sample a reader builds.
 *
 * A dump is mostly payload (token ids, log probs, tensors) that no program here
 * looks at. With a filter, a reader checks the syntax of a sample's other
 * values and makes them VALUE_SKIPPED without building anything. The filter
 * applies to a sample's own keys only: the value of a wanted key is built
 * completely, but for the members of records: the dicts in one list of such a
 * value, which may be millions.
 */
#ifndef OBS_FMT_VALUE_VALUE_FILTER_H
#define OBS_FMT_VALUE_VALUE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct value_filter {
	const struct str *wanted; /* the keys to build; borrowed */
	size_t count;
	/* This key is skipped as well, but a flat list of numbers keeps its
	 * count and sum (struct value_skipped) and null is VALUE_NONE. */
	struct str summed;
	/* Records are the dicts in the list named `list`, which is in the value
	 * of key `records` or in the sample itself. A reader may build only
	 * these members of them. */
	struct str records, list;
	const struct str *members;
	size_t n_members;
};

static inline bool value_filter_wants_member(const struct value_filter *f,
					     struct str key)
{
	for (size_t i = 0; i < f->n_members; i++)
		if (str_eq(f->members[i], key))
			return true;
	return false;
}

static inline bool value_filter_wants(const struct value_filter *f,
				      struct str key)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->wanted[i], key))
			return true;
	return false;
}

#endif
