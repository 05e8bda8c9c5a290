#include "rollout/self_time.h"

#include <stdlib.h>

#include "base/array.h"

void self_times_free(struct self_times *self)
{
	free(self->intervals);
	free(self->by_name);
	free(self->starts);
	free(self->heap);
	free(self->places);
	*self = (struct self_times){0};
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

static int room_for_spans(struct self_times *m, size_t spans, struct err *err)
{
	size_t cap = spans < 64 ? 64 : spans;
	bool failed = false;

	if (cap <= m->span_cap)
		return 0;
	m->by_name = grow(m->by_name, cap, sizeof(*m->by_name), &failed);
	m->starts = grow(m->starts, cap, sizeof(*m->starts), &failed);
	m->heap = grow(m->heap, cap, sizeof(*m->heap), &failed);
	if (failed)
		return err_memory(err);
	m->span_cap = cap;
	return 0;
}

/* A span begins at most one interval and ends one, a phase begins one. */
static int make_room(struct self_times *m, const struct timed_row *timed,
		     const struct own_time *own, size_t names, struct err *err)
{
	size_t intervals = 2 * timed->count + own->phase_count + 1;

	if (!ARRAY_GROW(m->intervals, intervals, m->cap) ||
	    !ARRAY_GROW_ZEROED(m->places, names, m->place_cap))
		return err_memory(err);
	return room_for_spans(m, timed->count, err);
}

/* The row ------------------------------------------------------------ */

static int by_start(const void *x, const void *y, void *spans)
{
	const struct timed_span *a =
		(const struct timed_span *)spans + *(const uint32_t *)x;
	const struct timed_span *b =
		(const struct timed_span *)spans + *(const uint32_t *)y;

	return (a->start > b->start) - (a->start < b->start);
}

/* Fill starts. Spans come lane by lane, each already sorted. */
static size_t sort_starts(struct self_times *m, const struct timed_row *timed)
{
	bool sorted = true;
	size_t n = 0;

	for (size_t i = 0; i < timed->count; i++) {
		if (timed_span_duration(&timed->spans[i]) == 0)
			continue;
		sorted &= n == 0 || timed->spans[m->starts[n - 1]].start <=
					    timed->spans[i].start;
		m->starts[n++] = (uint32_t)i;
	}
	if (!sorted)
		qsort_r(m->starts, n, sizeof(*m->starts), by_start,
			timed->spans);
	return n;
}

/* A heap of spans, the last one of the row on top. */
static void heap_push(uint32_t *heap, size_t n, uint32_t span)
{
	size_t at = n;

	while (at > 0 && heap[(at - 1) / 2] < span) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = span;
}

/* Remove the top of a heap of n spans. */
static void heap_pop(uint32_t *heap, size_t n)
{
	uint32_t span = heap[--n];
	size_t at = 0;

	for (size_t below = 1; below < n; below = 2 * at + 1) {
		below += below + 1 < n && heap[below + 1] > heap[below];
		if (heap[below] <= span)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = span;
}

static void add_interval(struct self_times *m, struct self_interval interval)
{
	struct self_interval *last =
		m->count == 0 ? NULL : &m->intervals[m->count - 1];

	if (last != NULL && last->span == interval.span &&
	    last->phase == interval.phase)
		last->to = interval.to;
	else
		m->intervals[m->count++] = interval;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* From one start or end of an owner, or a new phase, to the next. */
static void sweep(struct self_times *m, const struct timed_row *timed,
		  const struct own_time *own)
{
	const struct timed_span *spans = timed->spans;
	size_t n = sort_starts(m, timed);
	size_t begun = 0, running = 0;
	uint32_t phase = 0;
	int64_t now = timed->start;

	m->count = 0;
	while (now < timed->end) {
		int32_t owner = -1;
		int64_t next = timed->end;

		while (begun < n && spans[m->starts[begun]].start <= now)
			heap_push(m->heap, running++, m->starts[begun++]);
		while (running > 0 && spans[m->heap[0]].end <= now)
			heap_pop(m->heap, running--);
		if (running > 0) {
			owner = (int32_t)m->heap[0];
			next = spans[owner].end;
		}
		if (begun < n)
			next = earlier(next, spans[m->starts[begun]].start);
		while (phase + 1 < own->phase_count &&
		       own->phases[phase + 1].from <= now)
			phase++;
		if (phase + 1 < own->phase_count)
			next = earlier(next, own->phases[phase + 1].from);
		add_interval(m,
			     (struct self_interval){now, next, owner, phase});
		now = next;
	}
}

/* Sums --------------------------------------------------------------- */

bool self_interval_is_work(const struct self_interval *interval,
			   const struct own_time *own)
{
	const struct phase *phase = &own->phases[interval->phase];

	return phase->working && phase->wait == ACTIVITIES;
}

static void add_self(struct self_times *m, const struct self_interval *s,
		     uint32_t name, bool works)
{
	struct self_time *self;

	if (m->places[name] == 0) {
		m->by_name[m->name_count] =
			(struct self_time){.name = name, .first = INT32_MAX};
		m->places[name] = (uint32_t)++m->name_count;
	}
	self = &m->by_name[m->places[name] - 1];
	self->time += (double)(s->to - s->from);
	if (!works)
		return;
	self->working += (double)(s->to - s->from);
	if (s->span < self->first)
		self->first = s->span;
}

static void add_activity(struct self_times *m, enum activity activity,
			 int64_t time, bool works)
{
	m->activities[activity] += (double)time;
	if (works)
		m->working[activity] += (double)time;
}

/* A generation span with a neutral name decodes. */
static enum activity activity_of_span(const struct timed_span *span,
				      const struct span_names *names)
{
	enum activity said = (enum activity)names->activities[span->name];

	return said == ACTIVITY_OTHER && span->is_request ? ACTIVITY_DECODE
							  : said;
}

/* The sample's activity in an interval, excluding waits. */
static void add_activities(struct self_times *m, const struct timed_span *span,
			   const struct span_names *names,
			   const struct self_interval *s, bool works)
{
	int64_t queued = s->from; /* when its queueing ends */

	if (span == NULL) {
		add_activity(m, ACTIVITY_IDLE, s->to - s->from, works);
		return;
	}
	/* s->from is not before the start. */
	if (span->queued > s->from - span->start)
		queued = span->queued < s->to - span->start
				 ? span->start + span->queued
				 : s->to;
	add_activity(m, ACTIVITY_QUEUE, queued - s->from, works);
	add_activity(m, activity_of_span(span, names), s->to - queued, works);
}

static void find_held(struct self_times *m)
{
	m->most = NULL;
	for (size_t i = 0; i < m->name_count; i++) {
		const struct self_time *self = &m->by_name[i];

		m->places[self->name] = 0;
		if (self->working > 0 &&
		    (m->most == NULL || self->working > m->most->working ||
		     (self->working == m->most->working &&
		      self->first < m->most->first)))
			m->most = self;
	}
}

static void sum_up(struct self_times *m, const struct timed_row *timed,
		   const struct own_time *own, const struct span_names *names)
{
	memset(m->activities, 0, sizeof(m->activities));
	memset(m->working, 0, sizeof(m->working));
	m->name_count = 0;
	for (size_t i = 0; i < m->count; i++) {
		const struct self_interval *s = &m->intervals[i];
		const struct timed_span *span =
			s->span < 0 ? NULL : &timed->spans[s->span];
		enum activity wait = own->phases[s->phase].wait;
		bool works = self_interval_is_work(s, own);

		if (span != NULL)
			add_self(m, s, span->name, works);
		if (wait == ACTIVITIES)
			add_activities(m, span, names, s, works);
		else
			add_activity(m, wait, s->to - s->from, false);
	}
	find_held(m);
}

int self_times_find(struct self_times *self, const struct timed_row *timed,
		    const struct own_time *own, const struct span_names *names,
		    struct err *err)
{
	if (make_room(self, timed, own, names->texts.count, err) < 0)
		return err->code;
	sweep(self, timed, own);
	sum_up(self, timed, own, names);
	return 0;
}

enum activity self_times_activity(const struct self_times *self)
{
	enum activity largest = ACTIVITY_TOOL;

	for (int a = ACTIVITY_TOOL; a < ACTIVITIES; a++)
		if (self->working[a] > self->working[largest])
			largest = (enum activity)a;
	return largest;
}
