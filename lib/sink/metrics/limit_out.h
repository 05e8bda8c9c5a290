/*
 * User limits on metrics, checked on the output: the sink passes everything to
 * another one, and reports each series beyond a limit at the end of its
 * snapshot.
 */
#ifndef OBS_SINK_METRICS_LIMIT_OUT_H
#define OBS_SINK_METRICS_LIMIT_OUT_H

#include "base/intern.h"
#include "base/limit_text.h"
#include "sink/metrics/grid.h"
#include "sink/metrics/metric_sink.h"

struct metric_limit {
	const char *text; /* as written */
	struct limit_text limit;
	struct str name; /* of the metric; NUL-terminated */
	bool found;	 /* a snapshot had it */
};

struct limit_watch {
	struct metric_limit *v;
	size_t n;
	struct intern seen; /* names of existing metrics */
	/* A series is beyond a limit. title: the metric's display name. */
	void (*broken)(const struct metric_limit *limit, struct str title,
		       struct str labels, const struct grid_cell *cell);
};

/* Both outlive the sink; inner is freed with it. NULL: out of memory. */
struct metric_sink *limit_out_new(struct metric_sink *inner,
				  struct limit_watch *watch, struct err *err);

#endif
