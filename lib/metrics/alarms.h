/*
 * Alarms over a stream of snapshots: which worker of a fleet is in trouble,
 * since when, and what to try. What each compares with is a row of
 * lib/metrics/rules.tsv.
 *
 * A condition must hold for a time before its alarm begins; one about what
 * happened over a time looks back over it. What is not known neither begins an
 * alarm nor ends it. Memory grows with the number of workers, not with the
 * length of the stream.
 */
#ifndef OBS_METRICS_ALARMS_H
#define OBS_METRICS_ALARMS_H

#include "metrics/rules.h"
#include "metrics/vitals.h"

/* A change: an alarm begins, or ends. */
struct alarm_event {
	double time; /* Unix seconds */
	bool begins;
	enum alarm_kind kind;
	struct str worker; /* p is NULL: the fleet; empty: the only worker */
	double since;	   /* when the condition began to hold */
	double value;	   /* NaN: unknown */
	double limit;
	double hold; /* seconds that the condition must hold, or looks back */
	struct str text; /* what was seen: "3 running, no token made" */
};

struct alarms;

/* NULL when memory ran out. */
struct alarms *alarms_new(const struct alarm_limits *limits);
void alarms_free(struct alarms *a); /* NULL is a no-op */

/* Judge a snapshot that is later than those before. The events that came of it,
 * which last until the next one, are *events[0] to [n - 1]. Returns n or an
 * error. */
int alarms_take(struct alarms *a, const struct vitals *now,
		const struct alarm_event **events, struct err *err);

/* Is the alarm on, for a worker or (NULL) the fleet? */
bool alarms_on(const struct alarms *a, enum alarm_kind kind,
	       const struct worker *worker);

/* Was there enough data to judge it, for a worker at least once? */
bool alarms_judged(const struct alarms *a, enum alarm_kind kind);

/* Conditions that hold, but not for long enough yet, as events that begin with
 * what they came to so far; the same lifetime. Returns n or an error. */
int alarms_pending(struct alarms *a, const struct alarm_event **events,
		   struct err *err);

#endif
