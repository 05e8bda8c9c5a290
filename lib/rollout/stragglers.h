/*
 * The samples that ended last or ran longest, and why: a slow engine, a long
 * answer, a wait. man/obs-perfsum.1 defines the words.
 *
 * Kept are the N that ended last so far, the N that ran longest and, for the
 * medians, 24 bytes a row.
 */
#ifndef OBS_ROLLOUT_STRAGGLERS_H
#define OBS_ROLLOUT_STRAGGLERS_H

#include "rollout/moments.h"
#include "rollout/rollout.h"

enum { STRAGGLERS_MAX = 10000 };

struct straggler {
	size_t place;		  /* among the rows */
	double last, longest;	  /* its rank from 1; NaN: not among them */
	struct buf texts;	  /* owns the two below, JSON */
	struct str sample, group; /* null: in no group */
	double start, end;	  /* seconds since the earliest row began */
	double duration;	  /* seconds */
	double ratio;		  /* to the median duration; NaN: none */
	double tokens;		  /* NaN: not known */
	double rate;	      /* tokens a second of decode; NaN: not known */
	struct str held;      /* span name; p NULL: none */
	double held_time;     /* seconds of its own */
	enum activity waited; /* what took most of its time */
	double waited_time;
	const char *cause; /* in words */
};

/* What a straggler is measured by; NaN where no row has one. */
struct straggler_medians {
	double duration, tokens, rate;
};

struct stragglers;

/* The names outlive it. NULL: no memory. */
struct stragglers *stragglers_new(size_t most, struct span_names *names);
void stragglers_free(struct stragglers *stragglers);

/* Take in a row that has a time. Returns 0 or an error. */
int stragglers_add(struct stragglers *stragglers, const struct sample *sample,
		   const struct row *row, const struct moments *moments,
		   struct err *err);

/* The N that ended last and the N that ran longest, each once, the last one
 * first; of two that ended together the longer, then the earlier of the dump.
 * Valid until they are freed. NULL: no memory. */
const struct straggler *stragglers_end(struct stragglers *stragglers,
				       size_t *count,
				       struct straggler_medians *medians,
				       struct err *err);

#endif
