/*
 * The names in an exposition: metrics (the names of sample lines) and their
 * families (the subjects of HELP and TYPE).
 *
 * A metric belongs to the family of its own name, or to one that a suffix
 * refers to: h_bucket, h_sum and h_count to a histogram h. Late TYPE lines may
 * change that, so series are linked to metrics, never to families. X_bucket
 * with an le label is a bucket even without TYPE, of X unless X is known to be
 * something else, and X with a quantile label is a summary; TYPE untyped or
 * unknown, which federation writes for each of X_bucket, X_sum and X_count, is
 * ignored. Renaming is done here, once per name.
 *
 * Everything lives in the caller's arena until names_clear; metrics and
 * families are numbered in order of appearance. Functions that can fail return
 * 0 or an error code, or NULL if out of memory.
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
	const char **parts; /* names of parts in messages */
	uint32_t n_metrics;
	uint32_t n_families;
	uint32_t n_parts;
	size_t metrics_cap;
	size_t families_cap;
	size_t parts_cap;
	struct map by_source; /* metrics by the input's name */
	struct map by_hash;   /* metrics by the hash of the output name */
	struct map by_name;   /* families by the output name */
	struct metric *recent;
	struct names_clash {
		uint64_t n;    /* duplicate series of the current part */
		uint32_t part; /* the part that has the first of them */
		int64_t line_number;
		const struct metric *metric;
	} clash;
};

struct names names_new(struct arena *a, const struct naming *naming,
		       struct report *report);
void names_free(struct names *names);

/* Clear, keeping memory, before the arena is reset. */
void names_clear(struct names *names);

/* The next lines come from source, which outlives the names. */
int names_begin_part(struct names *names, const char *source, struct err *err);

/* The end of the current part: report its duplicate series. */
void names_end_part(struct names *names);

/* A body ended in "# EOF": OpenMetrics' counters get their text names. */
void names_end_body(struct names *names);

/* Process a HELP or TYPE line. line_number is for messages. */
int names_meta(struct names *names, const struct prom_line *line,
	       int64_t line_number, struct err *err);

/* The metric of a sample; NULL if out of memory. */
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

/* Must the sample be dropped because its type conflicts with its family's? */
bool names_clashes(const struct names *names, const struct metric *m);

/* The family with this output name, or with it and a suffix; NULL: none. */
struct family *names_find(const struct names *names, struct str name);
struct family *names_find_suffixed(const struct names *names, struct str name,
				   struct str suffix);

/* The family of an input's name, created if needed; NULL: no memory. */
struct family *names_family(struct names *names, struct str source);

/* Apply a new type: independent metrics join the family, and those that do not
 * fit leave it. 0 or ERR_MEMORY. */
int names_retype(struct names *names, struct family *f);

/* Ignore the TYPE of f, as it is part of the histogram. */
void names_report_mistyped(const struct names *names, const struct family *f,
			   const struct family *histogram);

/* A series of m is a duplicate, the first one in that part. */
void names_report_duplicate(struct names *names, const struct metric *m,
			    uint32_t part, int64_t line_number);

/* Do samples of the family's name belong to another family, so that this one is
 * not written? */
bool names_is_part(const struct names *names, const struct family *f);

/* Is the family a _created timestamp of another one rather than a value? */
bool names_is_created(const struct names *names, const struct family *f);

#endif
