#include "metrics/board.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "metrics/board_values.h"

enum {
	FORGET_SECONDS = 3600, /* after which an engine is forgotten */
	BOARD_FIRST = 4,       /* room for so many frames at first */
};

static const double TAIL_LEFT = 0.25; /* fraction of the peak */
static const double TAIL_BUSY = 0.5;  /* fraction of the engines */
static const double SLACK = 1e-6;

struct board board_new(double window)
{
	return (struct board){.window = window, .by_id = map_new(true)};
}

static void free_engine(struct board_engine *e)
{
	free((char *)(uintptr_t)e->name.p);
	free((char *)(uintptr_t)e->labels.p);
	board_window_free(&e->window);
	free(e->values);
	free(e);
}

void board_free(struct board *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		free_engine(b->engines[i]);
	free(b->engines);
	free(b->frames);
	free(b->alarms);
	free(b->changes);
	map_free(&b->by_id);
	*b = board_new(b->window);
}

const struct board_engine *board_find(const struct board *b, uint64_t id)
{
	uint32_t i;

	return map_find(&b->by_id, id, &i) ? b->engines[i] : NULL;
}

/* Frames -------------------------------------------------------------- */

uint64_t board_oldest(const struct board *b)
{
	return b->n_frames > b->frame_cap ? b->n_frames - b->frame_cap : 0;
}

const struct board_frame *board_frame_at(const struct board *b, uint64_t i)
{
	return &b->frames[i % b->frame_cap];
}

static float *values_of(const struct board *b, const struct board_engine *e,
			uint64_t frame)
{
	return &e->values[frame % b->frame_cap * BOARD_VALUES];
}

double board_value_at(const struct board *b, const struct board_engine *e,
		      uint64_t frame, enum board_value value)
{
	if (frame < e->first || frame < board_oldest(b) || frame >= b->n_frames)
		return (double)NAN;
	return (double)values_of(b, e, frame)[value];
}

/* Move a ring of items of that size to a new capacity; frames from `from` on
 * are kept. */
static bool move_ring(void *ring, size_t size, const struct board *b,
		      uint64_t cap, uint64_t from)
{
	char *old, *new = calloc(cap, size);

	if (new == NULL)
		return false;
	memcpy(&old, ring, sizeof(old));
	for (uint64_t i = from; old != NULL && i < b->n_frames; i++)
		memcpy(new + i % cap *size, old + i % b->frame_cap * size,
		       size);
	free(old);
	memcpy(ring, &new, sizeof(new));
	return true;
}

static int resize(struct board *b, uint64_t cap, struct err *err)
{
	size_t size = BOARD_VALUES * sizeof(float);
	uint64_t from = board_oldest(b);

	if (b->n_frames > cap && from < b->n_frames - cap)
		from = b->n_frames - cap;
	for (uint32_t i = 0; i < b->n; i++)
		if (!move_ring(&b->engines[i]->values, size, b, cap, from))
			return err_memory(err);
	if (!move_ring(&b->frames, sizeof(*b->frames), b, cap, from))
		return err_memory(err);
	b->frame_cap = cap;
	return 0;
}

static uint64_t bytes_of(uint64_t engines, uint64_t frames)
{
	return engines * frames * BOARD_VALUES * sizeof(float);
}

/* Double the capacity once there are that many frames, and halve it when more
 * engines make it too much. */
static int fit_frames(struct board *b, struct err *err)
{
	uint64_t cap = b->frame_cap == 0 ? BOARD_FIRST : b->frame_cap;

	if (b->n_frames >= cap && cap < BOARD_FRAMES &&
	    (cap < BOARD_LEAST || bytes_of(b->n, cap * 2) <= BOARD_BYTES))
		cap *= 2;
	while (cap > BOARD_LEAST && bytes_of(b->n, cap) > BOARD_BYTES)
		cap /= 2;
	return cap == b->frame_cap ? 0 : resize(b, cap, err);
}

/* Engines ------------------------------------------------------------- */

static struct str copy_of(struct str s)
{
	char *p = malloc(s.n + 1);

	if (p == NULL)
		return str_make(NULL, 0);
	if (s.n > 0)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return str_make(p, s.n);
}

static struct board_engine *new_engine(const struct board *b,
				       const struct worker *worker)
{
	struct board_engine *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->id = worker->id;
	e->first = b->n_frames;
	e->name = copy_of(worker->name);
	e->labels = copy_of(worker->labels);
	e->seen = (double)NAN;
	e->window.reported_since = (double)NAN;
	e->values = calloc(b->frame_cap, BOARD_VALUES * sizeof(float));
	if (e->name.p != NULL && e->labels.p != NULL && e->values != NULL)
		return e;
	free_engine(e);
	return NULL;
}

static int add_engine(struct board *b, const struct worker *worker,
		      struct err *err)
{
	uint32_t i = b->n;
	int code = map_add(&b->by_id, worker->id, &i);

