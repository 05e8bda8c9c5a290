#include "aggregate_alarms.h"

#include "common.h"
#include "sink/metrics/alarm_out.h"

/* The alarms that there was no data for. */
static void tell_not_judged(const struct aggregate_settings *s)
{
	const struct alarms *alarms = s->how.watch.alarms;
	struct buf names = buf_new(SIZE_MAX);

	for (size_t i = 0; i < ALARMS; i++) {
		const struct alarm_rule *rule = &alarm_rules[i];

		if (alarms_judged(alarms, (enum alarm_kind)i))
			continue;
		buf_puts(&names, names.n > 0 ? ", " : "");
		buf_puts(&names, rule->name);
		detail("%s was not judged: it needs %s", rule->name,
		       rule->needs);
		if (s->asked[i])
			fail("--fail-on=%s: not judged; it needs %s",
			     rule->name, rule->needs);
	}
	if (names.n > 0)
		note("not judged for lack of data: %.*s%s", (int)names.n,
		     names.p, verbose ? "" : " (-v says what each needs)");
	buf_free(&names);
}

/* Conditions that hold when the input ends, but not for long enough yet. */
static void tell_pending(struct alarms *alarms)
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
		note("%s, %.*s: the condition has held for %.3g s so far; the "
		     "alarm begins after %.3g s",
		     alarm_rules[e->kind].name, (int)name.n, name.p,
		     e->time - e->since, e->hold);
		buf_free(&name);
	}
}

void aggregate_alarms_end(const struct aggregate_settings *s,
			  const struct aggregate *a)
{
	if (a->known == 0) {
		fail(a->samples == 0
			     ? "no samples: no alarm was judged"
			     : "no metric that alarms are judged by: no alarm "
			       "was judged; obstools-metrics(7) lists the "
			       "metrics of the engines");
		return;
	}
	if (a->late > 0)
		fail("%llu snapshots skipped: they are no later than the one "
		     "before, or have no timestamps",
		     (unsigned long long)a->late);
	else if (a->judged == 1)
		fail("one snapshot only: what needs time or a second snapshot "
		     "is not judged");
	tell_not_judged(s);
	tell_pending(s->how.watch.alarms);
}
