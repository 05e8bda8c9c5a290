/* Profiling from the screen of obs-top, by profile-rollout. */
#ifndef OBS_CMD_TOP_PROFILE_H
#define OBS_CMD_TOP_PROFILE_H

#include "top_state.h"

/* The marked engines, else the one under the cursor: up to n are stored in v.
 * Returns how many there are. */
uint32_t top_profile_engines(const struct top_screen *t,
			     const struct board_engine **v, uint32_t n);

/* Run profile-rollout on them, on the terminal, and return. */
void top_profile_run(struct top_screen *t);

#endif