	if (code == 0)
		return 0;
	if (code < 0 || !ARRAY_GROW(b->engines, b->n, b->cap))
		return err_memory(err);
	b->engines[b->n] = new_engine(b, worker);
	if (b->engines[b->n] == NULL)
		return err_memory(err);
	b->n++;
	return 0;
}

/* Drop engines that have been gone for long. */
static int forget_engines(struct board *b, double time, struct err *err)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->n; i++)
		if (time - b->engines[i]->seen <= FORGET_SECONDS)
			b->engines[kept++] = b->engines[i];
		else
			free_engine(b->engines[i]);
	if (kept == b->n)
		return 0;
	b->n = kept;
	map_clear(&b->by_id);
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t at = i;

		if (map_add(&b->by_id, b->engines[i]->id, &at) < 0)
			return err_memory(err);
	}
	return 0;
}

/* Alarms -------------------------------------------------------------- */

bool board_alarm_is_on(const struct board_alarm *a, double time)
{
	return a->begin <= time + SLACK && time < a->end - SLACK;
}

struct alarm_verdict board_verdict_at(const struct board_alarm *a, double time)
{
	struct alarm_verdict verdict = a->verdict;

	if (time <= verdict.known + SLACK)
		verdict.why = NULL;
	return verdict;
}

/* What is known by now of the alarms that are on. */
static void take_verdicts(struct board *b, const struct alarms *alarms)
{
	for (uint32_t i = 0; i < b->n_alarms; i++) {
		struct board_alarm *a = &b->alarms[i];

		if (isinf(a->end))
			a->verdict = alarms_verdict(
				alarms, a->kind, a->fleet ? NULL : &a->engine);
	}
}

/* The engine of an event; NULL: the fleet, or it was dropped. */
static struct board_engine *engine_of(const struct board *b,
				      const struct alarm_event *event)
{
	for (uint32_t i = 0; event->worker.p != NULL && i < b->n; i++)
		if (str_eq(b->engines[i]->name, event->worker))
			return b->engines[i];
	return NULL;
}

static bool is_of(const struct board_alarm *a, const struct alarm_event *event,
		  uint64_t id)
{
	return a->kind == event->kind && isinf(a->end) &&
	       a->fleet == (event->worker.p == NULL) &&
	       (a->fleet || a->engine == id);
}

/* Make room for one more: drop the oldest ones that have ended. */
static void forget_alarms(struct board *b)
{
	uint32_t kept = 0, spare = b->n_alarms / 2;

	if (b->n_alarms < BOARD_ALARMS)
		return;
	for (uint32_t i = 0; i < b->n_alarms; i++)
		if (i >= spare || isinf(b->alarms[i].end))
			b->alarms[kept++] = b->alarms[i];
	b->n_alarms = kept;
}

static int begin_alarm(struct board *b, const struct alarm_event *event,
		       uint64_t id, struct err *err)
{
	struct board_alarm *a;

	forget_alarms(b);
	if (!ARRAY_GROW(b->alarms, b->n_alarms, b->alarms_cap))
		return err_memory(err);
	a = &b->alarms[b->n_alarms++];
	*a = (struct board_alarm){
		.kind = event->kind,
		.fleet = event->worker.p == NULL,
		.engine = id,
		.since = event->since,
		.begin = event->time,
		.end = (double)INFINITY,
		.value = event->value,
		.limit = event->limit,
		.hold = event->hold,
		.verdict = event->verdict,
	};
	snprintf(a->text, sizeof(a->text), "%.*s", STR_ARG(event->text));
	return 0;
}

static int take_event(struct board *b, const struct alarm_event *event,
		      struct err *err)
{
	struct board_engine *e = engine_of(b, event);
	uint64_t id = e == NULL ? 0 : e->id;
	uint32_t bit = 1u << event->kind;

	if (e != NULL)
		e->alarms = event->begins ? e->alarms | bit : e->alarms & ~bit;
	if (event->begins)
		return begin_alarm(b, event, id, err);
	for (uint32_t i = b->n_alarms; i-- > 0;)
		if (is_of(&b->alarms[i], event, id)) {
			b->alarms[i].end = event->time;
			break;
		}
	return 0;
}

/* Changes ------------------------------------------------------------- */

static int add_change(struct board *b, struct board_engine *e, bool comes,
		      double time, struct err *err)
{
	if (!ARRAY_GROW(b->changes, b->n_changes, b->changes_cap))
		return err_memory(err);
	b->changes[b->n_changes++] = (struct board_change){
		.engine = e, .comes = comes, .time = time, .since = e->seen};
	e->here = comes;
	return 0;
}

/* An engine answers. Those of the first snapshot do not count as new. */
static int take_answer(struct board *b, struct board_engine *e,
		       const struct worker *worker, const struct vitals *now,
		       struct err *err)
{
	bool answers = worker->vital[VITAL_UP] != 0;
	int code = 0;

	if (answers && !e->here && b->n_frames > 0)
		code = add_change(b, e, true, now->time, err);
	e->here |= answers;
	e->missing = 0;
	if (answers || isnan(e->seen))
		e->seen = now->time;
	if (code == 0 && board_window_take(&e->window, worker, now->time,
					   now->seconds, b->window) < 0)
		code = err_memory(err);
	return code;
}

