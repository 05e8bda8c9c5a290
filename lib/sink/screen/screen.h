/*
 * A terminal that is drawn on, by ncursesw: text at places, keys, the size.
 * What is put between screen_begin and screen_end appears at once.
 *
 * Text is UTF-8 of any origin: what a terminal could obey or not show is
 * escaped, and where the terminal has no UTF-8 each other character is '?'.
 */
#ifndef OBS_SINK_SCREEN_SCREEN_H
#define OBS_SINK_SCREEN_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct screen;

struct screen_how {
	bool ascii; /* even if the terminal has UTF-8 */
	bool plain; /* no colors */
};

enum screen_style {
	STYLE_PLAIN,
	STYLE_STRONG,
	STYLE_DIM,
	STYLE_ALARM,
	STYLE_WORST,
	STYLE_LINE,    /* a sparkline */
	STYLE_HEADING, /* reversed, in full width */
	STYLE_STYLES,
	STYLE_SELECTED = 16, /* one bit: of the row that the cursor is on */
};

/* Keys that are no characters. */
enum screen_key {
	SCREEN_NOTHING = -1,
	SCREEN_ENTER = '\r',
	SCREEN_ESCAPE = 27,
	SCREEN_ERASE = 127,
	SCREEN_UP = 1000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_CLICK, /* see screen_click */
	SCREEN_WHEEL_UP,
	SCREEN_WHEEL_DOWN,
	SCREEN_OTHER,
};

/* The terminal of fd, read and written. NULL on error. */
struct screen *screen_open(int fd, const struct screen_how *how,
			   struct err *err);

/* The terminal is as it was before; NULL is a no-op. */
void screen_close(struct screen *s);

/* Give the terminal back for a while, and take it again. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

/* The same as screen_suspend, of a program that crashes: only calls that are
 * safe in a signal handler. */
void screen_rescue(const struct screen *s);

/* Learn the size again. */
void screen_resize(struct screen *s);

int screen_rows(const struct screen *s);
int screen_columns(const struct screen *s);
bool screen_has_utf8(const struct screen *s);

void screen_begin(struct screen *s);
void screen_end(struct screen *s);

/* Put as much of the text at (row, column) as fits in `width` columns. Returns
 * the columns that it takes. */
int screen_put(struct screen *s, int row, int column, int width, int style,
	       struct str text);

/* The same with blanks before it, so that it ends with the width. */
int screen_put_right(struct screen *s, int row, int column, int width,
		     int style, struct str text);

/* Give columns the style, whatever stands there. */
void screen_fill(struct screen *s, int row, int column, int width, int style);

/* Show the cursor there; a negative row hides it. */
void screen_cursor(struct screen *s, int row, int column);

/* The next key that was pressed; SCREEN_NOTHING: none was. */
int screen_next_key(struct screen *s);

/* Where the mouse was for the last SCREEN_CLICK. */
void screen_click(const struct screen *s, int *row, int *column);

/* The levels of n values as a sparkline, from 0 to most, of n columns; what is
 * unknown is blank. Text of up to 3 bytes a value at out. Returns its length. */
size_t screen_line(const struct screen *s, char *out, const double *values,
		   size_t n, double most);

#endif
