/*
 * The catalogue of metrics: what each metric of the engines is, and how its
 * series become one. It is data, lib/metrics/engines.tsv, whose head says what
 * its columns mean; a new metric is a row there.
 */
#ifndef OBS_METRICS_CATALOGUE_H
#define OBS_METRICS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "fmt/prom/prom.h"

/* How samples become one. */
enum reduce_op {
	OP_DEFAULT, /* as the catalogue says, else by type and name */
	OP_SUM,
	OP_MEAN,
	OP_MIN,
	OP_MAX,
	OP_COUNT,
	OP_LAST,
	/* of the catalogue only: */
	OP_SAME, /* the value if all agree */
	OP_NONE	 /* not at all */
};

/* Which values take part; the others say that there is none. */
enum metric_counts { COUNTS_ALL, COUNTS_POSITIVE, COUNTS_NONNEGATIVE };

/* Which series are copies of one fact. */
enum metric_copies {
	COPIES_NONE,
	COPIES_RANKS,  /* those that differ only in the rank of their process */
	COPIES_PODS,   /* those that differ only in the pod */
	COPIES_OWN,    /* none: each rank has its own */
	COPIES_MERGED, /* the engine has added the ranks up already */
};

/* Labels that say who wrote a series, as bits of sets. */
enum copy_label {
	COPY_NO_LABEL = 0,
	COPY_PP = 1,
	COPY_TP = 2,
	COPY_EP = 4,
	COPY_CP = 8,
	COPY_PID = 16,
	COPY_PROCESS = 32, /* another name of a process */
	COPY_POD = 64,
};

enum metric_rising { RISING_NEUTRAL, RISING_BETTER, RISING_WORSE };

/* Fields named "text" below are offsets for catalogue_str. */
struct catalogue_row {
	uint32_t name; /* text, as the engine exports it */
	uint32_t unit;
	uint32_t labels; /* the engine's own, blank-separated */
	uint32_t keep;	 /* those that every reduction keeps */
	uint32_t total;	 /* label whose empty value is a total, or "" */
	uint32_t since;
	uint32_t gone; /* "": it is current */
	uint32_t meaning;
	uint32_t bad; /* when its value is bad, or "" */
	int16_t now;  /* the row that took its place, or -1 */
	uint32_t now_label;
	uint32_t now_value;
	uint8_t engine;
	uint8_t type;	/* enum prom_type: what the values are */
	uint8_t op;	/* enum reduce_op, of gauges */
	uint8_t counts; /* enum metric_counts */
	uint8_t copies; /* enum metric_copies */
	uint8_t rising; /* enum metric_rising */
};

/*
 * The row of a family, NULL when there is none. A name is known by every
 * spelling: engine:x, engine_x, carrier_engine_x, x; with or without
 * _total where it is a counter. A name that a row has itself comes first.
 */
const struct catalogue_row *catalogue_find(struct str name);

/* The same for the name of a sample, whose suffix may be that of a histogram
 * or a summary: *suffix is what the row's name does not have of it. */
const struct catalogue_row *catalogue_find_sample(struct str name,
						  struct str *suffix);

/* All rows, by number. */
uint32_t catalogue_size(void);
const struct catalogue_row *catalogue_at(uint32_t number);
uint32_t catalogue_number(const struct catalogue_row *row);

/* A text of a row. */
const char *catalogue_str(uint32_t text);

const char *catalogue_name(const struct catalogue_row *row);

/* The name without the engine's prefix. */
const char *catalogue_bare(const struct catalogue_row *row);

/* Is a word in a blank-separated text of a row? */
bool catalogue_has(uint32_t text, struct str word);

/* Labels by what they are for, NULL at the end: */
extern const char *const catalogue_worker_labels[]; /* whose a series is */
extern const char *const catalogue_kin_labels[];    /* who can be compared */
extern const char *const catalogue_pair_labels[];   /* parts of a ratio */
extern const char *const catalogue_unit_labels[];   /* what has a rate */
extern const char *const catalogue_side_labels[];   /* half of a pair */

/* What the latter say of prefill and of decode. */
extern const char *const catalogue_sides_labels[];

/* Is the label one of such a list? */
bool catalogue_lists(const char *const *labels, struct str name);

/* The row that took its place, or row itself. */
const struct catalogue_row *catalogue_now(const struct catalogue_row *row);

const char *catalogue_op_word(enum reduce_op op);

#endif
