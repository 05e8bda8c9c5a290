/*
 * Least privilege for a process that only serves open files.
 */
#ifndef OBS_NET_SERVER_CONFINE_H
#define OBS_NET_SERVER_CONFINE_H

#include "base/err.h"

/*
 * From now on the kernel only allows this process to accept, read, write, wait,
 * allocate memory, close and exit, and fails all else with ENOSYS: no file is
 * opened, no program run, no socket created. Open descriptors stay open. Call
 * it in a single-threaded process, once everything is set up.
 *
 * ERR_IO, with no change, if the kernel or a sandbox does not support such
 * filters, on an architecture unknown to confine.c, and in an instrumented
 * build.
 */
int confine_to_serving(struct err *err);

#endif
