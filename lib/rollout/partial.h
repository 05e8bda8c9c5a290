/*
 * What is known of any number of rollouts together, in a form that merges: the
 * same, to the last digit, whichever were merged first.
 *
 * Exact are counts, extremes, sums (to some 100 bits), the stragglers, and
 * quantiles of up to SKETCH_FEW values; those of more are within SKETCH_ERROR
 * (base/sketch.h). A breakdown adds up walls, times and tails of rollouts, each
 * of which ran by itself: its peak is the highest of one rollout, and its
 * utilisation is the work by what the peaks of all walls had room for.
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
	struct sum capacity; /* wall times peak of each rollout */
	struct sum activities[ACTIVITIES];
	struct intern names;
	struct partial_span *spans; /* by number of the name */
	size_t span_cap;
	struct sketch phases[PD_ROLES]; /* seconds, as the next */
	struct sketch segments[PD_ROLES][PD_SEGMENTS];
	struct breakdown_figures figures; /* of partial_digest */
};

struct partial_stragglers {
	struct sketch durations, tokens, rates;
	struct straggler_ranks ranks;
	struct straggler *all; /* of partial_digest */
	struct arena text;     /* of what stragglers name */
};

struct partial {
	const struct digest_plan *plan; /* what of it is kept */
	uint64_t dumps;
	struct perf_counts counts;
	struct sketch metrics[PERF_METRICS];
	struct partial_breakdown breakdown;
	struct partial_stragglers stragglers;
};

/* For what the plan asks for, which outlives it; NULL: no memory. */
struct partial *partial_new(const struct digest_plan *plan);
void partial_free(struct partial *partial);

/* Take in a rollout that was made by the same plan, or what another partial
 * has. Returns 0 or an error. */
int partial_add(struct partial *partial, const struct digest *digest,
		struct err *err);
int partial_merge(struct partial *partial, const struct partial *other,
		  struct err *err);

/* Fill an empty partial from the JSON of one: 0; ERR_INPUT when that is
 * damaged, of another version, or lacks what the plan asks for. */
int partial_read(struct partial *partial, struct value object, struct err *err);

/* Does a file of partials begin so? */
bool partial_detect(struct str head);

/* All as one rollout, which borrows from the partial. NULL with err filled when
 * memory ran out. */
struct digest *partial_digest(struct partial *partial, struct err *err);

/* For those above and the reader: keep a straggler with copies of its texts,
 * and a span's place in spans. Return 0 or an error. */
int partial_keep_straggler(struct partial *partial,
			   const struct straggler *straggler, struct err *err);
struct partial_span *partial_span(struct partial_breakdown *breakdown,
				  struct str name, struct err *err);

#endif
