/* The order of a grid's rows and columns. */
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/column.h"
#include "sink/metrics/grid.h"

bool grid_is_named(const struct grid_column *c, struct str wanted)
{
	size_t n = c->stat.n;
	char base[512];

	if (str_eq(c->title, wanted))
		return true;
	if (c->scalar) {
		const char *slash = memchr(c->title.p, '/', c->title.n);

		return slash != NULL && strcmp(slash + 1, wanted.p) == 0;
	}
	if (n == 0)
		return column_is_named(c->metric, wanted);
	if (wanted.n < n + 2 || wanted.n - n - 1 >= sizeof(base) ||
	    !str_ends(wanted, c->stat.p) || wanted.p[wanted.n - n - 1] != '_')
		return false;
	memcpy(base, wanted.p, wanted.n - n - 1);
	base[wanted.n - n - 1] = '\0';
	return column_is_named(c->metric, str_of(base));
}

/* Columns ------------------------------------------------------------ */

/* Quantiles are in ascending order, whatever the input's. */
static int by_rank(const void *a, const void *b, void *grid)
{
	const struct grid *g = grid;
	const struct grid_column *x = &g->columns[*(const uint32_t *)a];
	const struct grid_column *y = &g->columns[*(const uint32_t *)b];
	unsigned int left = x->scalar ? 0 : column_rank(x->metric);
	unsigned int right = y->scalar ? 0 : column_rank(y->metric);

	if (left != right)
		return left < right ? -1 : 1;
	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	return x->quantile < y->quantile ? -1 : x->quantile > y->quantile;
}

/* Rows --------------------------------------------------------------- */

/* The sort key of a row. */
struct row_key {
	double number; /* NaN: none */
	struct str text;
	uint32_t row;
};

struct row_sort {
	const struct grid *g;
	int sign; /* 1: ascending */
};

static int by_labels(const struct grid *g, uint32_t a, uint32_t b)
{
	return str_cmp(intern_text(&g->rows, a), intern_text(&g->rows, b));
}

/* Numbers before text, rows with neither last, in either direction. */
static int by_key(const void *a, const void *b, void *sort)
{
	const struct row_key *x = a, *y = b;
	const struct row_sort *s = sort;
	bool left = !isnan(x->number), right = !isnan(y->number);
	int order = 0;

	if (left != right)
		return left ? -1 : 1;
	if (left && x->number != y->number)
		return x->number < y->number ? -s->sign : s->sign;
	if (!left && (x->text.p == NULL) != (y->text.p == NULL))
		return x->text.p != NULL ? -1 : 1;
	if (!left && x->text.p != NULL)
		order = s->sign * str_cmp(x->text, y->text);
	return order != 0 ? order : by_labels(s->g, x->row, y->row);
}

static const struct grid_column *named_column(const struct grid *g,
					      struct str name, uint32_t *number)
{
	for (*number = 0; *number < g->n_columns; ++*number)
		if (str_eq(g->columns[*number].title, name))
			return &g->columns[*number];
	for (uint32_t i = 0; i < g->n_columns; i++) {
		*number = g->column_order[i];
		if (grid_is_named(&g->columns[*number], name))
			return &g->columns[*number];
	}
	return NULL;
}

/* Fill the keys with the values of a column, or else of a label. Returns
 * whether there is one; *numbers: all keys are numbers. */
static int fill_keys(const struct grid *g, struct str name,
		     struct row_key *keys, bool *found, struct err *err)
{
	struct label_set labels = {0};
	uint32_t column;
	bool is_column = named_column(g, name, &column) != NULL;
	int code = 0;

