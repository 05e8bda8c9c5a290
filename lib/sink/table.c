#include "sink/table.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/limits.h"
#include "base/utf8.h"

/* Names are truncated to so many bytes, of which these are before the cut. */
enum { NAME_BYTES = 36, NAME_HEAD = 18, NAME_TAIL = 15 };

struct table_cell {
	size_t bytes;
	size_t width;
};

struct range {
	uint32_t first, last;
};

/* Unicode 15's East Asian Width W and F, roughly; ascending. */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x2e80, 0x303e},	{0x3041, 0xa4cf},
	{0xa960, 0xa97c},   {0xac00, 0xd7a3},	{0xf900, 0xfaff},
	{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},
	{0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
	{0x20000, 0x3fffd},
};

/* Combining marks, ascending. */
static const struct range narrow[] = {
	{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},
	{0x064b, 0x065f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t point)
{
	for (size_t i = 0; i < count && ranges[i].first <= point; i++) {
		if (point <= ranges[i].last)
			return true;
	}
	return false;
}

#define IN(ranges, point) in_ranges(ranges, ARRAY_SIZE(ranges), point)

static size_t width_of(uint32_t point)
{
	if (point < narrow[0].first)
		return 1;
	return IN(wide, point) ? 2 : IN(narrow, point) ? 0 : 1;
}

/* Append the n bytes at p, which are one code point or invalid. */
static size_t escape_one(struct buf *b, const char *p, size_t n, uint32_t point)
{
	char escaped[UTF8_ESCAPED_MAX];

	if (utf8_is_printable(point)) {
		buf_put(b, p, n);
		return width_of(point);
	}
	n = utf8_escape(escaped, p, n, point);
	buf_put(b, escaped, n);
	return n;
}

size_t table_escape(struct buf *b, struct str text)
{
	const char *end = text.p + text.n;
	size_t width = 0;
	size_t used;

	for (const char *p = text.p; p < end; p += used) {
		uint32_t point;

		used = utf8_next(p, end, &point);
		width += escape_one(b, p, used, point);
	}
	return width;
}

size_t table_escape_within(struct buf *b, struct str text, size_t width)
{
	const char *end = text.p + text.n;
	size_t used = 0, bytes;

	for (const char *p = text.p; p < end; p += bytes) {
		size_t before = b->n, more;
		uint32_t point;

		bytes = utf8_next(p, end, &point);
		more = escape_one(b, p, bytes, point);
		if (used + more > width) {
			b->n = before;
			break;
		}
		used += more;
	}
	return used;
}

static bool is_inside(struct str text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80;
}

/* The first and the last so many bytes of a longer name. */
static size_t escape_ends(struct buf *b, struct str name, size_t head,
			  size_t tail)
{
	size_t width;

	tail = name.n - tail;
	while (head > 0 && is_inside(name, head))
		head--;
	while (is_inside(name, tail))
		tail++;
	width = table_escape(b, str_make(name.p, head));
	buf_puts(b, "...");
	return width + 3 + table_escape(b, str_skip(name, tail));
}

size_t table_escape_name(struct buf *b, struct str name)
{
	if (name.n <= NAME_BYTES)
		return table_escape(b, name);
	return escape_ends(b, name, NAME_HEAD, NAME_TAIL);
}

struct table table_new(const struct table_column *columns, size_t count)
{
	struct table table = {columns, count, buf_new(LIMIT_STRING),
			      buf_new(LIMIT_STRING)};

	for (size_t i = 0; i < count; i++)
		table_add(&table, str_of(columns[i].title));
	return table;
}

void table_free(struct table *table)
{
	buf_free(&table->text);
	buf_free(&table->cells);
}

static void end_cell(struct table *table, size_t before, size_t width)
{
	struct table_cell cell = {table->text.n - before, width};

	buf_put(&table->cells, &cell, sizeof(cell));
}

void table_add(struct table *table, struct str text)
{
	size_t before = table->text.n;

	end_cell(table, before, table_escape(&table->text, text));
}

size_t table_escape_path(struct buf *b, struct str path, size_t bytes)
{
	size_t head = bytes / 3;

	return path.n <= bytes ? table_escape(b, path)
			       : escape_ends(b, path, head,
					     bytes - head - strlen("..."));
}

void table_add_path(struct table *table, struct str path, size_t bytes)
{
	size_t before = table->text.n;

	end_cell(table, before, table_escape_path(&table->text, path, bytes));
}

void table_add_name(struct table *table, struct str name)
{
	size_t before = table->text.n;

	end_cell(table, before, table_escape_name(&table->text, name));
}

void table_addf(struct table *table, const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	table_add(table, str_make(text, (size_t)n));
}

static const struct table_cell *cells_of(const struct table *table,
					 size_t *count)
{
	*count = table->cells.n / sizeof(struct table_cell);
	return (const struct table_cell *)(const void *)table->cells.p;
}

/* The widest cell of each column; freed by the caller. */
static size_t *find_widths(const struct table *table)
{
	size_t *widths = calloc(table->column_count, sizeof(*widths));
	size_t count;
	const struct table_cell *cells = cells_of(table, &count);

	for (size_t i = 0; widths != NULL && i < count; i++) {
		size_t *width = &widths[i % table->column_count];

		*width = cells[i].width > *width ? cells[i].width : *width;
	}
	return widths;
}

static void put_blanks(struct out *out, size_t n)
{
	while (n-- > 0)
		out_putc(out, ' ');
}

/* The last column is not padded. */
static void put_cell(enum table_align align, bool last, struct str text,
		     size_t room, struct out *out)
{
	bool right = align == TABLE_RIGHT;

	if (right)
		put_blanks(out, room);
	out_put(out, text.p, text.n);
	if (last)
		out_putc(out, '\n');
	else
		put_blanks(out, right ? 2 : room + 2);
}

static void put_cells(const struct table *table, const size_t *widths,
		      struct out *out)
{
	const char *text = table->text.p;
	size_t count;
	const struct table_cell *cells = cells_of(table, &count);

	for (size_t i = 0; i < count; i++) {
		size_t column = i % table->column_count;

		put_cell(table->columns[column].align,
			 column + 1 == table->column_count,
			 str_make(text, cells[i].bytes),
			 widths[column] - cells[i].width, out);
		text += cells[i].bytes;
	}
}

/* Parts -------------------------------------------------------------- */

/* A table being printed in parts. */
struct table_parts {
	const struct table *table;
	const struct table_cell *cells;
	const size_t *widths;
	size_t *offsets; /* of each cell in the text */
	size_t rows;	 /* including titles */
	size_t fixed;
	size_t first, end; /* the part's columns after the fixed ones */
	bool *shown;	   /* the columns of the part */
	bool *filled;	   /* rows with content in the part */
	size_t last;	   /* column */
};

static size_t cell_at(const struct table_parts *p, size_t row, size_t column)
{
	return row * p->table->column_count + column;
}

/* Which rows have a cell in the part, and which fixed columns these use. */
static void find_filled(struct table_parts *p)
{
	size_t columns = p->table->column_count;

	for (size_t i = 0; i < columns; i++)
		p->shown[i] = i >= p->first && i < p->end;
	for (size_t row = 0; row < p->rows; row++) {
		p->filled[row] = row == 0 || p->first == p->end;
		for (size_t i = p->first; i < p->end; i++)
			p->filled[row] |= p->cells[cell_at(p, row, i)].bytes >
					  0;
		for (size_t i = 0; row > 0 && p->filled[row] && i < p->fixed;
		     i++)
			p->shown[i] |= p->cells[cell_at(p, row, i)].bytes > 0;
	}
	for (size_t i = 0; i < columns; i++)
		p->last = p->shown[i] ? i : p->last;
}

/* The end of the columns that fit after the fixed ones. */
static size_t part_end(const struct table_parts *p, size_t width)
{
	size_t used = 0, i;

	for (i = 0; i < p->fixed; i++)
		used += p->widths[i] + 2;
	for (i = p->first; i < p->table->column_count; i++) {
		used += p->widths[i] + 2;
		if (width > 0 && i > p->first && used - 2 > width)
			break;
	}
	return i;
}

static void put_part(struct table_parts *p, struct out *out)
{
	for (size_t row = 0; row < p->rows; row++) {
		for (size_t i = 0; p->filled[row] && i <= p->last; i++) {
			size_t at = cell_at(p, row, i);
			struct str text = {p->table->text.p + p->offsets[at],
					   p->cells[at].bytes};

			if (p->shown[i])
				put_cell(p->table->columns[i].align,
					 i == p->last, text,
					 p->widths[i] - p->cells[at].width,
					 out);
		}
	}
}

static void put_parts(struct table_parts *p, size_t width, struct out *out)
{
	size_t cells = p->rows * p->table->column_count;

	for (size_t i = 1; i < cells; i++)
		p->offsets[i] = p->offsets[i - 1] + p->cells[i - 1].bytes;
	for (p->first = p->fixed;
	     p->first == p->fixed || p->first < p->table->column_count;
	     p->first = p->end) {
		if (p->first > p->fixed)
			out_putc(out, '\n');
		p->end = part_end(p, width);
		find_filled(p);
		put_part(p, out);
		if (p->end == p->first)
			break;
	}
}

int table_put_cut(struct table *table, size_t fixed, size_t width,
		  struct out *out, struct err *err)
{
	size_t *widths = find_widths(table);
	size_t columns = table->column_count, count;
	struct table_parts p = {
		.table = table, .widths = widths, .fixed = fixed};
	int code = 0;

	p.cells = cells_of(table, &count);
	p.rows = count / columns;
	p.offsets = calloc(count + 1, sizeof(*p.offsets));
	p.shown = calloc(columns + 1, sizeof(*p.shown));
	p.filled = calloc(p.rows + 1, sizeof(*p.filled));
	if (table->text.failed)
		code = buf_error(&table->text, err);
	else if (table->cells.failed)
		code = buf_error(&table->cells, err);
	else if (widths == NULL || p.offsets == NULL || p.shown == NULL ||
		 p.filled == NULL)
		code = err_memory(err);
	else
		put_parts(&p, width, out);
	free(widths);
	free(p.offsets);
	free(p.shown);
	free(p.filled);
	table_free(table);
	return code;
}

size_t table_number(char out[TABLE_NUMBER_MAX], double v)
{
	bool whole = fabs(v) < 1e15 && v == trunc(v);
	int n;

	if (isnan(v) || isinf(v))
		n = snprintf(out, TABLE_NUMBER_MAX, "%s",
			     isnan(v) ? "NaN"
			     : v > 0  ? "+Inf"
				      : "-Inf");
	else if (whole || (fabs(v) >= 1e6 && fabs(v) < 1e15))
		n = snprintf(out, TABLE_NUMBER_MAX, "%.0f", v == 0 ? 0 : v);
	else
		n = snprintf(out, TABLE_NUMBER_MAX, "%.6g", v);
	return (size_t)n;
}

int table_put_line(struct buf *line, struct out *out, struct err *err)
{
	int code;

	buf_putc(line, '\n');
	code = line->failed ? buf_error(line, err) : 0;
	if (code == 0)
		out_put(out, line->p, line->n);
	buf_free(line);
	return code;
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Is the blank at i between a number and its unit, as in "0.5 s"? */
static bool precedes_unit(struct str text, size_t i)
{
	return i > 0 && isdigit((unsigned char)text.p[i - 1]) &&
	       i + 1 < text.n && text.p[i + 1] == 's' &&
	       (i + 2 == text.n || !isalnum((unsigned char)text.p[i + 2]));
}

size_t table_line_length(struct str text, size_t width)
{
	size_t columns = 0, end = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == ' ' && (columns <= width || end == 0) &&
		    !precedes_unit(text, i))
			end = i;
		columns += !continues_character(text.p[i]);
	}
	return columns <= width || end == 0 ? text.n : end;
}

int table_put_wrapped(struct buf *line, size_t width, struct out *out,
		      struct err *err)
{
	static const char indent[] = "  ";
	struct str text = buf_str(line);
	struct buf lines = buf_new(SIZE_MAX);
	bool failed = line->failed;

	for (bool first = true; text.n > 0; first = false) {
		size_t room = first ? width : width - strlen(indent);
		size_t n = table_line_length(text, room);

		buf_puts(&lines, first ? "" : "\n  ");
		buf_put(&lines, text.p, n);
		n += n < text.n;
		text = str_skip(text, n);
	}
	lines.failed |= failed;
	buf_free(line);
	return table_put_line(&lines, out, err);
}

int table_put(struct table *table, struct out *out, struct err *err)
{
	size_t *widths = find_widths(table);
	int code = 0;

	if (table->text.failed)
		code = buf_error(&table->text, err);
	else if (widths == NULL || table->cells.failed)
		code = buf_error(&table->cells, err);
	else
		put_cells(table, widths, out);
	free(widths);
	table_free(table);
	return code;
}
