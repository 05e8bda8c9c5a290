#include "rollout/foreign/held.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

void held_free(struct held *held)
{
	free(held->v);
	free(held->begin);
	*held = (struct held){0};
}

int held_add(struct held *held, uint32_t row, double time, struct value record,
	     struct err *err)
{
	if (held->n == UINT32_MAX)
		return err_limit(err, UINT32_MAX, "records");
	if (!ARRAY_GROW(held->v, held->n, held->cap))
		return err_memory(err);
	held->v[held->n] = (struct held_record){
		.record = record,
		.row = row,
		.place = (uint32_t)held->n,
		.time = time,
	};
	held->n++;
	return 0;
}

static int compare_records(const void *x, const void *y)
{
	const struct held_record *a = x;
	const struct held_record *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Put the records row by row: those of a row keep their order. */
static bool gather_rows(struct held *held, uint32_t rows)
{
	struct held_record *sorted = malloc((held->n + 1) * sizeof(*sorted));
	uint32_t *begin = calloc((size_t)rows + 2, sizeof(*begin));
	uint32_t *next; /* where a row's next record goes: then its end */

	if (sorted == NULL || begin == NULL) {
		free(sorted);
		free(begin);
		return false;
	}
	next = begin + 1;
	for (size_t i = 0; i < held->n; i++)
		next[held->v[i].row + 1]++;
	for (uint32_t row = 0; row < rows; row++)
		next[row + 1] += next[row];
	for (size_t i = 0; i < held->n; i++)
		sorted[next[held->v[i].row]++] = held->v[i];
	free(held->v);
	held->v = sorted;
	held->cap = held->n + 1;
	held->begin = begin;
	return true;
}

/* Sort a row's records by time, which they mostly are already. */
static void sort_row(struct held_record *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i].time < v[i - 1].time) {
			qsort(v, n, sizeof(*v), compare_records);
			return;
		}
}

int held_sort(struct held *held, uint32_t rows, struct err *err)
{
	if (!gather_rows(held, rows))
		return err_memory(err);
	for (uint32_t row = 0; row < rows; row++)
		sort_row(held->v + held->begin[row],
			 held->begin[row + 1] - held->begin[row]);
	return 0;
}

static double end_of(const struct carrier_span *span)
{
	return isnan(span->end) ? INFINITY : span->end;
}

/* By start, the longer first; of equal ones the one that was added first. */
static int compare_spans(const void *x, const void *y)
{
	const struct carrier_span *a = x;
	const struct carrier_span *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (end_of(a) != end_of(b))
		return end_of(a) > end_of(b) ? -1 : 1;
	return (a->id.i > b->id.i) - (a->id.i < b->id.i);
}

/* The innermost of the spans around that contains this one. */
static const struct carrier_span *around(const struct carrier_span *const *open,
					 size_t n,
					 const struct carrier_span *span)
{
	while (n > 0) {
		if (end_of(open[n - 1]) >= end_of(span))
			return open[n - 1];
		n--;
	}
	return NULL;
}

void held_nest(struct carrier *c, struct carrier_span *spans, size_t n)
{
	const struct carrier_span **open =
		arena_alloc(c->arena, n * sizeof(struct carrier_span *));
	size_t depth = 0;

	if (open == NULL) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		spans[i].id = value_int(++c->last_id);
	qsort(spans, n, sizeof(*spans), compare_spans);
	for (size_t i = 0; i < n; i++) {
		const struct carrier_span *parent;

		while (depth > 0 && end_of(open[depth - 1]) <= spans[i].start)
			depth--;
		parent = around(open, depth, &spans[i]);
		if (parent != NULL)
			spans[i].parent = parent->id;
		carrier_span(c, &spans[i]);
		open[depth++] = &spans[i];
	}
}
