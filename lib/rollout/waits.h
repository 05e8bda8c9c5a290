/*
 * When a sample worked, and when it waited for its group or for the client's
 * limit of requests in flight. The trainer records one span around all samples
 * of a group, with one start and one end, so its end is when the slowest member
 * was done, not this sample.
 *
 * Samples. Rows of one group with one index (not null) that begin together, at
 *	the first start of a generate_and_rm or else of a span, are copies of
 *	one sample. Every other row is a sample of its own.
 * Shared span. A closed span that another sample of the group has as well:
 *	the same name, start and end. A group_index of null is no group.
 * Barrier. A shared span that contains all spans of its attempt; in a group
 *	of one sample, every closed span named generate_and_rm_group.
 * Work. The spans that are neither shared nor a barrier nor an open
 *	generate_and_rm_group. Where an attempt has none of these, its shared
 *	spans, but no generate_and_rm_group and no barrier around others.
 * Run. An attempt works from its own start to its own end, the latest end of
 *	its work (of an open span where it is shown to be cut). Its own start
 *	is the earliest start of a child of its generate_and_rm, or of one that
 *	has no child; without a generate_and_rm it is that of its work.
 * Client queue. From the start of a generate_and_rm to its first child's; of
 *	copies, where they have the same start, only for the earliest child.
 * Group wait. From the own end to the end of the attempt's barrier (the latest
 *	of several), less the runs of other attempts and the shared spans whose
 *	name says reward: these are reward.
 */
#ifndef OBS_ROLLOUT_WAITS_H
#define OBS_ROLLOUT_WAITS_H

#include "rollout/own_time.h"
#include "rollout/row_store.h"

/* A sample that waited for another one of its group. */
struct victim {
	size_t culprit, row; /* positions in the store */
	int64_t wait;
};

struct victims {
	struct victim *v; /* by culprit, when waits_each has ended */
	size_t n, cap;
};

struct rows_visitor {
	int (*row)(struct rows_visitor *visitor, size_t place,
		   const struct timed_row *timed, const struct own_time *own,
		   struct err *err);
};

/* Call the visitor for each row of the store, group by group, and add who
 * waited for whom to victims. Returns 0 or the first error. */
int waits_each(const struct row_store *store, const struct span_names *names,
	       struct rows_visitor *visitor, struct victims *victims,
	       struct err *err);

void victims_free(struct victims *victims);

#endif
