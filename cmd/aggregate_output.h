/*
 * What obs-aggregate's answers become: the format, the order of rows, and the
 * limits that they are judged by.
 */
#ifndef OBS_CMD_AGGREGATE_OUTPUT_H
#define OBS_CMD_AGGREGATE_OUTPUT_H

#include "aggregate_settings.h"
#include "options.h"
#include "output.h"
#include "sink/metrics/metric_sink.h"

/* A format writes samples one by one, or rows and columns: for people, or as
 * wide_out does. */
extern const struct aggregate_format {
	const char *name;
	struct metric_sink *(*new_sink)(struct out *out, struct err *err);
	bool is_wide; /* without new_sink: `wide` rather than the table */
	enum wide_format wide;
} aggregate_formats[];
/* Rows that are chosen by default, or that other code asks for. */
enum { FORMAT_PROM = 0, FORMAT_JSON = 1, FORMAT_JSONL = 2, FORMAT_TABLE = 4 };

/* Of --fail-if. */
opt_take take_limit;
bool aggregate_has_limits(void);

/* Open the sink; sort: the key of --sort or NULL. A failure, or a key that the
 * format has no use for, ends the program. */
struct metric_sink *aggregate_open_sink(const struct aggregate_settings *s,
					struct output *output);

/* All is written: report a key or a limit that nothing was found for. */
void aggregate_end_output(void);

#endif
