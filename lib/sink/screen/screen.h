/*
 * A terminal, through ncursesw: text at positions, keys, the size. Output
 * between screen_begin and screen_end appears at once.
 *
 * Text is untrusted UTF-8: control and unprintable characters are escaped, and
 * if the terminal does not use UTF-8, non-ASCII ones become '?'.
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
	STYLE_SELECTED = 16, /* one bit: the row under the cursor */
};

/* Keys other than characters. */
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

/* Open the terminal fd for input and output. NULL on error. */
struct screen *screen_open(int fd, const struct screen_how *how,
			   struct err *err);

/* Restore the terminal; NULL is a no-op. */
void screen_close(struct screen *s);

/* Release the terminal for a while, and take it back. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

/* Like screen_suspend, for a program that crashes: only async-signal-safe
 * calls. */
void screen_rescue(const struct screen *s);

/* Read the size again. */
void screen_resize(struct screen *s);

int screen_rows(const struct screen *s);
int screen_columns(const struct screen *s);
bool screen_has_utf8(const struct screen *s);

void screen_begin(struct screen *s);
void screen_end(struct screen *s);

/* Write as much of the text at (row, column) as fits in `width` columns.
 * Returns the columns used. */
int screen_put(struct screen *s, int row, int column, int width, int style,
	       struct str text);

/* The same, right-aligned in the width. */
int screen_put_right(struct screen *s, int row, int column, int width,
		     int style, struct str text);

/* Set the style of columns, keeping their text. */
void screen_fill(struct screen *s, int row, int column, int width, int style);

/* Show the cursor there; a negative row hides it. */
void screen_cursor(struct screen *s, int row, int column);

/* The next key pressed; SCREEN_NOTHING if none. */
int screen_next_key(struct screen *s);

/* The mouse position of the last SCREEN_CLICK. */
void screen_click(const struct screen *s, int *row, int *column);

/* n values as a sparkline of n columns, scaled from 0 to most; unknown values
 * are blank. Writes up to 3 bytes per value at out. Returns its length. */
size_t screen_line(const struct screen *s, char *out, const double *values,
		   size_t n, double most);

#endif
