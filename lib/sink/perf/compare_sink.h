/*
 * Output formats of a comparison of two rollouts.
 */
#ifndef OBS_SINK_PERF_COMPARE_SINK_H
#define OBS_SINK_PERF_COMPARE_SINK_H

#include "base/err.h"
#include "base/io.h"
#include "rollout/compare.h"

struct compare_about {
	const char *from; /* as on the command line */
	const char *to;
};

/* Write a comparison. Returns 0 or an error; a failed write is recorded in the
 * writer. */
typedef int compare_put(struct out *out, const struct compare_about *about,
			const struct comparison *comparison, struct err *err);

/* One object: from, to, resamples (null: no intervals), and changes, an array
 * of objects like those below. */
compare_put compare_put_json;

/* One object per key and line: key, from, to, change, low, high, verdict.
 * Missing values and infinite changes are null. */
compare_put compare_put_jsonl;

/* The same as tab-separated columns; missing values are empty. */
compare_put compare_put_tsv;

/* For people. */
compare_put compare_put_table;

#endif
