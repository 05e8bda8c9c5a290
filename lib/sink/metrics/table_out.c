#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/intern.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "metrics/labels.h"
#include "sink/metrics/column.h"
#include "sink/metrics/metric_sink.h"
#include "sink/table.h"

enum {
	CELL_MAX = PROM_NUMBER_MAX + 1,
	GRID_MAX = 1000 * 1000 /* cells; past that a list is easier to read */
};

/* A sample kept until the end: what row and column it is in. */
struct kept {
	uint32_t row;
	uint32_t column;
	double value;
	long double time;
};

/*
 * Samples of a reduction make a grid: a row a group, a column a metric (each
 * quantile its own). Others make a list. Both wait for the end of the
 * snapshot, when the widths are known.
 */
struct table_out {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	struct intern rows;    /* label texts */
	struct intern columns; /* names, with a quantile behind */
	struct kept *kept;
	size_t n;
	size_t cap;
	struct buf text;
	struct label_set labels;
	size_t width; /* of the terminal; 0: does not matter */
	bool grouped;
	bool again; /* not the first snapshot */
};

static void forget(struct table_out *t)
{
	intern_free(&t->rows);
	intern_free(&t->columns);
	t->rows = intern_new(LIMIT_STRING);
	t->columns = intern_new(LIMIT_STRING);
	t->n = 0;
}

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct table_out *t = (struct table_out *)sink;

	(void)err;
	forget(t);
	t->grouped = about->grouped;
	if (t->again)
		out_putc(t->out, '\n');
	t->again = true;
	for (size_t i = 0; i < about->n_scalars && !about->flat; i++) {
		char number[PROM_NUMBER_MAX];

		out_puts(t->out, i == 0 ? "" : "  ");
		out_puts(t->out, about->scalars[i].name);
		out_putc(t->out, ' ');
		out_put(t->out, number,
			prom_put_value(number, about->scalars[i].value));
		if (i + 1 == about->n_scalars)
			out_putc(t->out, '\n');
	}
	return 0;
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	(void)sink;
	(void)f;
	(void)err;
	return 0;
}

/* In a grid the label that tells the samples of one histogram apart belongs to
 * the column: "NAME le=0.5". The label text without it is returned. */
static struct str split_inner(struct table_out *t, struct str labels)
{
	struct prom_label last = {0};
	struct str rest = labels;
	size_t n;

	while (rest.n > 0)
		rest = prom_label_next(rest, &last);
	if (!str_is(last.name, "le") && !str_is(last.name, "quantile"))
		return labels;
	buf_putc(&t->text, ' ');
	if (str_is(last.name, "le"))
		buf_puts(&t->text, "le=");
	buf_put(&t->text, last.value.p, last.value.n);
	n = prom_label_room(&last) - 2;
	return str_make(labels.p, labels.n > n ? labels.n - n - 1 : 0);
}

static int keep(struct table_out *t, const struct kept *kept, struct err *err)
{
	t->kept = array_room(t->kept, &t->cap, t->n, sizeof(*t->kept));
	if (t->n == t->cap)
		return err_memory(err);
	t->kept[t->n++] = *kept;
	return 0;
}

static int failure(const struct table_out *t, struct err *err)
{
	if (t->text.failed)
		return buf_error(&t->text, err);
	return intern_error(t->rows.text.full ? &t->rows : &t->columns, err);
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct table_out *t = (struct table_out *)sink;
	struct kept kept = {.value = s->value, .time = s->time};
	struct str labels = s->labels;

	buf_clear(&t->text);
	buf_put(&t->text, s->name.p, s->name.n);
	if (t->grouped && !column_keeps_le(s->name))
		labels = split_inner(t, labels);
	kept.column = intern_add(&t->columns, buf_str(&t->text));
	kept.row = intern_add(&t->rows, labels);
	if (t->text.failed || kept.row == INTERN_FAILED ||
	    kept.column == INTERN_FAILED)
		return failure(t, err);
	return keep(t, &kept, err);
}

/* The grid ------------------------------------------------------------ */

/* The one grid being written. */
struct grid {
	struct table_out *t;
	const struct kept **cells;    /* rows by columns; NULL: no sample */
	double *worst;		      /* of each column; NaN: none stands out */
	uint32_t *order;	      /* of the rows */
	struct intern names;	      /* of the labels that rows have */
	const char **headings;	      /* of the columns */
	struct arena texts;	      /* of these */
	size_t *widths;		      /* of names, then of metrics, about */
	struct table_column *columns; /* of the part being written */
	bool marked;		      /* a worst one was */
};

static const struct kept *cell(const struct grid *g, uint32_t row,
			       uint32_t column)
{
	return g->cells[(size_t)row * g->t->columns.count + column];
}

/* What a column's name says of the metric, before an le or quantile. */
static struct str metric_of(struct str column)
{
	const char *blank = memchr(column.p, ' ', column.n);

	if (blank != NULL)
		column.n = (size_t)(blank - column.p);
	return column;
}

