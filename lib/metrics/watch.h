/*
 * A worker under watch, what it is compared with, and what the conditions of
 * alarms say of it. Private to metrics/alarms.
 */
#ifndef OBS_METRICS_WATCH_H
#define OBS_METRICS_WATCH_H

#include "metrics/history.h"
#include "metrics/rules.h"
#include "metrics/vitals.h"

/* What is summed up over time: each has a history as long as its alarm looks
 * back. */
struct sums {
	double hits;
	double queries;
	double retracted;
	double aborted;
	double finished;
	double busy; /* running requests, times seconds */
};

/* Whether an alarm is on, or may come on. */
struct standing {
	double since;	  /* NaN: its condition does not hold */
	double hold;	  /* seconds that it must, from since on */
	uint32_t unknown; /* judgements since it was last known */
	bool on;
};

struct watch {
	uint64_t id;
	struct str name;
	struct worker now; /* of the last snapshot that had it */
	struct worker before;
	double seen;	    /* when that was */
	double seen_before; /* and the one before it; NaN: there is none */
	double pace;	    /* seconds per token; NaN: unknown */
	double peak;	    /* the most requests that it ran */
	double listed;	    /* when it was seen or its scrape failed */
	double silent;	    /* when its first scrape in a row failed */
	uint32_t failed;    /* scrapes in a row, up to the last one */
	uint32_t missing;   /* snapshots since it was seen or failed */
	uint32_t number;    /* among all that are watched */
	struct sums sums;
	struct history queue;
	struct history hits;
	struct history retracted;
	struct history aborted;
	struct history paces;
	struct standing standing[ALARMS];
};

/* Figures over workers of one kin, with which conditions compare each. */
struct cohort {
	uint64_t kin;
	double time; /* of this snapshot */
	double pace; /* seconds per token, of most; NaN: too few are known */
	double hit_rate;
	double version;	   /* of weights, the newest */
	uint32_t versions; /* workers that have one */
	double running;	   /* mean */
	uint32_t n;	   /* workers that say how many they run */
	const struct watch *busiest;
	const struct watch *idlest;
	const struct alarm_limits *limits;
};

/* Snapshots in a row in which it did not answer. */
static inline uint32_t watch_silence(const struct watch *w)
{
	return w->failed + w->missing;
}

/* Since when; NaN: it never answered. */
static inline double watch_silent_since(const struct watch *w)
{
	return w->failed > 0 ? w->silent : w->seen;
}

enum { WATCH_TEXT = 320 };

/* What a condition came to. */
struct alarm_state {
	enum truth holds;
	bool at_once; /* it looked back already */
	double since; /* when it began to hold, if it did not before */
	double least; /* seconds that it must hold, if that is more */
	double value;
	char text[WATCH_TEXT];
};

/* Take a worker's vital signs at that time, `seconds` after those before
 * (NaN: unknown). */
void watch_take(struct watch *w, const struct worker *worker, double time,
		double seconds, const struct alarm_limits *limits);

/* The same of a worker whose scrape failed: of that only is known. */
void watch_take_failure(struct watch *w, double time);

/* Note what the next snapshots look back on. */
void watch_remember(struct watch *w, double time,
		    const struct alarm_limits *limits);

/* Compare these n workers of f->kin, which are there. 0 or an
 * error. */
int cohort_compare(struct cohort *f, struct watch *const *watches, uint32_t n,
		   struct err *err);

/* Judge a worker that is there, or (w is NULL) the fleet. */
void judge(struct alarm_state *v, enum alarm_kind kind, const struct watch *w,
	   const struct cohort *f);

#endif
