/*
 * The samples of a snapshot as rows and columns: one row per label set, one
 * column per metric. A histogram or summary has columns for its count, its mean
 * and each quantile: a summary's own, or of a histogram the median and the 95th
 * percentile.
 *
 *	grid_begin(&g, &about); grid_family(...); grid_sample(...) ...
 *	grid_settle(&g, &err)		histograms become values
 *	grid_order(&g, &sort, &err)	then grid_find works
 *
 * The cells are in the order of the input until grid_order.
 */
#ifndef OBS_SINK_METRICS_GRID_H
#define OBS_SINK_METRICS_GRID_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "metrics/labels.h"
#include "metrics/metric_out.h"
#include "metrics/quantile.h"

enum grid_stat { GRID_VALUE, GRID_COUNT, GRID_MEAN, GRID_QUANTILE };

struct grid_column {
	struct str title;  /* "X", "X_count", "X_mean", "X_p95";
			    * NUL-terminated */
	struct str metric; /* "X" */
	struct str stat;   /* "", "count", "mean", "p95" */
	uint32_t family;   /* its number, by which metrics are ordered */
	enum grid_stat kind;
	double quantile;
	bool rate;   /* its values are per second */
	bool grows;  /* a creation time, above all */
	bool scalar; /* of a step: the title is a key */
};

struct grid_cell {
	uint32_t row;
	uint32_t column;
	uint32_t place; /* in the input */
	bool at_least;
	double value;
	long double time;
};

/* One histogram or summary of one row. */
struct grid_shape {
	uint32_t row;
	uint32_t family;
	double count; /* NaN: unknown */
	double sum;
	struct buckets buckets;
};

enum { GRID_QUANTILES = 16 };

struct grid {
	struct intern rows;	/* label texts */
	struct intern families; /* names */
	struct intern keys;	/* of columns */
	struct grid_column *columns;
	struct grid_cell *cells;
	struct grid_shape *shapes;
	size_t n_columns, columns_cap;
	size_t n_cells, cells_cap;
	size_t n_shapes, shapes_cap;
	struct map by_series;	   /* histograms and summaries */
	struct metric_about about; /* without its scalars */
	struct metric_family family;
	uint32_t family_number;
	double quantiles[GRID_QUANTILES]; /* made of buckets */
	size_t n_quantiles;
	struct buf text;
	uint32_t *row_order;
	uint32_t *column_order;
	size_t *starts; /* where each row's cells begin, and the last end */
};

struct grid grid_new(void);
void grid_free(struct grid *g);

/* For buckets, also compute the quantile at the end of this column's name, such
 * as "X_p99". */
void grid_want(struct grid *g, struct str title);

/* Begin a snapshot; for a step, its scalars are everything. 0 or an error. */
int grid_begin(struct grid *g, const struct metric_about *about,
	       struct err *err);
void grid_family(struct grid *g, const struct metric_family *f);
int grid_sample(struct grid *g, const struct metric_sample *s, struct err *err);
int grid_settle(struct grid *g, struct err *err);

/* The sort order of rows: numbers descending, text from A on, unless the key
 * begins with + or -. */
struct grid_sort {
	const char *key;    /* NULL: by the labels */
	bool found;	    /* a snapshot had it */
	struct intern seen; /* if none had: the columns and labels there are */
};

/* Compute the order of rows and of columns; sort may be NULL. */
int grid_order(struct grid *g, struct grid_sort *sort, struct err *err);

/* The cell, or NULL. */
const struct grid_cell *grid_find(const struct grid *g, uint32_t row,
				  uint32_t column);

/* Does the user's word mean the column? */
bool grid_is_named(const struct grid_column *column, struct str wanted);

#endif
