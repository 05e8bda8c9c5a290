/*
 * Many rollouts as a table: one row each, the most important figures as
 * columns, and below it the trend of each as a line of bars.
 *
 * Rows are sorted by the rollouts' numbers; evaluations (see digest_is_eval)
 * follow in a separate table. A rollout's number is its id if that is an
 * integer, else the last number in the dump's name.
 */
#ifndef OBS_SINK_PERF_TREND_SINK_H
#define OBS_SINK_PERF_TREND_SINK_H

#include "sink/perf/digest_sink.h"

enum trend_bars {
	TREND_NO_BARS,
	TREND_ASCII_BARS,
	TREND_BLOCK_BARS, /* uses Unicode */
};

/* A sink (see digest_sink.h) that writes everything at its end. */
struct digest_sink *digest_trend_new(struct out *out, enum trend_bars bars,
				     struct err *err);

#endif
