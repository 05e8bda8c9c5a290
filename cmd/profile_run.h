/*
 * The work of profile-rollout once the workers are known: the round, its
 * report, the wait for traces, and stopping all engines if a signal or a
 * failure ends it early.
 */
#ifndef OBS_CMD_PROFILE_RUN_H
#define OBS_CMD_PROFILE_RUN_H

#include "action_report.h"

struct profile_run {
	struct profile *profile;
	enum profile_action action;
	int64_t timeout;	/* of a request, ns */
	const char *output_dir; /* or NULL */
	bool shared_dir;
	bool all_or_nothing;
	double wait_seconds; /* for traces; below 0: do not wait */
	bool summary;	     /* of awaited traces */
	enum report_format format;
	struct out *out;
};

/*
 * Do it all and record the exit status. A first SIGINT or SIGTERM ends the
 * current wait and, after a start, stops the workers; a second one ends the
 * program at once.
 */
void profile_run(const struct profile_run *run);

/* The last statement of main: like finish, or end by a signal received
 * meanwhile. */
int profile_run_finish(void);

#endif
