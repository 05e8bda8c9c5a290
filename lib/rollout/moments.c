#include "rollout/moments.h"

#include <stdlib.h>

#include "base/array.h"
#include "rollout/micros.h"
#include "rollout/span_attrs.h"

void moments_free(struct moments *moments)
{
	free(moments->stretches);
	free(moments->owned);
	free(moments->names);
	free(moments->starts);
	free(moments->heap);
	free(moments->parents);
	free(moments->places);
	*moments = (struct moments){0};
}

static bool is_span(const struct item *item)
{
	return item->role == ROLE_NONE &&
	       (item->state == ITEM_CLOSED || item->state == ITEM_OPEN);
}

static bool is_timed(const struct item *item)
{
	return isfinite(item->start) && isfinite(item->display_end);
}

bool item_is_timed_span(const struct item *item)
{
	return is_span(item) && is_timed(item);
}

int64_t item_duration(const struct item *item)
{
	int64_t us = micros(item->display_end) - micros(item->start);

	return us > 0 ? us : 0;
}

/* Room --------------------------------------------------------------- */

static void *grow(void *v, size_t count, size_t size, bool *failed)
{
	void *grown = realloc(v, count * size);

	if (grown != NULL)
		return grown;
	*failed = true;
	return v;
}

/* Arrays of one capacity. A span begins a stretch and ends one at most. */
static int make_room(struct moments *m, size_t items, struct err *err)
{
	size_t cap = items < 64 ? 64 : items;
	bool failed = false;

	if (cap <= m->cap)
		return 0;
	m->stretches =
		grow(m->stretches, 2 * cap + 1, sizeof(*m->stretches), &failed);
	m->owned = grow(m->owned, cap, sizeof(*m->owned), &failed);
	m->names = grow(m->names, cap, sizeof(*m->names), &failed);
	m->starts = grow(m->starts, cap, sizeof(*m->starts), &failed);
	m->heap = grow(m->heap, cap, sizeof(*m->heap), &failed);
	m->parents = grow(m->parents, cap, sizeof(*m->parents), &failed);
	if (failed)
		return err_memory(err);
	m->cap = cap;
	return 0;
}

static int make_places(struct moments *m, size_t names, struct err *err)
{
	m->places = array_room_zeroed(m->places, &m->place_cap, names,
				      sizeof(*m->places));
	return names < m->place_cap ? 0 : err_memory(err);
}

/* The row ------------------------------------------------------------ */

/* The times of the row, and which spans have children. */
static void look_over(struct moments *m, const struct row *row)
{
	m->start = INT64_MAX;
	m->end = INT64_MIN;
	memset(m->parents, 0, row->item_count);
	for (uint32_t i = 0; i < row->item_count; i++) {
		const struct item *item = &row->items[i];

		if (is_span(item) && item->parent != NULL)
			m->parents[item->parent - row->items] = 1;
		if (is_timed(item)) {
			int64_t start = micros(item->start);
			int64_t end = micros(item->display_end);

			m->start = start < m->start ? start : m->start;
			m->end = end > m->end ? end : m->end;
		}
	}
}

static int name_spans(struct moments *m, const struct row *row,
		      struct span_names *names, struct err *err)
{
	for (uint32_t i = 0; i < row->item_count; i++) {
		if (!item_is_timed_span(&row->items[i]))
			continue;
		m->names[i] = span_names_add(names, row->items[i].name);
		if (m->names[i] == INTERN_FAILED)
			return span_names_refused(names, err);
	}
	return make_places(m, names->texts.count, err);
}

static int by_start(const void *x, const void *y, void *items)
{
	const struct item *a =
		(const struct item *)items + *(const uint32_t *)x;
	const struct item *b =
		(const struct item *)items + *(const uint32_t *)y;

	return (a->start > b->start) - (a->start < b->start);
}

/* Fill starts. Items come lane by lane, each sorted already. */
static size_t sort_starts(struct moments *m, const struct row *row)
{
	bool sorted = true;
	size_t n = 0;

	for (uint32_t i = 0; i < row->item_count; i++) {
		if (!item_is_timed_span(&row->items[i]) ||
		    item_duration(&row->items[i]) == 0)
			continue;
		sorted &= n == 0 || row->items[m->starts[n - 1]].start <=
					    row->items[i].start;
		m->starts[n++] = i;
	}
	if (!sorted)
		qsort_r(m->starts, n, sizeof(*m->starts), by_start, row->items);
	return n;
}

