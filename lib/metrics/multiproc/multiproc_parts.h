/*
 * The members of struct multiproc; private to metrics/multiproc/multiproc*.c.
 *
 * Entry -> key -> the series and bucket it counts for: most processes' files
 * have the same keys, which are parsed once. Names, labels and help are in
 * canonical escapes (fmt/prom/prom_text.h). All live in the arena.
 */
#ifndef OBS_METRICS_MULTIPROC_MULTIPROC_PARTS_H
#define OBS_METRICS_MULTIPROC_MULTIPROC_PARTS_H

#include <stdint.h>

#include "metrics/multiproc/multiproc.h"

/* A value combined from several processes. */
struct multiproc_point {
	double value;
	double stamp; /* of MPDB_MOSTRECENT */
	bool any;     /* it has a value */
};

/* One bucket of a histogram, or one process's gauge of MPDB_ALL; `of`
 * distinguishes it from its siblings. */
struct multiproc_part {
	struct multiproc_point point;
	union {
		double bound;
		uint64_t process;
		uint64_t bits;
	} of;
	struct multiproc_part *next;
};

struct multiproc_series {
	struct str name;
	struct str labels; /* without le or pid if there are parts */
	struct multiproc_point point;
	struct multiproc_part *parts; /* in input order, until the walk */
	struct multiproc_part *last;
	struct multiproc_series *count; /* for buckets: their total */
	struct multiproc_series *next;	/* of the family */
	uint32_t number;
	uint32_t n_parts;
};

struct multiproc_family {
	struct str name; /* a counter's without _total */
	struct str help;
	enum prom_type type;
	enum mpdb_mode mode;
	uint32_t number;
	struct multiproc_series *series;
	struct multiproc_series *last;
};

struct multiproc_key {
	struct str text;
	struct multiproc_family *family;
	struct multiproc_series *series;
	struct multiproc_part *bucket; /* NULL: none */
	struct multiproc_key *follows; /* the key that followed it last time */
};

/*
 * The key with that text; last precedes it in the file (NULL: none). A new
 * family gets its type from the file's name. Returns 0; ERR_INPUT if it is
 * unusable; ERR_MEMORY.
 */
int multiproc_key_find(struct multiproc *m, const struct mpdb_name *name,
		       struct str text, struct multiproc_key *last,
		       struct multiproc_key **key, struct err *err);

/* The part of a series with those bits; NULL: no memory. */
struct multiproc_part *multiproc_part_of(struct multiproc *m,
					 struct multiproc_series *series,
					 uint64_t bits);

#endif
