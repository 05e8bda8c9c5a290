/*
 * The parts of a digest in each format, private to the digest sinks.
 */
#ifndef OBS_SINK_PERF_DIGEST_PARTS_H
#define OBS_SINK_PERF_DIGEST_PARTS_H

#include "fmt/json/json_write.h"
#include "sink/perf/digest_sink.h"
#include "sink/table.h"

/* One member per metric, of an object begun by the caller. */
void perf_put_members(struct json_writer *json, const struct figures *figures);

/* A table of metrics by statistic. Returns 0 or an error. */
int perf_put_table(struct out *out, const struct figures *figures,
		   const struct perf_wanted *wanted, struct err *err);

/* A cell with a metric's name and its unit: "request/e2e_latency (s)". */
void digest_add_metric(struct table *table, struct str name);

/* The members breakdown, and medians and stragglers, of such an object. */
void breakdown_put_member(struct json_writer *json,
			  const struct breakdown_figures *f);
void stragglers_put_members(struct json_writer *json,
			    const struct digest *digest,
			    const struct digest_part *part);

/* A straggler as an object. Without a digest, of one that has victim_samples. */
void straggler_put_json(struct json_writer *json, const struct digest *digest,
			const struct straggler *straggler);

/* The members of a what-if result, and a screen about it. */
void what_if_put_members(struct json_writer *json, const struct digest *digest);
int what_if_put_text(struct out *out, const struct digest *digest,
		     struct err *err);

/* Lines of that screen: stalls and slow engines, unless the best remedy names
 * those; and how well the model fits. Return 0 or an error. */
int what_if_put_engines(struct out *out, const struct digest *digest,
			struct err *err);
int what_if_put_check(struct out *out, const struct digest *digest,
		      struct err *err);

/* Append "10.0.0.4:30000 stalled for 6.98 s of it; " and so on to its first line:
 * what no remedy says there. */
void what_if_put_trouble(struct buf *line, const struct digest *digest);

/* A line of medians, a table of stragglers, and lines on who waited for them.
 * Returns 0 or an error. */
int stragglers_put_table(struct out *out, const struct digest *digest,
			 const struct digest_part *part, struct err *err);

/* The sample that ended last; NULL: unknown. */
const struct straggler *stragglers_last(const struct digest_part *part);

/* Append "#107", after the name of its dump if there are several. */
void straggler_put_name(struct buf *text, const struct straggler *straggler);

/* Append which sample ended last and why; nothing if none is known. */
void stragglers_put_verdict(struct buf *text, const struct digest_part *part);

/* A table of the groups of --by, one row each. Returns 0 or an error. */
int digest_put_groups(struct out *out, const struct digest *digest,
		      struct err *err);

/* "rollout_42.pt: rollout 42, status "completed", 512 samples; ...", with the
 * answer in short: of the breakdown, of the stragglers or of the requests.
 * Returns 0 or an error. */
int digest_put_title(struct out *out, const struct digest *digest,
		     const struct digest_part *part, struct err *err);

#endif
