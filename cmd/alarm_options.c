#include "alarm_options.h"

#include <stdio.h>
#include <string.h>

#include "common.h"
#include "sink/metrics/alarm_out.h"

static void die_alarm(const char *option, const char *value, const char *why)
{
	struct buf names = buf_new(SIZE_MAX);

	for (size_t i = 0; i < ALARMS; i++) {
		buf_puts(&names, i > 0 ? ", " : "");
		buf_puts(&names, alarm_rules[i].name);
	}
	die_usage("%s=%s: %s; the alarms are %.*s", option, value, why,
		  (int)names.n, names.p);
}

static void read_fatal(const struct opt_list *fatal, struct alarm_fail_on *to)
{
	for (size_t i = 0; i < fatal->n; i++) {
		enum alarm_kind kind = alarm_find(str_of(fatal->v[i]));
		bool any = strcmp(fatal->v[i], "any") == 0;

		if (kind == ALARMS && !any)
			die_alarm("--fail-on", fatal->v[i], "no such alarm");
		for (size_t k = 0; k < ALARMS; k++) {
			to->fatal[k] |= any || k == kind;
			to->named[k] |= k == kind;
		}
	}
}

void alarm_options_read(const struct alarm_given *given,
			struct alarm_fail_on *fail_on,
			struct aggregate_how *how)
{
	struct alarm_limits limits = alarm_limits_new();
	struct err err;

	for (size_t i = 0; i < given->limits.n; i++)
		if (alarm_limits_read(&limits, given->limits.v[i], &err) < 0)
			die_alarm("--limit", given->limits.v[i], err.text);
	how->watch.alarms = alarms_new(&limits);
	how->step.rows = step_rows_used(NULL);
	if (how->watch.alarms == NULL || how->step.rows == NULL)
		die_memory();
	read_fatal(&given->fatal, fail_on);
}

/* Alarms that had no data. */
static void report_not_judged(const struct alarm_fail_on *fail_on,
			      const struct alarms *alarms)
{
	struct buf names = buf_new(SIZE_MAX);

	for (size_t i = 0; i < ALARMS; i++) {
		const struct alarm_rule *rule = &alarm_rules[i];

		if (alarms_judged(alarms, (enum alarm_kind)i))
			continue;
		buf_puts(&names, names.n > 0 ? ", " : "");
		buf_puts(&names, rule->name);
		detail("%s was not evaluated: it needs %s", rule->name,
		       rule->needs);
		if (fail_on->named[i])
			fail("--fail-on=%s: not evaluated; it needs %s",
			     rule->name, rule->needs);
	}
	if (names.n > 0)
		note("not evaluated for lack of data: %.*s%s", (int)names.n,
		     names.p, verbose ? "" : " (-v says what each needs)");
	buf_free(&names);
}

/* A condition that was true when last known, but not for long enough. */
static void report_lost(const struct alarm_event *e, const struct buf *name)
{
	const struct alarm_rule *rule = &alarm_rules[e->kind];
	const struct alarm_verdict *verdict = &e->verdict;
	char text[ALARM_STAMP_MAX], held[64];

	if (verdict->known > e->since)
		snprintf(held, sizeof(held), "was true for %.3g s until",
			 verdict->known - e->since);
	else
		snprintf(held, sizeof(held), "was true once, at");
	note("%s, %.*s: the condition %s %s (%.4g %s), then %s; the "
	     "alarm begins after %.3g s (--limit %s.for)",
	     rule->name, (int)name->n, name->p, held,
	     alarm_stamp(text, verdict->known), e->value, rule->unit,
	     verdict->why, e->hold, rule->name);
}

static void report_held(const struct alarm_event *e, const struct buf *name)
{
	const char *rule = alarm_rules[e->kind].name;

	if (e->kind == ALARM_DOWN)
		note("down, %.*s: no answer in %.0f snapshot%s so far; "
		     "the alarm begins after %.6g (--limit down)",
		     (int)name->n, name->p, e->value,
		     str_plural((uint64_t)e->value), e->limit);
	else
		note("%s, %.*s: the condition has held for %.3g s so "
		     "far; the alarm begins after %.3g s (--limit %s.for)",
		     rule, (int)name->n, name->p, e->time - e->since, e->hold,
		     rule);
}

/* Conditions that are true when the input ends, or (only these if lost) were
 * when last known, but not for long enough. */
static void report_pending(struct alarms *alarms, bool lost)
{
	const struct alarm_event *events;
	struct err err;
	int n = alarms_pending(alarms, &events, &err);

	if (n < 0)
		die_err(&err);
	for (int i = 0; i < n; i++) {
		const struct alarm_event *e = &events[i];
		struct buf name = buf_new(SIZE_MAX);

		if (alarm_worker_name(&name, e->worker, &err) < 0)
			die_err(&err);
		if (e->verdict.why != NULL)
			report_lost(e, &name);
		else if (!lost)
			report_held(e, &name);
		buf_free(&name);
	}
}

int alarm_end_input(struct sequence *s, struct err *err)
{
	if (!s->live || !s->open)
		return sequence_end(s, err);
	note("the last snapshot is incomplete; skipped");
	return 0;
}

bool alarm_report_late(const struct aggregate *a)
{
	if (a->late == 0)
		return false;
	fail("%llu snapshot%s skipped: no later than the one before, or "
	     "without timestamps",
	     (unsigned long long)a->late, str_plural(a->late));
	return true;
}

void alarm_options_end(const struct alarm_fail_on *fail_on,
		       const struct aggregate *a)
{
	if (a->known == 0) {
		fail(a->samples == 0
			     ? "no samples: no alarm was evaluated"
			     : "no metric that an alarm uses: no alarm was "
			       "evaluated; obstools-metrics(7) lists the "
			       "metrics of the engines");
		return;
	}
	if (!alarm_report_late(a) && a->judged == 1)
		fail("one snapshot only: what needs time or a second snapshot "
		     "is not evaluated");
	report_not_judged(fail_on, a->how->watch.alarms);
	report_pending(a->how->watch.alarms, false);
}

void alarm_report_lost(const struct aggregate *a)
{
	report_pending(a->how->watch.alarms, true);
}
