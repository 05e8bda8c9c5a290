#include "rollout/what_if/extent.h"

#include <stdlib.h>

#include "base/array.h"

static const double long_pause = 0.1; /* relative to the extent */

/* An interval: a span, or all spans of a row. */
struct stretch {
	int64_t from, to;
};

struct stretches {
	struct stretch *v;
	size_t n, cap;
};

static int by_start(const void *x, const void *y)
{
	const struct stretch *a = x;
	const struct stretch *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* Keep only the union: merge intervals that touch. */
static void unite(struct stretches *list)
{
	size_t n = 0;

	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), by_start);
	for (size_t i = 0; i < list->n; i++) {
		if (n > 0 && list->v[i].from <= list->v[n - 1].to) {
			if (list->v[i].to > list->v[n - 1].to)
				list->v[n - 1].to = list->v[i].to;
			continue;
		}
		list->v[n++] = list->v[i];
	}
	list->n = n;
}

static int add(struct stretches *list, int64_t from, int64_t to,
	       struct err *err)
{
	if (!ARRAY_GROW(list->v, list->n, list->cap))
		return err_memory(err);
	list->v[list->n++] = (struct stretch){from, to};
	return 0;
}

static int add_row(struct stretches *busy, struct stretch *row,
		   const struct timed_row *timed, struct err *err)
{
	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];
		int64_t to = span->end > span->start ? span->end : span->start;

		if (add(busy, span->start, to, err) < 0)
			return err->code;
		if (span->start < row->from)
			row->from = span->start;
		if (to > row->to)
			row->to = to;
	}
	return 0;
}

/* Does a row have spans on both sides of the pause? */
static bool is_crossed(const struct stretch *rows, size_t n, int64_t from,
		       int64_t to)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].from < from && rows[i].to > to)
			return true;
	return false;
}

static int64_t last_start(const struct stretches *busy,
			  const struct stretch *rows, size_t row_count)
{
	double extent = busy->n == 0 ? 0
				     : (double)busy->v[busy->n - 1].to -
					       (double)busy->v[0].from;

	for (size_t i = busy->n; i-- > 1;) {
		int64_t from = busy->v[i - 1].to;
		int64_t to = busy->v[i].from;

		/* A tenth of the extent: there are at most ten of these. */
		if ((double)to - (double)from >= long_pause * extent &&
		    is_crossed(rows, row_count, from, to))
			return to;
	}
	return busy->n == 0 ? INT64_MAX : busy->v[0].from;
}

int what_if_zero(const struct row_store *store, int64_t *zero, struct err *err)
{
	struct stretches busy = {0};
	struct timed_row timed = {0};
	struct stretch *rows = calloc(store->count + 1, sizeof(*rows));
	int code = rows == NULL ? err_memory(err) : 0;

	for (size_t i = 0; code == 0 && i < store->count; i++) {
		rows[i] = (struct stretch){INT64_MAX, INT64_MIN};
		if (store->rows[i].is_stray)
			continue;
		code = row_store_get(store, &store->rows[i], &timed, err);
		if (code == 0)
			code = add_row(&busy, &rows[i], &timed, err);
	}
	unite(&busy);
	*zero = last_start(&busy, rows, store->count);
	timed_row_free(&timed);
	free(busy.v);
	free(rows);
	return code;
}
