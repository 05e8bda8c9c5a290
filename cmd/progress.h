/*
 * Progress of a long run, on standard error: on a terminal a line that is
 * overwritten and cleared at the end, elsewhere (only on request) a line each
 * time. Silent for a run shorter than a second.
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
	bool shown;   /* the line is on the terminal */
	int64_t next; /* time of the next update, monotonic */
};

/* forced: even if standard error is not a terminal, and immediately. */
struct progress progress_begin(size_t total, bool asked);

/* Set how many are done. Cheap, call it as often as you like. */
void progress_show(struct progress *progress, size_t done);

/* Call before other output to standard error, and at the end. */
void progress_clear(struct progress *progress);

#endif
