/*
 * Output formats of a rollout's perf/ metrics: each writes one dump's.
 */
#ifndef OBS_SINK_PERF_SINK_H
#define OBS_SINK_PERF_SINK_H

#include "base/err.h"
#include "base/io.h"
#include "model/perf.h"

struct perf_about {
	const char *dump;	 /* as given on the command line */
	struct value rollout_id; /* VALUE_ABSENT when the dump names none */
};

/* Write the metrics of one dump. Returns 0 or an error; a failed write stays
 * in the writer. */
typedef int perf_put(struct out *out, const struct perf_about *about,
		     struct perf *perf, const struct perf_wanted *wanted,
		     struct err *err);

/* One object on one line: dump, rollout_id, and a member a metric. */
perf_put perf_put_json;

/* A line about the dump and a table of metrics by statistic, for people:
 * numbers have six significant digits. */
perf_put perf_put_table;

#endif
