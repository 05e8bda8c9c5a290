/*
 * The output of profile-rollout: a table or JSON, and the manifest saved next
 * to the traces.
 */
#ifndef OBS_CMD_ACTION_REPORT_H
#define OBS_CMD_ACTION_REPORT_H

#include "base/io.h"
#include "profile_wait.h"

struct action_report {
	enum profile_action action;
	const struct profile *profile;
	const struct profile_watch *watch;
};

enum report_format { REPORT_TABLE, REPORT_JSON, REPORT_JSONL };

/* Workers on which the action succeeded. */
size_t action_report_count_done(const struct action_report *report);

/* A line on standard error for each worker on which it failed. */
void action_report_failures(const struct action_report *report);

/* Print the workers in a format. A failure ends the program. */
void action_report_write(const struct action_report *report,
			 enum report_format format, struct out *out);

/* The traces, as a table. */
void action_report_write_files(const struct action_report *report,
			       struct out *out);

/* DIR/manifest.json, written atomically. */
void action_report_write_manifest(const struct action_report *report,
				  const char *dir);

#endif
