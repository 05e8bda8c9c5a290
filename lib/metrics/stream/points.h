/*
 * Samples of many series, series by series as histories of metrics come, put
 * in the order of time. Memory has a bound: what is more than POINTS_HELD is
 * sorted in runs that wait in an unlinked temporary file, and merged.
 */
#ifndef OBS_METRICS_STREAM_POINTS_H
#define OBS_METRICS_STREAM_POINTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { POINTS_HELD = 1 << 20 /* of 24 bytes */ };

struct point {
	int64_t time; /* milliseconds since 1970 */
	double value;
	uint64_t series;
};

/* Sorted points in the file, of which some are at hand. */
struct point_run {
	off_t at;      /* of those not read yet */
	uint64_t left; /* how many */
	struct point *v;
	size_t n;
	size_t next;
	size_t number; /* runs came in this order */
};

struct points {
	struct point *v; /* the run that is being filled, or given */
	size_t n;
	size_t cap;
	size_t next;
	int fd; /* of the runs before it; -1: there are none */
	off_t end;
	struct point_run **runs; /* while giving: a heap, the earliest first */
	size_t n_runs;
	size_t runs_cap;
	struct point *at_hand; /* the runs' own */
	size_t share;	       /* of each run in it */
};

struct points points_new(void);
void points_free(struct points *p);

/* 0 or an error. */
int points_add(struct points *p, struct point point, struct err *err);

/* All are there: sort them. 0 or an error. */
int points_sort(struct points *p, struct err *err);

/* The earliest that has not been given; of one time and series, in the order
 * in which they came. 1, 0 at the end, or an error. */
int points_next(struct points *p, struct point *point, struct err *err);

#endif
