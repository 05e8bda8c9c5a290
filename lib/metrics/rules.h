/*
 * The table of alarms, generated from lib/metrics/rules.tsv by
 * scripts/gen-rules; the head of that file explains the columns. Used by
 * obs-aggregate --alarms and the rules for Prometheus.
 */
#ifndef OBS_METRICS_RULES_H
#define OBS_METRICS_RULES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum alarm_kind {
	ALARM_DOWN,
	ALARM_STALLED,
	ALARM_KV_FULL,
	ALARM_QUEUE_GROWING,
	ALARM_CAP_BOUND,
	ALARM_SLOW_ENGINE,
	ALARM_HIT_RATE_LOW,
	ALARM_RETRACTIONS,
	ALARM_ABORTS,
	ALARM_IMBALANCE,
	ALARM_WEIGHTS_BEHIND,
	ALARMS
};

struct alarm_rule {
	const char *name;
	bool fleet; /* about all workers together */
	double limit;
	double hold; /* seconds; 0: immediately */
	const char *unit;
	const char *means;
	const char *remedy;
	const char *slow_means; /* the same for a slow engine; NULL: no other */
	const char *slow_remedy;
	const char *needs; /* its thresholds */
};

extern const struct alarm_rule alarm_rules[ALARMS];

/* Thresholds by enum alarm_kind. */
struct alarm_limits {
	double limit[ALARMS];
	double hold[ALARMS];
};

/* The table's defaults. */
struct alarm_limits alarm_limits_new(void);

/* Parse "NAME=VALUE" or "NAME.for=30s". 0, or ERR_INPUT with what is wrong. */
int alarm_limits_read(struct alarm_limits *l, const char *text,
		      struct err *err);

/* The rule with that name; ALARMS if there is none. */
enum alarm_kind alarm_find(struct str name);

#endif