/* The worst value of a column, unless all are alike. */
static double worst_of(const struct grid *g, uint32_t column)
{
	struct str name = metric_of(intern_text(&g->t->columns, column));
	enum metric_rising rising = column_rising(name);
	double least = (double)INFINITY, most = -(double)INFINITY;

	if (rising == RISING_NEUTRAL)
		return (double)NAN;
	for (uint32_t i = 0; i < g->t->rows.count; i++) {
		const struct kept *k = cell(g, i, column);

		if (k == NULL || isnan(k->value))
			continue;
		least = k->value < least ? k->value : least;
		most = k->value > most ? k->value : most;
	}
	if (!(least < most))
		return (double)NAN;
	return rising == RISING_BETTER ? least : most;
}

static int by_text(const void *a, const void *b, void *rows)
{
	return str_cmp(intern_text(rows, *(const uint32_t *)a),
		       intern_text(rows, *(const uint32_t *)b));
}

static size_t put_cell(const struct grid *g, uint32_t row, uint32_t column,
		       char text[CELL_MAX])
{
	const struct kept *k = cell(g, row, column);
	size_t n = k == NULL ? 0 : prom_put_value(text, k->value);

	if (k != NULL && k->value == g->worst[column])
		text[n++] = '!';
	return n;
}

/* Collect the label names of the rows. */
static int find_names(struct grid *g, struct err *err)
{
	struct table_out *t = g->t;

	for (uint32_t i = 0; i < t->rows.count; i++) {
		if (label_set_read(&t->labels, intern_text(&t->rows, i), err) <
		    0)
			return err->code;
		for (size_t k = 0; k < t->labels.n; k++)
			if (intern_add(&g->names, t->labels.v[k].name) ==
			    INTERN_FAILED)
				return intern_error(&g->names, err);
	}
	return 0;
}

/* "NAME", "NAME (UNIT)", "NAME quantile", in the order of the columns. */
static int find_headings(struct grid *g, struct err *err)
{
	struct table_out *t = g->t;

	for (uint32_t i = 0; i < t->columns.count; i++) {
		struct str name = intern_text(&t->columns, i);
		const char *unit = column_unit(metric_of(name));

		buf_clear(&t->text);
		buf_put(&t->text, name.p, name.n);
		if (unit != NULL) {
			buf_puts(&t->text, " (");
			buf_puts(&t->text, unit);
			buf_putc(&t->text, ')');
		}
		if (t->text.failed)
			return buf_error(&t->text, err);
		g->headings[i] = arena_str(&g->texts, buf_str(&t->text)).p;
		if (g->headings[i] == NULL)
			return arena_error(&g->texts, err);
	}
	return 0;
}

static int allocate(struct grid *g, struct err *err)
{
	size_t rows = g->t->rows.count, columns = g->t->columns.count;
	size_t all = g->names.count + columns;

	g->cells = calloc(rows * columns + 1, sizeof(const struct kept *));
	g->worst = calloc(columns + 1, sizeof(*g->worst));
	g->order = calloc(rows + 1, sizeof(*g->order));
	g->widths = calloc(all + 1, sizeof(*g->widths));
	g->columns = calloc(all + 1, sizeof(*g->columns));
	g->headings = calloc(columns + 1, sizeof(const char *));
	if (g->cells == NULL || g->worst == NULL || g->order == NULL ||
	    g->widths == NULL || g->columns == NULL || g->headings == NULL)
		return err_memory(err);
	for (size_t i = 0; i < g->t->n; i++) {
		const struct kept *k = &g->t->kept[i];

		g->cells[k->row * columns + k->column] = k;
	}
	for (uint32_t i = 0; i < rows; i++)
		g->order[i] = i;
	qsort_r(g->order, rows, sizeof(*g->order), by_text, &g->t->rows);
	for (uint32_t i = 0; i < columns; i++)
		g->worst[i] = worst_of(g, i);
	return 0;
}

static void widen(size_t *width, size_t n)
{
	*width = n > *width ? n : *width;
}

/* How wide each column will be, so that parts fit the terminal. */
static int find_widths(struct grid *g, struct err *err)
{
	struct table_out *t = g->t;
	uint32_t names = g->names.count;
	char text[CELL_MAX];

	for (uint32_t i = 0; i < names; i++)
		g->widths[i] = intern_text(&g->names, i).n;
	for (uint32_t i = 0; i < t->columns.count; i++)
		g->widths[names + i] = strlen(g->headings[i]);
	for (uint32_t row = 0; row < t->rows.count; row++) {
		if (label_set_read(&t->labels, intern_text(&t->rows, row),
				   err) < 0)
			return err->code;
		for (size_t k = 0; k < t->labels.n; k++)
			widen(&g->widths[intern_add(&g->names,
						    t->labels.v[k].name)],
			      t->labels.v[k].value.n);
		for (uint32_t i = 0; i < t->columns.count; i++)
			widen(&g->widths[names + i], put_cell(g, row, i, text));
	}
	return 0;
}

