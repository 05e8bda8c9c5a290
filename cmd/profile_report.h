/*
 * What profile-rollout says: a table for people, or JSON, and the manifest
 * that it leaves beside the traces.
 */
#ifndef OBS_CMD_PROFILE_REPORT_H
#define OBS_CMD_PROFILE_REPORT_H

#include "base/io.h"
#include "profile_wait.h"

struct profile_report {
	enum profile_action action;
	const struct profile *profile;
	const struct profile_watch *watch;
};

enum report_format { REPORT_TABLE, REPORT_JSON, REPORT_JSONL };

/* Workers that did what the action asks for. */
size_t report_count_done(const struct profile_report *report);

/* A line on standard error for each worker that did not. */
void report_failures(const struct profile_report *report);

/* The workers in a format. A failure ends the program. */
void report_write(const struct profile_report *report,
		  enum report_format format, struct out *out);

/* The traces, as a table. */
void report_write_files(const struct profile_report *report, struct out *out);

/* DIR/manifest.json, which appears whole or not at all. */
void report_write_manifest(const struct profile_report *report,
			   const char *dir);

#endif
