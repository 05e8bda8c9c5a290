/* The keys of obs-top's screen. */
#ifndef OBS_CMD_TOP_KEYS_H
#define OBS_CMD_TOP_KEYS_H

#include "top_state.h"

/* Handle pending keys. */
void top_take_keys(struct top_screen *t);

#endif
