/*
 * Aligned text for people: a header, then one line per row, columns as wide as
 * their widest cell on a terminal, two blanks apart.
 *
 *	struct table table = table_new(columns, count);
 *	table_add(&table, name); table_addf(&table, "%d", n); ...
 *	table_put(&table, out, &err);
 *
 * Cells are added row by row, one per column, and copied. Control characters,
 * changes of direction and bytes that are not UTF-8 are escaped.
 */
#ifndef OBS_SINK_TABLE_H
#define OBS_SINK_TABLE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/str.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
	const char *title;
	enum table_align align;
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	struct buf text;  /* the cells concatenated, escaped */
	struct buf cells; /* one struct table_cell each, the titles first */
};

struct table table_new(const struct table_column *columns, size_t count);
void table_free(struct table *table);

void table_add(struct table *table, struct str text);
void table_addf(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Write and free the table. Returns 0, or ERR_MEMORY if a cell could not be
 * stored; nothing is written then. */
int table_put(struct table *table, struct out *out, struct err *err);

/*
 * The same, split into parts of at most width columns of a terminal (0: one
 * part). Each has the first `fixed` columns and as many others as fit, at least
 * one; rows and fixed columns that are empty in a part are omitted from it.
 */
int table_put_cut(struct table *table, size_t fixed, size_t width,
		  struct out *out, struct err *err);

/* A number for people: whole ones unchanged, others with six digits. Returns
 * the bytes written at out. */
enum { TABLE_NUMBER_MAX = 32 };
size_t table_number(char out[TABLE_NUMBER_MAX], double v);

/* A cell with a name, shortened in the middle if it is long. */
void table_add_name(struct table *table, struct str name);

/* The same for a path, to so many bytes, at least 9; most are of its end. The
 * other appends it to a buffer, and returns how many columns it takes. */
void table_add_path(struct table *table, struct str path, size_t bytes);
size_t table_escape_path(struct buf *b, struct str path, size_t bytes);

/* So many of a path in a line of text. */
enum { TABLE_PATH_BYTES = 48 };

/* Write a line built in a buffer, and free that. Returns 0, or ERR_MEMORY if
 * the buffer failed; nothing is written then. */
int table_put_line(struct buf *line, struct out *out, struct err *err);

/* How much of the text goes on a line of so many columns: up to a space, or the
 * first word if that is wider. */
size_t table_line_length(struct str text, size_t width);

/* table_put_line, in lines of at most width columns; further ones begin with
 * two spaces. */
int table_put_wrapped(struct buf *line, size_t width, struct out *out,
		      struct err *err);

/* Append a name to b, escaped and shortened as in a cell; returns its width. */
size_t table_escape_name(struct buf *b, struct str name);

/* Append text to b, escaped as in a cell. Returns its width on a terminal. */
size_t table_escape(struct buf *b, struct str text);

/* The same, for as much of the text as fits in that many columns. */
size_t table_escape_within(struct buf *b, struct str text, size_t width);

#endif
