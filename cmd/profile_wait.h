/*
 * Waiting for the traces of profiled workers, in their output directories, if
 * those are shared with this machine.
 */
#ifndef OBS_CMD_PROFILE_WAIT_H
#define OBS_CMD_PROFILE_WAIT_H

#include <signal.h>
#include <stdbool.h>

#include "net/client/profile.h"
#include "profile/trace_dir.h"

/* One directory per worker, or one for all. Zeroed: nothing is watched. */
struct profile_watch {
	struct trace_dir *dirs;
	size_t *expected;   /* files, by directory */
	struct err *errors; /* from the last scan, by directory */
	size_t n;
	bool shared;
};

/* Watch the workers' directories. Before a start, existing files do not count.
 * Ends the program on failure. */
void watch_begin(struct profile_watch *watch, const struct profile *p,
		 enum profile_action action, bool shared);
void watch_free(struct profile_watch *watch);

/* The directory of a worker; NULL if it is shared or not watched. */
const struct trace_dir *watch_dir(const struct profile_watch *watch, size_t i);

/* Check for files written with a stop. */
void watch_settle(struct profile_watch *watch);

/* Wait until they are, seconds have passed, or a signal arrives. Workers on
 * which the action failed are not waited for. Returns whether all files are
 * complete; others are reported. */
bool watch_wait(struct profile_watch *watch, const struct profile *p,
		enum profile_action action, double seconds,
		const volatile sig_atomic_t *interrupted);

#endif
