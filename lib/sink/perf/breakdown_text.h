/*
 * A breakdown as text for people, in lines of about 100 columns; shared by
 * obs-perfsum's table and trace-timeline's summary.
 */
#ifndef OBS_SINK_PERF_BREAKDOWN_TEXT_H
#define OBS_SINK_PERF_BREAKDOWN_TEXT_H

#include "base/io.h"
#include "rollout/breakdown.h"

/* Append the wall time, and what it took at the end: "wall 4.154 s, ...". */
void breakdown_put_verdict(struct buf *text, const struct breakdown_figures *f);

/* The rollout in some lines, then tables by activity, span and phase. Returns
 * 0 or an error. */
int breakdown_put_text(struct out *out, const struct breakdown_figures *f,
		       struct err *err);

/* Append the JSON of a sample's index, and its position in the dump if other
 * rows have the same index: "17", "17 (row 42)". */
void sample_put_name(struct buf *text, struct str sample, bool repeats,
		     uint64_t row);

#endif
