/*
 * Output formats of a comparison of two rollouts.
 */
#ifndef OBS_SINK_PERF_COMPARE_SINK_H
#define OBS_SINK_PERF_COMPARE_SINK_H

#include "base/err.h"
#include "base/io.h"
#include "rollout/compare.h"

struct compare_about {
	const char *from; /* as given on the command line */
	const char *to;
};

/* Write a comparison. Returns 0 or an error; a failed write stays in the
 * writer. */
typedef int compare_put(struct out *out, const struct compare_about *about,
			const struct comparison *comparison, struct err *err);

/* One object: from, to, resamples (null: no intervals), and changes, an array
 * of the objects that the next one writes. */
compare_put compare_put_json;

/* An object a key and line: key, from, to, change, low, high, verdict. What is
 * not there, and an infinite change, is null. */
compare_put compare_put_jsonl;

/* The same as columns between tabs; what is not there is empty. */
compare_put compare_put_tsv;

/* For people. */
compare_put compare_put_table;

#endif
