/*
 * When the last rollout in a dump began. Resumed samples include the spans of
 * an earlier rollout.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_EXTENT_H
#define OBS_ROLLOUT_WHAT_IF_EXTENT_H

#include "rollout/row_store.h"

/*
 * The latest start, in us, of a busy period after a pause of a tenth of the
 * dump's extent or more, across which a sample has spans on both sides; without
 * one, the earliest start. INT64_MAX: there are no spans. 0 or ERR_MEMORY.
 */
int what_if_zero(const struct row_store *store, int64_t *zero, struct err *err);

#endif
