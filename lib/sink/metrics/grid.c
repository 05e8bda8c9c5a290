#include "sink/metrics/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "base/quantile_text.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/column.h"

struct grid grid_new(void)
{
	return (struct grid){.quantiles = {0.5, 0.95},
			     .n_quantiles = 2,
			     .rows = intern_new(LIMIT_STRING),
			     .families = intern_new(LIMIT_STRING),
			     .keys = intern_new(LIMIT_STRING),
			     .by_series = map_new(true),
			     .text = buf_new(LIMIT_STRING)};
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->n_shapes; i++)
		buckets_free(&g->shapes[i].buckets);
	intern_free(&g->rows);
	intern_free(&g->families);
	intern_free(&g->keys);
	map_free(&g->by_series);
	buf_free(&g->text);
	free(g->columns);
	free(g->cells);
	free(g->shapes);
	free(g->row_order);
	free(g->column_order);
	free(g->starts);
	*g = grid_new();
}

static int failure(const struct grid *g, struct err *err)
{
	const struct intern *tables[] = {&g->rows, &g->families, &g->keys};

	if (g->text.failed)
		return buf_error(&g->text, err);
	for (size_t i = 0; i < 2; i++)
		if (tables[i]->text.full)
			return intern_error(tables[i], err);
	return intern_error(tables[2], err);
}

/* Columns ------------------------------------------------------------ */

/* "" or "count" and so on. A quantile is named by its percentile. */
static void put_stat(struct buf *b, enum grid_stat kind, double quantile)
{
	if (kind == GRID_COUNT)
		buf_puts(b, "count");
	else if (kind == GRID_MEAN)
		buf_puts(b, "mean");
	else if (kind == GRID_QUANTILE)
		buf_printf(b, "p%.10g", quantile * 100);
}

/* The key of a column: "METRIC_STAT", NUL, and the kind, so that a metric named
 * X_count is not the count of X. */
static struct str column_key(struct grid *g, const struct grid_column *c)
{
	buf_clear(&g->text);
	buf_put(&g->text, c->metric.p, c->metric.n);
	if (c->kind != GRID_VALUE)
		buf_putc(&g->text, '_');
	put_stat(&g->text, c->kind, c->quantile);
	buf_putc(&g->text, '\0');
	buf_putc(&g->text, (char)('0' + c->kind));
	return buf_str(&g->text);
}

/* The number of the column, created if needed. */
static int find_column(struct grid *g, struct grid_column *c, uint32_t *number,
		       struct err *err)
{
	struct str key = column_key(g, c);
	size_t head = c->metric.n + (c->kind != GRID_VALUE);

	*number = g->text.failed ? INTERN_FAILED : intern_add(&g->keys, key);
	if (*number == INTERN_FAILED)
		return failure(g, err);
	if (*number < g->n_columns)
		return 0;
	if (!ARRAY_GROW(g->columns, g->n_columns, g->columns_cap))
		return err_memory(err);
	key = intern_text(&g->keys, *number);
	c->title = str_make(key.p, key.n - 2);
	c->stat = str_make(key.p + head, key.n - 2 - head);
	g->columns[g->n_columns++] = *c;
	return 0;
}

static int add_cell(struct grid *g, struct grid_cell cell,
		    struct grid_column column, struct err *err)
{
	int code = find_column(g, &column, &cell.column, err);

	if (code < 0)
		return code;
	if (!ARRAY_GROW(g->cells, g->n_cells, g->cells_cap))
		return err_memory(err);
	cell.place = (uint32_t)g->n_cells;
	g->cells[g->n_cells++] = cell;
	return 0;
}

/* Snapshots ---------------------------------------------------------- */

static void forget(struct grid *g)
{
	struct grid_column *columns = g->columns;
	struct grid_cell *cells = g->cells;
	struct grid before = *g;

	g->columns = NULL;
	g->cells = NULL;
	grid_free(g);
	g->columns = columns;
	g->cells = cells;
	g->columns_cap = before.columns_cap;
	g->cells_cap = before.cells_cap;
	memcpy(g->quantiles, before.quantiles, sizeof(g->quantiles));
	g->n_quantiles = before.n_quantiles;
}

