#include "rollout/breakdown.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/stats.h"
#include "fmt/json/json_text.h"
#include "rollout/micros.h"
#include "rollout/running.h"

static const double second = 1e6; /* us */

struct name_times {
	struct stats durations; /* us */
	double self;
};

/* The rows of one sample group. Ends are us since the base. */
struct group {
	double last, sum;
	uint64_t rows;
};

/* A stretch of the row that ended last. */
struct last_stretch {
	double from, to; /* us since the base */
	uint32_t name;
	int32_t item;
};

struct last {
	bool any;
	double start, end; /* us since the base */
	struct buf sample; /* JSON text */
	struct last_stretch *stretches;
	size_t count, cap;
};

struct breakdown {
	struct span_names *names;
	struct name_times *times; /* by number of the name */
	size_t time_cap;
	double activities[ACTIVITIES];
	struct pd_times pd;
	int64_t base; /* when the first row began: sums stay small */
	struct stats starts, ends; /* us since the base */
	double time;
	struct intern group_texts;
	struct group *groups;
	size_t group_cap;
	struct last last;
	struct buf scratch;
	struct breakdown_figures figures;
};

struct breakdown *breakdown_new(struct span_names *names)
{
	struct breakdown *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->names = names;
	b->group_texts = intern_new(LIMIT_KEPT);
	b->last.sample = buf_new(LIMIT_STRING);
	b->scratch = buf_new(LIMIT_STRING);
	return b;
}

void breakdown_free(struct breakdown *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->time_cap; i++)
		stats_free(&b->times[i].durations);
	free(b->times);
	pd_times_free(&b->pd);
	stats_free(&b->starts);
	stats_free(&b->ends);
	intern_free(&b->group_texts);
	free(b->groups);
	buf_free(&b->last.sample);
	free(b->last.stretches);
	buf_free(&b->scratch);
	free(b->figures.spans);
	free(b);
}

static bool add_spans(struct breakdown *b, const struct row *row,
		      const struct moments *m)
{
	size_t names = b->names->texts.count;

	b->times = array_room_zeroed(b->times, &b->time_cap, names,
				     sizeof(*b->times));
	if (names >= b->time_cap)
		return false;
	for (uint32_t i = 0; i < row->item_count; i++)
		if (item_is_timed_span(&row->items[i]) &&
		    !stats_add(&b->times[m->names[i]].durations,
			       (double)item_duration(&row->items[i])))
			return false;
	for (size_t i = 0; i < m->owned_count; i++)
		b->times[m->owned[i].name].self += m->owned[i].time;
	for (int a = 0; a < ACTIVITIES; a++)
		b->activities[a] += m->activities[a];
	return true;
}

static bool add_to_group(struct breakdown *b, struct value index, double end,
			 struct err *err)
{
	struct group *group;
	uint32_t number;

	if (index.kind == VALUE_ABSENT || index.kind == VALUE_NONE)
		return true;
	buf_clear(&b->scratch);
	if (json_text(&b->scratch, index, err) < 0)
		return false;
	number = intern_add(&b->group_texts, buf_str(&b->scratch));
	if (number == INTERN_FAILED)
		return false;
	b->groups = array_room_zeroed(b->groups, &b->group_cap, number,
				      sizeof(*b->groups));
	if (number >= b->group_cap)
		return false;
	group = &b->groups[number];
	if (group->rows == 0 || end > group->last)
		group->last = end;
	group->sum += end;
	group->rows++;
	return true;
}

/* The row becomes the one that ended last, if it is. */
static bool see_last(struct breakdown *b, const struct row *row,
		     const struct moments *m, double start, struct err *err)
{
	struct last *last = &b->last;
	double end = (double)(m->end - b->base);

	if (last->any &&
	    (end < last->end || (end == last->end && start >= last->start)))
		return true;
	last->any = true;
	last->start = start;
	last->end = end;
	last->count = 0;
	buf_clear(&last->sample);
	if (json_text(&last->sample, row->sample_index, err) < 0)
		return false;
	last->stretches = array_room(last->stretches, &last->cap, m->count,
				     sizeof(*last->stretches));
	if (m->count >= last->cap)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct stretch *s = &m->stretches[i];

		if (s->item >= 0)
			last->stretches[last->count++] = (struct last_stretch){
				(double)(s->from - b->base),
				(double)(s->to - b->base), m->names[s->item],
				s->item};
	}
	return true;
}

static int refused(const struct breakdown *b, struct err *err)
{
	if (b->last.sample.failed)
		return buf_refused(&b->last.sample, err);
	return b->scratch.failed ? buf_refused(&b->scratch, err)
				 : intern_refused(&b->group_texts, err);
}

int breakdown_add(struct breakdown *b, const struct row *row,
		  const struct moments *m, struct arena *a, struct err *err)
{
	double start, end;

	if (b->starts.n == 0)
		b->base = m->start;
	start = (double)(m->start - b->base);
	end = (double)(m->end - b->base);
	b->time += end - start;
	if (!add_spans(b, row, m) || !stats_add(&b->starts, start) ||
	    !stats_add(&b->ends, end) ||
	    !add_to_group(b, row->group_index, end, err) ||
	    !see_last(b, row, m, start, err))
		return refused(b, err);
	return pd_times_add(&b->pd, row, a, err);
}

