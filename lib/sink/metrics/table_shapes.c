/* Histograms and summaries as a table: one row each, with count, mean and
 * quantiles. */
#include <stdlib.h>

#include "base/limits.h"
#include "sink/metrics/column.h"
#include "sink/metrics/table_parts.h"

/* The columns of one histogram or summary, from an index on: returns their
 * end. */
static uint32_t metric_end(const struct grid *g, uint32_t place)
{
	uint32_t family = g->columns[g->column_order[place]].family;
	uint32_t end = place;

	while (end < g->n_columns &&
	       g->columns[g->column_order[end]].family == family)
		end++;
	return end;
}

static int by_percent(const void *a, const void *b)
{
	const struct grid_column *const *x = a, *const *y = b;

	return (*x)->quantile < (*y)->quantile	 ? -1
	       : (*x)->quantile > (*y)->quantile ? 1
						 : 0;
}

/* One column for each quantile of any metric; freed by the caller. */
static const struct grid_column **find_quantiles(const struct grid *g,
						 size_t *n)
{
	const struct grid_column **v =
		calloc(g->n_columns + 1, sizeof(const struct grid_column *));
	size_t all = 0;

	*n = 0;
	for (uint32_t i = 0; v != NULL && i < g->n_columns; i++)
		if (g->columns[i].kind == GRID_QUANTILE)
			v[all++] = &g->columns[i];
	if (all > 0)
		qsort(v, all, sizeof(const struct grid_column *), by_percent);
	for (size_t i = 0; i < all; i++)
		if (*n == 0 || v[*n - 1]->quantile != v[i]->quantile)
			v[(*n)++] = v[i];
	return v;
}

/* The cell of a metric's row for one statistic. */
static const struct grid_cell *stat_cell(const struct grid *g, uint32_t row,
					 uint32_t first, uint32_t end,
					 enum grid_stat kind, double quantile)
{
	for (uint32_t i = first; i < end; i++) {
		uint32_t column = g->column_order[i];
		const struct grid_column *c = &g->columns[column];

		if (c->kind == kind &&
		    (kind != GRID_QUANTILE || c->quantile == quantile))
			return grid_find(g, row, column);
	}
	return NULL;
}

/* Does the row have such a cell for the metric? */
static bool has_shape(const struct grid *g, uint32_t row, uint32_t first,
		      uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		uint32_t column = g->column_order[i];

		if (g->columns[column].kind != GRID_VALUE &&
		    grid_find(g, row, column) != NULL)
			return true;
	}
	return false;
}

/* The columns after the labels: count, mean, quantiles. */
struct shape_columns {
	const struct grid_column **quantiles;
	size_t n;
};

static int add_shape_row(struct table_out *t, struct table *table,
			 uint32_t first, uint32_t row,
			 const struct shape_columns *columns, struct err *err)
{
	const struct grid *g = &t->grid;
	const struct grid_column *c = &g->columns[g->column_order[first]];
	uint32_t end = metric_end(g, first);
	struct buf unit = buf_new(LIMIT_LINE);
	int code;

	if (!has_shape(g, row, first, end))
		return 0;
	table_add(table, c->metric);
	column_put_plain_unit(&unit, c->metric, false);
	table_add(table, buf_str(&unit));
	buf_free(&unit);
	code = table_add_labels(t, table, row, err);
	if (code < 0)
		return code;
	table_add_cell(t, table, stat_cell(g, row, first, end, GRID_COUNT, 0));
	table_add_cell(t, table, stat_cell(g, row, first, end, GRID_MEAN, 0));
	for (size_t i = 0; i < columns->n; i++)
		table_add_cell(t, table,
			       stat_cell(g, row, first, end, GRID_QUANTILE,
					 columns->quantiles[i]->quantile));
	return 0;
}

static int add_shape_rows(struct table_out *t, struct table *table,
			  const struct shape_columns *columns, struct err *err)
{
	const struct grid *g = &t->grid;
	int code = 0;

	for (uint32_t i = 0, end; code == 0 && i < g->n_columns; i = end) {
		end = metric_end(g, i);
		if (g->columns[g->column_order[end - 1]].kind == GRID_VALUE)
			continue;
		for (uint32_t k = 0; code == 0 && k < g->rows.count; k++)
			code = add_shape_row(t, table, i, g->row_order[k],
					     columns, err);
	}
	return code;
}

static int fill_shapes(struct table_out *t, struct headings *h,
		       const struct shape_columns *columns, struct err *err)
{
	struct table table;
	int code;

	table_add_heading(h, "distribution", TABLE_LEFT);
	table_add_heading(h, "unit", TABLE_LEFT);
	table_add_label_headings(h, t);
	table_add_heading(h, t->grid.about.rate ? "count/s" : "count",
			  TABLE_RIGHT);
	table_add_heading(h, "mean", TABLE_RIGHT);
	for (size_t i = 0; i < columns->n; i++)
		table_add_heading(h, columns->quantiles[i]->stat.p,
				  TABLE_RIGHT);
	table_separate(t, false);
	table = table_new(h->v, h->n);
	code = add_shape_rows(t, &table, columns, err);
	if (code == 0)
		return table_put_cut(&table, 2 + t->names.count, t->width,
				     t->out, err);
	table_free(&table);
	return code;
}

int table_put_shapes(struct table_out *t, struct err *err)
{
	const struct grid *g = &t->grid;
	struct shape_columns columns = {0};
	struct headings h = {0};
	bool any = false;
	int code = 0;

	for (uint32_t i = 0; i < g->n_columns; i++)
		any |= g->columns[i].kind != GRID_VALUE;
	if (!any)
		return 0;
	columns.quantiles = find_quantiles(g, &columns.n);
	if (columns.quantiles == NULL)
		code = err_memory(err);
	if (code == 0)
		code = table_make_headings(&h, 4 + t->names.count + columns.n,
					   err);
	if (code == 0)
		code = fill_shapes(t, &h, &columns, err);
	table_free_headings(&h);
	free(columns.quantiles);
	return code;
}
