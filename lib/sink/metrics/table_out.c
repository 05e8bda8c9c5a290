#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/stats.h"
#include "fmt/prom/prom_text.h"
#include "metrics/step_table.h"
#include "sink/metrics/column.h"
#include "sink/metrics/table_parts.h"

enum {
	GRID_MAX = 1000 * 1000 /* cells; beyond that a list is easier to read */
};

static void put_scalars(struct table_out *t, const struct metric_about *about)
{
	bool any = false;

	for (size_t i = 0; i < about->n_scalars; i++) {
		const struct metric_scalar *scalar = &about->scalars[i];
		char number[TABLE_NUMBER_MAX];

		if (isnan(scalar->value))
			continue;
		out_puts(t->out, any ? "  " : "");
		out_puts(t->out, scalar->name);
		out_putc(t->out, ' ');
		out_put(t->out, number, table_number(number, scalar->value));
		any = true;
	}
	if (about->n_scalars > 0)
		out_putc(t->out, '\n');
}

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct table_out *t = (struct table_out *)sink;

	if (t->again)
		out_putc(t->out, '\n');
	t->again = false;
	if (!about->flat)
		put_scalars(t, about);
	t->again = !about->flat && about->n_scalars > 0;
	return grid_begin(&t->grid, about, err);
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	(void)err;
	grid_family(&((struct table_out *)sink)->grid, f);
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct table_out *t = (struct table_out *)sink;

	return grid_sample(&t->grid, s, err);
}

/* Values ------------------------------------------------------------- */

/* The worst value is marked from this distance to the median of the others. */
static const double stands_out = 0.3;

static int find_values(const struct grid *g, uint32_t column,
		       struct stats *values, struct err *err)
{
	for (uint32_t i = 0; i < g->rows.count; i++) {
		const struct grid_cell *cell = grid_find(g, i, column);

		if (cell != NULL && !isnan(cell->value) &&
		    !stats_add(values, cell->value))
			return err_memory(err);
	}
	stats_sort(values);
	return 0;
}

/* The worst of sorted values, unless it is near the others; else NaN. */
static double worst_value(const struct stats *values, bool most)
{
	struct stats others = *values;
	double worst, median;

	if (values->n < 2)
		return (double)NAN;
	worst = values->v[most ? values->n - 1 : 0];
	others.v += !most;
	others.n--;
	median = stats_median(&others);
	return fabs(worst - median) > stands_out * fabs(median) ? worst
								: (double)NAN;
}

/* The value to mark in a column; NaN: none. A growing value only reflects how
 * long a process has run. */
static int worst_of(const struct grid *g, uint32_t column, double *worst,
		    struct err *err)
{
	const struct grid_column *c = &g->columns[column];
	enum metric_rising rising = c->grows || c->scalar
					    ? RISING_NEUTRAL
					    : column_rising(c->metric);
	struct stats values = {0};
	int code;

	*worst = (double)NAN;
	if (rising == RISING_NEUTRAL)
		return 0;
	code = find_values(g, column, &values, err);
	if (code == 0)
		*worst = worst_value(&values, rising == RISING_WORSE);
	stats_free(&values);
	return code;
}

/* Collect the label names of the rows. */
static int find_names(struct table_out *t, struct err *err)
{
	const struct grid *g = &t->grid;

	intern_free(&t->names);
	t->names = intern_new(LIMIT_STRING);
	for (uint32_t i = 0; i < g->rows.count; i++) {
		if (label_set_read(&t->labels, intern_text(&g->rows, i), err) <
		    0)
			return err->code;
		for (size_t k = 0; k < t->labels.n; k++)
			if (intern_add(&t->names, t->labels.v[k].name) ==
			    INTERN_FAILED)
				return intern_error(&t->names, err);
	}
	return 0;
}

static int find_worst(struct table_out *t, struct err *err)
{
	free(t->worst);
	t->worst = calloc(t->grid.n_columns + 1, sizeof(*t->worst));
	if (t->worst == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < t->grid.n_columns; i++)
		if (worst_of(&t->grid, i, &t->worst[i], err) < 0)
			return err->code;
	return 0;
}

/* "NAME (UNIT)" */
static void add_unit_heading(struct headings *h, struct table_out *t,
			     const struct grid_column *c)
{
	size_t before;

	h->offsets[h->n] = t->text.n;
	h->v[h->n++] = (struct table_column){NULL, TABLE_RIGHT};
	buf_put(&t->text, c->title.p, c->title.n);
	buf_puts(&t->text, " (");
	before = t->text.n;
	column_put_unit(&t->text, c->metric, c->rate);
	if (!t->text.failed && t->text.n == before)
		t->text.n -= 2;
	else
		buf_putc(&t->text, ')');
	buf_putc(&t->text, '\0');
}

static int end_headings(struct headings *h, struct table_out *t,
			struct err *err)
{
	if (t->text.failed)
		return buf_error(&t->text, err);
	for (size_t i = 0; i < h->n; i++)
		if (h->offsets[i] != SIZE_MAX)
			h->v[i].title = t->text.p + h->offsets[i];
	return 0;
}

/* The grid ----------------------------------------------------------- */

static bool is_value(const struct table_out *t, uint32_t place)
{
	const struct grid *g = &t->grid;

	return g->columns[g->column_order[place]].kind == GRID_VALUE;
}

