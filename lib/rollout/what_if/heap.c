#include "rollout/what_if/heap.h"

#include "base/array.h"

/* Children per node: a flat heap touches fewer distant ones. */
enum { WAYS = 4 };

static bool is_before(const struct heap_event *a, const struct heap_event *b)
{
	return a->at != b->at ? a->at < b->at : a->number < b->number;
}

int heap_push(struct heap *heap, struct heap_event event, struct err *err)
{
	size_t at = heap->n;

	if (!ARRAY_GROW(heap->v, heap->n, heap->cap))
		return err_memory(err);
	event.number = heap->made++;
	heap->n++;
	while (at > 0 && is_before(&event, &heap->v[(at - 1) / WAYS])) {
		heap->v[at] = heap->v[(at - 1) / WAYS];
		at = (at - 1) / WAYS;
	}
	heap->v[at] = event;
	return 0;
}

/* The first of the children of a node, or n. */
static size_t first_child(const struct heap *heap, size_t at)
{
	size_t first = WAYS * at + 1, best = first;

	for (size_t i = first + 1; i < first + WAYS && i < heap->n; i++)
		if (is_before(&heap->v[i], &heap->v[best]))
			best = i;
	return best < heap->n ? best : heap->n;
}

bool heap_pop(struct heap *heap, struct heap_event *event)
{
	struct heap_event last;
	size_t at = 0;

	if (heap->n == 0)
		return false;
	*event = heap->v[0];
	last = heap->v[--heap->n];
	for (;;) {
		size_t child = first_child(heap, at);

		if (child == heap->n || is_before(&last, &heap->v[child]))
			break;
		heap->v[at] = heap->v[child];
		at = child;
	}
	heap->v[at] = last;
	return true;
}

void heap_add_goal(struct heap_goal *v, size_t n, struct heap_goal goal)
{
	size_t at = n;

	while (at > 0 && goal.goal < v[(at - 1) / 2].goal) {
		v[at] = v[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	v[at] = goal;
}

void heap_drop_goal(struct heap_goal *v, size_t n)
{
	struct heap_goal last = v[n - 1];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < n - 1 && v[child + 1].goal < v[child].goal)
			child++;
		if (child >= n - 1 || last.goal <= v[child].goal)
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = last;
}
