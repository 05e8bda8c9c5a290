#include "profile/gpu_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "profile/engine_step.h"
#include "profile/kernel_name.h"
#include "profile/profile_file.h"

struct gpu_interval {
	int64_t start, end;
};

struct gpu_intervals {
	struct gpu_interval *v;
	size_t n, cap;
};

struct gpu_lanes gpu_lanes_new(void)
{
	return (struct gpu_lanes){.text = arena_new(LIMIT_KEPT)};
}

void gpu_lanes_free(struct gpu_lanes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].lanes);
		free(l->v[i].steps);
	}
	free(l->v);
	arena_free(&l->text);
	*l = (struct gpu_lanes){0};
}

/* Bins -------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct gpu_interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Add an interval's overlap with the bins from `from` on, each `width` ns. */
static void cover(double *covered, int64_t from, double width, int64_t start,
		  int64_t end)
{
	double a = (double)(start - from) / width;
	double b = (double)(end - from) / width;

	if (a < 0)
		a = 0;
	if (b > GPU_BINS)
		b = GPU_BINS;
	for (size_t i = (size_t)a; i < GPU_BINS && (double)i < b; i++) {
		double left = (double)i > a ? (double)i : a;
		double right = (double)(i + 1) < b ? (double)(i + 1) : b;

		if (right > left)
			covered[i] += right - left;
	}
}

/* The covered share of each bin; intervals are sorted. */
static void fill_bins(uint16_t *bins, struct gpu_intervals *all, int64_t from,
		      int64_t to)
{
	double covered[GPU_BINS] = {0};
	double width = (double)(to - from) / GPU_BINS;
	int64_t reached = INT64_MIN;

	if (all->n > 0)
		qsort(all->v, all->n, sizeof(*all->v), by_start);
	for (size_t i = 0; i < all->n; i++) {
		struct gpu_interval one = all->v[i];

		if (one.start < reached)
			one.start = reached;
		if (one.end <= one.start)
			continue;
		reached = one.end;
		cover(covered, from, width, one.start, one.end);
	}
	for (size_t i = 0; i < GPU_BINS; i++)
		bins[i] = (uint16_t)(covered[i] * GPU_WHOLE + 0.5);
}

/* One profile ------------------------------------------------------------- */

/* Which names are those of communication kernels. */
static bool *find_collectives(const struct profile_trace *t, struct err *err)
{
	bool *found = calloc((size_t)t->works.count + 1, sizeof(*found));
	struct buf scratch = buf_new(LIMIT_STRING);

	for (uint32_t i = 0; found != NULL && i < t->works.count; i++) {
		const struct gpu_work *work = trace_work(t, i);

		found[i] =
			work->kind == GPU_KERNEL &&
			kernel_category_of(intern_text(&t->names, work->name),
					   &scratch) == KERNEL_COMMUNICATION;
	}
	buf_free(&scratch);
	if (found == NULL)
		err_memory(err);
	return found;
}

static int add_interval(struct gpu_intervals *all, int64_t start, int64_t end,
			struct err *err)
{
	if (!ARRAY_GROW(all->v, all->n, all->cap))
		return err_memory(err);
	all->v[all->n++] = (struct gpu_interval){start, end};
	return 0;
}

/* The intervals of a device within [from, to], in the trace's time. */
static int collect(const struct profile_trace *t, uint32_t device,
		   const bool *collectives, struct gpu_interval within,
		   struct gpu_intervals all[2], struct err *err)
{
	for (size_t i = 0; i < t->gpu_events.n; i++) {
		const struct gpu_event *e = trace_gpu(t, i);
		int64_t end = e->start + e->dur;

		profile_trace_pass(t, i);
		if (trace_work(t, e->work)->device != device ||
		    e->start > within.end || end < within.start)
			continue;
		if (add_interval(&all[0], e->start, end, err) < 0 ||
		    (collectives[e->work] &&
		     add_interval(&all[1], e->start, end, err) < 0))
			return err->code;
	}
	return 0;
}

static struct gpu_interval reach_of(const struct gpu_intervals *all,
				    struct gpu_interval within)
{
	struct gpu_interval reach = {INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].start < reach.start)
			reach.start = all->v[i].start;
		if (all->v[i].end > reach.end)
			reach.end = all->v[i].end;
	}
	if (reach.start < within.start)
		reach.start = within.start;
	if (reach.end > within.end)
		reach.end = within.end;
	return reach;
}

