/*
 * A rollout for --what-if: samples in groups, the requests of each, what each
 * waited for, and the engine that served it.
 *
 * Times are seconds since the start of the last rollout in the dump: parts of
 * resumed samples from an earlier one are dropped.
 */
#ifndef OBS_ROLLOUT_WHAT_IF_SCENE_H
#define OBS_ROLLOUT_WHAT_IF_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHAT_IF_NONE UINT32_MAX

/* Seconds between two requests of a sample, before its first or after its last
 * one. */
struct what_if_gap {
	double reward, tool, other;
};

struct what_if_request {
	uint32_t sample;
	uint32_t engine; /* WHAT_IF_NONE: not named */
	uint32_t after;	 /* the request it waited for, or WHAT_IF_NONE */
	struct what_if_gap gap;
	double in, out;	    /* of its span */
	double start;	    /* it left the engine's queue */
	double first_token; /* it was prefilled */
	double end;	    /* it had its last token */
	double lead;	    /* from `in` to `start` whatever the engine does */
	double prefill;	    /* seconds of the lead that were prefill */
	double prompt, fresh; /* tokens: of the prompt, uncached ones */
	double tokens, steps; /* completion tokens; decode steps for them */
	bool queue_known;
};

struct what_if_sample {
	size_t place; /* in the row store */
	uint32_t group;
	uint32_t first, count; /* its requests, which are contiguous */
	double start, end;     /* of its own spans */
	struct what_if_gap tail;
};

struct what_if_group {
	double worked_until; /* when its last member ended its own work */
	double end;	     /* of all its spans */
};

struct what_if_model {
	struct what_if_request *requests;
	struct what_if_sample *samples;
	struct what_if_group *groups;
	uint32_t *engines; /* numbers of their workers, in order of names */
	size_t request_count, sample_count, group_count, engine_count;
	size_t request_cap, sample_cap;

	int64_t zero; /* Unix us, when the last rollout began */
	double wall;
	bool all_named; /* every request names its engine */
	bool named;	/* the same, and prefill and decode share engines */
	bool pd;	/* decode is disaggregated */
	uint64_t open_spans;
	uint64_t without_tokens; /* requests without token counts */
	uint64_t missing_groups; /* numbers without a group */
	uint32_t client_limit;	 /* samples generating at once; 0: none found */
};

/* All of a gap. */
static inline double what_if_gap_sum(const struct what_if_gap *gap)
{
	return gap->reward + gap->tool + gap->other;
}

#endif
