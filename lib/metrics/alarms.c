#include "metrics/alarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "metrics/cohorts.h"

enum {
	FORGET_SECONDS = 3600, /* after which a worker is forgotten */
	PATIENCE = 2,	       /* snapshots in a row without data, for an end */
};

static const double SLACK = 1e-6; /* in sums of seconds */

struct alarms {
	struct alarm_limits limits;
	struct watch **watches;
	uint32_t n;
	size_t cap;
	struct map by_id;
	struct standing fleet[ALARMS];
	bool judged[ALARMS];
	double time; /* of the last snapshot */
	struct alarm_event *events;
	size_t n_events;
	size_t events_cap;
	struct arena text; /* of events */
};

struct alarms *alarms_new(const struct alarm_limits *limits)
{
	struct alarms *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->limits = *limits;
	for (size_t i = 0; i < ALARMS; i++)
		a->fleet[i].since = (double)NAN;
	a->by_id = map_new(true);
	a->text = arena_new(LIMIT_STRING);
	return a;
}

static void free_watch(struct watch *w)
{
	free((char *)(uintptr_t)w->name.p);
	watch_free(w);
	free(w);
}

void alarms_free(struct alarms *a)
{
	if (a == NULL)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		free_watch(a->watches[i]);
	free(a->watches);
	free(a->events);
	map_free(&a->by_id);
	arena_free(&a->text);
	free(a);
}

/* Workers ------------------------------------------------------------- */

static struct watch *new_watch(const struct worker *worker)
{
	struct watch *w = calloc(1, sizeof(*w));
	char *name = malloc(worker->name.n + 1);

	if (w == NULL || name == NULL) {
		free(w);
		free(name);
		return NULL;
	}
	memcpy(name, worker->name.p, worker->name.n);
	name[worker->name.n] = '\0';
	w->id = worker->id;
	w->name = str_make(name, worker->name.n);
	w->seen = w->listed = w->silent = (double)NAN;
	w->compared.time = (double)NAN;
	w->missing = 1; /* until it is handled */
	for (size_t i = 0; i < ALARMS; i++)
		w->standing[i].since = (double)NAN;
	return w;
}

/* The watch of a worker, created if needed; NULL on error. */
static struct watch *find_watch(struct alarms *a, const struct worker *worker,
				struct err *err)
{
	uint32_t i;

	if (map_find(&a->by_id, worker->id, &i))
		return a->watches[i];
	if (a->n == LIMIT_WORKERS) {
		err_set(err, ERR_LIMIT,
			"more than %d workers" ERR_RAISE(LIMIT_WORKERS),
			LIMIT_WORKERS);
		return NULL;
	}
	err_memory(err);
	i = a->n;
	if (!ARRAY_GROW(a->watches, a->n, a->cap) ||
	    map_add(&a->by_id, worker->id, &i) < 0)
		return NULL;
	a->watches[a->n] = new_watch(worker);
	return a->watches[a->n] == NULL ? NULL : a->watches[a->n++];
}

static int take_workers(struct alarms *a, const struct vitals *now,
			struct err *err)
{
	for (uint32_t i = 0; i < a->n; i++) {
		watch_shift(a->watches[i], now->set_by);
		a->watches[i]->missing++;
	}
	for (size_t i = 0; i < now->n; i++) {
		struct watch *w = find_watch(a, &now->v[i], err);

		if (w == NULL)
			return err->code;
		if (now->v[i].vital[VITAL_UP] == 0)
			watch_take_failure(w, now->time);
		else if (!watch_take(w, &now->v[i], now->time, now->seconds,
				     &a->limits))
			return err_memory(err);
	}
	return 0;
}

/* Events -------------------------------------------------------------- */

static int add_event(struct alarms *a, const struct alarm_event *event,
		     struct err *err)
{
	struct alarm_event *e;

	if (!ARRAY_GROW(a->events, a->n_events, a->events_cap))
		return err_memory(err);
	e = &a->events[a->n_events++];
	*e = *event;
	e->time = a->time;
	e->limit = a->limits.limit[event->kind];
	e->text = arena_str(&a->text, event->text);
	if (event->worker.p != NULL)
		e->worker = arena_str(&a->text, event->worker);
	if (e->text.p == NULL ||
	    (event->worker.p != NULL && e->worker.p == NULL))
		return arena_error(&a->text, err);
	return 0;
}

/* Of a worker, or (w is NULL) the fleet. */
static struct alarm_verdict verdict_of(const struct alarms *a,
				       enum alarm_kind kind,
				       const struct standing *s,
				       const struct watch *w)
{
	const struct alarm_rule *rule = &alarm_rules[kind];
	bool slow = w != NULL && rule->slow_means != NULL &&
		    watch_is_slow(w, &a->limits);

	return (struct alarm_verdict){
		.means = slow ? rule->slow_means : rule->means,
		.remedy = slow ? rule->slow_remedy : rule->remedy,
		.known = s->known,
		.why = s->why,
	};
}

/* Was the condition true until it was no longer known? Then its alarm does not
 * begin, but the end of the input tells. */