static int add_grid_row(struct table_out *t, struct table *table, uint32_t row,
			struct err *err)
{
	const struct grid *g = &t->grid;
	int code = table_add_labels(t, table, row, err);

	for (uint32_t i = 0; code == 0 && i < g->n_columns; i++)
		if (is_value(t, i))
			table_add_cell(t, table,
				       grid_find(g, row, g->column_order[i]));
	return code;
}

static int put_grid(struct table_out *t, struct err *err)
{
	const struct grid *g = &t->grid;
	struct headings h = {0};
	struct table table;
	int code = table_make_headings(&h, t->names.count + g->n_columns, err);

	buf_clear(&t->text);
	if (code == 0)
		table_add_label_headings(&h, t);
	for (uint32_t i = 0; code == 0 && i < g->n_columns; i++)
		if (is_value(t, i))
			add_unit_heading(&h, t,
					 &g->columns[g->column_order[i]]);
	if (code == 0)
		code = end_headings(&h, t, err);
	if (code == 0 && h.n > t->names.count) {
		table_separate(t, g->about.differs);
		table = table_new(h.v, h.n);
		for (uint32_t i = 0; code == 0 && i < g->rows.count; i++)
			code = add_grid_row(t, &table, g->row_order[i], err);
		if (code == 0)
			code = table_put_cut(&table, t->names.count, t->width,
					     t->out, err);
		else
			table_free(&table);
	}
	table_free_headings(&h);
	return code;
}

/* The list ----------------------------------------------------------- */

/* The unit of a step's key, unless the key contains it; NULL: unknown. */
static const char *key_unit(struct str title)
{
	for (const struct step_row *r = step_rows; r->summary != NULL; r++) {
		size_t n = strlen(r->key);

		if (str_ends(title, r->key) && title.n > n &&
		    title.p[title.n - n - 1] == '/')
			return r->unit;
	}
	return NULL;
}

static void add_list_row(struct table_out *t, struct table *table,
			 const struct grid_cell *cell, bool timed)
{
	const struct grid_column *c = &t->grid.columns[cell->column];
	char time[PROM_NUMBER_MAX];
	size_t n = isnan(cell->time) ? 0 : prom_put_time(time, cell->time);

	table_add(table, c->title);
	table_add_cell(t, table, cell);
	buf_clear(&t->text);
	if (c->scalar && key_unit(c->title) != NULL)
		buf_puts(&t->text, key_unit(c->title));
	if (!c->scalar)
		column_put_plain_unit(&t->text, c->metric, c->rate);
	table_add(table, buf_str(&t->text));
	table_add(table, intern_text(&t->grid.rows, cell->row));
	if (timed)
		table_add(table, str_make(time, n));
}

static int put_list(struct table_out *t, struct err *err)
{
	static const struct table_column columns[] = {{"name", TABLE_LEFT},
						      {"value", TABLE_RIGHT},
						      {"unit", TABLE_LEFT},
						      {"labels", TABLE_LEFT},
						      {"time (ms)",
						       TABLE_RIGHT}};
	const struct grid *g = &t->grid;
	struct table table;
	bool timed = false;
	size_t n = 0;

	for (size_t i = 0; i < g->n_cells; i++) {
		bool value = g->columns[g->cells[i].column].kind == GRID_VALUE;

		n += value;
		timed |= value && !isnan(g->cells[i].time);
	}
	if (n == 0)
		return 0;
	table_separate(t, g->about.differs);
	table = table_new(columns, timed ? 5 : 4);
	for (size_t i = 0; i < g->n_cells; i++)
		if (g->columns[g->cells[i].column].kind == GRID_VALUE)
			add_list_row(t, &table, &g->cells[i], timed);
	return table_put_cut(&table, timed ? 5 : 4, 0, t->out, err);
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct table_out *t = (struct table_out *)sink;
	const struct grid *g = &t->grid;
	bool grouped;
	int code = grid_settle(&t->grid, err);

	grouped = g->about.grouped &&
		  (uint64_t)g->rows.count * g->n_columns <= GRID_MAX;
	free(t->worst);
	t->worst = NULL;
	t->marked = t->at_least = false;
	if (code == 0 && !grouped)
		code = put_list(t, err);
	if (code == 0)
		code = grid_order(&t->grid, t->sort, err);
	if (code == 0)
		code = find_names(t, err);
	if (code == 0 && grouped)
		code = find_worst(t, err);
	if (code == 0 && grouped)
		code = put_grid(t, err);
	if (code == 0)
		code = table_put_shapes(t, err);
	if (t->marked)
		out_puts(t->out, "! worst in column\n");
	if (t->at_least)
		out_puts(t->out,
			 "> at least: above the histogram's last bound\n");
	return code;
}

static void free_sink(struct metric_sink *sink)
{
	struct table_out *t = (struct table_out *)sink;

	grid_free(&t->grid);
	intern_free(&t->names);
	buf_free(&t->text);
	label_set_free(&t->labels);
	free(t->worst);
	free(t);
}

struct metric_sink *table_out_new(struct out *out, size_t width,
				  struct grid_sort *sort, struct err *err)
{
	struct table_out *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return err_no_memory(err);
	t->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	t->out = out;
	t->width = width;
	t->sort = sort;
	t->text = buf_new(LIMIT_STRING);
	t->names = intern_new(LIMIT_STRING);
	t->grid = grid_new();
	if (sort != NULL && sort->key != NULL)
		grid_want(&t->grid, str_of(sort->key));
	return &t->sink;
}
