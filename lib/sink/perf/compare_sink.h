/*
 * Output formats of a comparison of two rollouts.
 */
#ifndef OBS_SINK_PERF_COMPARE_SINK_H
#define OBS_SINK_PERF_COMPARE_SINK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "rollout/compare.h"
#include "rollout/digest.h"

struct compare_about {
	const char *from; /* as on the command line */
	const char *to;
	/* All of each rollout, with times and stragglers if it has samples. */
	const struct digest_part *before, *after;
};

/* Wall times in seconds; NaN: unknown. */
struct compare_wall {
	double from, to;
};

struct compare_wall compare_wall(const struct compare_about *about);

/* What a rollout did; NaN: unknown. */
struct compare_work {
	double samples, tokens;
};

struct compare_work compare_work(const struct digest_part *part);

/* Append "the workloads differ: samples 128 to 96 (-25%), ..."; nothing if they
 * are the same or unknown. */
void compare_put_work(struct buf *text, const struct compare_about *about);

/* Append "b.pt took 4.15 s, 2.99 s longer than a.pt (+257%); ...", and in which
 * parts of the last sample; nothing if a wall time is unknown. */
void compare_put_wall(struct buf *text, const struct compare_about *about);

/* Write a comparison. Returns 0 or an error; a failed write is recorded in the
 * writer. */
typedef int compare_put(struct out *out, const struct compare_about *about,
			const struct comparison *comparison, struct err *err);

/* One object: from, to, wall ({from, to} in seconds, null: unknown), resamples
 * (null: no intervals), and changes, an array of objects like those below. */
compare_put compare_put_json;

/* One object per key and line: key, from, to, change, low, high, verdict.
 * Missing values and infinite changes are null. */
compare_put compare_put_jsonl;

/* The same as tab-separated columns; missing values are empty. */
compare_put compare_put_tsv;

/* For people. */
compare_put compare_put_table;

#endif