/* The metric columns from first on that fit beside the labels: where they
 * end. One is always taken. */
static uint32_t part_end(const struct grid *g, uint32_t first)
{
	uint32_t names = g->names.count, i = first;
	size_t width = 0;

	for (uint32_t k = 0; k < names; k++)
		width += g->widths[k] + 2;
	for (; i < g->t->columns.count; i++) {
		width += g->widths[names + i] + 2;
		if (g->t->width > 0 && i > first && width - 2 > g->t->width)
			break;
	}
	return i;
}

static void add_row(struct grid *g, struct table *table, uint32_t row,
		    uint32_t first, uint32_t end)
{
	struct table_out *t = g->t;
	char text[CELL_MAX];

	for (uint32_t i = 0; i < g->names.count; i++)
		table_add(table, labels_get(t->labels.v, t->labels.n,
					    intern_text(&g->names, i).p));
	for (uint32_t i = first; i < end; i++) {
		size_t n = put_cell(g, row, i, text);

		g->marked |= n > 0 && text[n - 1] == '!';
		table_add(table, str_make(text, n));
	}
}

/* The titles end in NUL, as interned text does. */
static int put_part(struct grid *g, uint32_t first, uint32_t end,
		    struct err *err)
{
	struct table_out *t = g->t;
	uint32_t names = g->names.count;
	struct table table;

	for (uint32_t i = 0; i < names; i++)
		g->columns[i] = (struct table_column){
			intern_text(&g->names, i).p, TABLE_LEFT};
	for (uint32_t i = first; i < end; i++)
		g->columns[names + i - first] =
			(struct table_column){g->headings[i], TABLE_RIGHT};
	if (first > 0)
		out_putc(t->out, '\n');
	table = table_new(g->columns, names + end - first);
	for (uint32_t i = 0; i < t->rows.count; i++) {
		uint32_t row = g->order[i];

		if (label_set_read(&t->labels, intern_text(&t->rows, row),
				   err) < 0) {
			table_free(&table);
			return err->code;
		}
		add_row(g, &table, row, first, end);
	}
	return table_put(&table, t->out, err);
}

static int put_grid(struct table_out *t, struct err *err)
{
	struct grid g = {.t = t,
			 .names = intern_new(LIMIT_STRING),
			 .texts = arena_new(LIMIT_STRING)};
	int code = find_names(&g, err);

	if (code == 0)
		code = allocate(&g, err);
	if (code == 0)
		code = find_headings(&g, err);
	if (code == 0)
		code = find_widths(&g, err);
	for (uint32_t i = 0; code == 0 && i < t->columns.count;) {
		uint32_t end = part_end(&g, i);

		code = put_part(&g, i, end, err);
		i = end;
	}
	if (g.marked)
		out_puts(t->out, "! worst in column\n");
	intern_free(&g.names);
	arena_free(&g.texts);
	free(g.headings);
	free(g.cells);
	free(g.worst);
	free(g.order);
	free(g.widths);
	free(g.columns);
	return code;
}

/* The list ------------------------------------------------------------ */

static int put_list(struct table_out *t, struct err *err)
{
	static const struct table_column columns[] = {{"name", TABLE_LEFT},
						      {"labels", TABLE_LEFT},
						      {"value", TABLE_RIGHT},
						      {"time", TABLE_RIGHT}};
	struct table table;
	bool timed = false;

	for (size_t i = 0; i < t->n; i++)
		timed |= !isnan(t->kept[i].time);
	table = table_new(columns, timed ? 4 : 3);
	for (size_t i = 0; i < t->n; i++) {
		const struct kept *k = &t->kept[i];
		char text[PROM_NUMBER_MAX];

		table_add(&table, intern_text(&t->columns, k->column));
		table_add(&table, intern_text(&t->rows, k->row));
		table_add(&table,
			  str_make(text, prom_put_value(text, k->value)));
		if (timed && isnan(k->time))
			table_add(&table, str_make("", 0));
		else if (timed)
			table_add(&table,
				  str_make(text, prom_put_time(text, k->time)));
	}
	return table_put(&table, t->out, err);
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct table_out *t = (struct table_out *)sink;
	size_t cells = (size_t)t->rows.count * t->columns.count;

	if (t->grouped && cells > 0 && cells <= GRID_MAX)
		return put_grid(t, err);
	return put_list(t, err);
}

static void free_sink(struct metric_sink *sink)
{
	struct table_out *t = (struct table_out *)sink;

	forget(t);
	free(t->kept);
	buf_free(&t->text);
	label_set_free(&t->labels);
	free(t);
}

struct metric_sink *table_out_new(struct out *out, size_t width,
				  struct err *err)
{
	struct table_out *t = calloc(1, sizeof(*t));

	if (t == NULL) {
		err_memory(err);
		return NULL;
	}
	t->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	t->out = out;
	t->width = width;
	t->text = buf_new(LIMIT_STRING);
	forget(t);
	return &t->sink;
}
