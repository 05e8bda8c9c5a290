/*
 * The names in an exposition: metrics (what a sample line is named) and the
 * families they belong to (what HELP and TYPE are about).
 *
 * A metric belongs to the family of its own name, or to one that a suffix
 * points to: h_bucket, h_sum and h_count to a histogram h. TYPE lines may come
 * late and belonging may change with them, therefore series hang on metrics,
 * never on families. X_bucket with an le label is a bucket even without TYPE,
 * of X unless X is known to be something else, and X with a quantile label is a
 * summary; TYPE untyped or unknown, which federation writes for each of
 * X_bucket, X_sum and X_count, counts as none.
 * Renaming is done here, once a name.
 *
 * Everything lives in the caller's arena until names_clear; metrics and
 * families are numbered as they appear. Functions that can fail return 0 or
 * an error code, or NULL when memory ran out.
 */
#ifndef OBS_METRICS_FAMILY_H
#define OBS_METRICS_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "fmt/prom/prom.h"
#include "metrics/catalogue.h"
#include "metrics/metric.h"
#include "metrics/naming.h"
#include "metrics/report.h"

struct names {
	struct arena *arena;
	const struct naming *naming;
	struct report *report;
	struct metric **metrics;
	struct family **families;
	const char **parts; /* what messages call the parts */
	uint32_t n_metrics;
	uint32_t n_families;
	uint32_t n_parts;
	size_t metrics_cap;
	size_t families_cap;
	size_t parts_cap;
	struct map by_source; /* metrics by the input's name */
	struct map by_hash;   /* metrics by the hash of the written name */
	struct map by_name;   /* families by the written name */
	struct metric *recent;
	struct names_clash {
		uint64_t n;    /* series of the current part that others have */
		uint32_t part; /* that has the first of them */
		int64_t line_number;
		const struct metric *metric;
	} clash;
};

struct names names_new(struct arena *a, const struct naming *naming,
		       struct report *report);
void names_free(struct names *names);

/* Forget all but the memory, before the arena is reset. */
void names_clear(struct names *names);

/* What is read from now on comes from source, which outlives the names. */
int names_begin_part(struct names *names, const char *source, struct err *err);

/* The current part is read: tell of its series that earlier parts have. */
void names_end_part(struct names *names);

/* A body ended in "# EOF": OpenMetrics' counters get their text names. */
void names_end_body(struct names *names);

/* Take a HELP or TYPE line. line_number is for messages. */
int names_meta(struct names *names, const struct prom_line *line,
	       int64_t line_number, struct err *err);

/* The metric of a sample; NULL when memory ran out. */
struct metric *names_metric_slow(struct names *names,
				 const struct prom_line *line);

static inline struct metric *names_metric(struct names *names,
					  const struct prom_line *line)
{
	struct metric *recent = names->recent;

	if (recent != NULL && str_eq(recent->source, line->name))
		return recent->same;
	return names_metric_slow(names, line);
}

/* Must the sample be left out, being another TYPE's than its family's? */
bool names_clashes(const struct names *names, const struct metric *m);

/* The family named so, as written, or so with a suffix; NULL: none. */
struct family *names_find(const struct names *names, struct str name);
struct family *names_find_suffixed(const struct names *names, struct str name,
				   struct str suffix);

/* The family of an input's name, made when there is none; NULL: no memory. */
struct family *names_family(struct names *names, struct str source);

/* Give a new type its due: metrics by themselves so far join the family, and
 * those that do not fit leave it. 0 or ERR_MEMORY. */
int names_retype(struct names *names, struct family *f);

/* The TYPE of f is ignored, as it is part of the histogram. */
void names_tell_mistyped(const struct names *names, const struct family *f,
			 const struct family *histogram);

/* A series of m stands twice, for the first time in that part. */
void names_tell_duplicate(struct names *names, const struct metric *m,
			  uint32_t part, int64_t line_number);

/* Do samples of the family's name belong to another family, so that there is
 * nothing to write of this one? */
bool names_is_part(const struct names *names, const struct family *f);

/* Is the family a _created stamp of another one rather than a value? */
bool names_is_created(const struct names *names, const struct family *f);

#endif
