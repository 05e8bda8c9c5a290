/*
 * The callbacks that receive families and samples; see
 * sink/metrics/metric_sink.h for the order of calls and ownership.
 */
#ifndef OBS_METRICS_METRIC_OUT_H
#define OBS_METRICS_METRIC_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "fmt/prom/prom.h"

struct metric_family {
	struct str name;
	struct str help; /* empty: none */
	enum prom_type type;
	bool typed; /* false: unknown TYPE */
	bool grows; /* its values only grow, or are derived from such */
};

struct metric_sample {
	struct str name;
	struct str labels; /* in the format of fmt/prom/prom_text.h */
	double value;
	long double time; /* milliseconds; NaN: none */
	bool at_least;	  /* the value is a lower bound */
};

/* A number reported next to the families, such as a count of resets. */
struct metric_scalar {
	const char *name;
	double value;
};

struct metric_about {
	const struct metric_scalar *scalars;
	size_t n_scalars;
	double time;  /* of the snapshot, Unix seconds; NaN: unknown */
	bool closed;  /* one of a sequence of snapshots */
	bool grouped; /* the samples are a reduction's */
	bool differs; /* growing values are written as their increase ... */
	bool rate;    /* ... per second */
	bool flat; /* the scalars are everything; what follows repeats them as
		    * gauges, for formats that lack scalars */
};

struct metric_sink {
	int (*begin)(struct metric_sink *sink, const struct metric_about *about,
		     struct err *err);
	int (*family)(struct metric_sink *sink,
		      const struct metric_family *family, struct err *err);
	int (*sample)(struct metric_sink *sink,
		      const struct metric_sample *sample, struct err *err);
	int (*end)(struct metric_sink *sink, struct err *err);
	void (*free)(struct metric_sink *sink);
};

#endif