	*found |= is_column;
	for (uint32_t i = 0; code == 0 && i < g->rows.count; i++) {
		const struct grid_cell *cell;

		keys[i] = (struct row_key){(double)NAN, {NULL, 0}, i};
		cell = is_column ? grid_find(g, i, column) : NULL;
		if (cell != NULL)
			keys[i].number = cell->value;
		if (is_column)
			continue;
		code = label_set_read(&labels, intern_text(&g->rows, i), err);
		keys[i].text = labels_get(labels.v, labels.n, name.p);
		*found |= keys[i].text.p != NULL;
		if (keys[i].text.p != NULL &&
		    !prom_number(keys[i].text, &keys[i].number))
			keys[i].number = (double)NAN;
	}
	label_set_free(&labels);
	return code < 0 ? code : is_column;
}

/* Record the existing names instead. */
static int note_names(const struct grid *g, struct intern *seen,
		      struct err *err)
{
	struct label_set labels = {0};
	int code = 0;

	for (uint32_t i = 0; code == 0 && i < g->rows.count; i++) {
		code = label_set_read(&labels, intern_text(&g->rows, i), err);
		for (size_t k = 0; code == 0 && k < labels.n; k++)
			if (intern_add(seen, labels.v[k].name) == INTERN_FAILED)
				code = intern_error(seen, err);
	}
	for (uint32_t i = 0; code == 0 && i < g->n_columns; i++)
		if (intern_add(seen, g->columns[g->column_order[i]].title) ==
		    INTERN_FAILED)
			code = intern_error(seen, err);
	label_set_free(&labels);
	return code;
}

static int sort_rows(struct grid *g, struct grid_sort *sort, struct err *err)
{
	struct row_sort how = {g, 1};
	struct row_key *keys = calloc(g->rows.count + 1, sizeof(*keys));
	const char *name = sort == NULL ? NULL : sort->key;
	char sign = name != NULL ? *name : '\0';
	int code = 0;

	if (keys == NULL)
		return err_memory(err);
	for (uint32_t i = 0; i < g->rows.count; i++)
		keys[i] = (struct row_key){(double)NAN, {NULL, 0}, i};
	if (name != NULL) {
		name += sign == '-' || sign == '+';
		code = fill_keys(g, str_of(name), keys, &sort->found, err);
		how.sign = sign == '-' ? -1 : sign == '+' || code == 0 ? 1 : -1;
	}
	if (code >= 0)
		qsort_r(keys, g->rows.count, sizeof(*keys), by_key, &how);
	for (uint32_t i = 0; i < g->rows.count; i++)
		g->row_order[i] = keys[i].row;
	free(keys);
	if (code >= 0 && name != NULL && !sort->found)
		code = note_names(g, &sort->seen, err);
	return code < 0 ? code : 0;
}

/* Cells -------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct grid_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

const struct grid_cell *grid_find(const struct grid *g, uint32_t row,
				  uint32_t column)
{
	size_t end = g->starts[row + 1];
	size_t i;

	SEARCH_FIRST(i, g->starts[row], end, g->cells[i].column >= column);
	return i < end && g->cells[i].column == column ? &g->cells[i] : NULL;
}

static void find_starts(struct grid *g)
{
	size_t at = 0;

	if (g->n_cells > 0)
		qsort(g->cells, g->n_cells, sizeof(*g->cells), by_place);
	for (uint32_t row = 0; row < g->rows.count; row++) {
		while (at < g->n_cells && g->cells[at].row < row)
			at++;
		g->starts[row] = at;
	}
	g->starts[g->rows.count] = g->n_cells;
}

int grid_order(struct grid *g, struct grid_sort *sort, struct err *err)
{
	g->row_order = calloc(g->rows.count + 1, sizeof(*g->row_order));
	g->column_order = calloc(g->n_columns + 1, sizeof(*g->column_order));
	g->starts = calloc((size_t)g->rows.count + 1, sizeof(*g->starts));
	if (g->row_order == NULL || g->column_order == NULL ||
	    g->starts == NULL)
		return err_memory(err);
	find_starts(g);
	for (uint32_t i = 0; i < g->n_columns; i++)
		g->column_order[i] = i;
	qsort_r(g->column_order, g->n_columns, sizeof(*g->column_order),
		by_rank, g);
	return sort_rows(g, sort, err);
}
