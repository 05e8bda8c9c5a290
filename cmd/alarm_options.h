/*
 * The options for alarms, shared by several programs, and the report when the
 * input ends.
 */
#ifndef OBS_CMD_ALARM_OPTIONS_H
#define OBS_CMD_ALARM_OPTIONS_H

#include "metrics/aggregate.h"
#include "metrics/alarms.h"
#include "metrics/sequence.h"
#include "options.h"

/* From the command line. */
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

/* Configure *how to evaluate alarms from the options; invalid ones are a usage
 * error. */
void alarm_options_read(const struct alarm_given *given,
			struct alarm_fail_on *fail_on,
			struct aggregate_how *how);

/* End of input: judge the last snapshot, unless a stream ended within it, where
 * engines would seem gone. 0 or an error. */
int alarm_end_input(struct sequence *s, struct err *err);

/* Report snapshots that were not judged, for they are no later than others, or
 * untimed; false: there are none. */
bool alarm_report_late(const struct aggregate *a);

/* Report conditions that were true, but not for long enough, when they could no
 * longer be evaluated. */
void alarm_report_lost(const struct aggregate *a);

/* Report what could not be evaluated and what was not true for long enough;
 * raises the status if the result is incomplete. */
void alarm_options_end(const struct alarm_fail_on *fail_on,
		       const struct aggregate *a);

#endif
