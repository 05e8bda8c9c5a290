/*
 * The negative values of a dump, added up over the parts of its digest.
 */
#include "rollout/digest.h"

static void add(struct perf_negatives *to, struct perf_negatives one)
{
	to->queues += one.queues;
	to->others += one.others;
	to->unused += one.unused;
	if (to->other == NULL)
		to->other = one.other;
	if (to->unused_name == NULL)
		to->unused_name = one.unused_name;
}

struct perf_negatives digest_negatives(const struct digest *digest)
{
	struct perf_negatives all = {0};

	for (size_t i = 0; i < digest->count; i++)
		add(&all, perf_negatives(digest->parts[i].perf));
	add(&all, (struct perf_negatives){.unused = digest->negative_tokens,
					  .unused_name = "completion_tokens"});
	return all;
}
