/*
 * The files of --metrics: streams of metrics, cut to the time of a rollout.
 */
#ifndef OBS_CMD_TIMELINE_METRICS_H
#define OBS_CMD_TIMELINE_METRICS_H

#include "base/interval.h"
#include "metrics/strips.h"
#include "options.h"

/* Which metrics are shown. */
struct metrics_wanted {
	struct opt_list files; /* "-" is standard input */
	struct opt_list globs; /* of further metrics */
};

/* A usage error if standard input would be read twice; stdins: how often it is
 * read apart from the metrics. */
void metrics_check(const struct metrics_wanted *wanted, size_t stdins);

/* Read all files for a rollout at that time; free the strips. Reports errors in
 * the files, and files that do not overlap the rollout. again: another rollout
 * will need them. */
void metrics_read(const struct metrics_wanted *wanted, struct interval rollout,
		  bool again, struct strips *strips);

#endif
