/*
 * Similarity of two names, for "did you mean".
 */
#ifndef OBS_BASE_SIMILAR_H
#define OBS_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* The edit distance between a and b (bytes inserted, removed or replaced);
 * SIZE_MAX if either is too long for a name. */
size_t similar_distance(struct str a, struct str b);

/* Is `wanted` likely a misspelling of `there`? Yes, if one is part of the other
 * or they differ in few bytes. */
bool similar_may_be(struct str wanted, struct str there);

#endif