static bool was_lost(const struct standing *s)
{
	return !s->on && !isnan(s->since) && s->unknown >= PATIENCE;
}

static void take_known(struct standing *s, const struct alarm_state *v,
		       double time)
{
	if (was_lost(s) || (!s->on && time - s->known > FORGET_SECONDS))
		s->since = (double)NAN;
	s->unknown = 0;
	s->why = NULL;
	s->known = time;
	s->value = v->value;
}

/* An alarm whose last value stands is on as if it were known. */
static void take_unknown(struct standing *s, const struct alarm_state *v)
{
	s->unknown = s->on && v->stands ? 0 : s->unknown + 1;
	if (s->why == NULL)
		s->why = v->why;
}

/* Let the condition begin or end an alarm of a worker or (NULL) the fleet.
 * Missing data in one snapshot changes nothing; in two, the condition counts as
 * over, unless its last value stands. */
static int apply(struct alarms *a, struct standing *s, enum alarm_kind kind,
		 const struct watch *w, const struct alarm_state *v,
		 struct err *err)
{
	bool is_known = v->holds != TRUTH_UNKNOWN, was_on = s->on;
	struct alarm_event event = {
		.kind = kind,
		.worker = w == NULL ? str_make(NULL, 0) : w->name,
		.value = v->value,
		.hold = fmax(a->limits.hold[kind], v->least),
		.begins = v->holds == TRUTH_YES,
		.text = str_of(is_known		? v->text
			       : v->why == NULL ? "no longer known"
						: v->why),
	};

	a->judged[kind] |= is_known;
	if (is_known) {
		take_known(s, v, a->time);
	} else {
		take_unknown(s, v);
		if (!s->on || s->unknown < PATIENCE)
			return 0;
	}
	event.since = isnan(s->since) ? v->since : s->since;
	event.verdict = verdict_of(a, kind, s, w);
	if (event.begins) {
		s->since = event.since;
		s->hold = event.hold;
		s->on |= v->at_once || a->time - s->since >= s->hold - SLACK;
	} else {
		s->since = (double)NAN;
		s->on = false;
	}
	return s->on == was_on ? 0 : add_event(a, &event, err);
}

/* Nothing else is known of a worker that does not answer. */
static int apply_down(struct alarms *a, struct watch *w,
		      const struct alarm_state *down, struct err *err)
{
	struct alarm_state none = {.holds = TRUTH_NO, .value = (double)NAN};
	int code = apply(a, &w->standing[ALARM_DOWN], ALARM_DOWN, w, down, err);

	snprintf(none.text, sizeof(none.text), "%s", down->text);
	for (size_t i = 0; code == 0 && i < ALARMS; i++)
		if (i != ALARM_DOWN && !isnan(w->standing[i].since) &&
		    !was_lost(&w->standing[i]))
			code = apply(a, &w->standing[i], (enum alarm_kind)i, w,
				     &none, err);
	return code;
}

static int judge_silent(struct alarms *a, struct watch *w, struct err *err)
{
	uint32_t n = watch_silence(w);
	struct alarm_state v = {
		.holds = TRUTH_YES, .since = watch_silent_since(w), .value = n};

	a->judged[ALARM_DOWN] = true;
	if (n < a->limits.limit[ALARM_DOWN])
		return 0;
	if (w->missing > 0)
		snprintf(v.text, sizeof(v.text), "no answer in %u snapshot%s",
			 n, str_plural(n));
	else
		snprintf(v.text, sizeof(v.text), "%u scrape%s failed", n,
			 str_plural(n));
	return apply_down(a, w, &v, err);
}

static int judge_worker(struct alarms *a, struct watch *w,
			const struct cohort *f, struct err *err)
{
	struct alarm_state v;
	int code = 0;

	if (watch_silence(w) > 0)
		return judge_silent(a, w, err);
	for (size_t i = 0; code == 0 && i < ALARMS; i++) {
		if (alarm_rules[i].fleet)
			continue;
		judge(&v, (enum alarm_kind)i, w, f);
		code = apply(a, &w->standing[i], (enum alarm_kind)i, w, &v,
			     err);
	}
	return code;
}

/* Fleets -------------------------------------------------------------- */

/* Is this condition worse than the previous one of its cohort? */
static bool is_worse(const struct alarm_state *v,
		     const struct alarm_state *than)
{
	if (v->holds != than->holds)
		return v->holds > than->holds;
	return isnan(than->value) || v->value > than->value;
}

static int judge_cohorts(struct alarms *a, const struct cohorts *cohorts,
			 struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < ALARMS; i++) {
		struct alarm_state worst = {.holds = TRUTH_UNKNOWN,
					    .value = (double)NAN};
		struct alarm_state v;

		if (!alarm_rules[i].fleet)
			continue;
		for (uint32_t k = 0; k < cohorts->n; k++) {
			judge(&v, (enum alarm_kind)i, NULL, &cohorts->v[k]);
			if (is_worse(&v, &worst))
				worst = v;
		}
		code = apply(a, &a->fleet[i], (enum alarm_kind)i, NULL, &worst,
			     err);
	}
	return code;
}

