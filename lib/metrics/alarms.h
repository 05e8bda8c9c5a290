/*
 * Alarms over a stream of snapshots: which worker of a fleet is in trouble,
 * since when, and what to try. The thresholds are rows of
 * lib/metrics/rules.tsv.
 *
 * A condition must be true for some time before its alarm begins; a condition
 * on a period looks back over it. Missing data neither begins nor ends an
 * alarm. Memory grows with the number of workers, not with the length of the
 * stream.
 */
#ifndef OBS_METRICS_ALARMS_H
#define OBS_METRICS_ALARMS_H

#include "metrics/rules.h"
#include "metrics/vitals.h"

/* What is said of an alarm besides its value. */
struct alarm_verdict {
	const char *means;
	const char *remedy;
	double known;	 /* when its condition was last evaluated */
	const char *why; /* it was not after that; NULL: nothing to say */
};

/* A change: an alarm begins, or ends. */
struct alarm_event {
	double time; /* Unix seconds */
	bool begins;
	enum alarm_kind kind;
	struct str worker; /* p is NULL: the fleet; empty: the only worker */
	double since;	   /* when the condition became true */
	double value;	   /* NaN: unknown */
	double limit;
	double hold;	 /* the condition must be true, or looks back */
	struct str text; /* the evidence: "3 running, no token made" */
	struct alarm_verdict verdict;
};

struct alarms;

/* NULL if out of memory. */
struct alarms *alarms_new(const struct alarm_limits *limits);
void alarms_free(struct alarms *a); /* NULL is a no-op */

/* Evaluate a snapshot later than the previous ones. The resulting events, valid
 * until the next one, are *events[0] to [n - 1]. Returns n or an error. */
int alarms_take(struct alarms *a, const struct vitals *now,
		const struct alarm_event **events, struct err *err);

/* As of the last snapshot, for the worker with an id or (NULL) the fleet. */
struct alarm_verdict alarms_verdict(const struct alarms *a,
				    enum alarm_kind kind,
				    const uint64_t *worker);

/* Was there enough data to evaluate it, for at least one worker once? */
bool alarms_judged(const struct alarms *a, enum alarm_kind kind);

/* Conditions that are true, or were when last known, but not for long enough,
 * as events starting with their progress so far; same lifetime. Returns n or an
 * error. */
int alarms_pending(struct alarms *a, const struct alarm_event **events,
		   struct err *err);

#endif
