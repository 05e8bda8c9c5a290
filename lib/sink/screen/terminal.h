/*
 * The terminal's type, in a separate file: <term.h> defines common words as
 * macros.
 */
#ifndef OBS_SINK_SCREEN_TERMINAL_H
#define OBS_SINK_SCREEN_TERMINAL_H

#include <stdbool.h>

/* Does terminfo know the type in TERM? */
bool terminal_is_known(int fd);

#endif
