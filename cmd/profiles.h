/*
 * The profiles of --merge, read before the dump.
 */
#ifndef OBS_CMD_PROFILES_H
#define OBS_CMD_PROFILES_H

#include "clocks.h"
#include "options.h"
#include "sink/profile/engine_traces.h"

/*
 * Read the files of list, and the operands with a profile's name, ending in
 * .trace.json or .json.gz, which are removed from names. One that cannot be
 * read is reported and skipped; defects of others are reported.
 */
struct engine_traces *profiles_read(const struct opt_list *list, int *count,
				    char **names);

/* Warn of profiles that do not overlap the rollout. */
void profiles_check_clocks(const struct engine_traces *traces,
			   struct interval rollout);

#endif
