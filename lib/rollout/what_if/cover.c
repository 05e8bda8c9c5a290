#include "rollout/what_if/cover.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

static const double second = 1e6; /* us */

/* A reward or a tool begins or ends. */
struct cover_mark {
	int64_t at;
	int8_t reward, tool; /* 1 begins, -1 ends */
};

/* A time from which on the sample did one thing, and the time spent in rewards
 * and tools until then. */
struct cover_part {
	int64_t from;
	bool is_reward, is_tool;
	int64_t reward, tool;
};

void cover_free(struct cover *cover)
{
	free(cover->marks);
	free(cover->parts);
}

void cover_begin(struct cover *cover)
{
	cover->mark_count = 0;
	cover->part_count = 0;
}

static int add_mark(struct cover *cover, struct cover_mark mark,
		    struct err *err)
{
	if (!ARRAY_GROW(cover->marks, cover->mark_count, cover->mark_cap))
		return err_memory(err);
	cover->marks[cover->mark_count++] = mark;
	return 0;
}

int cover_add(struct cover *cover, const struct timed_span *span,
	      enum activity activity, struct err *err)
{
	int8_t reward = activity == ACTIVITY_REWARD;
	int8_t tool = activity == ACTIVITY_TOOL;

	if ((reward == 0 && tool == 0) || span->end <= span->start)
		return 0;
	if (add_mark(cover, (struct cover_mark){span->start, reward, tool},
		     err) < 0)
		return err->code;
	return add_mark(cover,
			(struct cover_mark){span->end, (int8_t)-reward,
					    (int8_t)-tool},
			err);
}

static int by_time(const void *x, const void *y)
{
	const struct cover_mark *a = x;
	const struct cover_mark *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

int cover_end(struct cover *cover, struct err *err)
{
	struct cover_part part = {.from = INT64_MIN};
	int64_t rewards = 0, tools = 0;

	if (cover->mark_count > 1)
		qsort(cover->marks, cover->mark_count, sizeof(*cover->marks),
		      by_time);
	for (size_t i = 0; i < cover->mark_count; i++) {
		const struct cover_mark *mark = &cover->marks[i];

		part.reward += part.is_reward ? mark->at - part.from : 0;
		part.tool += part.is_tool ? mark->at - part.from : 0;
		rewards += mark->reward;
		tools += mark->tool;
		part.from = mark->at;
		part.is_reward = rewards > 0;
		part.is_tool = rewards == 0 && tools > 0;
		if (!ARRAY_GROW(cover->parts, cover->part_count,
				cover->part_cap))
			return err_memory(err);
		cover->parts[cover->part_count++] = part;
	}
	return 0;
}

/* The time spent in each until a time. */
static struct cover_part until(const struct cover *cover, int64_t moment)
{
	struct cover_part part = {0};
	size_t i;

	SEARCH_FIRST(i, 0, cover->part_count, cover->parts[i].from > moment);
	if (i == 0)
		return part;
	part = cover->parts[i - 1];
	part.reward += part.is_reward ? moment - part.from : 0;
	part.tool += part.is_tool ? moment - part.from : 0;
	return part;
}

struct what_if_gap cover_between(const struct cover *cover, int64_t from,
				 int64_t to)
{
	struct what_if_gap gap = {0};
	struct cover_part a, b;

	if (to <= from)
		return gap;
	a = until(cover, from);
	b = until(cover, to);
	gap.reward = (double)(b.reward - a.reward) / second;
	gap.tool = (double)(b.tool - a.tool) / second;
	gap.other = (double)(to - from) / second - gap.reward - gap.tool;
	return gap;
}
