/*
 * Samples of many series, series by series as in histories, sorted by time.
 * Memory is bounded: beyond POINTS_HELD, sorted runs go to an unlinked
 * temporary file and are merged.
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

/* Sorted points in the file, some of them in memory. */
struct point_run {
	off_t at;      /* of those not yet read */
	uint64_t left; /* how many */
	struct point *v;
	size_t n;
	size_t next;
	size_t number; /* the order of runs */
};

struct points {
	struct point *v; /* the run being filled, or read */
	size_t n;
	size_t cap;
	size_t next;
	int fd; /* of earlier runs; -1: none */
	off_t end;
	struct point_run **runs; /* while reading: a heap, the earliest first */
	size_t n_runs;
	size_t runs_cap;
	struct point *at_hand; /* belongs to the runs */
	size_t share;	       /* per run */
};

struct points points_new(void);
void points_free(struct points *p);

/* 0 or an error. */
int points_add(struct points *p, struct point point, struct err *err);

/* All were added: sort them. 0 or an error. */
int points_sort(struct points *p, struct err *err);

/* The earliest not yet returned; equal times of one series in input order. 1, 0
 * at the end, or an error. */
int points_next(struct points *p, struct point *point, struct err *err);

#endif
