#include "profile/covered.h"

#include <stdlib.h>

#include "base/array.h"

int covered_add(struct covered *c, uint32_t thread, int64_t start, int64_t end,
		struct err *err)
{
	struct covered_time *last = c->n > 0 ? &c->v[c->n - 1] : NULL;

	/* Events mostly come in order, and lie in one another. */
	if (last != NULL && last->thread == thread && start >= last->start &&
	    start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return 0;
	}
	if (!ARRAY_GROW(c->v, c->n, c->cap))
		return err_memory(err);
	c->v[c->n++] = (struct covered_time){
		.start = start, .end = end, .thread = thread};
	return 0;
}

static int compare(const void *x, const void *y)
{
	const struct covered_time *a = x;
	const struct covered_time *b = y;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

void covered_join(struct covered *c)
{
	size_t kept = 0;

	if (c->n == 0)
		return;
	qsort(c->v, c->n, sizeof(*c->v), compare);
	for (size_t i = 1; i < c->n; i++) {
		struct covered_time *last = &c->v[kept];
		const struct covered_time *one = &c->v[i];

		if (one->thread == last->thread && one->start <= last->end) {
			if (one->end > last->end)
				last->end = one->end;
			continue;
		}
		c->v[++kept] = *one;
	}
	c->n = kept + 1;
	c->v[0].before = 0;
	for (size_t i = 1; i < c->n; i++)
		c->v[i].before = c->v[i].thread != c->v[i - 1].thread
					 ? 0
					 : c->v[i - 1].before +
						   c->v[i - 1].end -
						   c->v[i - 1].start;
}

/* The last interval of the thread that begins at that time or before it; NULL
 * when there is none. */
static const struct covered_time *find(const struct covered *c, uint32_t thread,
				       int64_t time)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct covered_time *at = &c->v[middle];

		if (at->thread < thread ||
		    (at->thread == thread && at->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && c->v[low - 1].thread == thread ? &c->v[low - 1]
							 : NULL;
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
	free(c->v);
	*c = (struct covered){0};
}
