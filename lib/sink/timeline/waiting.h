/*
 * The waits of the samples of a page, and for whom (rollout/waits.h), as a
 * stream of numbers for viewer/waits.js. They are known once all samples are,
 * so the rows are kept until then.
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

/* Add row number `place` of the page. Returns 0 or an error. */
int waiting_add(struct waiting *waiting, const struct row *row, uint64_t place,
		struct err *err);

/* Write the waits of all rows. Returns 0 or an error. */
int waiting_put(const struct waiting *waiting, struct out *out,
		struct err *err);

#endif
