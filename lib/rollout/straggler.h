/*
 * A sample that ended last or ran longest, and why.
 */
#ifndef OBS_ROLLOUT_STRAGGLER_H
#define OBS_ROLLOUT_STRAGGLER_H

#include "rollout/activity.h"
#include "rollout/waits.h"
#include "rollout/worker.h"

enum { STRAGGLERS_MAX = 10000, CAUSE_MAX = 32 };

struct straggler {
	struct str dump;	  /* p NULL: there is only one dump */
	size_t place;		  /* in the store */
	double last, longest;	  /* its rank from 1; NaN: unranked */
	struct str sample, group; /* JSON text; null: no group */
	uint64_t row;		  /* position of the sample in its dump */
	bool repeats;		  /* other rows have the same index */
	double start, end; /* own, seconds since the earliest row began */
	bool open;	   /* its end is where an open span is cut */
	double duration;   /* seconds of work */
	double ratio;	   /* relative to the median duration; NaN: none */
	double tokens;	   /* NaN: unknown */
	double rate;	   /* decode tokens per second; NaN: unknown */
	struct str worker; /* p NULL: unknown */
	const struct worker_speed *speed; /* of that worker; NULL: unknown */
	struct str held;		  /* span name; p NULL: none */
	double held_time;		  /* seconds of self time */
	enum activity most;		  /* the activity of most of its work */
	double most_time;
	double client_queue, waited; /* seconds; waited: for its group */
	double waits[ACTIVITIES];    /* seconds of work, by activity */
	double earlier;		     /* seconds of attempts before the last */
	char cause[CAUSE_MAX];	     /* in words */
	double cause_time;	     /* its seconds; NaN: unknown */
	double cause_queue; /* those in the queue of a slow engine, else 0 */

	/* Those that waited for it, and for how long in total. */
	const struct victim *victims;
	const struct str *victim_samples; /* NULL: see victims */
	size_t victim_count;
	double group_wait;
};

#endif
