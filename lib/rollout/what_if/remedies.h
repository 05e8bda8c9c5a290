/*
 * Which remedies there are, and which of them a rollout can price.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_REMEDIES_H
#define OBS_ROLLOUT_WHAT_IF_REMEDIES_H

#include "rollout/what_if/priced.h"

/* "cut_p99" and so on; NULL past the last kind. */
const char *what_if_remedy_id(enum what_if_remedy_kind kind);

/* List the remedies of a plan with what each changes, refused where the
 * rollout cannot price it. reason: all that need a model are refused for it;
 * NULL: none. 0 or ERR_MEMORY. */
int what_if_list_remedies(struct what_if *what_if,
			  const struct what_if_plan *plan, const char *reason,
			  struct err *err);

#endif
