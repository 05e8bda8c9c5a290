#include "metrics/stream/snapshots.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/stats.h"

/* A longer gap counts as the series' interval, like in PromQL. */
static const double GAP_MAX = 300e3;

struct history_series {
	struct str name;
	const struct prom_label *labels;
	size_t n_labels;
	uint64_t hash; /* of the labels */
	int64_t first; /* the first time */
	int64_t time;  /* the last one, while adding and while reading */
	double value;
	double gaps[2]; /* the one before it; 0: unknown. While adding, the
			 * first is the minimum. */
	bool any;
};

struct snapshots snapshots_new(bool latest)
{
	return (struct snapshots){.text = arena_new(LIMIT_SERIES),
				  .by_hash = map_new(true),
				  .points = points_new(),
				  .latest = latest};
}

void snapshots_free(struct snapshots *s)
{
	arena_free(&s->text);
	map_free(&s->by_hash);
	points_free(&s->points);
	free(s->series);
	*s = snapshots_new(s->latest);
}

/* Adding ------------------------------------------------------------------ */

static int keep_labels(struct snapshots *s, struct history_series *series,
		       const struct prom_line *line, struct err *err)
{
	struct prom_label *labels =
		arena_array(&s->text, line->n_labels + (line->n_labels == 0),
			    sizeof(*labels));

	series->name = arena_str(&s->text, line->name);
	if (labels == NULL || series->name.p == NULL)
		return arena_error(&s->text, err);
	for (size_t i = 0; i < line->n_labels; i++) {
		labels[i] = line->labels[i];
		labels[i].name = arena_str(&s->text, labels[i].name);
		labels[i].value = arena_str(&s->text, labels[i].value);
		if (labels[i].name.p == NULL || labels[i].value.p == NULL)
			return arena_error(&s->text, err);
	}
	series->labels = labels;
	series->n_labels = line->n_labels;
	series->hash = line->hash;
	return 0;
}

/* Make the line's series the current one. */
static int find_series(struct snapshots *s, const struct prom_line *line,
		       struct err *err)
{
	uint64_t name = hash_bytes(line->name.p, line->name.n, 3);
	uint32_t i = (uint32_t)s->n;
	int code = map_add(&s->by_hash, hash_mix(name, line->hash), &i);

	s->current = i;
	if (code == 0)
		return 0;
	if (code < 0 || s->n == UINT32_MAX - 1 ||
	    !ARRAY_GROW(s->series, s->n, s->cap))
		return err_memory(err);
	s->series[s->n] = (struct history_series){.any = false};
	return keep_labels(s, &s->series[s->n++], line, err);
}

/* The class of a gap in milliseconds: a fiftieth of a power of e. */
static size_t class_of(double gap)
{
	double class = log(gap) * 50;

	return class < 0		 ? 0
	       : class < GAP_CLASSES - 1 ? (size_t) class
					 : GAP_CLASSES - 1;
}

static void count_gap(struct snapshots *s, struct history_series *series,
		      double gap)
{
	size_t class = class_of(gap);

	if (series->gaps[0] == 0 || gap < series->gaps[0])
		series->gaps[0] = gap;
	s->gaps[class]++;
	s->gap_sums[class] += gap;
}

int snapshots_add(struct snapshots *s, const struct prom_line *line,
		  uint64_t number, struct err *err)
{
	struct history_series *series;
	int64_t time = (int64_t)line->time;

	if ((s->n == 0 || number != s->number) && find_series(s, line, err) < 0)
		return err->code;
	s->number = number;
	series = &s->series[s->current];
	if (series->any && time > series->time)
		count_gap(s, series, (double)(time - series->time));
	if (!series->any)
		series->first = time;
	series->any = true;
	series->time = time;
	return points_add(&s->points,
			  (struct point){time, line->value, s->current}, err);
}

/* Cells ------------------------------------------------------------------- */

/* The interval most samples keep, minus clock jitter on whole seconds or
 * milliseconds. */
static double usual_interval(const struct snapshots *s)
{
	static const double steps[] = {1000, 100, 10, 1};
	uint64_t most = 0;
	double sum = 0;

	for (size_t i = 1; i + 1 < GAP_CLASSES; i++) {
		uint64_t n = s->gaps[i - 1] + s->gaps[i] + s->gaps[i + 1];

		if (n > most) {
			most = n;
			sum = s->gap_sums[i - 1] + s->gap_sums[i] +
			      s->gap_sums[i + 1];
		}
	}
	if (most == 0)
		return s->gaps[0] > 0 ? 1 : 0;
	sum /= (double)most;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		double whole = round(sum / steps[i]) * steps[i];

		if (fabs(sum - whole) < sum * 0.005)
			return whole;
	}
	return sum;
}

