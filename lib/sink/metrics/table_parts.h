/* Shared by table_out.c and table_shapes.c; implemented in table_parts.c. */
#ifndef OBS_SINK_METRICS_TABLE_PARTS_H
#define OBS_SINK_METRICS_TABLE_PARTS_H

#include "sink/metrics/grid.h"
#include "sink/metrics/metric_sink.h"
#include "sink/table.h"

/*
 * Samples of a reduction make a grid, one row per group and one column per
 * metric; others make a list. Histograms and summaries make their own table,
 * one row each, all with the same columns. Output waits for the end of the
 * snapshot, when the widths are known.
 */
struct table_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	struct grid grid;
	struct grid_sort *sort;
	struct buf text; /* of headings, NUL-terminated */
	struct label_set labels;
	struct intern names; /* of the labels of the rows */
	double *worst;	     /* of each column; NaN: no outlier */
	size_t width;	     /* of the terminal; 0: unlimited */
	bool again;	     /* something was printed before */
	bool marked;	     /* a worst value was marked */
	bool at_least;	     /* a lower bound was marked */
};

/* Columns of a table whose headings are pending in t->text. */
struct headings {
	struct table_column *v;
	size_t *offsets; /* of built headings; SIZE_MAX: v has it */
	size_t n;
};

int table_make_headings(struct headings *h, size_t n, struct err *err);
void table_free_headings(struct headings *h);
void table_add_heading(struct headings *h, const char *title,
		       enum table_align align);

/* The names of the rows' labels, and the values of one row. */
void table_add_label_headings(struct headings *h, const struct table_out *t);
int table_add_labels(struct table_out *t, struct table *table, uint32_t row,
		     struct err *err);

/* A value with its marks; NULL: an empty cell. */
void table_add_cell(struct table_out *t, struct table *table,
		    const struct grid_cell *cell);

/* An empty line between the tables of one snapshot, but none after the line of
 * scalars. */
void table_separate(struct table_out *t, bool scalars);

/* The table of histograms and summaries, if there are any. */
int table_put_shapes(struct table_out *t, struct err *err);

#endif
