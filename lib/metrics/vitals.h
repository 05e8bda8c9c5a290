/*
 * The vital signs of every worker of a fleet, from a snapshot and the previous
 * one, for any engine.
 */
#ifndef OBS_METRICS_VITALS_H
#define OBS_METRICS_VITALS_H

#include "metrics/quantile.h"
#include "metrics/step_table.h"

/* A possibly unknown answer. */
enum truth { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES };

/* A histogram's counts since the previous snapshot, by bound. */
struct vital_buckets {
	const struct bucket *v;
	uint32_t n;
	double scale; /* factor from its bounds to seconds */
};

struct worker {
	uint64_t id;
	uint64_t kin;	      /* shared by comparable workers */
	struct str name;      /* for display; empty: the only one */
	struct str labels;    /* of its first series, as text */
	double vital[VITALS]; /* by enum vital; NaN: unknown */
	/* increases since the previous snapshot, of a ratio: */
	double hits;
	double queries;
	struct vital_buckets ttft;
	struct vital_buckets queue_time;
	bool restarted; /* or new: its change is unknown */
};

/* Texts and buckets are valid as long as the snapshot, or until the next
 * vitals_take. */
struct vitals {
	struct worker *v; /* in order of appearance */
	size_t n;
	size_t cap;
	struct map by_id;
	struct arena text;	 /* of names and buckets */
	struct label_set labels; /* of the current series */
	double time;		 /* Unix seconds of the snapshot */
	uint64_t infinite;	 /* values, which are left out as unknown */
	double seconds;		 /* since the previous one; NaN: none */
	double set_by;		 /* seconds the clock jumped between them:
				  * earlier times are moved by as much */
};

struct vitals vitals_new(void);
void vitals_free(struct vitals *v);

/* Read the current vital signs; before may be NULL. summary: only those of one
 * engine; NULL: of all. 0 or an error. */
int vitals_take(struct vitals *v, const struct survey *before,
		const struct survey *now, double seconds, const char *summary,
		struct err *err);

/* NULL: there is none. */
const struct worker *vitals_find(const struct vitals *v, uint64_t id);

/*
 * Does it run more requests than `limit` and make no token, though not paused?
 * Decided by a counter that moves with tokens. Without one, tokens are counted
 * when their requests end: an engine stands still if it reports making none, or
 * if all its signs are unchanged. *stale: the latter, with no request queued;
 * then it may also be an engine that went idle, which updates its gauges only
 * every VITALS_STALE seconds.
 */
enum truth worker_is_stalled(const struct worker *now,
			     const struct worker *before, double limit,
			     bool *stale);

/* An idle engine's scheduler updates its gauges only once in this many
 * seconds. */
enum { VITALS_STALE = 30 };

#endif
