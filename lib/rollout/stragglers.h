/*
 * The samples that ended last or ran longest by their own work, and why: a
 * long answer, a slow engine, a wait. man/obs-perfsum.1 defines the words.
 *
 * Keeps the N that ended last so far, the N that ran longest and, for the
 * medians, 24 bytes per row, and 8 for its tools or its rewards.
 */
#ifndef OBS_ROLLOUT_STRAGGLERS_H
#define OBS_ROLLOUT_STRAGGLERS_H

#include "base/stats.h"
#include "rollout/counted_row.h"
#include "rollout/straggler.h"
#include "rollout/worker.h"

/* A straggler's measures; NaN if no row has one, but 0 seconds of tools or
 * rewards. */
struct straggler_medians {
	double duration, tokens, rate;
	double tools, rewards;
};

/* The inputs of their medians. */
struct straggler_values {
	const struct stats *durations, *tokens, *rates;
};

struct stragglers;

/* The names outlive it. NULL: no memory. */
struct stragglers *stragglers_new(size_t most, const struct span_names *names);
void stragglers_free(struct stragglers *stragglers);

/* Add a row, in any order. Returns 0 or an error. */
int stragglers_add(struct stragglers *stragglers, const struct counted_row *row,
		   struct err *err);

/* Input known once all rows were added; outlives the stragglers. */
struct straggler_context {
	const struct row_store *store;
	const struct victims *victims;
	const struct workers *workers; /* judged */
};

/* The N that ended last and the N that ran longest, each once, the last to end
 * first; if two ended together the longer, then the earlier in the dump. Valid
 * until they are freed. NULL: no memory. */
const struct straggler *stragglers_end(struct stragglers *stragglers,
				       const struct straggler_context *context,
				       size_t *count,
				       struct straggler_medians *medians,
				       struct err *err);

struct straggler_values stragglers_values(const struct stragglers *stragglers);

/* A sample's completion tokens: from the row's generation spans or, if none has
 * any, the sample's response_length; else NaN. */
double sample_tokens(const struct sample *sample, const struct row *row);

#endif
