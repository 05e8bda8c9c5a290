#include "metrics/aggregate_watch.h"

#include <math.h>

#include "metrics/alarms.h"

/* The vital signs of the current snapshot. */
static int take_vitals(const struct aggregate *a, struct vitals *vitals,
		       double seconds, struct err *err)
{
	struct survey surveys[2] = {0};
	int code = survey_take(&surveys[1], a->now, err);

	if (code == 0 && a->before != NULL)
		code = survey_take(&surveys[0], a->before, err);
	if (code == 0)
		code = vitals_take(vitals,
				   a->before == NULL ? NULL : &surveys[0],
				   &surveys[1], seconds, NULL, err);
	vitals->time = fmax(series_table_time(a->now), a->watched);
	survey_free(&surveys[0]);
	survey_free(&surveys[1]);
	return code;
}

/* The time of one without series, when no worker answered: after the interval
 * between the previous two, else after as long as it took to arrive. */
static double empty_time(const struct aggregate *a)
{
	if (a->interval > 0)
		return a->watched + a->interval;
	if (a->before == NULL)
		return a->now->arrived;
	return a->watched + fmax(a->now->arrived - a->before->arrived, 0);
}

/* Those without series before the first with some have the time at which they
 * were read: move them before it. */
static void settle_empty(struct aggregate *a)
{
	double behind = a->watched - series_table_time(a->now);

	a->timed = true;
	if (a->judged == 0 || behind <= 0)
		return;
	a->unseen -= behind;
	a->watched -= behind;
}

int aggregate_judge(struct aggregate *a, double seconds, struct err *err)
{
	const struct aggregate_watch *watch = &a->how->watch;
	const struct alarm_event *events = NULL;
	struct vitals vitals = vitals_new();
	int n, code = 0;

	if (a->now->n > 0 && !a->timed)
		settle_empty(a);
	if (a->now->n > 0)
		code = take_vitals(a, &vitals, seconds, err);
	else
		vitals.time = empty_time(a);
	vitals.set_by = a->unseen;
	a->unseen = 0;
	n = code < 0 ? code : alarms_take(watch->alarms, &vitals, &events, err);
	for (int i = 0; code == 0 && i < n; i++)
		code = watch->report(&events[i], err);
	if (code == 0 && n >= 0 && watch->judged != NULL)
		code = watch->judged(&vitals, events, (size_t)n, err);
	if (a->judged++ > 0)
		a->interval = vitals.time - a->watched;
	a->watched = vitals.time;
	vitals_free(&vitals);
	return n < 0 ? n : code;
}
