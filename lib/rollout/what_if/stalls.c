#include "rollout/what_if/stalls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/stats.h"

enum { STRETCHES_MAX = 64, LATE_PERCENT = 25 };

/* A stall lasts for this many steps of one request, for this fraction of the
 * wall, and of the time between two cuts. */
static const double least_steps = 20;
static const double least_part = 0.01;
static const double least_width = 0.25;

struct late_stretch {
	double length;
	uint32_t cut;
};

static int longest_first(const void *x, const void *y)
{
	const struct late_stretch *a = x;
	const struct late_stretch *b = y;

	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return (a->cut > b->cut) - (a->cut < b->cut);
}

static bool decodes_across(const struct cut_span *span, uint32_t cut)
{
	return span->first_token <= cut && span->end > cut;
}

/* The minimum delay of most requests that span the interval. */
static int common_delay(const struct what_if_engine *engine,
			const struct cuts *cuts, const double *late,
			uint32_t cut, double *delay, struct err *err)
{
	struct stats all = {0};
	bool good = true;

	for (size_t i = 0; good && i < engine->request_count; i++)
		if (decodes_across(&cuts->spans[i], cut))
			good = stats_add(&all, late[i]);
	*delay = 0;
	if (good && all.n > 0) {
		stats_sort(&all);
		*delay = stats_percentile(&all, LATE_PERCENT);
	}
	stats_free(&all);
	return good ? 0 : err_memory(err);
}

static int take_stretch(struct what_if_engine *engine, const struct cuts *cuts,
			double *late, struct late_stretch stretch, double least,
			struct err *err)
{
	double length;

	if (common_delay(engine, cuts, late, stretch.cut, &length, err) < 0)
		return err->code;
	length = fmin(length, stretch.length);
	if (length < fmax(least, least_width * stretch.length))
		return 0;
	if (!ARRAY_GROW(engine->stalls, engine->stall_count, engine->stall_cap))
		return err_memory(err);
	engine->stalls[engine->stall_count++] =
		(struct what_if_stall){cuts->v[stretch.cut].at, length};
	for (size_t i = 0; i < engine->request_count; i++)
		if (decodes_across(&cuts->spans[i], stretch.cut))
			late[i] -= length;
	return 1;
}

static int by_time(const void *x, const void *y)
{
	const struct what_if_stall *a = x;
	const struct what_if_stall *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

int what_if_find_stalls(struct what_if_engine *engine, const struct cuts *cuts,
			double *late, double wall, struct err *err)
{
	double least =
		fmax(least_steps * what_if_step_time(&engine->step, 1, 0),
		     least_part * wall);
	struct late_stretch *all = calloc(cuts->n + 1, sizeof(*all));
	size_t n = 0;
	int found = 0, code = all == NULL ? err_memory(err) : 0;

	for (uint32_t i = 0; code == 0 && i + 1 < cuts->n; i++)
		if (!cuts->v[i].blocked && cuts->v[i].batch > 0 &&
		    cuts->v[i].length >= least)
			all[n++] = (struct late_stretch){cuts->v[i].length, i};
	if (n > 1)
		qsort(all, n, sizeof(*all), longest_first);
	for (size_t i = 0; code >= 0 && i < n && i < STRETCHES_MAX; i++) {
		code = take_stretch(engine, cuts, late, all[i], least, err);
		found |= code > 0;
	}
	free(all);
	if (engine->stall_count > 1)
		qsort(engine->stalls, engine->stall_count,
		      sizeof(*engine->stalls), by_time);
	return code < 0 ? code : found;
}
