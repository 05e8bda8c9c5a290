/*
 * Waiting for the traces of profiled workers, in the directories that they
 * were told to write to, as far as these are shared with this machine.
 */
#ifndef OBS_CMD_PROFILE_WAIT_H
#define OBS_CMD_PROFILE_WAIT_H

#include <signal.h>
#include <stdbool.h>

#include "net/client/profile.h"
#include "profile/trace_dir.h"

/* A directory each worker, or one for all. Zeroes: nothing is watched. */
struct profile_watch {
	struct trace_dir *dirs;
	size_t *expected;   /* files, by directory */
	struct err *errors; /* of the last look, by directory */
	size_t n;
	bool shared;
};

/* Watch the workers' directories. What is in them already does not count when
 * a start is to come. Ends the program on failure. */
void watch_begin(struct profile_watch *watch, const struct profile *p,
		 enum profile_action action, bool shared);
void watch_free(struct profile_watch *watch);

/* The directory of a worker; NULL when it is shared or not watched. */
const struct trace_dir *watch_dir(const struct profile_watch *watch, size_t i);

/* Have all files of a directory come, whole? */
bool watch_is_complete(const struct profile_watch *watch, size_t i);

/* Look at what came with a stop. */
void watch_settle(struct profile_watch *watch);

/* Wait until they have, seconds have passed, or a signal came. A worker that
 * did not do what it was asked is not waited for. Returns whether all files
 * are complete; what is not is said. */
bool watch_wait(struct profile_watch *watch, const struct profile *p,
		enum profile_action action, double seconds,
		const volatile sig_atomic_t *interrupted);

#endif
