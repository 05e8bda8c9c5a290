/*
 * The list of remedies, and which of them can be estimated for a rollout.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REMEDIES_H
#define OBS_ROLLOUT_WHAT_IF_REMEDIES_H

#include "rollout/what_if/priced.h"

/* "cut_p99" and so on; NULL past the last kind. */
const char *what_if_remedy_id(enum what_if_remedy_kind kind);

/* List the remedies of a plan with their changes; those the rollout has no data
 * for are rejected. reason: rejects all that need a model; NULL: none. 0 or
 * ERR_MEMORY. */
int what_if_list_remedies(struct what_if *what_if,
			  const struct what_if_plan *plan, const char *reason,
			  struct err *err);

#endif
