/*
 * The savings of each remedy over several rollouts: act on these, not on the
 * estimate for one rollout.
 */
#ifndef OBS_SINK_PERF_WHAT_IF_SUMMARY_H
#define OBS_SINK_PERF_WHAT_IF_SUMMARY_H

#include "base/stats.h"
#include "fmt/json/json_write.h"
#include "rollout/digest.h"

/* Why rollouts do not price a remedy. */
struct what_if_reason {
	char text[WHAT_IF_TEXT_MAX];
	size_t count; /* rollouts */
};

enum { WHAT_IF_REASONS = 4 }; /* others are only counted */

struct what_if_saving {
	char id[32];
	struct stats parts; /* saves / wall, of each rollout with an estimate */
	size_t sure;	    /* rollouts that are certainly quicker */
	size_t ranges;	    /* rollouts with only a range */
	size_t refused;
	struct what_if_reason reasons[WHAT_IF_REASONS];
};

/* Zero-initialised, it is empty. */
struct what_if_summary {
	struct what_if_saving v[REMEDY_KINDS + WHAT_IF_OWN_MAX];
	size_t n;
	size_t dumps;
	size_t refused; /* dumps that the model does not describe */
	/* Dumps in which no remedy has a price: they have no requests. */
	struct what_if_saving nothing;
};

void what_if_summary_free(struct what_if_summary *summary);

/* Add a digest with remedies. 0 or ERR_MEMORY. */
int what_if_summary_add(struct what_if_summary *summary,
			const struct digest *digest, struct err *err);

/* One line of JSON, or a table. */
void what_if_summary_put_json(struct what_if_summary *summary, struct out *out);
int what_if_summary_put_table(struct what_if_summary *summary, struct out *out,
			      struct err *err);

#endif
