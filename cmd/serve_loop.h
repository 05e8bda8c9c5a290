/*
 * How servers wait: signals as a descriptor, and a loop for a server whose
 * answers come from a command.
 */
#ifndef OBS_CMD_SERVE_LOOP_H
#define OBS_CMD_SERVE_LOOP_H

#include <stdbool.h>

#include "net/server/flight.h"
#include "net/server/serve.h"

/* A descriptor that becomes readable on SIGINT and SIGTERM, and on SIGCHLD if
 * children matter; these are blocked from now on. Ignores SIGPIPE. Ends the
 * program on failure. */
int stop_descriptor(bool children);

/* Serve until the descriptor, which also reports children, has a signal. The
 * first lets requests in flight finish, a second one does not. */
void serve_loop(struct server *server, struct flight *flight, int signals);

#endif
