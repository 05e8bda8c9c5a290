/*
 * Summaries of traces in each format. A report is borrowed; failed writes are
 * recorded in the writer (see base/io.h).
 */
#ifndef OBS_SINK_PROFILE_PROFILE_REPORT_H
#define OBS_SINK_PROFILE_PROFILE_REPORT_H

#include "base/io.h"
#include "profile/groups.h"
#include "profile/profile_compare.h"
#include "profile/verdict.h"

struct profile_report {
	struct profile_summary **traces;
	size_t n;
	struct profile_groups groups;
	size_t top;  /* entries of kernels, operators, calls and streams */
	size_t gaps; /* longest gaps and waits */
};

/* One object: traces, groups, verdicts. 0 or an error. */
int profile_put_json(struct out *out, const struct profile_report *report,
		     struct err *err);

/* One trace, group or group verdict per line. */
int profile_put_jsonl(struct out *out, const struct profile_report *report,
		      struct err *err);

/* A figure per line: trace or group, device, figure, value. */
int profile_put_tsv(struct out *out, const struct profile_report *report,
		    struct err *err);

/* For people: verdicts first. */
int profile_put_table(struct out *out, const struct profile_report *report,
		      struct err *err);

/* Two sets of traces compared: {"from", "to", "resamples", "changes"}, one
 * change per line, or for people; names are as on the command line. */
struct profile_compared {
	const char *from, *to;
	const struct profile_changes *changes;
};
int profile_put_changes_json(struct out *out,
			     const struct profile_compared *compared,
			     struct err *err);
int profile_put_changes_jsonl(struct out *out,
			      const struct profile_compared *compared,
			      struct err *err);
int profile_put_changes_tsv(struct out *out,
			    const struct profile_compared *compared,
			    struct err *err);
int profile_put_changes_table(struct out *out,
			      const struct profile_compared *compared,
			      struct err *err);

#endif
