/*
 * Output of obs-aggregate: the format, the order of rows, and the limits to
 * check.
 */
#ifndef OBS_CMD_AGGREGATE_OUTPUT_H
#define OBS_CMD_AGGREGATE_OUTPUT_H

#include "aggregate_settings.h"
#include "options.h"
#include "output.h"
#include "sink/metrics/metric_sink.h"

/* A format writes samples one by one, or rows and columns (like the table or
 * wide_out). */
extern const struct aggregate_format {
	const char *name;
	struct metric_sink *(*new_sink)(struct out *out, struct err *err);
	/* NULL: --step-summary is written as metrics are. */
	struct metric_sink *(*new_summary)(struct out *out, struct err *err);
	bool is_wide; /* without new_sink: `wide` rather than the table */
	enum wide_format wide;
} aggregate_formats[];
/* Rows used by default, or by other code. */
enum { FORMAT_PROM = 0, FORMAT_JSON = 1, FORMAT_JSONL = 2, FORMAT_TABLE = 4 };

/* For --fail-if. */
opt_take take_limit;
bool aggregate_has_limits(void);

/* Open the sink; sort: the key of --sort or NULL. A failure, or a key that the
 * format does not support, ends the program. */
struct metric_sink *aggregate_open_sink(const struct aggregate_settings *s,
					struct output *output);

/* After all output: report a key or a limit that matched nothing. */
void aggregate_end_output(void);

/* Has a message said that there are no samples, and of which input? */
bool aggregate_said_empty(const struct aggregate *a);

/* --delta or --rate had nothing to compare: say so, unless that has been said.
 */
void aggregate_report_no_change(const struct aggregate *a);

#endif
