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

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

int held_sort(struct held *held, uint32_t rows, struct err *err)
{
	uint32_t row = 0;

	held->begin = calloc((size_t)rows + 1, sizeof(*held->begin));
	if (held->begin == NULL)
		return err_memory(err);
	if (held->n > 0)
		qsort(held->v, held->n, sizeof(*held->v), compare_records);
	for (uint32_t i = 0; i < held->n; i++)
		while (row < held->v[i].row)
			held->begin[++row] = i;
	while (row < rows)
		held->begin[++row] = (uint32_t)held->n;
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
