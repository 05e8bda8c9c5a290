/*
 * A snapshot on disk, for differences across separate runs: an ordinary
 * exposition with timestamps in milliseconds and two extra gauges, the time of
 * arrival first and the number of samples last, without which it is incomplete.
 *
 * A run holds the file's lock (flock(2)) from before it reads the state until
 * after it has written the next, so no two runs report the same increase. The
 * file is replaced, not overwritten; a run that waited for the lock of a
 * replaced file opens the new one.
 */
#ifndef OBS_METRICS_STATE_H
#define OBS_METRICS_STATE_H

#include "metrics/aggregate.h"

struct state_file {
	const char *path; /* borrowed; NULL: closed */
	int fd;
	bool locked; /* false: the file system has no locks */
};

/* Open the file, empty if it does not exist, and lock it. 1; 0 if another run
 * has the lock, unless `wait`; or an error. */
int state_open(struct state_file *f, const char *path, bool wait,
	       struct err *err);

/* Release the lock; a file that is still empty is removed. */
void state_close(struct state_file *f);

/* Make the file's snapshot the previous one. 1; 0 if there is none yet; or an
 * error, also for an incomplete state. */
int state_read(struct aggregate *a, const struct state_file *f,
	       struct err *err);

/* Write the snapshot to the file, atomically. */
int state_write(const struct series_table *t, const char *path,
		struct err *err);

#endif
