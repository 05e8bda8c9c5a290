/*
 * Combined data of any number of rollouts, in a mergeable form: the same, to
 * the last digit, whatever the order of merging.
 *
 * Exact are counts, extremes, sums (to some 100 bits), the stragglers, and
 * quantiles of up to SKETCH_FEW values; with more, they are within SKETCH_ERROR
 * (base/sketch.h). A breakdown adds up walls, times and tails of separate
 * rollouts: its peak is the highest of any one, and its utilisation is the work
 * divided by the sum of each wall times its peak.
 *
 * Written by sink/perf/partial_json.h, read by partial_read below.
 */
#ifndef OBS_ROLLOUT_PARTIAL_H
#define OBS_ROLLOUT_PARTIAL_H

#include "base/sketch.h"
#include "rollout/digest.h"
#include "rollout/perf_keys.h"
#include "rollout/straggler_ranks.h"

enum { PARTIAL_VERSION = 1 };

struct partial_span {
	struct sketch durations; /* us */
	struct sum self;	 /* us */
};

/* Times in us. */
struct partial_breakdown {
	uint64_t rows, peak;
	struct sum wall, time, own, tail;
	struct sum capacity; /* sum of wall times peak of each rollout */
	struct sum activities[ACTIVITIES];
	struct intern names;
	struct partial_span *spans; /* by number of the name */
	size_t span_cap;
	struct sketch phases[PD_ROLES]; /* seconds, as the next */
	struct sketch segments[PD_ROLES][PD_SEGMENTS];
	struct breakdown_figures figures; /* for partial_digest */
};

struct partial_stragglers {
	struct sketch durations, tokens, rates;
	struct straggler_ranks ranks;
	struct straggler *all; /* for partial_digest */
	struct arena text;     /* texts of stragglers */
};

struct partial {
	const struct digest_plan *plan; /* which parts are kept */
	uint64_t dumps;
	struct perf_counts counts;
	struct sketch metrics[PERF_METRICS];
	struct partial_breakdown breakdown;
	struct partial_stragglers stragglers;
};

/* For a plan, which outlives it; NULL: no memory. */
struct partial *partial_new(const struct digest_plan *plan);
void partial_free(struct partial *partial);

/* Add a rollout made with the same plan, or another partial. Returns 0 or an
 * error. */
int partial_add(struct partial *partial, const struct digest *digest,
		struct err *err);
int partial_merge(struct partial *partial, const struct partial *other,
		  struct err *err);

/* Fill an empty partial from its JSON: 0; ERR_INPUT if that is damaged, of
 * another version, or lacks what the plan needs. */
int partial_read(struct partial *partial, struct value object, struct err *err);

/* Does a file of partials begin like this? */
bool partial_detect(struct str head);

/* Everything as one rollout, which borrows from the partial. NULL with err
 * filled if out of memory. */
struct digest *partial_digest(struct partial *partial, struct err *err);

/* For the functions above and the reader: keep a straggler with copies of its
 * texts, and get a span's index in spans. Return 0 or an error. */
int partial_keep_straggler(struct partial *partial,
			   const struct straggler *straggler, struct err *err);
struct partial_span *partial_span(struct partial_breakdown *breakdown,
				  struct str name, struct err *err);

#endif
