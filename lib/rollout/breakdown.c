#include "rollout/breakdown.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/num.h"
#include "base/stats.h"
#include "rollout/perf_keys.h"
#include "rollout/running.h"

static const double second = 1e6; /* us */

struct name_times {
	struct stats durations; /* us */
	double self;
};

/* An interval of the row that ended last. */
struct last_interval {
	double from, to; /* us since the base */
	uint32_t name;
	int32_t span;
};

struct last {
	bool any;
	int64_t end, duration;
	size_t place;
	struct last_figures about;
	struct last_interval *intervals;
	size_t count, cap;
};

struct breakdown {
	struct span_names *names;
	struct name_times *times; /* by number of the name */
	size_t time_cap;
	double activities[ACTIVITIES];
	struct pd_times pd;
	uint64_t samples;
	int64_t base;	    /* when the first row began: keeps sums small */
	int64_t start, end; /* of all rows */
	/* Of runs, and the own ends of rows; us since the base. */
	struct stats starts, ends, own_ends;
	double time, own;
	struct last last;
	struct breakdown_figures figures;
};

struct breakdown *breakdown_new(struct span_names *names)
{
	struct breakdown *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	b->names = names;
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
	stats_free(&b->own_ends);
	free(b->last.intervals);
	free(b->figures.spans);
	free(b);
}

int breakdown_add_phases(struct breakdown *b, const struct row *row,
			 struct arena *a, struct err *err)
{
	return pd_times_add(&b->pd, row, a, err);
}

static bool add_spans(struct breakdown *b, const struct counted_row *row)
{
	const struct self_times *m = row->self;
	size_t names = b->names->texts.count;

	if (!ARRAY_GROW_ZEROED(b->times, names, b->time_cap))
		return false;
	for (size_t i = 0; i < row->timed->count; i++) {
		const struct timed_span *span = &row->timed->spans[i];

		if (!stats_add(&b->times[span->name].durations,
			       (double)timed_span_duration(span)))
			return false;
	}
	for (size_t i = 0; i < m->name_count; i++)
		b->times[m->by_name[i].name].self += m->by_name[i].time;
	for (int a = 0; a < ACTIVITIES; a++)
		b->activities[a] += m->activities[a];
	return true;
}

static bool add_run(struct breakdown *b, int64_t start, int64_t end)
{
	return stats_add(&b->starts, (double)(start - b->base)) &&
	       stats_add(&b->ends, (double)(end - b->base));
}

/* The runs of the row. An empty run, or the start of a row that never ran,
 * counts as an instant. */
static bool add_runs(struct breakdown *b, const struct counted_row *row)
{
	const struct own_time *own = row->own;
	int64_t first = INT64_MAX, last = INT64_MIN;
	bool good = true;

	for (size_t i = 0; good && i < own->phase_count; i++) {
		int64_t from = own->phases[i].from;

		if (!own->phases[i].working)
			continue;
		while (i + 1 < own->phase_count && own->phases[i + 1].working)
			i++;
		last = i + 1 < own->phase_count ? own->phases[i + 1].from
						: row->timed->end;
		first = from < first ? from : first;
		good = add_run(b, from, last);
	}
	if (good && own->start < first) {
		good = add_run(b, own->start, own->start);
		last = own->start > last ? own->start : last;
	}
	if (good && own->end > last)
		good = add_run(b, own->end, own->end);
	return good && stats_add(&b->own_ends, (double)(own->end - b->base));
}

static bool is_later(const struct last *last, const struct counted_row *row)
{
	const struct own_time *own = row->own;

	if (!last->any || own->end != last->end)
		return !last->any || own->end > last->end;
	if (own->duration != last->duration)
		return own->duration > last->duration;
	return row->place < last->place;
}

/* Make the row the one that ended last, if it is. */
static bool see_last(struct breakdown *b, const struct counted_row *row)
{
	const struct stored_row *stored = &row->store->rows[row->place];
	const struct self_times *m = row->self;
	struct last *last = &b->last;

	if (!is_later(last, row))
		return true;
	last->any = true;
	last->end = row->own->end;
	last->duration = row->own->duration;
	last->place = row->place;
	last->about = (struct last_figures){
		.any = true,
		.sample = stored_row_sample(row->store, stored),
		.row = stored->row_id,
		.repeats = stored_row_repeats(row->store, stored),
		.open = row->own->open,
	};
	last->count = 0;
	if (!ARRAY_GROW(last->intervals, m->count, last->cap))
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct self_interval *s = &m->intervals[i];

		if (s->span >= 0 && self_interval_is_work(s, row->own))
			last->intervals[last->count++] = (struct last_interval){
				(double)(s->from - b->base),
				(double)(s->to - b->base),
				row->timed->spans[s->span].name, s->span};
	}
	return true;
}

