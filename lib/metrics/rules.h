/*
 * The table of alarms: what scripts/gen-rules makes of lib/metrics/rules.tsv,
 * whose head says what its columns mean. obs-aggregate --alarms and the rules
 * for Prometheus come from it.
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
	bool fleet; /* it is about all workers together */
	double limit;
	double hold; /* seconds; 0: at once */
	const char *unit;
	const char *means;
	const char *remedy;
	const char *needs; /* what it is judged by */
};

extern const struct alarm_rule alarm_rules[ALARMS];

/* What values are compared with, by enum alarm_kind. */
struct alarm_limits {
	double limit[ALARMS];
	double hold[ALARMS];
};

/* Those of the table. */
struct alarm_limits alarm_limits_new(void);

/* Take "NAME=VALUE" or "NAME.for=30s". 0, or ERR_INPUT with what is wrong. */
int alarm_limits_read(struct alarm_limits *l, const char *text,
		      struct err *err);

/* The rule of that name; ALARMS when there is none. */
enum alarm_kind alarm_find(struct str name);

#endif
