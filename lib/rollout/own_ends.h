/*
 * When each sample of a dump ended its own work (rollout/waits.h), for a choice
 * of those that end last: what ends a rollout is the work of these, and not the
 * samples that waited for them.
 */
#ifndef OBS_ROLLOUT_OWN_ENDS_H
#define OBS_ROLLOUT_OWN_ENDS_H

#include "rollout/row_choice.h"
#include "rollout/row_store.h"

struct own_ends {
	struct span_names names;
	struct row_store store;
	struct timed_row timed;
};

struct own_ends own_ends_new(void);
void own_ends_free(struct own_ends *ends);

/* Add a row of the dump: all rows are needed, as samples wait for others. */
int own_ends_add(struct own_ends *ends, const struct row *row, struct err *err);

/* Tell the choice of its rows' own ends. */
int own_ends_find(const struct own_ends *ends, struct row_choice *choice,
		  struct err *err);

#endif