static int add_lane(struct gpu_lanes *l, struct gpu_profile *profile,
		    const struct profile_trace *t, uint32_t device,
		    const bool *collectives, struct gpu_interval within,
		    struct err *err)
{
	struct gpu_intervals all[2] = {0};
	struct gpu_lane *lane = &profile->lanes[profile->n];
	struct gpu_interval reach;
	int code = collect(t, device, collectives, within, all, err);

	reach = reach_of(&all[0], within);
	if (code == 0 && reach.end > reach.start) {
		lane->device =
			arena_str(&l->text, intern_text(&t->devices, device));
		lane->from = t->base + reach.start;
		lane->to = t->base + reach.end;
		fill_bins(lane->busy, &all[0], reach.start, reach.end);
		fill_bins(lane->collective, &all[1], reach.start, reach.end);
		profile->n++;
		if (lane->device.p == NULL)
			code = arena_error(&l->text, err);
	}
	free(all[0].v);
	free(all[1].v);
	return code;
}

/* Steps ------------------------------------------------------------------- */

static int step_by_start(const void *a, const void *b)
{
	const struct engine_step *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int64_t bin_of(const struct engine_step *step,
		      struct gpu_interval within)
{
	return (int64_t)((double)(step->start - within.start) /
			 (double)(within.end - within.start) * GPU_STEPS / 2);
}

/* The steps within the window, joined if there are too many. */
static int add_steps(struct gpu_lanes *l, struct gpu_profile *profile,
		     const struct profile_trace *t, struct gpu_interval within,
		     struct err *err)
{
	struct engine_steps steps = {0};
	int code = engine_steps_find(&steps, t, err);
	int64_t bin = -1;

	if (code == 0 && steps.n > 0) {
		qsort(steps.v, steps.n, sizeof(*steps.v), step_by_start);
		profile->steps = calloc(steps.n, sizeof(*profile->steps));
		code = profile->steps == NULL ? err_memory(err) : 0;
	}
	for (size_t i = 0; code == 0 && i < steps.n; i++) {
		const struct engine_step *from = &steps.v[i];
		struct gpu_step *to = &profile->steps[profile->steps_n];

		if (from->start > within.end || from->end < within.start)
			continue;
		if (steps.n > GPU_STEPS && bin == bin_of(from, within)) {
			to[-1].end = t->base + from->end;
			to[-1].count++;
			continue;
		}
		bin = bin_of(from, within);
		*to = (struct gpu_step){
			.start = t->base + from->start,
			.end = t->base + from->end,
			.name = arena_str(&l->text,
					  intern_text(&t->names, from->name)),
			.count = 1};
		profile->steps_n++;
		if (to->name.p == NULL)
			code = arena_error(&l->text, err);
	}
	engine_steps_free(&steps);
	return code;
}

static int64_t rank_of(const struct profile_trace *t)
{
	const char *slash = strrchr(t->path, '/');
	struct profile_file file =
		profile_file_read(str_of(slash == NULL ? t->path : slash + 1));

	return t->rank != PROFILE_NONE ? t->rank : file.rank;
}

static int fill(struct gpu_lanes *l, struct gpu_profile *profile,
		const struct profile_trace *t, struct gpu_interval within,
		struct err *err)
{
	bool *collectives = find_collectives(t, err);
	int code = collectives == NULL ? err->code : 0;

	profile->path = arena_str(&l->text, str_of(t->path));
	profile->lanes =
		calloc((size_t)t->devices.count + 1, sizeof(*profile->lanes));
	if (code == 0 && (profile->path.p == NULL || profile->lanes == NULL))
		code = err_memory(err);
	for (uint32_t i = 0; code == 0 && i < t->devices.count; i++)
		code = add_lane(l, profile, t, i, collectives, within, err);
	if (code == 0)
		code = add_steps(l, profile, t, within, err);
	free(collectives);
	return code;
}

int gpu_lanes_add(struct gpu_lanes *l, const struct profile_trace *t,
		  int64_t from, int64_t to, struct err *err)
{
	struct gpu_interval within = {from - t->base, to - t->base};
	struct gpu_profile *profile;
	int code;

	if (!ARRAY_GROW(l->v, l->n, l->cap))
		return err_memory(err);
	profile = &l->v[l->n];
	*profile = (struct gpu_profile){.rank = rank_of(t)};
	code = fill(l, profile, t, within, err);
	if (code == 0 && profile->n + profile->steps_n > 0) {
		l->n++;
		return 1;
	}
	free(profile->lanes);
	free(profile->steps);
	return code;
}
