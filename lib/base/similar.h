/*
 * How alike two names are, for "did you mean".
 */
#ifndef OBS_BASE_SIMILAR_H
#define OBS_BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* How many bytes must be inserted, removed or replaced to turn a into b;
 * SIZE_MAX when either is longer than a name is likely to be. */
size_t similar_distance(struct str a, struct str b);

/* Could someone who wrote `wanted` have meant `there`? Yes, if one is part of
 * the other or few bytes differ. */
bool similar_may_be(struct str wanted, struct str there);

#endif
