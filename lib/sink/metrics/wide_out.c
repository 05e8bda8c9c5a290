/* One line per row of the grid and one column per metric: tab-separated, CSV
 * or Markdown. */
#include <math.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "sink/metrics/column.h"
#include "sink/metrics/grid.h"
#include "sink/metrics/metric_sink.h"
#include "sink/table.h"
#include "sink/tsv.h"

/*
 * The header is that of the first snapshot. A step's first snapshot lacks most
 * keys, so it waits for the second one. If a later snapshot has more columns, a
 * new header with all so far follows an empty line.
 */
struct wide {
	struct metric_sink sink; /* first: the sink is the struct */
	struct out *out;
	enum wide_format format;
	struct grid_sort *sort;
	struct grid grids[2]; /* of this snapshot, and of one that is held */
	int now;
	bool waits;
	bool timed;
	struct intern labels;  /* the header: label names, */
	struct intern columns; /* then columns */
	struct label_set set;
	struct buf text;
	bool headed;
};

/* Fields ------------------------------------------------------------- */

static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (strchr(",\"\r\n", text.p[i]) != NULL)
			return true;
	return false;
}

static void put_csv(struct out *out, struct str text)
{
	bool quotes = needs_quotes(text);

	if (quotes)
		out_putc(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '"')
			out_putc(out, '"');
		out_putc(out, text.p[i]);
	}
	if (quotes)
		out_putc(out, '"');
}

/* As in a table for people, with nothing that ends the cell or begins
 * markup. */
static void put_markdown(struct out *out, struct str text)
{
	struct buf b = buf_new(LIMIT_STRING);

	table_escape(&b, text);
	for (size_t i = 0; i < b.n; i++) {
		if (strchr("|`*<\\[", b.p[i]) != NULL)
			out_putc(out, '\\');
		out_putc(out, b.p[i]);
	}
	buf_free(&b);
}

static void begin_field(const struct wide *w, bool first)
{
	static const char *const before[][2] = {
		[WIDE_TSV] = {"", "\t"},
		[WIDE_CSV] = {"", ","},
		[WIDE_MARKDOWN] = {"| ", " | "},
	};

	out_puts(w->out, before[w->format][!first]);
}

static void put_field(const struct wide *w, struct str text, bool first)
{
	begin_field(w, first);
	if (w->format == WIDE_CSV)
		put_csv(w->out, text);
	else if (w->format == WIDE_TSV)
		tsv_put_text(w->out, text);
	else
		put_markdown(w->out, text);
}

static void end_line(const struct wide *w)
{
	out_puts(w->out, w->format == WIDE_MARKDOWN ? " |\n" : "\n");
}

static void put_value(const struct wide *w, const struct grid_cell *cell,
		      bool first)
{
	char number[PROM_NUMBER_MAX];
	size_t n;

	begin_field(w, first);
	if (cell == NULL)
		return;
	if (w->format != WIDE_MARKDOWN) {
		n = prom_put_value(number, cell->value);
	} else {
		out_puts(w->out, cell->at_least ? ">" : "");
		n = table_number(number, cell->value);
	}
	out_put(w->out, number, n);
}

/* The header --------------------------------------------------------- */

/* "X", "X/s"; for people with the unit. */
static struct str heading(struct wide *w, const struct grid_column *c)
{
	size_t before;

	buf_clear(&w->text);
	buf_put(&w->text, c->title.p, c->title.n);
	if (w->format != WIDE_MARKDOWN) {
		buf_puts(&w->text, c->rate ? "/s" : "");
		return buf_str(&w->text);
	}
	buf_puts(&w->text, " (");
	before = w->text.n;
	if (!c->scalar && c->kind != GRID_COUNT)
		column_put_unit(&w->text, c->metric, c->rate);
	else if (c->rate)
		buf_puts(&w->text, "/s");
	if (!w->text.failed && w->text.n == before)
		w->text.n -= 2;
	else
		buf_putc(&w->text, ')');
	return buf_str(&w->text);
}

/* Add the grid's columns to the header; returns 1 if it grew. */
static int extend_header(struct wide *w, const struct grid *g, struct err *err)
{
	uint32_t before = w->labels.count + w->columns.count;

	for (uint32_t i = 0; i < g->rows.count; i++) {
		if (label_set_read(&w->set, intern_text(&g->rows, i), err) < 0)
			return err->code;
		for (size_t k = 0; k < w->set.n; k++)
			if (intern_add(&w->labels, w->set.v[k].name) ==
			    INTERN_FAILED)
				return intern_error(&w->labels, err);
	}
	for (uint32_t i = 0; i < g->n_columns; i++) {
		struct str text = heading(w, &g->columns[g->column_order[i]]);

		if (w->text.failed)
			return buf_error(&w->text, err);
		if (intern_add(&w->columns, text) == INTERN_FAILED)
			return intern_error(&w->columns, err);
	}
	return w->labels.count + w->columns.count > before;
}

static void put_header(struct wide *w)
{
	bool first = true;
	size_t left = w->timed + w->labels.count;
	size_t all = left + w->columns.count;

	if (w->headed)
		out_putc(w->out, '\n');
	w->headed = true;
	if (w->timed)
		put_field(w, str_of("timestamp_ms"), true);
	first = !w->timed;
	for (uint32_t i = 0; i < w->labels.count; i++, first = false)
		put_field(w, intern_text(&w->labels, i), first);
	for (uint32_t i = 0; i < w->columns.count; i++, first = false)
		put_field(w, intern_text(&w->columns, i), first);
	end_line(w);
	if (w->format != WIDE_MARKDOWN)
		return;
	for (size_t i = 0; i < all; i++)
		out_puts(w->out, i < left ? "|---" : "|--:");
	out_puts(w->out, "|\n");
}

