/*
 * A partial as one line of JSON, the input of partial_read:
 *
 *	{"partial":1,"dumps":N,
 *	 "counts":{"samples":N,"requests":N,"profiled":N},
 *	 "metrics":{"request/e2e_latency":SKETCH,...},
 *	 "breakdown":{"rows":N,"peak":N,"wall":SUM,"time":SUM,"own":SUM,
 *	   "tail":SUM,"capacity":SUM,"activities":{"decode":SUM,...},
 *	   "spans":[{"name":TEXT,"self":SUM,"durations":SKETCH},...],
 *	   "pd":{"prefill":{"total":SKETCH,"segments":{...}},...}},
 *	 "stragglers":{"most":N,"durations":SKETCH,"tokens":SKETCH,
 *	   "rates":SKETCH,"samples":[STRAGGLER,...]}}
 *
 * partial is PARTIAL_VERSION. A SUM is [high, low], or [high, low, SUM_SCALE]
 * if both are scaled (base/sum.h). A SKETCH has n, and unless that is 0 sum,
 * min, max and either few, its numbers, or zeros and the counts of bins,
 * positive and negative: "first:count,count,...;first:count,...". Durations and
 * the breakdown's sums are us, all else seconds. A STRAGGLER is what
 * obs-perfsum --stragglers writes, and its dump.
 */
#ifndef OBS_SINK_PERF_PARTIAL_JSON_H
#define OBS_SINK_PERF_PARTIAL_JSON_H

#include "base/io.h"
#include "rollout/partial.h"

/* 0 or ERR_MEMORY. */
int partial_put_json(struct out *out, const struct partial *partial,
		     struct err *err);

#endif
