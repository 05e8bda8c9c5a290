/*
 * The perf/ metrics of a rollout as a list of numbers by key: what is left of
 * a rollout once its values are counted, and all there is of one whose figures
 * were saved as JSON or came from an engine's metrics.
 *
 * Keys live in the list until figures_free and end in NUL. A value that is
 * not finite (a mean of huge numbers) is in the list, but is never found.
 * A zero-initialised list is no list: begin with figures_new.
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
	bool count;	  /* a number of things */
	bool approximate; /* from the buckets of a histogram */
};

struct figures {
	struct figure *v; /* in the order in which they were added */
	size_t n;
	size_t cap;
	struct arena text; /* of the keys */
};

struct figures figures_new(void);
void figures_free(struct figures *figures);

/* Add one; its key is copied. 0 or ERR_MEMORY. */
int figures_add(struct figures *figures, struct figure figure, struct err *err);

/* Add perf/METRIC/STATISTIC, perf/METRIC for the statistic "", or, unless
 * percent is NaN, perf/METRIC/p95. */
int figures_add_statistic(struct figures *figures, const char *metric,
			  const char *statistic, double percent,
			  struct figure figure, struct err *err);

/* The figure of that key, NULL when there is none that is finite. */
const struct figure *figures_find(const struct figures *figures,
				  struct str key);

/* What a key says of the figure: 1 more is better, -1 more is worse, 0
 * neither (counts, sizes, what nobody named). */
int figure_good(const char *key);

/* The last part of a key: "mean" of "perf/request/e2e_latency/mean", and
 * "count" of "perf/request/count". */
const char *figure_statistic(const char *key);

#endif