/* Rows --------------------------------------------------------------- */

static bool put_time(struct wide *w, const struct grid *g)
{
	char text[PROM_NUMBER_MAX];
	long double time = roundl((long double)g->about.time * 1000);

	if (!w->timed)
		return true;
	begin_field(w, true);
	if (!isnan(g->about.time))
		out_put(w->out, text, prom_put_time(text, time));
	return false;
}

static int put_labels(struct wide *w, struct str labels, bool *first,
		      struct err *err)
{
	int code = label_set_read(&w->set, labels, err);

	for (uint32_t i = 0; code == 0 && i < w->labels.count; i++) {
		struct str value = labels_get(w->set.v, w->set.n,
					      intern_text(&w->labels, i).p);

		buf_clear(&w->text);
		prom_unescape(&w->text, value);
		if (w->text.failed)
			return buf_error(&w->text, err);
		put_field(w, buf_str(&w->text), *first);
		*first = false;
	}
	return code;
}

/* 1 + the grid's index of each column of the header, 0 without one; freed by
 * the caller. */
static uint32_t *find_places(struct wide *w, const struct grid *g)
{
	uint32_t *places =
		calloc((size_t)w->columns.count + 1, sizeof(*places));

	for (uint32_t i = 0; places != NULL && i < g->n_columns; i++) {
		uint32_t at =
			intern_find(&w->columns, heading(w, &g->columns[i]));

		if (at != INTERN_FAILED)
			places[at] = i + 1;
	}
	return places;
}

static int put_rows(struct wide *w, const struct grid *g, struct err *err)
{
	uint32_t *places = find_places(w, g);
	int code = places == NULL ? err_memory(err) : 0;

	for (uint32_t i = 0; code == 0 && i < g->rows.count; i++) {
		uint32_t row = g->row_order[i];
		bool first = put_time(w, g);

		code = put_labels(w, intern_text(&g->rows, row), &first, err);
		for (uint32_t k = 0; code == 0 && k < w->columns.count; k++) {
			put_value(w,
				  places[k] > 0
					  ? grid_find(g, row, places[k] - 1)
					  : NULL,
				  first);
			first = false;
		}
		end_line(w);
	}
	free(places);
	return code;
}

static int put_waiting(struct wide *w, struct err *err)
{
	const struct grid *g = &w->grids[1 - w->now];
	int code = 0;

	if (!w->headed)
		put_header(w);
	if (w->waits)
		code = put_rows(w, g, err);
	w->waits = false;
	return code;
}

/* The sink ----------------------------------------------------------- */

static int begin(struct metric_sink *sink, const struct metric_about *about,
		 struct err *err)
{
	struct wide *w = (struct wide *)sink;

	return grid_begin(&w->grids[w->now], about, err);
}

static int family(struct metric_sink *sink, const struct metric_family *f,
		  struct err *err)
{
	struct wide *w = (struct wide *)sink;

	(void)err;
	grid_family(&w->grids[w->now], f);
	return 0;
}

static int sample(struct metric_sink *sink, const struct metric_sample *s,
		  struct err *err)
{
	struct wide *w = (struct wide *)sink;

	return grid_sample(&w->grids[w->now], s, err);
}

static int end(struct metric_sink *sink, struct err *err)
{
	struct wide *w = (struct wide *)sink;
	struct grid *g = &w->grids[w->now];
	int code = grid_settle(g, err), grew = 0;

	if (code == 0)
		code = grid_order(g, w->sort, err);
	if (code == 0)
		code = grew = extend_header(w, g, err);
	if (code < 0 || g->n_cells == 0)
		return code < 0 ? code : 0;
	w->timed = g->about.closed;
	if (g->about.closed && g->about.flat && !w->headed && !w->waits) {
		w->waits = true;
		w->now = 1 - w->now;
		return 0;
	}
	if (grew && w->headed)
		put_header(w);
	code = put_waiting(w, err);
	return code < 0 ? code : put_rows(w, g, err);
}

/* A step that was held for another one, which never came. */
static void free_sink(struct metric_sink *sink)
{
	struct wide *w = (struct wide *)sink;
	struct err err;

	if (w->waits)
		put_waiting(w, &err);
	grid_free(&w->grids[0]);
	grid_free(&w->grids[1]);
	intern_free(&w->labels);
	intern_free(&w->columns);
	label_set_free(&w->set);
	buf_free(&w->text);
	free(w);
}

struct metric_sink *wide_out_new(struct out *out, enum wide_format format,
				 struct grid_sort *sort, struct err *err)
{
	struct wide *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->sink = (struct metric_sink){begin, family, sample, end, free_sink};
	w->out = out;
	w->format = format;
	w->sort = sort;
	w->grids[0] = grid_new();
	w->grids[1] = grid_new();
	if (sort != NULL && sort->key != NULL)
		grid_want(&w->grids[0], str_of(sort->key));
	w->grids[1].n_quantiles = w->grids[0].n_quantiles;
	memcpy(w->grids[1].quantiles, w->grids[0].quantiles,
	       sizeof(w->grids[0].quantiles));
	w->labels = intern_new(LIMIT_STRING);
	w->columns = intern_new(LIMIT_STRING);
	w->text = buf_new(LIMIT_STRING);
	return &w->sink;
}