/* A heap of items, the last one of the row on top. */
static void heap_push(uint32_t *heap, size_t n, uint32_t item)
{
	size_t at = n;

	while (at > 0 && heap[(at - 1) / 2] < item) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = item;
}

/* Take the top off n items. */
static void heap_pop(uint32_t *heap, size_t n)
{
	uint32_t item = heap[--n];
	size_t at = 0;

	for (size_t below = 1; below < n; below = 2 * at + 1) {
		below += below + 1 < n && heap[below + 1] > heap[below];
		if (heap[below] <= item)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = item;
}

static void add_stretch(struct moments *m, int32_t item, int64_t from,
			int64_t to)
{
	if (m->count > 0 && m->stretches[m->count - 1].item == item)
		m->stretches[m->count - 1].to = to;
	else
		m->stretches[m->count++] = (struct stretch){from, to, item};
}

/* From one start or end of an owner to the next. */
static void sweep(struct moments *m, const struct row *row)
{
	const struct item *items = row->items;
	size_t n = sort_starts(m, row);
	size_t begun = 0, running = 0;
	int64_t now = m->start;

	m->count = 0;
	while (now < m->end) {
		int32_t owner = -1;
		int64_t next = m->end;

		while (begun < n &&
		       micros(items[m->starts[begun]].start) <= now)
			heap_push(m->heap, running++, m->starts[begun++]);
		while (running > 0 &&
		       micros(items[m->heap[0]].display_end) <= now)
			heap_pop(m->heap, running--);
		if (running > 0) {
			owner = (int32_t)m->heap[0];
			next = micros(items[owner].display_end);
		}
		if (begun < n && micros(items[m->starts[begun]].start) < next)
			next = micros(items[m->starts[begun]].start);
		add_stretch(m, owner, now, next);
		now = next;
	}
}

/* Sums --------------------------------------------------------------- */

static void add_owned(struct moments *m, const struct stretch *s)
{
	uint32_t name = m->names[s->item];
	struct owned *owned;

	if (m->places[name] == 0) {
		m->owned[m->owned_count] =
			(struct owned){.name = name, .first = s->item};
		m->places[name] = (uint32_t)++m->owned_count;
	}
	owned = &m->owned[m->places[name] - 1];
	owned->time += (double)(s->to - s->from);
	if (s->item < owned->first)
		owned->first = s->item;
}

static void add_activity(struct moments *m, const struct row *row,
			 const struct span_names *names,
			 const struct stretch *s)
{
	const struct item *item = &row->items[s->item];
	int64_t queued = s->from; /* when its queueing ends */

	if (!m->parents[s->item]) {
		int64_t time = micros(item_queued(item));
		int64_t start = micros(item->start);

		/* s->from is no earlier than the start. */
		if (time > s->from - start)
			queued = time < s->to - start ? start + time : s->to;
	}
	m->activities[ACTIVITY_QUEUE] += (double)(queued - s->from);
	m->activities[names->activities[m->names[s->item]]] +=
		(double)(s->to - queued);
}

static void sum_up(struct moments *m, const struct row *row,
		   const struct span_names *names)
{
	memset(m->activities, 0, sizeof(m->activities));
	m->owned_count = 0;
	for (size_t i = 0; i < m->count; i++) {
		const struct stretch *s = &m->stretches[i];

		if (s->item < 0) {
			m->activities[ACTIVITY_IDLE] +=
				(double)(s->to - s->from);
			continue;
		}
		add_owned(m, s);
		add_activity(m, row, names, s);
	}
	m->held = NULL;
	for (size_t i = 0; i < m->owned_count; i++) {
		const struct owned *owned = &m->owned[i];

		m->places[owned->name] = 0;
		if (m->held == NULL || owned->time > m->held->time ||
		    (owned->time == m->held->time &&
		     owned->first < m->held->first))
			m->held = owned;
	}
}

int moments_find(struct moments *moments, const struct row *row,
		 struct span_names *names, struct err *err)
{
	if (make_room(moments, row->item_count, err) < 0)
		return err->code;
	look_over(moments, row);
	if (moments->start > moments->end)
		return 0;
	if (name_spans(moments, row, names, err) < 0)
		return err->code;
	sweep(moments, row);
	sum_up(moments, row, names);
	return 1;
}

enum activity moments_activity(const struct moments *moments)
{
	enum activity largest = ACTIVITY_TOOL;

	for (int a = ACTIVITY_TOOL; a < ACTIVITIES; a++)
		if (moments->activities[a] > moments->activities[largest])
			largest = (enum activity)a;
	return largest;
}
