/*
 * A worker under watch, the figures it is compared with, and the results of
 * alarm conditions. Private to metrics/alarms.
 */
#ifndef OBS_METRICS_WATCH_H
#define OBS_METRICS_WATCH_H

#include "metrics/history.h"
#include "metrics/rules.h"
#include "metrics/vitals.h"

/* Sums over time: each history is as long as its alarm looks back. */
struct sums {
	double hits;
	double queries;
	double retracted;
	double aborted;
	double finished;
	double busy; /* running requests, times seconds */
};

/* An alarm that is on, or may come on. */
struct standing {
	double since;	  /* NaN: its condition is false */
	double hold;	  /* seconds required from since on */
	double known;	  /* when it was last known */
	double value;	  /* its value then */
	const char *why;  /* it was not after that; NULL: nothing to say */
	uint32_t unknown; /* evaluations since it was last known */
	bool on;
};

/* The last time that the pace of a worker and of others was known. */
struct paces {
	double time; /* NaN: never */
	double pace; /* seconds per token */
	double fleet;
};

struct watch {
	uint64_t id;
	struct str name;
	struct worker now; /* of the last snapshot with the worker */
	struct worker before;
	double seen;	    /* when that was */
	double seen_before; /* and of the previous one; NaN: none */
	double pace;	    /* seconds per token; NaN: unknown */
	struct paces compared;
	double peak;	  /* its peak of running requests */
	double listed;	  /* when it was seen or its scrape failed */
	double silent;	  /* when its first scrape in a row failed */
	uint32_t failed;  /* consecutive failed scrapes, up to the last one */
	uint32_t missing; /* snapshots since it was seen or failed */
	uint32_t number;  /* among all watched workers */
	struct sums sums;
	struct history queue, hits, retracted, aborted, paces;
	struct standing standing[ALARMS];
};

/* Figures over a cohort of workers, used by conditions. */
struct cohort {
	uint64_t kin;
	double time; /* of this snapshot */
	double pace; /* seconds per token of most; NaN: too few known */
	double hit_rate;
	double version;	   /* of weights, the newest */
	uint32_t versions; /* workers that report one */
	double running;	   /* mean */
	uint32_t loaded;   /* workers that run enough for a pace */
	uint32_t n;	   /* workers that report running requests */
	const struct watch *busiest;
	const struct watch *idlest;
	const struct alarm_limits *limits;
};

/* Consecutive snapshots in which it did not answer. */
static inline uint32_t watch_silence(const struct watch *w)
{
	return w->failed + w->missing;
}

/* Since when; NaN: it never answered. */
static inline double watch_silent_since(const struct watch *w)
{
	return w->failed > 0 ? w->silent : w->seen;
}

/* Free its histories. */
void watch_free(struct watch *w);

/* All times are that many seconds later: the clock was set. */
void watch_shift(struct watch *w, double seconds);

enum { WATCH_TEXT = 320 };

/* The result of a condition. */
struct alarm_state {
	enum truth holds;
	bool at_once; /* it has already looked back */
	double since; /* when it became true, if it was not before */
	double least; /* seconds that it must be true, if more */
	double value;
	const char *why; /* it is unknown; NULL: nothing to say */
	bool stands;	 /* if unknown, an alarm that is on stays on */
	char text[WATCH_TEXT];
};

/* Was it slow when last compared? */
bool watch_is_slow(const struct watch *w, const struct alarm_limits *limits);

/* Why it cannot be compared now. */
const char *watch_uncompared(const struct watch *w, const struct cohort *f);

/* Does it run requests, or queue any? */
bool watch_has_requests(const struct watch *w);

/* Record a worker's vital signs at that time, `seconds` after the previous ones
 * (NaN: unknown). False if out of memory. */
bool watch_take(struct watch *w, const struct worker *worker, double time,
		double seconds, const struct alarm_limits *limits);

/* The same for a worker whose scrape failed: nothing else is known. */
void watch_take_failure(struct watch *w, double time);

/* Record what the next snapshots look back on. False if out of memory. */
bool watch_remember(struct watch *w, double time,
		    const struct alarm_limits *limits);

/* Compute the figures of the n workers of f->kin, which are present. 0 or an
 * error. */
int cohort_compare(struct cohort *f, struct watch *const *watches, uint32_t n,
		   struct err *err);

/* Evaluate a worker that is present, or (w is NULL) the fleet. */
void judge(struct alarm_state *v, enum alarm_kind kind, const struct watch *w,
	   const struct cohort *f);

#endif
