/*
 * The perf/ metrics of a rollout as a list of numbers by key: the summary of
 * its values, or the only data if the figures were saved as JSON or come from
 * an engine's metrics.
 *
 * Keys live in the list until figures_free and are NUL-terminated. A value that
 * is not finite (a mean of huge numbers) is in the list, but never found. A
 * zero-initialised list is not valid: use figures_new.
 */
#ifndef OBS_ROLLOUT_FIGURES_H
#define OBS_ROLLOUT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct figure {
	const char *key; /* "perf/request/count" */
	double value;
	bool count;	  /* a count */
	bool approximate; /* estimated from a histogram's buckets */
};

struct figures {
	struct figure *v; /* in insertion order */
	size_t n;
	size_t cap;
	struct arena text; /* of the keys */
};

struct figures figures_new(void);
void figures_free(struct figures *figures);

/* Add one, copying its key. 0 or ERR_MEMORY. */
int figures_add(struct figures *figures, struct figure figure, struct err *err);

/* Add perf/METRIC/STATISTIC, perf/METRIC if the statistic is "", or, unless
 * percent is NaN, perf/METRIC/p95. */
int figures_add_statistic(struct figures *figures, const char *metric,
			  const char *statistic, double percent,
			  struct figure figure, struct err *err);

/* The figure with that key, NULL if there is none or it is not finite. */
const struct figure *figures_find(const struct figures *figures,
				  struct str key);

/* The direction of a figure, from its key: 1 more is better, -1 more is worse,
 * 0 neutral (counts, sizes, unknown ones). */
int figure_good(const char *key);

/* The last part of a key: "mean" of "perf/request/e2e_latency/mean", and
 * "count" of "perf/request/count". */
const char *figure_statistic(const char *key);

#endif
