/*
 * A snapshot on disk, for differences across separate runs: an exposition
 * like any other, with timestamps in milliseconds and two gauges more, the
 * time of arrival first and, last, how many samples there are, without which
 * it is not complete.
 *
 * A run holds the file's lock (flock(2)) from before it reads the state until
 * after it has written the next, so that no two runs report one increase. The
 * file is replaced, not written over; who waited for the lock of one that was
 * replaced opens the new one.
 */
#ifndef OBS_METRICS_STATE_H
#define OBS_METRICS_STATE_H

#include "metrics/aggregate.h"

struct state_file {
	const char *path; /* borrowed; NULL: closed */
	int fd;
	bool locked; /* false: the file system has no locks */
};

/* Open the file, empty if it is not there, and lock it. 1; 0 when another run
 * has the lock, unless `wait`; or an error. */
int state_open(struct state_file *f, const char *path, bool wait,
	       struct err *err);

/* Give up the lock; a file that is still empty is removed. */
void state_close(struct state_file *f);

/* Make the file's snapshot the one before. 1; 0 when there is none yet; or an
 * error, of which a state that is not complete is one. */
int state_read(struct aggregate *a, const struct state_file *f,
	       struct err *err);

/* Write the snapshot to the file, atomically. */
int state_write(const struct series_table *t, const char *path,
		struct err *err);

#endif
