#include "metrics/strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"

/* Points ------------------------------------------------------------------ */

static size_t bin_of(const struct strips *s, double time)
{
	double at = (time - s->from) / (s->to - s->from) * STRIP_BINS;

	return at < 0 ? 0 : at < STRIP_BINS ? (size_t)at + 1 : STRIP_BINS + 1;
}

/* Reduce the points of a bin to its minimum and maximum, in order. */
static size_t thin_bin(const struct strip_point *v, size_t n,
		       struct strip_point *to)
{
	struct strip_point least = v[0], most = v[0];

	for (size_t i = 1; i < n; i++) {
		if (v[i].value < least.value)
			least = v[i];
		if (v[i].value > most.value)
			most = v[i];
	}
	to[0] = least.time <= most.time ? least : most;
	to[1] = least.time <= most.time ? most : least;
	return least.time == most.time ? 1 : 2;
}

static void thin_line(const struct strips *s, struct strip_line *line)
{
	size_t kept = 0, first = 0;

	for (size_t i = 1; i <= line->n; i++) {
		if (i < line->n && bin_of(s, line->v[i].time) ==
					   bin_of(s, line->v[first].time))
			continue;
		kept += thin_bin(&line->v[first], i - first, &line->v[kept]);
		first = i;
	}
	line->n = kept;
}

static int by_time(const void *a, const void *b)
{
	const struct strip_point *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Sort the points, keeping one of those at the same time. */
static void sort_line(struct strip_line *line)
{
	size_t kept = 0;

	if (!line->unsorted)
		return;
	line->unsorted = false;
	qsort(line->v, line->n, sizeof(*line->v), by_time);
	for (size_t i = 0; i < line->n; i++)
		if (i == 0 || line->v[i].time > line->v[kept - 1].time)
			line->v[kept++] = line->v[i];
	line->n = kept;
}

static int push_point(const struct strips *s, struct strip_line *line,
		      struct strip_point point, struct err *err)
{
	if (line->n == (size_t)4 * STRIP_BINS) {
		sort_line(line);
		thin_line(s, line);
	}
	if (!ARRAY_GROW(line->v, line->n, line->cap))
		return err_memory(err);
	line->unsorted |= line->n > 0 &&
			  !(point.time > line->v[line->n - 1].time);
	line->v[line->n++] = point;
	return 0;
}

/* Keep points in the window and its margin, and one beyond either end. */
static int add_point(const struct strips *s, struct strip_line *line,
		     struct strip_point point, struct err *err)
{
	double margin = (s->to - s->from) * STRIP_MARGIN;

	if (point.time < s->from - margin) {
		if (!(line->before.time >= point.time))
			line->before = point;
		return 0;
	}
	if (point.time > s->to + margin) {
		if (!(line->after.time <= point.time))
			line->after = point;
		return 0;
	}
	return push_point(s, line, point, err);
}

/* Strips and lines -------------------------------------------------------- */

struct strip *strips_find(struct strips *s, struct str key)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].key, key))
			return &s->v[i];
	return NULL;
}

struct strip *strips_add(struct strips *s, struct str key, struct str title,
			 struct str unit)
{
	struct strip strip = {.key = arena_str(&s->text, key),
			      .title = arena_str(&s->text, title),
			      .unit = arena_str(&s->text, unit)};

	if (strip.key.p == NULL || strip.title.p == NULL ||
	    strip.unit.p == NULL || !ARRAY_GROW(s->v, s->n, s->cap))
		return NULL;
	s->v[s->n] = strip;
	return &s->v[s->n++];
}

static struct strip_line *find_line(struct strips *s, struct strip *strip,
				    uint64_t id, struct str worker)
{
	size_t i = 0;

	while (i < strip->n && strip->lines[i].id != id)
		i++;
	if (i < strip->n)
		return &strip->lines[i];
	worker = arena_str(&s->text, worker);
	if (worker.p == NULL || !ARRAY_GROW(strip->lines, strip->n, strip->cap))
		return NULL;
	strip->lines[strip->n] = (struct strip_line){.worker = worker,
						     .id = id,
						     .before = {(double)NAN, 0},
						     .after = {(double)NAN, 0}};
	return &strip->lines[strip->n++];
}

int strips_put(struct strips *s, struct strip *strip, uint64_t id,
	       struct str worker, struct strip_point point, struct err *err)
{
	struct strip_line *line;

	s->infinite += isinf(point.value) != 0;
	if (!isfinite(point.value))
		return 0;
	s->points++;
	if (worker.n == 0) {
		worker = s->source;
		id = hash_mix(id, hash_bytes(worker.p, worker.n, 6));
	}
	line = find_line(s, strip, id, worker);
	return line == NULL ? err_memory(err) : add_point(s, line, point, err);
}

int strips_init(struct strips *s, double from, double to,
		const char *const *globs, size_t n_globs, struct err *err)
{
	*s = (struct strips){.from = from,
			     .to = to > from ? to : from + 1e-3,
			     .first = (double)NAN,
			     .last = (double)NAN,
			     .globs = globs,
			     .n_globs = n_globs,
			     .text = arena_new(LIMIT_SERIES),
			     .wanted = map_new(true)};
	s->matched = calloc(n_globs + 1, sizeof(*s->matched));
	if (s->matched == NULL)
		return err_memory(err);
	return 0;
}

static void free_strip(struct strip *strip)
{
	for (size_t i = 0; i < strip->n; i++)
		free(strip->lines[i].v);
	free(strip->lines);
}

void strips_free(struct strips *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_strip(&s->v[i]);
	free(s->v);
	free(s->matched);
	arena_free(&s->text);
	map_free(&s->wanted);
	*s = (struct strips){0};
}

/* The end ----------------------------------------------------------------- */

/* Clip the line to the window. 1, 0 if it has no points in or around it, or an
 * error. */
static int settle_line(const struct strips *s, struct strip_line *line,
		       struct err *err)
{
	bool around = !isnan(line->before.time) && !isnan(line->after.time);

	if (line->n == 0 && !around)
		return 0;
	if (!isnan(line->before.time) &&
	    push_point(s, line, line->before, err) < 0)
		return err->code;
	if (!isnan(line->after.time) &&
	    push_point(s, line, line->after, err) < 0)
		return err->code;
	sort_line(line);
	if (line->n > (size_t)2 * STRIP_BINS)
		thin_line(s, line);
	return 1;
}

static int settle_strip(const struct strips *s, struct strip *strip,
			struct err *err)
{
	size_t kept = 0;
	int code = 0;

	for (size_t i = 0; i < strip->n; i++) {
		struct strip_line *line = &strip->lines[i];

		if (code >= 0)
			code = settle_line(s, line, err);
		if (code == 1)
			strip->lines[kept++] = *line;
		else
			free(line->v);
	}
	strip->n = kept;
	return code < 0 ? code : 0;
}

int strips_settle(struct strips *s, struct err *err)
{
	size_t kept = 0;
	int code = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (code == 0)
			code = settle_strip(s, &s->v[i], err);
		if (s->v[i].n == 0)
			free_strip(&s->v[i]);
		else
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
	return code;
}
