#include "rollout/foreign/held.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"

struct held held_new(size_t size)
{
	return (struct held){.size = size};
}

void held_free(struct held *held)
{
	free(held->v);
	free(held->order);
	free(held->begin);
	*held = (struct held){.size = held->size};
}

void *held_add(struct held *held, struct err *err)
{
	if (held->n == UINT32_MAX) {
		err_limit(err, UINT32_MAX, "records");
		return NULL;
	}
	if (held->n == held->cap &&
	    !array_widen_pages(&held->v, &held->cap, held->n, held->size)) {
		err_memory(err);
		return NULL;
	}
	return held_at(held, held->n++);
}

static struct held_record *record_at(const struct held *held, size_t place)
{
	return held_at(held, place);
}

/* Sort the indices of records by row, stably. */
static bool gather_rows(struct held *held, uint32_t rows)
{
	uint32_t *next; /* where a row's next record goes: afterwards its end */

	held->order = malloc((held->n + 1) * sizeof(*held->order));
	held->begin = calloc((size_t)rows + 2, sizeof(*held->begin));
	if (held->order == NULL || held->begin == NULL)
		return false;
	next = held->begin + 1;
	for (size_t i = 0; i < held->n; i++)
		next[record_at(held, i)->row + 1]++;
	for (uint32_t row = 0; row < rows; row++)
		next[row + 1] += next[row];
	for (size_t i = 0; i < held->n; i++)
		held->order[next[record_at(held, i)->row]++] = (uint32_t)i;
	return true;
}

struct timed_place {
	double time;
	uint32_t place;
};

static int compare_places(const void *x, const void *y)
{
	const struct timed_place *a = x;
	const struct timed_place *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static bool sort_places(const struct held *held, uint32_t *order, uint32_t n)
{
	struct timed_place *places = malloc(n * sizeof(*places));

	if (places == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		places[i] = (struct timed_place){
			record_at(held, order[i])->time, order[i]};
	qsort(places, n, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < n; i++)
		order[i] = places[i].place;
	free(places);
	return true;
}

/* Sort a row's records by time, which usually they already are. */
static bool sort_row(const struct held *held, uint32_t row)
{
	uint32_t *order = held->order + held->begin[row];
	uint32_t n = held_count(held, row);

	for (uint32_t i = 1; i < n; i++)
		if (record_at(held, order[i])->time <
		    record_at(held, order[i - 1])->time)
			return sort_places(held, order, n);
	return true;
}

int held_sort(struct held *held, uint32_t rows, struct err *err)
{
	if (!gather_rows(held, rows))
		return err_memory(err);
	for (uint32_t row = 0; row < rows; row++)
		if (!sort_row(held, row))
			return err_memory(err);
	return 0;
}

static double end_of(const struct carrier_span *span)
{
	return isnan(span->end) ? INFINITY : span->end;
}

/* By start, the longer first; then in insertion order. */
static int compare_spans(const struct carrier_span *a,
			 const struct carrier_span *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (end_of(a) != end_of(b))
		return end_of(a) > end_of(b) ? -1 : 1;
	return (a->id.i > b->id.i) - (a->id.i < b->id.i);
}

/* The innermost enclosing span that contains this one. */
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

static int compare_pointers(const void *x, const void *y)
{
	return compare_spans(*(struct carrier_span *const *)x,
			     *(struct carrier_span *const *)y);
}

/* Sort: they usually are nearly in order. */
static void sort_spans(struct carrier_span **spans, size_t n)
{
	size_t steps = 8 * n; /* as many as may be worth it */

	for (size_t i = 1; i < n; i++) {
		struct carrier_span *span = spans[i];
		size_t at = i;

		for (; at > 0 && compare_spans(spans[at - 1], span) > 0; at--)
			spans[at] = spans[at - 1];
		spans[at] = span;
		if (i - at > steps) {
			qsort(spans, n, sizeof(struct carrier_span *),
			      compare_pointers);
			return;
		}
		steps -= i - at;
	}
}

void held_nest(struct carrier *c, struct carrier_span *spans, size_t n)
{
	struct carrier_span **order =
		arena_alloc(c->arena, n * sizeof(struct carrier_span *));
	const struct carrier_span **open =
		arena_alloc(c->arena, n * sizeof(struct carrier_span *));
	size_t depth = 0;

	if (open == NULL || order == NULL) {
		c->failed = true;
		return;
	}
	carrier_expect(c, n);
	for (size_t i = 0; i < n; i++) {
		spans[i].id = value_int(++c->events.last_id);
		order[i] = &spans[i];
	}
	sort_spans(order, n);
	for (size_t i = 0; i < n; i++) {
		struct carrier_span *span = order[i];
		const struct carrier_span *parent;

		while (depth > 0 && end_of(open[depth - 1]) <= span->start)
			depth--;
		parent = around(open, depth, span);
		if (parent != NULL)
			span->parent = parent->id;
		carrier_span(c, span);
		open[depth++] = span;
	}
}
