/*
 * Output formats for reports on rollouts: one sink for all of a run's digests,
 * each format in its own file.
 *
 *	struct digest_sink *sink = digest_json_new(&out, &err);
 *	for each dump: sink->put(sink, digest, &err)
 *	sink->end(sink, &err);
 *	sink->free(sink);
 *
 * A constructor returns NULL with err filled if out of memory. The writer stays
 * the caller's and outlives the sink; a failed write is recorded in it (see
 * base/io.h). Functions return 0 or an error code, after which only free may
 * be called. A digest is borrowed for the call.
 */
#ifndef OBS_SINK_PERF_DIGEST_SINK_H
#define OBS_SINK_PERF_DIGEST_SINK_H

#include "base/err.h"
#include "base/io.h"
#include "rollout/digest.h"

struct digest_sink {
	int (*put)(struct digest_sink *sink, struct digest *digest,
		   struct err *err);
	int (*end)(struct digest_sink *sink, struct err *err);
	void (*free)(struct digest_sink *sink);
	struct out *out;
};

/* One object per line, for each group of a dump: dump, rollout_id, the group,
 * and its figures. */
struct digest_sink *digest_json_new(struct out *out, struct err *err);

/* The same for several dumps with remedies, and a last line about all of them:
 * the savings of each remedy, median and range. */
struct digest_sink *digest_what_if_json_new(struct out *out, struct err *err);

/* For people: a line about the dump or the group, then the breakdown and the
 * stragglers if requested, else a table of metrics by statistic. */
struct digest_sink *digest_table_new(struct out *out, struct err *err);

/* Prometheus text, and tab-separated columns: gauges, each family once. Nothing
 * is written before the end. */
struct digest_sink *digest_prom_new(struct out *out, struct err *err);
struct digest_sink *digest_tsv_new(struct out *out, struct err *err);

#endif
