/*
 * The profiles that --merge names, read before the dump is.
 */
#ifndef OBS_CMD_PROFILES_H
#define OBS_CMD_PROFILES_H

#include "options.h"
#include "sink/profile/engine_traces.h"

/*
 * Read the files of list, and those operands that are profiles by their name,
 * .trace.json or .json.gz at the end, which are taken away from names. One
 * that cannot be read is said and left out.
 */
struct engine_traces *profiles_read(const struct opt_list *list, int *count,
				    char **names);

#endif
