/*
 * The options for alarms, which mean the same in every program that has them,
 * and what such a program has to say when its input ends.
 */
#ifndef OBS_CMD_ALARM_OPTIONS_H
#define OBS_CMD_ALARM_OPTIONS_H

#include "metrics/aggregate.h"
#include "metrics/alarms.h"
#include "options.h"

/* As given on the command line. */
struct alarm_given {
	struct opt_list limits;
	struct opt_list fatal;
};

/* clang-format off */
#define OPT_ALARMS(given) \
	OPT_LIST(0, "limit", "NAME=VALUE", &(given)->limits, \
		 "change the limit of an alarm; NAME.for=30s changes how long " \
		 "its condition must hold"), \
	OPT_LIST(0, "fail-on", "NAME", &(given)->fatal, \
		 "exit 5 if the alarm NAME began; 'any' means any alarm")
/* clang-format on */

/* Which alarms end the program with STATUS_THRESHOLD, by enum alarm_kind. */
struct alarm_fail_on {
	bool fatal[ALARMS];
	bool named[ALARMS]; /* not only by "any" */
};

/* Have *how judge alarms by the options; a mistake in these is a usage
 * error. */
void alarm_options_read(const struct alarm_given *given,
			struct alarm_fail_on *fail_on,
			struct aggregate_how *how);

/* Report what could not be judged and what does not hold for long enough yet;
 * raises the status where the answer is not complete. */
void alarm_options_end(const struct alarm_fail_on *fail_on,
		       const struct aggregate *a);

#endif
