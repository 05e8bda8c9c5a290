#include "profile/engine_step.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

/* By thread, start and end, the longer first. */
static int compare(const void *x, const void *y)
{
	const struct engine_step *a = x;
	const struct engine_step *b = y;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* Drop steps nested inside another one of their thread. */
static void drop_nested(struct engine_steps *steps)
{
	size_t kept = 0;

	if (steps->n == 0)
		return;
	qsort(steps->v, steps->n, sizeof(*steps->v), compare);
	for (size_t i = 1; i < steps->n; i++) {
		const struct engine_step *last = &steps->v[kept];

		if (steps->v[i].thread == last->thread &&
		    steps->v[i].start < last->end)
			continue;
		steps->v[++kept] = steps->v[i];
	}
	steps->n = kept + 1;
}

int engine_steps_find(struct engine_steps *steps,
		      const struct profile_trace *trace, struct err *err)
{
	bool any = false;
	size_t kept = 0;

	for (size_t i = 0; i < trace->steps.n; i++) {
		const struct host_event *note = spill_list_at(&trace->steps, i);
		struct engine_step step = {.start = note->start,
					   .end = note->start + note->dur,
					   .thread = note->thread,
					   .name = note->name,
					   .first_gpu = INT64_MAX,
					   .last_gpu = INT64_MIN};

		if (!engine_step_name_read(
			    intern_text(&trace->names, note->name), &step.is))
			continue;
		any |= step.is.kind != STEP_PROFILER;
		if (!ARRAY_GROW(steps->v, steps->n, steps->cap))
			return err_memory(err);
		steps->v[steps->n++] = step;
	}
	for (size_t i = 0; i < steps->n; i++)
		if (!any || steps->v[i].is.kind != STEP_PROFILER)
			steps->v[kept++] = steps->v[i];
	steps->n = kept;
	drop_nested(steps);
	return 0;
}

int32_t engine_step_at(const struct engine_steps *steps, uint32_t thread,
		       int64_t time)
{
	const struct engine_step *v = steps->v;
	size_t i;

	SEARCH_FIRST(i, 0, steps->n,
		     v[i].thread > thread ||
			     (v[i].thread == thread && v[i].start > time));
	if (i == 0 || v[i - 1].thread != thread || time >= v[i - 1].end)
		return PROFILE_NONE;
	return (int32_t)(i - 1);
}

void engine_steps_free(struct engine_steps *steps)
{
	free(steps->v);
	*steps = (struct engine_steps){0};
}
