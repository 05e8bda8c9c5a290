#include "profile/covered.h"

#include <stdlib.h>

#include "base/search.h"

struct covered_time {
	int64_t start, end;
	/* While adding intervals: the thread. Later: how much of its time is
	 * covered before this interval. */
	union {
		uint64_t thread;
		int64_t before;
	};
};

struct covered covered_new(struct spill *spill)
{
	return (struct covered){
		.times = spill_list_new(sizeof(struct covered_time), spill)};
}

static struct covered_time *time_at(const struct covered *c, size_t i)
{
	return spill_list_at(&c->times, i);
}

int covered_add(struct covered *c, uint32_t thread, int64_t start, int64_t end,
		struct err *err)
{
	size_t n = c->times.n;
	struct covered_time *last = n > 0 ? time_at(c, n - 1) : NULL;

	/* Events are usually in order and nested. */
	if (last != NULL && last->thread == thread && start >= last->start &&
	    start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return 0;
	}
	last = spill_list_add(&c->times);
	if (last == NULL)
		return err_memory(err);
	*last = (struct covered_time){
		.start = start, .end = end, .thread = thread};
	return 0;
}

static int compare(const void *x, const void *y, const void *context)
{
	const struct covered_time *a = x;
	const struct covered_time *b = y;

	(void)context;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* Join overlapping and adjacent intervals, and note where threads begin. */
static void join(struct covered *c)
{
	size_t kept = 0;
	uint32_t begun = 0; /* threads */
	uint64_t thread = 0;
	int64_t before = 0;

	for (size_t i = 0; i < c->times.n; i++) {
		struct covered_time one = *time_at(c, i);
		struct covered_time *last = kept > 0 ? time_at(c, kept - 1)
						     : NULL;

		if (last != NULL && one.thread == thread &&
		    one.start <= last->end) {
			if (one.end > last->end)
				last->end = one.end;
			continue;
		}
		before = last == NULL || one.thread != thread
				 ? 0
				 : before + last->end - last->start;
		thread = one.thread;
		while (begun <= thread)
			c->first[begun++] = kept;
		one.before = before;
		*time_at(c, kept++) = one;
		if (i % 4096 == 0)
			spill_list_trim(&c->times);
	}
	while (begun <= c->threads)
		c->first[begun++] = kept;
	c->times.n = kept;
}

int covered_join(struct covered *c, uint32_t threads, struct err *err)
{
	c->threads = threads;
	c->first = calloc((size_t)threads + 1, sizeof(*c->first));
	if (c->first == NULL)
		return err_memory(err);
	if (spill_list_sort(&c->times, compare, NULL, err) < 0)
		return err->code;
	join(c);
	return 0;
}

/* The last interval of the thread that begins at or before that time; NULL if
 * there is none. */
static const struct covered_time *find(const struct covered *c, uint32_t thread,
				       int64_t time)
{
	size_t first = c->first[thread];
	size_t i;

	SEARCH_FIRST(i, first, c->first[thread + 1],
		     time_at(c, i)->start > time);
	return i > first ? time_at(c, i - 1) : NULL;
}

/* Covered time of the thread before that time. */
static int64_t covered_before(const struct covered *c, uint32_t thread,
			      int64_t time)
{
	const struct covered_time *at = find(c, thread, time);

	if (at == NULL)
		return 0;
	return at->before + ((time < at->end ? time : at->end) - at->start);
}

int64_t covered_in(const struct covered *c, uint32_t thread, int64_t start,
		   int64_t end)
{
	return covered_before(c, thread, end) -
	       covered_before(c, thread, start);
}

bool covered_holds(const struct covered *c, uint32_t thread, int64_t time)
{
	const struct covered_time *at = find(c, thread, time);

	return at != NULL && time <= at->end;
}

void covered_free(struct covered *c)
{
	spill_list_free(&c->times);
	free(c->first);
	*c = covered_new(c->times.spill);
}