static double phase_of(double time, double interval)
{
	return time - floor(time / interval) * interval;
}

/* The middle of the widest part of the interval that has no samples. */
static double find_edge(const struct stats *sorted, double interval)
{
	const double *phases = sorted->v;
	size_t n = sorted->n;
	double widest = phases[0] + interval - phases[n - 1];
	double edge = phases[n - 1] + widest / 2;

	for (size_t i = 1; i < n; i++)
		if (phases[i] - phases[i - 1] > widest) {
			widest = phases[i] - phases[i - 1];
			edge = phases[i - 1] + widest / 2;
		}
	return edge;
}

static int cut_time(struct snapshots *s, struct err *err)
{
	struct stats phases = {0};
	bool good = true;

	s->interval = usual_interval(s);
	if (s->interval == 0 || s->n == 0)
		return 0;
	for (size_t i = 0; good && i < s->n; i++)
		good = stats_add(&phases, phase_of((double)s->series[i].first,
						   s->interval));
	stats_sort(&phases);
	if (good)
		s->edge = find_edge(&phases, s->interval);
	stats_free(&phases);
	return good ? 0 : err_memory(err);
}

static double cell_of(const struct snapshots *s, int64_t time)
{
	return s->interval == 0 ? 0
				: floor(((double)time - s->edge) / s->interval);
}

static int begin(struct snapshots *s, struct err *err)
{
	int code = cut_time(s, err);

	for (size_t i = 0; i < s->n; i++)
		s->series[i].any = false;
	if (code == 0)
		code = points_sort(&s->points, err);
	if (code == 0)
		code = points_next(&s->points, &s->waiting, err);
	s->sorted = true;
	s->waits = code == 1;
	return code < 0 ? code : 0;
}

/* Giving ------------------------------------------------------------------ */

static void take_point(struct history_series *series, const struct point *point)
{
	if (series->any && point->time > series->time) {
		series->gaps[1] = series->gaps[0];
		series->gaps[0] = (double)(point->time - series->time);
	}
	series->any = true;
	series->time = point->time;
	series->value = point->value;
}

/* Read the samples of the next non-empty cell. 1, 0 at the end, or an error. */
static int read_cell(struct snapshots *s, struct err *err)
{
	int code = 1;

	if (!s->waits)
		return 0;
	s->cell = cell_of(s, s->waiting.time);
	while (code == 1 && cell_of(s, s->waiting.time) <= s->cell) {
		take_point(&s->series[s->waiting.series], &s->waiting);
		code = points_next(&s->points, &s->waiting, err);
	}
	s->waits = code == 1;
	return code < 0 ? code : 1;
}

/* The series' sampling interval. */
static double own_interval(const struct snapshots *s,
			   const struct history_series *series)
{
	double gap = series->gaps[0];

	if (series->gaps[1] > 0)
		gap = fmin(gap, series->gaps[1]);
	return gap > 0 ? fmin(gap, GAP_MAX) : s->interval;
}

/* Is the sample the series' last in the cell, or the one before the cell if it
 * is a little late? */
static bool is_current(const struct snapshots *s,
		       const struct history_series *series)
{
	double end = s->edge + (s->cell + 1) * s->interval;

	if (!series->any)
		return false;
	if (s->interval == 0 || cell_of(s, series->time) == s->cell)
		return true;
	return (double)series->time + 1.25 * own_interval(s, series) > end;
}

/* The next sample of the snapshot, or its end. */
static void give(struct snapshots *s, struct prom_line *line)
{
	const struct history_series *series;

	while (s->next < s->n && !is_current(s, &s->series[s->next]))
		s->next++;
	if (s->next == s->n) {
		*line = (struct prom_line){.kind = PROM_EOF};
		s->giving = false;
		return;
	}
	series = &s->series[s->next++];
	*line = (struct prom_line){.kind = PROM_SAMPLE,
				   .name = series->name,
				   .labels = series->labels,
				   .n_labels = series->n_labels,
				   .hash = series->hash,
				   .value = series->value,
				   .stamped = true,
				   .time = (long double)series->time};
}

/* Go to the next snapshot to return: 1, 0 if there is none, or an error. */
static int advance(struct snapshots *s, struct err *err)
{
	int code = read_cell(s, err);
	bool any = code == 1;

	while (s->latest && code == 1)
		code = read_cell(s, err);
	return code < 0 ? code : any;
}

int snapshots_next(struct snapshots *s, struct prom_line *line, struct err *err)
{
	if (!s->sorted && begin(s, err) < 0)
		return err->code;
	if (!s->giving) {
		int code = advance(s, err);

		if (code <= 0)
			return code;
		s->giving = true;
		s->next = 0;
	}
	give(s, line);
	return 1;
}
