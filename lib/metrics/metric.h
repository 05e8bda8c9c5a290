/*
 * A metric is what samples are named, a family what HELP and TYPE are about;
 * metrics/family.h makes them and says how they belong together. Strings live
 * in the arena of whoever made them and end in NUL.
 */
#ifndef OBS_METRICS_METRIC_H
#define OBS_METRICS_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "fmt/prom/prom.h"

struct catalogue_row; /* metrics/catalogue.h */

/* What a metric is to its family. */
enum metric_role {
	ROLE_VALUE,    /* the family's own name */
	ROLE_QUANTILE, /* the same, of a summary */
	ROLE_BUCKET,
	ROLE_SUM,
	ROLE_COUNT
};

#define NO_NUMBER UINT32_MAX

struct metric {
	struct str source;   /* as the input names it */
	struct str name;     /* as it is written */
	struct metric *same; /* the first metric of that name, mostly itself */
	uint64_t hash;	     /* of name */
	uint32_t number;
	uint32_t family;
	uint32_t next;	/* the next metric of the family, or NO_NUMBER */
	uint32_t first; /* series, for metrics/series */
	uint32_t last;
	enum metric_role role;
	const struct catalogue_row *row; /* NULL: it is in no catalogue */
	bool bounded;			 /* its name ends in _bucket, and its
					  * first sample has le="NUMBER" */
	bool wanted;			 /* its family may be */
};

/* A family, of which `type` is what is known of it: from a TYPE line, or by
 * its samples. */
struct family {
	struct str source;
	struct str name;
	struct str help; /* canonical escapes; empty: none */
	enum prom_type type;
	uint32_t number;
	uint32_t metrics;    /* the first, or NO_NUMBER */
	uint32_t type_part;  /* the part whose TYPE counts */
	uint32_t clash_part; /* the last part with another TYPE */
	uint32_t help_part;  /* the last part whose HELP was reported */
	bool typed;	     /* TYPE lines say so, if only "untyped" */
	bool counted;	     /* OpenMetrics' name of a counter X_total */
	bool was_gauge;	     /* of a histogram: its gauges of the same name are
			      * left out */
};

#endif
