/*
 * Least privilege for a process that serves what it has open already.
 */
#ifndef OBS_NET_SERVER_CONFINE_H
#define OBS_NET_SERVER_CONFINE_H

#include "base/err.h"

/*
 * From here on, and for good, the kernel lets this process accept, read,
 * write, wait, have memory, close and end, and refuses all else as a call it
 * does not know: no file is opened, no program runs, no socket is made. What
 * it has open stays open. For a process of one thread, once all it needs is
 * there.
 *
 * ERR_IO where the kernel, or what stands before it, has no such filter, on an
 * architecture that confine.c does not know, and in an instrumented build. All
 * goes on as before then.
 */
int confine_to_serving(struct err *err);

#endif