int breakdown_add(struct breakdown *b, const struct counted_row *row,
		  struct err *err)
{
	const struct timed_row *timed = row->timed;

	if (b->samples == 0) {
		b->base = timed->start;
		b->start = timed->start;
		b->end = timed->end;
	}
	b->samples++;
	if (timed->start < b->start)
		b->start = timed->start;
	if (timed->end > b->end)
		b->end = timed->end;
	b->time += (double)(timed->end - timed->start);
	b->own += (double)row->own->duration;
	return add_spans(b, row) && add_runs(b, row) && see_last(b, row)
		       ? 0
		       : err_memory(err);
}

/* Figures ------------------------------------------------------------- */

/* Of values in units per second; sorts them. */
static void describe(struct time_figures *f, struct stats *s, double unit)
{
	f->count = s->n;
	f->values = s;
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

void breakdown_sort_spans(struct breakdown_figures *f)
{
	qsort(f->spans, f->span_count, sizeof(*f->spans), by_self);
}

void breakdown_set_waiting(struct breakdown_figures *f)
{
	f->waiting_group = f->activities[ACTIVITY_GROUP_WAIT];
	f->waiting_client = f->activities[ACTIVITY_CLIENT_QUEUE];
	f->waiting_reward = f->activities[ACTIVITY_REWARD];
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
		span->share = num_ratio(span->self, f->time);
		span->concurrency = num_ratio(span->total, f->wall);
		f->span_count++;
	}
	breakdown_sort_spans(f);
	return true;
}

static void put_pd_figures(struct time_figures *to, struct stats *from,
			   const char *name, const struct breakdown_figures *f)
{
	*to = (struct time_figures){.name = str_of(name)};
	describe(to, from, 1);
	to->share = num_ratio(to->total, f->time);
	to->concurrency = num_ratio(to->total, f->wall);
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

/* Set name and time to what takes most of the last row from a time on. */
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
		const struct last_interval *s = &b->last.intervals[i];
		struct last_time *t = &times[s->name];

		if (s->to <= from)
			continue;
		if (t->time == 0 || s->span < t->first)
			t->first = s->span;
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

static bool put_last(struct breakdown *b)
{
	struct last_figures *f = &b->figures.last;
	size_t n = b->own_ends.n;
	double from;

	*f = b->last.about;
	if (n == 0)
		return true;
	stats_sort(&b->own_ends);
	from = b->own_ends.v[n - n / 20 - 1];
	f->seconds = (b->own_ends.v[n - 1] - from) / second;
	f->share = num_ratio(f->seconds, b->figures.wall);
	if (!find_holder(b, from))
		return false;
	f->within = f->name.p != NULL;
	return f->within || find_holder(b, -INFINITY);
}

const struct breakdown_figures *breakdown_end(struct breakdown *b,
					      struct err *err)
{
	struct breakdown_figures *f = &b->figures;
	struct running running =
		running_of(&b->starts, &b->ends, (size_t)b->samples);

	f->samples = b->samples;
	f->wall = (double)(b->end - b->start) / second;
	f->time = b->time / second;
	f->own = b->own / second;
	f->peak = running.peak;
	f->utilisation = num_ratio(f->own, f->wall * (double)f->peak);
	f->bubble = 1 - f->utilisation;
	f->tail = running.tail / second;
	for (int a = 0; a < ACTIVITIES; a++)
		f->activities[a] = b->activities[a] / second;
	breakdown_set_waiting(f);
	put_pd(b);
	if (put_spans(b) && put_last(b))
		return f;
	err_memory(err);
	return NULL;
}

int breakdown_add_wall(const struct breakdown_figures *times,
		       struct figures *figures, struct err *err)
{
	struct figure wall = {.key = PERF_KEY_WALL};

	if (times == NULL || !(times->wall > 0) ||
	    figures_find(figures, str_of(wall.key)) != NULL)
		return 0;
	wall.value = times->wall;
	return figures_add(figures, wall, err);
}
