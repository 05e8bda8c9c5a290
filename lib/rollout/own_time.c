#include "rollout/own_time.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

/* An event where something begins or ends. */
enum mark_kind { MARK_RUN, MARK_CLIENT, MARK_GROUP, MARK_REWARD, MARKS };

struct mark {
	int64_t at;
	uint8_t kind; /* enum mark_kind */
	int8_t step;  /* 1 begins, -1 ends */
};

/* Totals over the phases before one. */
struct phase_sum {
	int64_t waited;	      /* waiting for the group */
	int64_t worked_until; /* INT64_MIN: never */
};

void own_finder_free(struct own_finder *f)
{
	free(f->runs);
	free(f->marks);
	free(f->phases);
	free(f->sums);
	*f = (struct own_finder){0};
}

/* Attempts ------------------------------------------------------------ */

static int by_attempt(const void *x, const void *y)
{
	const struct run *a = x;
	const struct run *b = y;

	return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static int add_run(struct own_finder *f, int64_t attempt, struct err *err)
{
	if (f->run_count > 0 && f->runs[f->run_count - 1].attempt == attempt)
		return 0;
	if (!ARRAY_GROW(f->runs, f->run_count, f->run_cap))
		return err_memory(err);
	f->runs[f->run_count++] = (struct run){
		.attempt = attempt,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.start = INT64_MAX,
		.end = INT64_MIN,
		.spare_start = INT64_MAX,
		.spare_end = INT64_MIN,
		.call = INT64_MAX,
		.barrier = INT64_MIN,
	};
	return 0;
}

/* One run per attempt, sorted. Calls are spans, too. */
static int list_runs(struct own_finder *f, const struct timed_row *timed,
		     struct err *err)
{
	size_t kept = 0;

	f->run_count = 0;
	for (size_t i = 0; i < timed->count; i++)
		if (add_run(f, timed->spans[i].attempt, err) < 0)
			return err->code;
	if (f->run_count > 1)
		qsort(f->runs, f->run_count, sizeof(*f->runs), by_attempt);
	for (size_t i = 0; i < f->run_count; i++)
		if (kept == 0 ||
		    f->runs[kept - 1].attempt != f->runs[i].attempt)
			f->runs[kept++] = f->runs[i];
	f->run_count = kept;
	return 0;
}

/* There is one for each attempt of the row. */
static struct run *run_of(const struct own_finder *f, int64_t attempt)
{
	size_t i;

	SEARCH_FIRST(i, 1, f->run_count, f->runs[i].attempt > attempt);
	return &f->runs[i - 1];
}

/* Barriers and work --------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void measure(struct own_finder *f, const struct timed_row *timed)
{
	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];
		struct run *run = run_of(f, span->attempt);

		run->first = least(run->first, span->start);
		run->last = most(run->last, span->end);
		run->spans++;
	}
	for (size_t i = 0; i < timed->call_count; i++) {
		const struct timed_call *call = &timed->calls[i];
		struct run *run = run_of(f, call->attempt);

		run->call = least(run->call, call->child == INT64_MAX
						     ? call->start
						     : call->child);
	}
}

static bool is_barrier(const struct timed_span *span, const struct run *run,
		       bool alone)
{
	if (span->is_shared)
		return span->start <= run->first && span->end >= run->last;
	return alone && span->is_group && !span->open;
}

static bool is_longer(const struct timed_span *a, const struct timed_span *b)
{
	return timed_span_duration(a) > timed_span_duration(b);
}

static void take_span(struct run *run, const struct timed_span *span,
		      bool alone)
{
	bool barrier = is_barrier(span, run, alone);

	if (barrier && span->end > run->barrier) {
		run->barrier = span->end;
		run->around = span;
	}
	if (span->is_shared && run->barrier == INT64_MIN &&
	    (run->around == NULL || is_longer(span, run->around)))
		run->around = span;
	if (span->is_group && (barrier || span->open || span->is_shared))
		return;
	if (!barrier && !span->is_shared) {
		run->start = least(run->start, span->start);
		if (span->end > run->end)
			run->open = span->open;
		else if (span->end == run->end)
			run->open &= span->open;
		run->end = most(run->end, span->end);
	} else if (!barrier || run->spans == 1) {
		run->spare_start = least(run->spare_start, span->start);
		run->spare_end = most(run->spare_end, span->end);
	}
}

static void settle_run(struct run *run)
{
	if (run->end == INT64_MIN) {
		run->start = run->spare_start;
		run->end = run->spare_end;
	}
	if (run->end == INT64_MIN)
		return;
	if (run->call != INT64_MAX)
		run->start = run->call;
	run->start = least(run->start, run->end);
}

static void find_runs(struct own_finder *f, const struct timed_row *timed,
		      bool alone)
{
	measure(f, timed);
	for (size_t i = 0; i < timed->count; i++) {
		const struct timed_span *span = &timed->spans[i];

		take_span(run_of(f, span->attempt), span, alone);
	}
	for (size_t i = 0; i < f->run_count; i++)
		settle_run(&f->runs[i]);
}

/* Phases -------------------------------------------------------------- */

/* There is room for both. */
static void add_marks(struct own_finder *f, enum mark_kind kind, int64_t from,
		      int64_t to)
{
	if (from >= to)
		return;
	f->marks[f->mark_count++] = (struct mark){from, (uint8_t)kind, 1};
	f->marks[f->mark_count++] = (struct mark){to, (uint8_t)kind, -1};
}

/* Is it a reward of the group, or part of one? */
static bool is_shared_reward(const struct own_finder *f,
			     const struct timed_span *span)
{
	return span->is_shared &&
	       f->names->activities[span->name] == ACTIVITY_REWARD &&
	       !is_barrier(span, run_of(f, span->attempt), false);
}

static int by_moment(const void *x, const void *y)
{
	const struct mark *a = x;
	const struct mark *b = y;

	return (a->at > b->at) - (a->at < b->at);
}

static int mark_all(struct own_finder *f, const struct timed_row *timed,
		    const bool *counts, struct err *err)
{
	size_t room = 2 * (2 * f->run_count + timed->call_count + timed->count);
	bool waits = false;

	f->mark_count = 0;
	if (!ARRAY_GROW(f->marks, room, f->mark_cap))
		return err_memory(err);
	for (size_t i = 0; i < f->run_count; i++) {
		const struct run *run = &f->runs[i];

		if (run->end == INT64_MIN)
			continue;
		add_marks(f, MARK_RUN, run->start, run->end);
		add_marks(f, MARK_GROUP, run->end, run->barrier);
		waits |= run->barrier > run->end;
	}
	for (size_t i = 0; i < timed->call_count; i++)
		if (counts[i] && timed->calls[i].child != INT64_MAX)
			add_marks(f, MARK_CLIENT, timed->calls[i].start,
				  timed->calls[i].child);
	for (size_t i = 0; waits && i < timed->count; i++)
		if (is_shared_reward(f, &timed->spans[i]))
			add_marks(f, MARK_REWARD, timed->spans[i].start,
				  timed->spans[i].end);
	qsort(f->marks, f->mark_count, sizeof(*f->marks), by_moment);
	return 0;
}

static struct phase phase_of(int64_t from, const int64_t counts[MARKS])
{
	struct phase phase = {from, ACTIVITIES, counts[MARK_RUN] > 0};

	if (counts[MARK_CLIENT] > 0)
		phase.wait = ACTIVITY_CLIENT_QUEUE;
	else if (counts[MARK_GROUP] > 0 && !phase.working)
		phase.wait = counts[MARK_REWARD] > 0 ? ACTIVITY_REWARD
						     : ACTIVITY_GROUP_WAIT;
	return phase;
}

/* There is room. */
static void add_phase(struct own_finder *f, struct phase phase)
{
	const struct phase *last =
		f->phase_count == 0 ? NULL : &f->phases[f->phase_count - 1];

	if (last == NULL || last->wait != phase.wait ||
	    last->working != phase.working)
		f->phases[f->phase_count++] = phase;
}

static int list_phases(struct own_finder *f, int64_t from, struct err *err)
{
	int64_t counts[MARKS] = {0};

	f->phase_count = 0;
	if (!ARRAY_GROW(f->phases, f->mark_count + 1, f->phase_cap) ||
	    !ARRAY_GROW(f->sums, f->mark_count + 1, f->sum_cap))
		return err_memory(err);
	for (size_t i = 0; i < f->mark_count;) {
		int64_t at = f->marks[i].at;

		if (i == 0 && at > from)
			add_phase(f, phase_of(from, counts));
		for (; i < f->mark_count && f->marks[i].at == at; i++)
			counts[f->marks[i].kind] += f->marks[i].step;
		add_phase(f, phase_of(at, counts));
	}
	if (f->phase_count == 0)
		add_phase(f, phase_of(from, counts));
	return 0;
}

/* The totals of a row whose last phase ends at `end`. */
static void sum_up(struct own_finder *f, int64_t end, struct own_time *own)
{
	struct phase_sum sum = {0, INT64_MIN};

	for (size_t i = 0; i < f->phase_count; i++) {
		const struct phase *phase = &f->phases[i];
		int64_t to = i + 1 < f->phase_count ? phase[1].from : end;
		int64_t time = to - phase->from;

		f->sums[i] = sum;
		if (phase->working) {
			own->duration += time;
			sum.worked_until = to;
		}
		if (phase->wait == ACTIVITY_CLIENT_QUEUE)
			own->client_queue += time;
		if (phase->wait == ACTIVITY_GROUP_WAIT)
			sum.waited += time;
	}
	own->group_wait = sum.waited;
}

/* The phase at a time; before the first, the first. */
static size_t phase_at(const struct own_finder *f, int64_t moment)
{
	size_t i;

	SEARCH_FIRST(i, 1, f->phase_count, f->phases[i].from > moment);
	return i - 1;
}

static int64_t waited_until(const struct own_finder *f, int64_t moment)
{
	size_t at = phase_at(f, moment);
	int64_t waited = f->sums[at].waited;

	if (f->phases[at].wait == ACTIVITY_GROUP_WAIT)
		waited += moment - f->phases[at].from;
	return waited;
}

int64_t own_waited(const struct own_finder *f, int64_t from, int64_t to)
{
	return from < to ? waited_until(f, to) - waited_until(f, from) : 0;
}

int64_t own_worked_until(const struct own_finder *f, int64_t moment)
{
	size_t at = phase_at(f, moment);

	return f->phases[at].working && f->phases[at].from < moment
		       ? moment
		       : f->sums[at].worked_until;
}

/* The whole ----------------------------------------------------------- */

/* An attempt before the last one counts up to the row's own time: the sum of
 * all might overflow. */
static void add_earlier(struct own_time *own, const struct run *run)
{
	int64_t time = run->end - run->start;

	own->earlier = time < own->duration - own->earlier ? own->earlier + time
							   : own->duration;
}

/* Set start, end and open, from the run that ended last, and earlier. */
static void bound(const struct own_finder *f, const struct timed_row *timed,
		  struct own_time *own)
{
	const struct run *last = NULL;

	own->start = INT64_MAX;
	for (size_t i = 0; i < f->run_count; i++) {
		const struct run *run = &f->runs[i], *other = run;

		if (run->end == INT64_MIN)
			continue;
		if (last == NULL || run->end > last->end)
			own->open = run->open;
		else if (run->end == last->end)
			own->open &= run->open;
		if (last == NULL || run->end >= last->end) {
			other = last;
			last = run;
		}
		if (other != NULL)
			add_earlier(own, other);
		own->start = least(own->start, run->start);
	}
	if (last == NULL) {
		own->start = timed->start;
		own->end = timed->count == 0 ? timed->end : timed->start;
		return;
	}
	own->end = last->end;
}

int own_time_find(struct own_finder *f, const struct timed_row *timed,
		  bool alone, const bool *counts, struct own_time *own,
		  struct err *err)
{
	*own = (struct own_time){0};
	if (list_runs(f, timed, err) < 0)
		return err->code;
	find_runs(f, timed, alone);
	if (mark_all(f, timed, counts, err) < 0 ||
	    list_phases(f, timed->start, err) < 0)
		return err->code;
	if (timed->count == 0)
		f->phases[0].working = true;
	sum_up(f, timed->end, own);
	bound(f, timed, own);
	own->phases = f->phases;
	own->phase_count = f->phase_count;
	return 0;
}