static int miss_answer(struct board *b, struct board_engine *e, double time,
		       struct err *err)
{
	e->missing++;
	if (e->missing != BOARD_GONE || !e->here)
		return 0;
	return add_change(b, e, false, time, err);
}

/* The fleet ----------------------------------------------------------- */

/* Add what is known; the sum of unknown values is unknown. */
static void add_known(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

static void add_to_frame(struct board_frame *f, const double *values)
{
	f->engines++;
	f->up += values[BOARD_UP] > 0;
	f->busy += values[BOARD_RUNNING] > 0;
	add_known(&f->running, values[BOARD_RUNNING]);
	add_known(&f->queued, values[BOARD_QUEUE]);
	add_known(&f->tokens, values[BOARD_TOKENS]);
	add_known(&f->effective, values[BOARD_EFFECTIVE]);
}

static struct board_frame begin_frame(double time)
{
	return (struct board_frame){.time = time,
				    .running = (double)NAN,
				    .queued = (double)NAN,
				    .tokens = (double)NAN,
				    .effective = (double)NAN};
}

/* Engines that are down do nothing, whatever they said before. */
static void rest_frame(struct board_frame *f)
{
	double *const sums[] = {&f->running, &f->queued, &f->tokens,
				&f->effective};

	for (size_t i = 0; f->up == 0 && i < ARRAY_SIZE(sums); i++)
		add_known(sums[i], 0);
}

/* Nothing is queued, and few requests are left on few engines. */
static bool is_tail(const struct board *b, const struct board_frame *f)
{
	return f->running > 0 && !(f->queued > 0) &&
	       f->running <= TAIL_LEFT * b->peak &&
	       f->busy <= TAIL_BUSY * f->engines;
}

static void end_frame(struct board *b, struct board_frame *f)
{
	double before = b->n_frames == 0
				? (double)NAN
				: board_frame_at(b, b->n_frames - 1)->tail;

	rest_frame(f);
	b->peak = f->running > b->peak ? f->running
		  : f->running > 0     ? b->peak
				       : 0;
	f->measured = f->time - b->started >= b->window - SLACK;
	f->tail = (double)NAN;
	if (is_tail(b, f))
		f->tail = isnan(before) ? f->time : before;
	b->frames[b->n_frames % b->frame_cap] = *f;
	b->n_frames++;
}

static int take_engine(struct board *b, struct board_engine *e,
		       const struct vitals *now, struct board_frame *f,
		       struct err *err)
{
	const struct worker *worker = vitals_find(now, e->id);
	double values[BOARD_VALUES];
	float *kept = values_of(b, e, b->n_frames);
	int code;

	code = worker == NULL ? miss_answer(b, e, now->time, err)
			      : take_answer(b, e, worker, now, err);
	if (code < 0)
		return code;
	if (worker == NULL || worker->vital[VITAL_UP] == 0)
		board_values_none(e, now->time, values);
	else
		board_values_of(b, e, worker, now->time, values);
	for (size_t i = 0; i < BOARD_VALUES; i++)
		kept[i] = (float)values[i];
	add_to_frame(f, values);
	return 0;
}

/* The clock was set: all times so far are on the new one. */
static void shift(struct board *b, double seconds)
{
	for (uint32_t i = 0; i < b->n; i++) {
		b->engines[i]->seen += seconds;
		board_window_shift(&b->engines[i]->window, seconds);
	}
	for (uint64_t i = board_oldest(b); i < b->n_frames; i++) {
		b->frames[i % b->frame_cap].time += seconds;
		b->frames[i % b->frame_cap].tail += seconds;
	}
	for (uint32_t i = 0; i < b->n_alarms; i++) {
		b->alarms[i].since += seconds;
		b->alarms[i].begin += seconds;
		b->alarms[i].end += seconds;
		b->alarms[i].verdict.known += seconds;
	}
	b->started += seconds;
	if (b->n > 0)
		b->set_by += seconds;
}

int board_take(struct board *b, const struct vitals *now,
	       const struct alarm_event *events, size_t n,
	       const struct alarms *alarms, struct err *err)
{
	struct board_frame f = begin_frame(now->time);
	int code = fit_frames(b, err);

	b->n_changes = 0;
	if (now->set_by != 0)
		shift(b, now->set_by);
	if (b->n_frames == 0)
		b->started = now->time;
	if (code == 0)
		code = forget_engines(b, now->time, err);
	for (size_t i = 0; code == 0 && i < now->n; i++)
		code = add_engine(b, &now->v[i], err);
	for (size_t i = 0; code == 0 && i < n; i++)
		code = take_event(b, &events[i], err);
	if (alarms != NULL)
		take_verdicts(b, alarms);
	if (code == 0)
		code = fit_frames(b, err);
	for (uint32_t i = 0; code == 0 && i < b->n; i++)
		code = take_engine(b, b->engines[i], now, &f, err);
	if (code == 0)
		end_frame(b, &f);
	return code;
}
