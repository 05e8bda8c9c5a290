/*
 * The profiles that --merge names, read before the dump is.
 */
#ifndef OBS_CMD_PROFILES_H
#define OBS_CMD_PROFILES_H

#include "clocks.h"
#include "options.h"
#include "sink/profile/engine_traces.h"

/*
 * Read the files of list, and those operands that are profiles by their name,
 * .trace.json or .json.gz at the end, which are removed from names. One that
 * cannot be read is reported and left out, and so is what is wrong with the
 * others.
 */
struct engine_traces *profiles_read(const struct opt_list *list, int *count,
				    char **names);

/* Warn of profiles that do not overlap the rollout. */
void profiles_check_clocks(const struct engine_traces *traces,
			   struct interval rollout);

#endif