void grid_want(struct grid *g, struct str title)
{
	const char *last = memrchr(title.p, '_', title.n);
	struct quantile_value q;
	size_t i = 0;

	if (last == NULL || last[1] != 'p' ||
	    !quantile_parse(str_of(last + 1), &q))
		return;
	while (i < g->n_quantiles && g->quantiles[i] != q.fraction)
		i++;
	if (i == g->n_quantiles && i < GRID_QUANTILES)
		g->quantiles[g->n_quantiles++] = q.fraction;
}

/* A key of a step becomes a column of the only row. */
static int add_scalar(struct grid *g, const struct metric_scalar *scalar,
		      struct err *err)
{
	uint32_t family = intern_add(&g->families, str_of(scalar->name));
	struct grid_cell cell = {.value = scalar->value,
				 .time = (long double)NAN};
	struct grid_column column = {.scalar = true};

	cell.row = intern_add(&g->rows, str_of(""));
	if (family == INTERN_FAILED || cell.row == INTERN_FAILED)
		return failure(g, err);
	column.metric = intern_text(&g->families, family);
	column.family = family;
	return add_cell(g, cell, column, err);
}

int grid_begin(struct grid *g, const struct metric_about *about,
	       struct err *err)
{
	int code = 0;

	forget(g);
	g->about = *about;
	g->about.scalars = NULL;
	for (size_t i = 0; code == 0 && about->flat && i < about->n_scalars;
	     i++)
		code = add_scalar(g, &about->scalars[i], err);
	return code;
}

void grid_family(struct grid *g, const struct metric_family *f)
{
	g->family = *f;
	g->family_number = intern_add(&g->families, f->name);
}

/* Samples ------------------------------------------------------------ */

/* The value of the label le or quantile, if it is last, as in the samples of
 * histograms and summaries; it is then removed from *labels. */
static bool split_last(struct str *labels, const char *name, double *value)
{
	struct prom_label last = {0};
	struct str rest = *labels;
	size_t n;

	while (rest.n > 0)
		rest = prom_label_next(rest, &last);
	if (!str_is(last.name, name) || !prom_bound(last.value, value))
		return false;
	n = prom_label_room(&last) - 2;
	labels->n = labels->n > n ? labels->n - n - 1 : 0;
	return true;
}

static bool ends_family(const struct grid *g, struct str name,
			const char *suffix)
{
	size_t n = g->family.name.n;

	return name.n > n && memcmp(name.p, g->family.name.p, n) == 0 &&
	       str_is(str_skip(name, n), suffix);
}

/* The row's histogram or summary. */
static struct grid_shape *find_shape(struct grid *g, uint32_t row)
{
	uint32_t i = (uint32_t)g->n_shapes;
	int code = map_add(&g->by_series, hash_mix(row, g->family_number), &i);

	if (code < 0)
		return NULL;
	if (code == 0)
		return &g->shapes[i];
	if (!ARRAY_GROW(g->shapes, g->n_shapes, g->shapes_cap))
		return NULL;
	g->shapes[g->n_shapes] = (struct grid_shape){
		.row = row,
		.family = g->family_number,
		.count = (double)NAN,
		.sum = (double)NAN,
	};
	return &g->shapes[g->n_shapes++];
}

/* A sample of a histogram or summary, but not a quantile. */
static int add_part(struct grid *g, const struct metric_sample *s, uint32_t row,
		    double bound, struct err *err)
{
	struct grid_shape *shape = find_shape(g, row);
	int code;

	if (shape == NULL)
		return err_memory(err);
	if (ends_family(g, s->name, "_bucket")) {
		code = buckets_add(&shape->buckets, bound, s->value, 1);
		return code < 0 ? buckets_error(code, s->name, err) : 0;
	}
	if (ends_family(g, s->name, "_count") ||
	    ends_family(g, s->name, "_gcount"))
		shape->count = s->value;
	else
		shape->sum = s->value;
	return 0;
}

