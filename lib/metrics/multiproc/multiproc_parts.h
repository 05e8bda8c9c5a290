/*
 * What struct multiproc is made of; private to metrics/multiproc/multiproc*.c.
 *
 * Entry -> key -> the series and bucket it counts for: keys are the same in
 * the files of most processes and are taken apart once. Names, labels and
 * help are in canonical escapes (fmt/prom/prom_text.h). All live in the arena.
 */
#ifndef OBS_METRICS_MULTIPROC_MULTIPROC_PARTS_H
#define OBS_METRICS_MULTIPROC_MULTIPROC_PARTS_H

#include <stdint.h>

#include "metrics/multiproc/multiproc.h"

/* A value that grows out of those of several processes. */
struct multiproc_point {
	double value;
	double stamp; /* of MPDB_MOSTRECENT */
	bool any;     /* there was a value */
};

/* One bucket of a histogram, or one process's gauge of MPDB_ALL; `of` tells
 * it from its siblings. */
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
	struct str labels; /* without le or pid where there are parts */
	struct multiproc_point point;
	struct multiproc_part *parts; /* as they came, until the walk */
	struct multiproc_part *last;
	struct multiproc_series *count; /* of buckets: what they add up to */
	struct multiproc_series *next;	/* of the family */
	uint32_t number;
	uint32_t n_parts;
};

struct multiproc_family {
	struct str name; /* without the _total of a counter */
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
	struct multiproc_key *follows; /* the key after it, last time */
};

/*
 * The key of that text, last having come before it in the file (NULL: none).
 * A family that is new is what the file's name says. Returns 0; ERR_INPUT when
 * it cannot be used; ERR_MEMORY.
 */
int multiproc_key_find(struct multiproc *m, const struct mpdb_name *name,
		       struct str text, struct multiproc_key *last,
		       struct multiproc_key **key, struct err *err);

/* The part of a series that has those bits; NULL: no memory. */
struct multiproc_part *multiproc_part_of(struct multiproc *m,
					 struct multiproc_series *series,
					 uint64_t bits);

#endif
