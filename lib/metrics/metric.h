/*
 * A metric is the name of samples, a family the subject of HELP and TYPE;
 * metrics/family.h creates them and links them. Strings live in their creator's
 * arena and are NUL-terminated.
 */
#ifndef OBS_METRICS_METRIC_H
#define OBS_METRICS_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "fmt/prom/prom.h"

struct catalogue_row; /* metrics/catalogue.h */

/* The role of a metric in its family. */
enum metric_role {
	ROLE_VALUE,    /* the family's own name */
	ROLE_QUANTILE, /* the same, in a summary */
	ROLE_BUCKET,
	ROLE_SUM,
	ROLE_COUNT
};

#define NO_NUMBER UINT32_MAX

struct metric {
	struct str source;   /* its name in the input */
	struct str name;     /* its name in the output */
	struct metric *same; /* the first metric of that name, often itself */
	uint64_t hash;	     /* of name */
	uint32_t number;
	uint32_t family;
	uint32_t next;	/* the next metric of the family, or NO_NUMBER */
	uint32_t first; /* series, for metrics/series */
	uint32_t last;
	enum metric_role role;
	const struct catalogue_row *row; /* NULL: not in the catalogue */
	bool bounded;			 /* named ..._bucket, with le="NUMBER"
					  * in its first sample */
	bool wanted;			 /* its family may be */
};

/* A family; `type` is what is known from TYPE lines or its samples. */
struct family {
	struct str source;
	struct str name;
	struct str help; /* canonical escapes; empty: none */
	enum prom_type type;
	uint32_t number;
	uint32_t metrics;    /* the first, or NO_NUMBER */
	uint32_t type_part;  /* the part whose TYPE is used */
	uint32_t clash_part; /* the last part with another TYPE */
	uint32_t help_part;  /* the last part whose HELP was reported */
	bool typed;	     /* set by a TYPE line, even "untyped" */
	bool counted;	     /* OpenMetrics' name of a counter X_total */
	bool was_gauge;	     /* a histogram: its gauges of the same name are
			      * dropped */
};

#endif
