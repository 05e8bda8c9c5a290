/*
 * Where the time of a rollout's samples went: by span name, by activity, by
 * phase of PD, waits and concurrency. man/obs-perfsum.1 defines every figure;
 * the viewer's stats.js computes the same.
 *
 * Rows are added one at a time, with their own times. Memory is 8 bytes per
 * span (its duration, for exact quantiles), 24 bytes per row and the intervals
 * of the row that ended last. Times are microseconds internally, so that sums
 * are exact up to 2^53, and seconds in the figures.
 */
#ifndef OBS_ROLLOUT_BREAKDOWN_H
#define OBS_ROLLOUT_BREAKDOWN_H

#include "base/stats.h"
#include "rollout/counted_row.h"
#include "rollout/figures.h"
#include "rollout/pd_times.h"

/* Figures of one span name, or of one PD phase or segment, which have no self
 * time. A ratio is NaN if its divisor is 0. */
struct time_figures {
	struct str name;
	uint64_t count;
	double total, self; /* seconds */
	double share;	    /* self time, or a PD's total, by all samples'
			     * time */
	double concurrency; /* total relative to wall */
	double p50, p95, max;
	const struct stats *values; /* µs of spans, seconds of phases */
};

struct last_figures {
	bool any;	   /* there are samples */
	double seconds;	   /* from when 95% had ended until the end */
	double share;	   /* fraction of wall */
	struct str sample; /* JSON text of its index */
	uint64_t row;	   /* position of the sample in its dump */
	bool repeats;	   /* other rows have the same index */
	bool open;	   /* its end is where an open span is cut */
	struct str name;   /* what it was doing then; p NULL: nothing */
	double time;	   /* for how long */
	bool within;	   /* of `seconds`, not of its whole time */
};

struct breakdown_figures {
	uint64_t samples;
	double wall;
	double time; /* of all samples, from start to end */
	double own;  /* their working time */
	uint64_t peak;
	double utilisation, bubble;
	double tail;
	double waiting_group, waiting_client, waiting_reward;
	double activities[ACTIVITIES]; /* seconds */
	struct time_figures *spans;    /* most self time first */
	size_t span_count;
	struct time_figures phases[PD_ROLES]; /* count 0: not measured */
	struct time_figures segments[PD_ROLES][PD_SEGMENTS];
	struct last_figures last;
};

/* For code that builds such figures: waiting from the activities, and the order
 * of spans. */
void breakdown_set_waiting(struct breakdown_figures *figures);
void breakdown_sort_spans(struct breakdown_figures *figures);

struct breakdown;

/* The names are shared with others, and outlive it. NULL: no memory. */
struct breakdown *breakdown_new(struct span_names *names);
void breakdown_free(struct breakdown *breakdown);

/* Add the PD phases of a row; the arena is used during the call. Returns 0 or
 * an error. */
int breakdown_add_phases(struct breakdown *breakdown, const struct row *row,
			 struct arena *a, struct err *err);

/* Add a row, in any order; its store outlives the breakdown. 0 or an error. */
int breakdown_add(struct breakdown *breakdown, const struct counted_row *row,
		  struct err *err);

/* The figures of all rows so far, valid until the breakdown is freed. NULL with
 * err filled if out of memory. */
const struct breakdown_figures *breakdown_end(struct breakdown *breakdown,
					      struct err *err);

/* Add perf/wall, if it is known (times: not NULL) and not there. 0 or
 * ERR_MEMORY. */
int breakdown_add_wall(const struct breakdown_figures *times,
		       struct figures *figures, struct err *err);

#endif
