/*
 * Metric sinks: receivers of families and samples. One walk over a snapshot or
 * a reduction drives one sink; each output format is one implementation.
 *
 *	sink->begin(sink, &about, &err)
 *	for each family: sink->family(...), for each of its samples: ->sample
 *	sink->end(sink, &err)
 *	... more snapshots
 *	sink->free(sink)
 *
 * Names, help and labels are in canonical escapes (fmt/prom/prom_text.h) and
 * borrowed: a sample's for the call, a family's until the next family or the
 * end. The writer stays the caller's and outlives the
 * sink; a failed write is recorded in it (see base/io.h). Functions return 0 or
 * an error code, after which only free may be called.
 */
#ifndef OBS_SINK_METRICS_METRIC_SINK_H
#define OBS_SINK_METRICS_METRIC_SINK_H

#include "base/err.h"
#include "base/io.h"
#include "metrics/metric_out.h"

/* Text 0.0.4. If there are several snapshots each ends in "# EOF". */
struct metric_sink *prom_out_new(struct out *out, struct err *err);

/* The same in the style of prometheus_client (exposition.py): a HELP line even
 * without text, whole numbers as 1.0, -0 kept; without timestamps. */
struct metric_sink *client_out_new(struct out *out, struct err *err);

/* One object per snapshot: {"families":[...]}, and the scalars in about. */
struct metric_sink *json_out_new(struct out *out, struct err *err);

/* One object per sample. */
struct metric_sink *jsonl_out_new(struct out *out, struct err *err);

/* One object per snapshot: the scalars in about, of which the samples are
 * copies (metric_about.flat). */
struct metric_sink *json_scalars_out_new(struct out *out, struct err *err);

/* Tab-separated columns: name, labels, value, timestamp_ms. */
struct metric_sink *tsv_out_new(struct out *out, struct err *err);

struct grid_sort; /* sink/metrics/grid.h; may be NULL below */

/*
 * Aligned columns for people. Samples of a reduction make a grid, one row per
 * group and one column per metric, the worst value of each column marked;
 * others make a list. Histograms and summaries make a second table of their
 * counts, means and quantiles. Everything is split to the width of the terminal
 * (0: not one).
 */
struct metric_sink *table_out_new(struct out *out, size_t width,
				  struct grid_sort *sort, struct err *err);

/* The same rows and columns, including histograms, for programs (tab-separated,
 * CSV) or documents; with several snapshots each row begins with its time. */
enum wide_format { WIDE_TSV, WIDE_CSV, WIDE_MARKDOWN };
struct metric_sink *wide_out_new(struct out *out, enum wide_format format,
				 struct grid_sort *sort, struct err *err);

#endif
