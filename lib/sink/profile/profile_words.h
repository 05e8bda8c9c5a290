/*
 * Profiles in words: times scaled to their size, and the meaning and remedy of
 * a verdict.
 */
#ifndef OBS_SINK_PROFILE_PROFILE_WORDS_H
#define OBS_SINK_PROFILE_PROFILE_WORDS_H

#include "base/buf.h"
#include "profile/verdict.h"

/* "38.0 ms", "914 µs", "2.5 s" */
void profile_put_time(struct buf *b, double ns);

/* "host-bound: the GPU was idle 38% of 100.6 ms, 21.1 ms of it ..." */
void profile_put_verdict(struct buf *b, const struct trace_verdict *v,
			 const struct profile_summary *s,
			 const struct profile_group *group);

#endif
