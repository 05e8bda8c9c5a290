/*
 * What the samples of a page waited for, and for whom (rollout/waits.h), as a
 * stream of numbers that viewer/waits.js reads. It is known once all of them
 * are, so the rows are kept until then.
 */
#ifndef OBS_SINK_TIMELINE_WAITING_H
#define OBS_SINK_TIMELINE_WAITING_H

#include "base/io.h"
#include "rollout/row_store.h"

struct waiting {
	struct span_names names;
	struct timed_row timed;
	struct row_store store;
};

struct waiting waiting_new(void);
void waiting_free(struct waiting *waiting);

/* Take in row number `place` of the page. Returns 0 or an error. */
int waiting_add(struct waiting *waiting, const struct row *row, uint64_t place,
		struct err *err);

/* Write what is known of all rows. Returns 0 or an error. */
int waiting_put(const struct waiting *waiting, struct out *out,
		struct err *err);

#endif
