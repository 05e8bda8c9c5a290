/*
 * A snapshot on disk, for differences across separate runs: an exposition
 * like any other, with timestamps in milliseconds and one gauge more, the
 * time of arrival.
 */
#ifndef OBS_METRICS_STATE_H
#define OBS_METRICS_STATE_H

#include "metrics/aggregate.h"

/* Write the snapshot to a file, which appears whole or not at all. */
int state_write(const struct series_table *t, const char *path,
		struct err *err);

/* Make the file's snapshot the one before. 1; 0 when there is no such file;
 * or an error, a bad line being one. */
int state_read(struct aggregate *a, const char *path, struct err *err);

#endif
