/*
 * The samples that ended last or ran longest by their own work, and why: a
 * long answer, a slow engine, a wait. man/obs-perfsum.1 defines the words.
 *
 * Kept are the N that ended last so far, the N that ran longest and, for the
 * medians, 24 bytes a row.
 */
#ifndef OBS_ROLLOUT_STRAGGLERS_H
#define OBS_ROLLOUT_STRAGGLERS_H

#include "base/stats.h"
#include "rollout/counted_row.h"
#include "rollout/straggler.h"
#include "rollout/worker.h"

/* What a straggler is measured by; NaN where no row has one. */
struct straggler_medians {
	double duration, tokens, rate;
};

/* What those are the medians of. */
struct straggler_values {
	const struct stats *durations, *tokens, *rates;
};

struct stragglers;

/* The names outlive it. NULL: no memory. */
struct stragglers *stragglers_new(size_t most, const struct span_names *names);
void stragglers_free(struct stragglers *stragglers);

/* Take in a row, in any order. Returns 0 or an error. */
int stragglers_add(struct stragglers *stragglers, const struct counted_row *row,
		   struct err *err);

/* What is known when all rows have been taken in; outlives the stragglers. */
struct straggler_context {
	const struct row_store *store;
	const struct victims *victims;
	const struct workers *workers; /* judged */
};

/* The N that ended last and the N that ran longest, each once, the last one
 * first; of two that ended together the longer, then the earlier of the dump.
 * Valid until they are freed. NULL: no memory. */
const struct straggler *stragglers_end(struct stragglers *stragglers,
				       const struct straggler_context *context,
				       size_t *count,
				       struct straggler_medians *medians,
				       struct err *err);

struct straggler_values stragglers_values(const struct stragglers *stragglers);

/* What a sample completed in tokens: what the row's generation spans say or,
 * where none does, the sample's response_length; else NaN. */
double sample_tokens(const struct sample *sample, const struct row *row);

#endif
