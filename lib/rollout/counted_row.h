/*
 * The rows of a store for breakdown and stragglers: each with its own time and
 * the self time of its spans.
 */
#ifndef OBS_ROLLOUT_COUNTED_ROW_H
#define OBS_ROLLOUT_COUNTED_ROW_H

#include "rollout/self_time.h"
#include "rollout/waits.h"

struct counted_row {
	const struct row_store *store;
	size_t place; /* in it */
	const struct timed_row *timed;
	const struct own_time *own;
	const struct self_times *self;
};

/* Receives a row, which is borrowed for the call. Returns 0 or an error. */
typedef int counted_take(void *taker, const struct counted_row *row,
			 struct err *err);

/* Call take for each row of the store, group by group, and add who waited for
 * whom to victims. Returns 0 or the first error. */
int counted_each(const struct row_store *store, const struct span_names *names,
		 counted_take *take, void *taker, struct victims *victims,
		 struct err *err);

#endif