static int judge_all(struct alarms *a, struct err *err)
{
	struct cohorts cohorts = {0};
	int code = cohorts_compare(&cohorts, a->watches, a->n, a->time,
				   &a->limits, err);

	for (uint32_t i = 0; code == 0 && i < a->n; i++)
		code = judge_worker(a, a->watches[i],
				    cohorts_find(&cohorts, a->watches[i]), err);
	if (code == 0)
		code = judge_cohorts(a, &cohorts, err);
	for (uint32_t i = 0; code == 0 && i < a->n; i++)
		if (watch_silence(a->watches[i]) == 0 &&
		    !watch_remember(a->watches[i], a->time, &a->limits))
			code = err_memory(err);
	cohorts_free(&cohorts);
	return code;
}

/* Forgetting ---------------------------------------------------------- */

static int end_watch(struct alarms *a, struct watch *w, struct err *err)
{
	const struct alarm_state gone = {
		.holds = TRUTH_NO,
		.value = (double)NAN,
		.text = "not seen for an hour, no longer "
			"watched"};
	int code = 0;

	for (size_t i = 0; code == 0 && i < ALARMS; i++)
		if (!isnan(w->standing[i].since))
			code = apply(a, &w->standing[i], (enum alarm_kind)i, w,
				     &gone, err);
	return code;
}

/* Drop workers that have been gone for long. */
static int forget_workers(struct alarms *a, struct err *err)
{
	uint32_t kept = 0;
	int code = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		struct watch *w = a->watches[i];

		if (a->time - w->listed <= FORGET_SECONDS) {
			a->watches[kept++] = w;
			continue;
		}
		if (code == 0)
			code = end_watch(a, w, err);
		free_watch(w);
	}
	if (kept == a->n)
		return code;
	a->n = kept;
	map_clear(&a->by_id);
	for (uint32_t i = 0; code == 0 && i < a->n; i++) {
		uint32_t at = i;

		if (map_add(&a->by_id, a->watches[i]->id, &at) < 0)
			code = err_memory(err);
	}
	return code;
}

int alarms_take(struct alarms *a, const struct vitals *now,
		const struct alarm_event **events, struct err *err)
{
	int code;

	a->n_events = 0;
	arena_reset(&a->text);
	a->time = now->time;
	for (size_t i = 0; i < ALARMS; i++) {
		a->fleet[i].since += now->set_by;
		a->fleet[i].known += now->set_by;
	}
	code = take_workers(a, now, err);
	if (code == 0)
		code = judge_all(a, err);
	if (code == 0)
		code = forget_workers(a, err);
	*events = a->events;
	return code < 0 ? code : (int)a->n_events;
}

struct alarm_verdict alarms_verdict(const struct alarms *a,
				    enum alarm_kind kind,
				    const uint64_t *worker)
{
	const struct watch *w = NULL;
	uint32_t i;

	if (worker != NULL && map_find(&a->by_id, *worker, &i))
		w = a->watches[i];
	return verdict_of(a, kind,
			  w == NULL ? &a->fleet[kind] : &w->standing[kind], w);
}

/* At the end ---------------------------------------------------------- */

bool alarms_judged(const struct alarms *a, enum alarm_kind kind)
{
	return a->judged[kind];
}

/* Of a worker, or (w is NULL) the fleet. */
static int add_pending(struct alarms *a, const struct standing *standing,
		       const struct watch *w, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < ALARMS; i++) {
		const struct standing *s = &standing[i];
		enum alarm_kind kind = (enum alarm_kind)i;
		struct alarm_event event = {
			.begins = true,
			.kind = kind,
			.worker = w == NULL ? str_make(NULL, 0) : w->name,
			.since = s->since,
			.hold = s->hold,
			.value = s->value,
			.text = str_of(""),
			.verdict = verdict_of(a, kind, s, w)};

		if (s->on || isnan(s->since))
			continue;
		if (s->why == NULL && w != NULL && watch_silence(w) > 0)
			event.verdict.why = "the engine did not answer";
		else if (s->why == NULL && s->unknown > 0)
			event.verdict.why = "it was not known";
		code = add_event(a, &event, err);
	}
	return code;
}

/* The alarm for a worker that does not answer counts snapshots. */
static int add_silent(struct alarms *a, const struct watch *w, struct err *err)
{
	const struct alarm_event event = {.begins = true,
					  .kind = ALARM_DOWN,
					  .worker = w->name,
					  .since = watch_silent_since(w),
					  .value = watch_silence(w),
					  .text = str_of("")};

	if (watch_silence(w) == 0 || w->standing[ALARM_DOWN].on)
		return 0;
	return add_event(a, &event, err);
}

int alarms_pending(struct alarms *a, const struct alarm_event **events,
		   struct err *err)
{
	int code;

	a->n_events = 0;
	arena_reset(&a->text);
	code = add_pending(a, a->fleet, NULL, err);
	for (uint32_t i = 0; code == 0 && i < a->n; i++) {
		code = add_pending(a, a->watches[i]->standing, a->watches[i],
				   err);
		if (code == 0)
			code = add_silent(a, a->watches[i], err);
	}
	*events = a->events;
	return code < 0 ? code : (int)a->n_events;
}