static bool is_part(const struct grid *g, const struct metric_sample *s,
		    struct str *labels, double *bound)
{
	static const char *const suffixes[] = {"_sum", "_count", "_gsum",
					       "_gcount", NULL};
	enum prom_type type = g->family.type;

	if (type != PROM_HISTOGRAM && type != PROM_GAUGEHISTOGRAM &&
	    type != PROM_SUMMARY)
		return false;
	for (size_t i = 0; suffixes[i] != NULL; i++)
		if (ends_family(g, s->name, suffixes[i]))
			return true;
	return type != PROM_SUMMARY && ends_family(g, s->name, "_bucket") &&
	       split_last(labels, "le", bound);
}

/* A quantile, or any other value. */
static int add_value(struct grid *g, const struct metric_sample *s,
		     struct str labels, struct err *err)
{
	struct grid_cell cell = {
		.value = s->value, .time = s->time, .at_least = s->at_least};
	struct grid_column column = {0};
	uint32_t family = intern_add(&g->families, s->name);

	if (g->family.type == PROM_SUMMARY && str_eq(s->name, g->family.name) &&
	    split_last(&labels, "quantile", &column.quantile))
		column.kind = GRID_QUANTILE;
	cell.row = intern_add(&g->rows, labels);
	if (family == INTERN_FAILED || cell.row == INTERN_FAILED)
		return failure(g, err);
	column.metric = intern_text(&g->families, family);
	column.family = family;
	column.grows = g->family.grows && !g->about.differs &&
		       column.kind == GRID_VALUE;
	column.rate = g->family.grows && g->about.rate &&
		      column.kind == GRID_VALUE;
	if (column.kind == GRID_QUANTILE && isnan(cell.value))
		return 0;
	return add_cell(g, cell, column, err);
}

int grid_sample(struct grid *g, const struct metric_sample *s, struct err *err)
{
	struct str labels = s->labels;
	double bound = 0;
	uint32_t row;

	if (g->about.flat)
		return 0;
	if (g->family_number == INTERN_FAILED)
		return failure(g, err);
	if (!is_part(g, s, &labels, &bound))
		return add_value(g, s, labels, err);
	row = intern_add(&g->rows, labels);
	if (row == INTERN_FAILED)
		return failure(g, err);
	return add_part(g, s, row, bound, err);
}

/* What becomes of a histogram ---------------------------------------- */

static int add_stat(struct grid *g, const struct grid_shape *shape,
		    enum grid_stat kind, double quantile, double value,
		    struct err *err)
{
	struct grid_cell cell = {
		.row = shape->row, .value = value, .time = (long double)NAN};
	struct grid_column column = {
		.metric = intern_text(&g->families, shape->family),
		.family = shape->family,
		.kind = kind,
		.quantile = quantile,
		.rate = kind == GRID_COUNT && g->about.rate,
		.grows = kind == GRID_COUNT,
	};

	if (isnan(value))
		return 0;
	if (kind == GRID_QUANTILE)
		cell.at_least =
			buckets_quantile_is_open(&shape->buckets, quantile);
	return add_cell(g, cell, column, err);
}

static int settle_shape(struct grid *g, struct grid_shape *shape,
			struct err *err)
{
	int code = 0;

	if (shape->buckets.n > 0 &&
	    buckets_settle(&shape->buckets, shape->count) == ERR_MEMORY)
		return err_memory(err);
	if (isnan(shape->count) && shape->buckets.n > 0)
		shape->count = shape->buckets.v[shape->buckets.n - 1].count;
	code = add_stat(g, shape, GRID_COUNT, 0, shape->count, err);
	if (code == 0 && shape->count > 0)
		code = add_stat(g, shape, GRID_MEAN, 0,
				shape->sum / shape->count, err);
	for (size_t i = 0;
	     code == 0 && shape->buckets.n > 0 && i < g->n_quantiles; i++)
		code = add_stat(g, shape, GRID_QUANTILE, g->quantiles[i],
				buckets_quantile(&shape->buckets,
						 g->quantiles[i]),
				err);
	return code;
}

int grid_settle(struct grid *g, struct err *err)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < g->n_shapes; i++)
		code = settle_shape(g, &g->shapes[i], err);
	return code;
}
