/*
 * The vital signs of every worker of a fleet, from a snapshot and the one
 * before it, whichever engines it runs.
 */
#ifndef OBS_METRICS_VITALS_H
#define OBS_METRICS_VITALS_H

#include "metrics/quantile.h"
#include "metrics/step_table.h"

/* What is known of a question. */
enum truth { TRUTH_UNKNOWN, TRUTH_NO, TRUTH_YES };

/* What a histogram counted since the snapshot before, by bound. */
struct vital_buckets {
	const struct bucket *v;
	uint32_t n;
	double scale; /* of its bounds, to seconds */
};

struct worker {
	uint64_t id;
	uint64_t kin;	      /* the same for those that can be compared */
	struct str name;      /* for people; empty: the only one */
	struct str labels;    /* of its first series, as text */
	double vital[VITALS]; /* by enum vital; NaN: unknown */
	/* increases since the snapshot before, of a ratio: */
	double hits;
	double queries;
	struct vital_buckets ttft;
	struct vital_buckets queue_time;
	bool restarted; /* or is new: what it did is not known */
};

/* Texts and buckets last as long as the snapshot, or until the next
 * vitals_take. */
struct vitals {
	struct worker *v; /* in the order in which they came */
	size_t n;
	size_t cap;
	struct map by_id;
	struct arena text;	 /* of names and buckets */
	struct label_set labels; /* of the series being read */
	double time;		 /* Unix seconds of the snapshot */
	double seconds;		 /* since the one before; NaN: there is none */
};

struct vitals vitals_new(void);
void vitals_free(struct vitals *v);

/* Take the vital signs of now; before may be NULL. summary: those of one
 * engine only; NULL: of all. 0 or an error. */
int vitals_take(struct vitals *v, const struct survey *before,
		const struct survey *now, double seconds, const char *summary,
		struct err *err);

/* NULL: there is none. */
const struct worker *vitals_find(const struct vitals *v, uint64_t id);

/*
 * Does it run more requests than `limit` and make no token, though nothing
 * holds it? A counter of tokens as they are made tells. Without one, tokens are
 * counted when their requests end: an engine stands still if it claims to make
 * none, or if all its signs are what they were before. *stale: the latter, with
 * no request waiting; then it may as well be an engine that went idle, which
 * corrects its gauges only every VITALS_STALE seconds.
 */
enum truth worker_is_stalled(const struct worker *now,
			     const struct worker *before, double limit,
			     bool *stale);

/* The scheduler of the engines writes the gauges of an idle engine once in so
 * many seconds. */
enum { VITALS_STALE = 30 };

#endif
