/*
 * The terminal's type, in a file of its own: <term.h> makes macros of common
 * words.
 */
#ifndef OBS_SINK_SCREEN_TERMINAL_H
#define OBS_SINK_SCREEN_TERMINAL_H

#include <stdbool.h>

/* Does terminfo have the type that TERM names? */
bool terminal_is_known(int fd);

#endif
