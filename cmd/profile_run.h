/*
 * profile-rollout's work once the workers are known: the round, what is said
 * of it, the wait for traces, and leaving no engine profiling behind when a
 * signal or a failure ends it early.
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
	double wait_seconds; /* for traces; below 0: not at all */
	bool summary;	     /* of what was waited for */
	enum report_format format;
	struct out *out;
};

/*
 * Do it all and remember the exit status. A first SIGINT or SIGTERM ends what
 * is being waited for and, after a start, has the workers stopped; a second
 * one ends the program at once.
 */
void profile_run(const struct profile_run *run);

/* The last statement of main: as finish, or the end by the signal that came
 * meanwhile. */
int profile_run_finish(void);

#endif
