/* What table_out.c and table_shapes.c share; in table_parts.c. */
#ifndef OBS_SINK_METRICS_TABLE_PARTS_H
#define OBS_SINK_METRICS_TABLE_PARTS_H

#include "sink/metrics/grid.h"
#include "sink/metrics/metric_sink.h"
#include "sink/table.h"

/*
 * Samples of a reduction make a grid, a row a group and a column a metric;
 * others make a list. Histograms and summaries make a table of their own, a
 * row each, in which all have the same columns. All wait for the end of the
 * snapshot, when the widths are known.
 */
struct table_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	struct grid grid;
	struct grid_sort *sort;
	struct buf text; /* of headings, each with its NUL */
	struct label_set labels;
	struct intern names; /* of the labels that rows have */
	double *worst;	     /* of each column; NaN: none stands out */
	size_t width;	     /* of the terminal; 0: does not matter */
	bool again;	     /* something was put out before */
	bool marked;	     /* a worst value was */
	bool at_least;	     /* a lower bound was */
};

/* Columns of a table whose headings wait in t->text. */
struct headings {
	struct table_column *v;
	size_t *offsets; /* of made headings; SIZE_MAX: v has it */
	size_t n;
};

int table_make_headings(struct headings *h, size_t n, struct err *err);
void table_free_headings(struct headings *h);
void table_add_heading(struct headings *h, const char *title,
		       enum table_align align);

/* The names of the labels that rows have, and the values of one row. */
void table_add_label_headings(struct headings *h, const struct table_out *t);
int table_add_labels(struct table_out *t, struct table *table, uint32_t row,
		     struct err *err);

/* A value with its marks; NULL: an empty cell. */
void table_add_cell(struct table_out *t, struct table *table,
		    const struct grid_cell *cell);

/* An empty line between the tables of one snapshot, but none behind the line
 * of scalars. */
void table_separate(struct table_out *t, bool scalars);

/* The table of histograms and summaries, if there are any. */
int table_put_shapes(struct table_out *t, struct err *err);

#endif
