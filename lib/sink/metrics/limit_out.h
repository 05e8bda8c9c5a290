/*
 * Limits that a user sets on metrics, judged on what is written: the sink hands
 * everything on to another one, and reports each series that breaks a limit at
 * the end of its snapshot.
 */
#ifndef OBS_SINK_METRICS_LIMIT_OUT_H
#define OBS_SINK_METRICS_LIMIT_OUT_H

#include "base/intern.h"
#include "base/limit_text.h"
#include "sink/metrics/grid.h"
#include "sink/metrics/metric_sink.h"

struct metric_limit {
	const char *text; /* as it was given */
	struct limit_text limit;
	struct str name; /* of the metric; ends in NUL */
	bool found;	 /* a snapshot had it */
};

struct limit_watch {
	struct metric_limit *v;
	size_t n;
	struct intern seen; /* names of metrics there were */
	/* A series is beyond a limit. title: the metric as it is named. */
	void (*broken)(const struct metric_limit *limit, struct str title,
		       struct str labels, const struct grid_cell *cell);
};

/* Both outlive the sink; inner is freed with it. NULL: memory ran out. */
struct metric_sink *limit_out_new(struct metric_sink *inner,
				  struct limit_watch *watch, struct err *err);

#endif
