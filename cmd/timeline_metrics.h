/*
 * What --metrics names: streams of metrics, cut to the time of a rollout.
 */
#ifndef OBS_CMD_TIMELINE_METRICS_H
#define OBS_CMD_TIMELINE_METRICS_H

#include "base/interval.h"
#include "metrics/strips.h"
#include "options.h"

/* Which are wanted. */
struct metrics_wanted {
	struct opt_list files; /* "-" is standard input */
	struct opt_list globs; /* of further metrics */
};

/* A usage error when standard input would be read twice: by several of the
 * files, or (as_dump) as a dump, too. */
void metrics_check(const struct metrics_wanted *wanted, bool as_dump);

/* Read all files for a rollout at that time; the strips are to be freed. What
 * is wrong with the files is said, and if they do not overlap the rollout.
 * again: another rollout will need them. */
void metrics_read(const struct metrics_wanted *wanted, struct interval rollout,
		  bool again, struct strips *strips);

#endif
