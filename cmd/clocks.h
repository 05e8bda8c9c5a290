/*
 * Whether things shown together happened at the same time, by the clocks of
 * their hosts.
 */
#ifndef OBS_CMD_CLOCKS_H
#define OBS_CMD_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/interval.h"

/*
 * Returns whether a and b are at most `most` seconds apart. Warns if not:
 * "NAME: the A ends 54 years before the B begins", and why, unless NULL.
 */
bool clocks_check(const char *name, const char *a_name, struct interval a,
		  const char *b_name, struct interval b, double most,
		  const char *why);

/* The same of a profile and a rollout, which must overlap. has_base: the
 * profile has baseTimeNanoseconds, which turns its times into Unix time. */
bool clocks_check_profile(const char *path, struct interval profile,
			  struct interval rollout, bool has_base);

/* Warn about records of NAME that were skipped, which lie up to so many seconds
 * outside of the time of the dump; 0: none on that side. */
void clocks_say_skipped(const char *name, size_t skipped, size_t of,
			double before, double after);

#endif
