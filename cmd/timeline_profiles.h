/*
 * The files of --profile: profiles of engines, cut to the time of a rollout.
 */
#ifndef OBS_CMD_TIMELINE_PROFILES_H
#define OBS_CMD_TIMELINE_PROFILES_H

#include "base/interval.h"
#include "options.h"
#include "profile/gpu_lanes.h"

/* Read the files for a rollout at that time; free the lanes. Reports errors in
 * the files, and files that do not overlap the rollout. */
void gpu_profiles_read(const struct opt_list *files, struct interval rollout,
		       struct gpu_lanes *lanes);

#endif
