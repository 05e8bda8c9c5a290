#include "metrics/stream/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"

enum {
	AT_HAND = 1 << 20, /* points of all runs in memory while merging */
	AT_HAND_MIN = 64
};

struct points points_new(void)
{
	return (struct points){.fd = -1};
}

void points_free(struct points *p)
{
	for (size_t i = 0; i < p->n_runs; i++)
		free(p->runs[i]);
	free(p->runs);
	free(p->at_hand);
	free(p->v);
	if (p->fd >= 0)
		close(p->fd);
	*p = points_new();
}

/* Sorting ----------------------------------------------------------------- */

static int compare(const struct point *a, const struct point *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->series < b->series ? -1 : a->series > b->series;
}

/* Merge the sorted halves [0, half) and [half, n) of from into to. */
static void merge_halves(const struct point *from, size_t half, size_t n,
			 struct point *to)
{
	size_t i = 0, j = half;

	while (i < half || j < n)
		*to++ = j == n || (i < half && compare(&from[i], &from[j]) <= 0)
				? from[i++]
				: from[j++];
}

/* A stable sort, by merging from the bottom up. */
static bool sort_stably(struct point *v, size_t n)
{
	struct point *other = malloc((n + (n == 0)) * sizeof(*v));
	struct point *from = v, *to = other;

	if (other == NULL)
		return false;
	for (size_t width = 1; width < n; width *= 2) {
		struct point *swap = from;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t left = n - i;
			size_t half = width < left ? width : left;
			size_t both = 2 * width < left ? 2 * width : left;

			merge_halves(from + i, half, both, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(other);
	return true;
}

/* Runs -------------------------------------------------------------------- */

static int add_run(struct points *p, struct err *err)
{
	struct point_run *run = calloc(1, sizeof(*run));

	if (run == NULL || !ARRAY_GROW(p->runs, p->n_runs, p->runs_cap)) {
		free(run);
		return err_memory(err);
	}
	*run = (struct point_run){
		.at = p->end, .left = p->n, .number = p->n_runs};
	p->runs[p->n_runs++] = run;
	return 0;
}

/* Write the points in memory to the file as a run. */
static int put_run(struct points *p, struct err *err)
{
	size_t size = p->n * sizeof(*p->v);

	if (p->fd < 0)
		p->fd = io_unlinked(err);
	if (p->fd < 0)
		return p->fd;
	if (!sort_stably(p->v, p->n))
		return err_memory(err);
	if (add_run(p, err) < 0)
		return err->code;
	if (!io_write(p->fd, (const char *)p->v, size))
		return err_sys(err, errno, "cannot write a temporary file");
	p->end += (off_t)size;
	p->n = 0;
	return 0;
}

int points_add(struct points *p, struct point point, struct err *err)
{
	if (p->n == POINTS_HELD && put_run(p, err) < 0)
		return err->code;
	if (!ARRAY_GROW(p->v, p->n, p->cap))
		return err_memory(err);
	p->v[p->n++] = point;
	return 0;
}

/* Load the next points of a run, up to `most`; n stays 0 if none are left. */
static int fill_run(struct points *p, struct point_run *run, size_t most,
		    struct err *err)
{
	size_t n = run->left < most ? (size_t)run->left : most;
	size_t size = n * sizeof(*run->v);
	ssize_t got = n == 0 ? 0
			     : io_pread(p->fd, (char *)run->v, size, run->at);

	if (got < 0 || (size_t)got != size)
		return err_sys(err, got < 0 ? errno : EIO,
			       "cannot read a temporary file");
	run->at += (off_t)size;
	run->left -= n;
	run->n = n;
	run->next = 0;
	return 0;
}

static size_t share_of(const struct points *p)
{
	size_t share = AT_HAND / p->n_runs;

	return share < AT_HAND_MIN ? AT_HAND_MIN : share;
}

static bool is_before(const struct point_run *a, const struct point_run *b)
{
	int order = compare(&a->v[a->next], &b->v[b->next]);

	return order != 0 ? order < 0 : a->number < b->number;
}

/* Restore the heap: sift down the run at i. */
static void sink(struct points *p, size_t i)
{
	for (;;) {
		struct point_run *run;
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < p->n_runs; k++)
			if (is_before(p->runs[k], p->runs[least]))
				least = k;
		if (least == i)
			return;
		run = p->runs[i];
		p->runs[i] = p->runs[least];
		p->runs[least] = run;
		i = least;
	}
}

static int open_runs(struct points *p, struct err *err)
{
	size_t share = share_of(p);

	p->share = share;
	free(p->v);
	p->v = NULL;
	p->cap = 0;
	p->at_hand = calloc(share * p->n_runs, sizeof(*p->at_hand));
	if (p->at_hand == NULL)
		return err_memory(err);
	for (size_t i = 0; i < p->n_runs; i++) {
		p->runs[i]->v = p->at_hand + i * share;
		if (fill_run(p, p->runs[i], share, err) < 0)
			return err->code;
	}
	for (size_t i = p->n_runs; i-- > 0;)
		sink(p, i);
	return 0;
}

int points_sort(struct points *p, struct err *err)
{
	p->next = 0;
	if (p->fd < 0)
		return sort_stably(p->v, p->n) ? 0 : err_memory(err);
	if (p->n > 0 && put_run(p, err) < 0)
		return err->code;
	return open_runs(p, err);
}

int points_next(struct points *p, struct point *point, struct err *err)
{
	struct point_run *run;

	if (p->fd < 0) {
		if (p->next == p->n)
			return 0;
		*point = p->v[p->next++];
		return 1;
	}
	if (p->n_runs == 0)
		return 0;
	run = p->runs[0];
	*point = run->v[run->next++];
	if (run->next == run->n && fill_run(p, run, p->share, err) < 0)
		return err->code;
	if (run->n == 0) {
		p->runs[0] = p->runs[--p->n_runs];
		free(run);
	}
	sink(p, 0);
	return 1;
}