/* Figures ------------------------------------------------------------- */

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* Of values in units a second; sorts them. */
static void describe(struct time_figures *f, struct stats *s, double unit)
{
	f->count = s->n;
	if (s->n == 0)
		return;
	f->total = stats_sum(s->v, s->n) / unit;
	stats_sort(s);
	f->p50 = stats_percentile(s, 50) / unit;
	f->p95 = stats_percentile(s, 95) / unit;
	f->max = s->v[s->n - 1] / unit;
}

static int by_self(const void *x, const void *y)
{
	const struct time_figures *a = x;
	const struct time_figures *b = y;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return str_cmp(a->name, b->name);
}

static bool put_spans(struct breakdown *b)
{
	struct breakdown_figures *f = &b->figures;
	uint32_t names = b->names->texts.count;

	free(f->spans);
	f->span_count = 0;
	f->spans = calloc(names + 1, sizeof(*f->spans));
	if (f->spans == NULL)
		return false;
	for (uint32_t i = 0; i < names && i < b->time_cap; i++) {
		struct time_figures *span = &f->spans[f->span_count];

		if (b->times[i].durations.n == 0)
			continue;
		describe(span, &b->times[i].durations, second);
		span->name = intern_text(&b->names->texts, i);
		span->self = b->times[i].self / second;
		span->share = ratio(span->self, f->time);
		span->concurrency = ratio(span->total, f->wall);
		f->span_count++;
	}
	qsort(f->spans, f->span_count, sizeof(*f->spans), by_self);
	return true;
}

static void put_pd_figures(struct time_figures *to, struct stats *from,
			   const char *name, const struct breakdown_figures *f)
{
	*to = (struct time_figures){.name = str_of(name)};
	describe(to, from, 1);
	to->share = ratio(to->total, f->time);
	to->concurrency = ratio(to->total, f->wall);
}

static void put_pd(struct breakdown *b)
{
	struct breakdown_figures *f = &b->figures;

	for (size_t r = 0; r < PD_ROLES; r++) {
		put_pd_figures(&f->phases[r], &b->pd.phases[r],
			       pd_roles[r].name, f);
		for (size_t s = 0; s < PD_SEGMENTS; s++)
			put_pd_figures(&f->segments[r][s],
				       &b->pd.segments[r][s],
				       pd_roles[r].segments[s], f);
	}
}

static double group_waiting(const struct breakdown *b)
{
	double waited = 0;

	for (uint32_t i = 0; i < b->group_texts.count; i++)
		waited += b->groups[i].last * (double)b->groups[i].rows -
			  b->groups[i].sum;
	return waited;
}

/* Set name and time to what owns most of the last row from a moment on. */
static bool find_holder(struct breakdown *b, double from)
{
	struct last_figures *f = &b->figures.last;
	struct last_time {
		double time;
		int32_t first;
	} *times = calloc(b->names->texts.count + 1, sizeof(*times));
	const struct last_time *held = NULL;

	if (times == NULL)
		return false;
	for (size_t i = 0; i < b->last.count; i++) {
		const struct last_stretch *s = &b->last.stretches[i];
		struct last_time *t = &times[s->name];

		if (s->to <= from)
			continue;
		if (t->time == 0 || s->item < t->first)
			t->first = s->item;
		t->time += s->to - fmax(s->from, from);
	}
	for (uint32_t i = 0; i < b->names->texts.count; i++)
		if (times[i].time > 0 &&
		    (held == NULL || times[i].time > held->time ||
		     (times[i].time == held->time &&
		      times[i].first < held->first)))
			held = &times[i];
	f->name = (struct str){NULL, 0};
	if (held != NULL) {
		f->name =
			intern_text(&b->names->texts, (uint32_t)(held - times));
		f->time = held->time / second;
	}
	free(times);
	return true;
}

/* ends is sorted. */
static bool put_last(struct breakdown *b)
{
	struct last_figures *f = &b->figures.last;
	size_t n = b->ends.n;
	double from;

	*f = (struct last_figures){.any = n > 0};
	if (n == 0)
		return true;
	from = b->ends.v[n - n / 20 - 1];
	f->seconds = (b->ends.v[n - 1] - from) / second;
	f->share = ratio(f->seconds, b->figures.wall);
	f->sample = buf_str(&b->last.sample);
	if (!find_holder(b, from))
		return false;
	return f->name.p != NULL || find_holder(b, -INFINITY);
}

const struct breakdown_figures *breakdown_end(struct breakdown *b,
					      struct err *err)
{
	struct breakdown_figures *f = &b->figures;
	struct running running = running_of(&b->starts, &b->ends);
	size_t n = b->ends.n;

	f->samples = n;
	f->wall = n > 0 ? (b->ends.v[n - 1] - b->starts.v[0]) / second : 0;
	f->time = b->time / second;
	f->peak = running.peak;
	f->utilisation = ratio(f->time, f->wall * (double)f->peak);
	f->bubble = 1 - f->utilisation;
	f->tail = running.tail / second;
	for (int a = 0; a < ACTIVITIES; a++)
		f->activities[a] = b->activities[a] / second;
	f->waiting_group = group_waiting(b) / second;
	f->waiting_reward = f->activities[ACTIVITY_REWARD];
	put_pd(b);
	if (put_spans(b) && put_last(b))
		return f;
	err_memory(err);
	return NULL;
}
