/*
 * The catalogue of metrics: the meaning of each engine metric, and how to
 * combine its series. The data is in lib/metrics/engines.tsv, whose head
 * explains the columns; add a row there for a new metric.
 */
#ifndef OBS_METRICS_CATALOGUE_H
#define OBS_METRICS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "fmt/prom/prom.h"

/* How to combine samples. */
enum reduce_op {
	OP_DEFAULT, /* by the catalogue, else by type and name */
	OP_SUM,
	OP_MEAN,
	OP_MIN,
	OP_MAX,
	OP_COUNT,
	OP_LAST,
	/* in the catalogue only: */
	OP_SAME, /* the value if all agree */
	OP_NONE	 /* omitted */
};

/* Which values count; the others mean "no value". */
enum metric_counts { COUNTS_ALL, COUNTS_POSITIVE, COUNTS_NONNEGATIVE };

/* Which series are copies of one value. */
enum metric_copies {
	COPIES_NONE,
	COPIES_RANKS,  /* those that differ only in the process's rank */
	COPIES_PODS,   /* those that differ only in the pod */
	COPIES_OWN,    /* none: each rank has its own value */
	COPIES_MERGED, /* already summed over ranks by the engine */
};

/* Labels that identify the writer of a series, as bits of sets. */
enum copy_label {
	COPY_NO_LABEL = 0,
	COPY_PP = 1,
	COPY_TP = 2,
	COPY_EP = 4,
	COPY_CP = 8,
	COPY_PID = 16,
	COPY_PROCESS = 32, /* another label for a process */
	COPY_POD = 64,
};

enum metric_rising { RISING_NEUTRAL, RISING_BETTER, RISING_WORSE };

/* Fields named "text" below are offsets for catalogue_str. */
struct catalogue_row {
	uint32_t name; /* text, as exported by the engine */
	uint32_t unit;
	uint32_t labels; /* the engine's own labels, blank-separated */
	uint32_t keep;	 /* kept by every reduction */
	uint32_t total;	 /* label that is empty for a total, or "" */
	uint32_t since;
	uint32_t gone; /* "": it is current */
	uint32_t meaning;
	uint32_t bad; /* when the value is bad, or "" */
	int16_t now;  /* the replacing row, or -1 */
	uint32_t now_label;
	uint32_t now_value;
	uint8_t engine;
	uint8_t type;	/* enum prom_type of its values */
	uint8_t op;	/* enum reduce_op, for gauges */
	uint8_t counts; /* enum metric_counts */
	uint8_t copies; /* enum metric_copies */
	uint8_t rising; /* enum metric_rising */
};

/*
 * The row of a family, NULL if there is none. All spellings are accepted:
 * engine:x, engine_x, carrier_engine_x, x; with or without _total for a
 * counter. An exact match comes first.
 */
const struct catalogue_row *catalogue_find(struct str name);

/* The same for the name of a sample, which may have the suffix of a histogram
 * or a summary: *suffix is the part that is not in the row's name. */
const struct catalogue_row *catalogue_find_sample(struct str name,
						  struct str *suffix);

/* All rows, by index. */
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

/* Labels by purpose, NULL-terminated: */
extern const char *const catalogue_worker_labels[]; /* identify a series */
extern const char *const catalogue_kin_labels[];    /* comparable with it */
extern const char *const catalogue_pair_labels[];   /* the parts of a ratio */
extern const char *const catalogue_unit_labels[];   /* the unit of a rate */
extern const char *const catalogue_side_labels[];   /* half of a pair */

/* Values of these labels for prefill and decode. */
extern const char *const catalogue_sides_labels[];

/* Is the label in such a list? */
bool catalogue_lists(const char *const *labels, struct str name);

/* The replacing row, or row itself. */
const struct catalogue_row *catalogue_now(const struct catalogue_row *row);

const char *catalogue_op_word(enum reduce_op op);

#endif
