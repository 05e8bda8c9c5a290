/*
 * The samples of a snapshot as rows and columns: a row a set of labels, a
 * column a metric. A histogram or summary has a column for its count, one for
 * its mean, and one for each quantile: those that it comes with, or of
 * buckets the median and the 95th percentile.
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
	struct str title;  /* "X", "X_count", "X_mean", "X_p95"; ends in NUL */
	struct str metric; /* "X" */
	struct str stat;   /* "", "count", "mean", "p95" */
	uint32_t family;   /* its number, by which metrics are in order */
	enum grid_stat kind;
	double quantile;
	bool rate;   /* its values are per second */
	bool grows;  /* they say since when a process runs, above all */
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
	struct map by_series;	   /* shapes */
	struct metric_about about; /* without its scalars */
	struct metric_family family;
	uint32_t family_number;
	double quantiles[GRID_QUANTILES]; /* made of buckets */
	size_t n_quantiles;
	struct buf text;
	uint32_t *row_order;
	uint32_t *column_order;
	size_t *starts; /* of each row's cells, and where the last end */
};

struct grid grid_new(void);
void grid_free(struct grid *g);

/* Make of buckets the quantile, too, that the name of a column has behind it,
 * such as "X_p99". */
void grid_want(struct grid *g, struct str title);

/* A snapshot begins; of a step, its scalars are all there is. 0 or an error. */
int grid_begin(struct grid *g, const struct metric_about *about,
	       struct err *err);
void grid_family(struct grid *g, const struct metric_family *f);
int grid_sample(struct grid *g, const struct metric_sample *s, struct err *err);
int grid_settle(struct grid *g, struct err *err);

/* How rows are sorted: numbers from the greatest on, text from A on, unless
 * the key begins with + or -. */
struct grid_sort {
	const char *key;    /* NULL: by the labels */
	bool found;	    /* a snapshot had it */
	struct intern seen; /* if none had: the columns and labels there are */
};

/* Find the order of rows and of columns; sort may be NULL. */
int grid_order(struct grid *g, struct grid_sort *sort, struct err *err);

/* The cell, or NULL. */
const struct grid_cell *grid_find(const struct grid *g, uint32_t row,
				  uint32_t column);

/* Does the user's word name the column? */
bool grid_is_named(const struct grid_column *column, struct str wanted);

#endif
