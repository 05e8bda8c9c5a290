/*
 * Many rollouts as a table: a row each, the figures that people look at first
 * as columns, and under it how each went over time as a line of bars.
 *
 * Rows are in the order of the rollouts' numbers, those of evaluations (see
 * digest_is_eval) in a table of their own behind. A rollout's number is
 * its id when that is an integer, else the last one in the dump's name.
 */
#ifndef OBS_SINK_PERF_TREND_SINK_H
#define OBS_SINK_PERF_TREND_SINK_H

#include "sink/perf/digest_sink.h"

enum trend_bars {
	TREND_NO_BARS,
	TREND_ASCII_BARS,
	TREND_BLOCK_BARS, /* of Unicode */
};

/* A sink (see digest_sink.h) that writes all at its end. */
struct digest_sink *digest_trend_new(struct out *out, enum trend_bars bars,
				     struct err *err);

#endif
