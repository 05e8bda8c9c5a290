/* The help of obs-top. */
#ifndef OBS_SINK_SCREEN_TOP_SCENE_HELP_H
#define OBS_SINK_SCREEN_TOP_SCENE_HELP_H

#include <stdint.h>

#include "sink/screen/screen.h"

/* Lines from `skip` on, from line to end - 1 of the screen. */
void scene_put_help(struct screen *screen, int line, int end, uint32_t skip);

#endif
