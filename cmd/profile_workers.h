/*
 * The workers that profile-rollout sends to: found, chosen, and checked for
 * known problems. Any failure ends the program.
 */
#ifndef OBS_CMD_PROFILE_WORKERS_H
#define OBS_CMD_PROFILE_WORKERS_H

#include "fleet.h"
#include "profile_run.h"

struct profile_choosing {
	struct opt_list routers;
	struct opt_list workers;
	const char *only; /* or NULL */
	const char *role; /* or NULL */
	bool force;
};

/* Append the workers of all sources, without duplicates; without any source,
 * those on standard input. A source that fails is reported. */
void workers_discover(const struct profile_choosing *choosing,
		      const struct fleet *fleet, struct target_list *list);

/* Make the chosen ones the run's profile, with their directories. */
void workers_choose(const struct profile_choosing *choosing,
		    const struct profile_run *run,
		    const struct target_list *list);

#endif
