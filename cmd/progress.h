/*
 * How far a long run is, on standard error: on a terminal a line that is
 * written over and goes when the run ends, elsewhere (only when asked for) a
 * line each time. Nothing is said of a run that takes less than a second.
 */
#ifndef OBS_CMD_PROGRESS_H
#define OBS_CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	size_t total;
	bool on;
	bool terminal;
	bool shown;   /* a line stands on the terminal */
	int64_t next; /* when to say more, monotonic */
};

/* asked: also where standard error is no terminal, and at once. */
struct progress progress_begin(size_t total, bool asked);

/* So many are done. Cheap: may be called as often as one likes. */
void progress_show(struct progress *progress, size_t done);

/* Before anything else is written to standard error, and at the end. */
void progress_clear(struct progress *progress);

#endif
