#include "sink/screen/screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/limits.h"
#include "sink/screen/terminal.h"
#include "sink/table.h"

enum { RESCUE_MAX = 128, ESCAPE_DELAY_MS = 25 };

struct screen {
	FILE *terminal;
	SCREEN *curses;
	locale_t locale; /* of the user, only for ncursesw */
	locale_t before;
	bool utf8;
	bool colors;
	bool mouse;
	attr_t styles[STYLE_STYLES];
	struct buf text; /* of the next text */
	int cursor_row;
	int cursor_column;
	int click_row;
	int click_column;
	struct termios modes; /* to be restored */
	char rescue[RESCUE_MAX];
	size_t rescue_n;
};

static struct screen *no_screen(struct screen *s, struct err *err)
{
	const char *name = getenv("TERM");

	screen_close(s);
	if (name == NULL || *name == '\0')
		err_set(err, ERR_IO,
			"TERM is not set; set it to the terminal's type, or "
			"use --once");
	else
		err_set(err, ERR_IO,
			"the terminal type %s is unknown; set TERM to a known "
			"one such as xterm, or use --once",
			name);
	return NULL;
}

/* The strings that leave full-screen mode, without their padding. */
static void add_rescue_text(struct screen *s, const char *p)
{
	while (*p != '\0' && s->rescue_n + 1 < RESCUE_MAX) {
		if (p[0] == '$' && p[1] == '<') {
			while (*p != '\0' && *p != '>')
				p++;
			p += *p == '>';
			continue;
		}
		s->rescue[s->rescue_n++] = *p++;
	}
}

static void add_rescue(struct screen *s, const char *name)
{
	const char *text = tigetstr(name);

	if (text != NULL && text != (const char *)-1)
		add_rescue_text(s, text);
}

static void set_styles(struct screen *s, bool plain)
{
	s->colors = !plain && has_colors() && start_color() == OK;
	s->styles[STYLE_STRONG] = A_BOLD;
	s->styles[STYLE_DIM] = A_DIM;
	s->styles[STYLE_ALARM] = A_BOLD;
	s->styles[STYLE_WORST] = A_BOLD;
	s->styles[STYLE_HEADING] = A_REVERSE;
	if (!s->colors)
		return;
	use_default_colors();
	init_pair(1, COLOR_RED, -1);
	init_pair(2, COLOR_YELLOW, -1);
	init_pair(3, COLOR_CYAN, -1);
	s->styles[STYLE_ALARM] |= COLOR_PAIR(1);
	s->styles[STYLE_WORST] = COLOR_PAIR(2);
	s->styles[STYLE_LINE] = COLOR_PAIR(3);
}

static void set_modes(struct screen *s)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	leaveok(stdscr, FALSE);
	curs_set(0);
	s->mouse = mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED |
				     BUTTON4_PRESSED | BUTTON5_PRESSED,
			     NULL) != 0;
	mouseinterval(0);
	add_rescue(s, "cnorm");
	add_rescue(s, "sgr0");
	add_rescue(s, "rmkx");
	add_rescue(s, "rmcup");
	add_rescue_text(s, s->mouse ? "\033[?1006l\033[?1000l" : "");
}

/* The terminal's character set is that of the user's locale, which nothing else
 * here uses. */
static void take_locale(struct screen *s)
{
	s->locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	if (s->locale != (locale_t)0)
		s->before = uselocale(s->locale);
}

static void drop_locale(struct screen *s)
{
	if (s->locale == (locale_t)0)
		return;
	uselocale(s->before);
	freelocale(s->locale);
}

struct screen *screen_open(int fd, const struct screen_how *how,
			   struct err *err)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return err_no_memory(err);
	s->cursor_row = -1;
	s->text = buf_new(LIMIT_LINE);
	take_locale(s);
	s->utf8 = !how->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	tcgetattr(fd, &s->modes);
	s->terminal = fdopen(dup(fd), "r+");
	/* newterm leaks memory if it does not know the terminal. */
	if (s->terminal != NULL && terminal_is_known(fd))
		s->curses = newterm(NULL, s->terminal, s->terminal);
	if (s->curses == NULL)
		return no_screen(s, err);
	use_legacy_coding(0); /* the locale of the process is "C" */
	set_modes(s);
	set_styles(s, how->plain);
	return s;
}

void screen_close(struct screen *s)
{
	if (s == NULL)
		return;
	if (s->curses != NULL) {
		mousemask(0, NULL);
		endwin();
		delscreen(s->curses);
	}
	if (s->terminal != NULL)
		fclose(s->terminal);
	drop_locale(s);
	buf_free(&s->text);
	free(s);
}

void screen_suspend(struct screen *s)
{
	(void)s;
	def_prog_mode();
	endwin();
}

void screen_resume(struct screen *s)
{
	reset_prog_mode();
	screen_resize(s);
	clearok(curscr, TRUE);
	refresh();
	curs_set(0);
}

void screen_rescue(const struct screen *s)
{
	int fd = fileno(s->terminal);

	tcsetattr(fd, TCSANOW, &s->modes);
	io_write(fd, s->rescue, s->rescue_n);
}

void screen_resize(struct screen *s)
{
	struct winsize size;

	if (ioctl(fileno(s->terminal), TIOCGWINSZ, &size) == 0 &&
	    size.ws_row > 0 && size.ws_col > 0)
		resizeterm(size.ws_row, size.ws_col);
}

int screen_rows(const struct screen *s)
{
	(void)s;
	return LINES;
}

int screen_columns(const struct screen *s)
{
	(void)s;
	return COLS;
}

bool screen_has_utf8(const struct screen *s)
{
	return s->utf8;
}

/* Drawing ------------------------------------------------------------- */

void screen_begin(struct screen *s)
{
	erase();
	s->cursor_row = -1;
}

void screen_end(struct screen *s)
{
	curs_set(s->cursor_row >= 0 ? 1 : 0);
	if (s->cursor_row >= 0)
		move(s->cursor_row, s->cursor_column);
	refresh();
}

static void set_style(const struct screen *s, int style)
{
	attr_t attributes = s->styles[style % STYLE_SELECTED];

	if ((style & STYLE_SELECTED) != 0)
		attributes |= A_REVERSE;
	attrset((int)attributes);
}

/* Characters that the terminal lacks. */
static void make_ascii(struct buf *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->n; i++) {
		unsigned char c = (unsigned char)b->p[i];

		if (c < 0x80)
			b->p[kept++] = (char)c;
		else if (c >= 0xc0)
			b->p[kept++] = '?';
	}
	b->n = kept;
}

static int put(struct screen *s, int row, int column, int width, int style,
	       struct str text, bool right)
{
	int used;

	if (row < 0 || row >= LINES || column < 0 || column >= COLS)
		return 0;
	if (width > COLS - column)
		width = COLS - column;
	if (width <= 0)
		return 0;
	buf_clear(&s->text);
	used = (int)table_escape_within(&s->text, text, (size_t)width);
	if (!s->utf8) {
		make_ascii(&s->text);
		used = (int)s->text.n;
	}
	if (s->text.failed)
		return 0;
	set_style(s, style);
	if (right)
		column += width - used;
	mvaddnstr(row, column, s->text.n > 0 ? s->text.p : "", (int)s->text.n);
	return used;
}

int screen_put(struct screen *s, int row, int column, int width, int style,
	       struct str text)
{
	return put(s, row, column, width, style, text, false);
}

int screen_put_right(struct screen *s, int row, int column, int width,
		     int style, struct str text)
{
	return put(s, row, column, width, style, text, true);
}

void screen_fill(struct screen *s, int row, int column, int width, int style)
{
	if (row < 0 || row >= LINES || column >= COLS)
		return;
	set_style(s, style);
	mvhline(row, column, ' ',
		width > COLS - column ? COLS - column : width);
}

void screen_cursor(struct screen *s, int row, int column)
{
	s->cursor_row = row < LINES ? row : -1;
	s->cursor_column = column < COLS ? column : COLS - 1;
}

size_t screen_line(const struct screen *s, char *out, const double *values,
		   size_t n, double most)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄",
					   "▅", "▆", "▇", "█"};
	static const char ascii[] = "_.:-=+*#";
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		double level = most > 0 ? values[i] / most * 8 : 0;
		int k = level >= 8 ? 7 : level > 0 ? (int)level : 0;

		if (isnan(values[i])) {
			out[at++] = ' ';
		} else if (s->utf8) {
			memcpy(out + at, bars[k], 3);
			at += 3;
		} else {
			out[at++] = ascii[k];
		}
	}
	return at;
}

/* Keys ---------------------------------------------------------------- */

static int mouse_key(struct screen *s)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return SCREEN_OTHER;
	s->click_row = event.y;
	s->click_column = event.x;
	if ((event.bstate & BUTTON4_PRESSED) != 0)
		return SCREEN_WHEEL_UP;
	if ((event.bstate & BUTTON5_PRESSED) != 0)
		return SCREEN_WHEEL_DOWN;
	return SCREEN_CLICK;
}

int screen_next_key(struct screen *s)
{
	static const struct {
		int key;
		int ours;
	} keys[] = {
		{KEY_UP, SCREEN_UP},	       {KEY_DOWN, SCREEN_DOWN},
		{KEY_LEFT, SCREEN_LEFT},       {KEY_RIGHT, SCREEN_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP},   {KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},       {KEY_END, SCREEN_END},
		{KEY_BACKSPACE, SCREEN_ERASE}, {'\b', SCREEN_ERASE},
		{KEY_ENTER, SCREEN_ENTER},     {'\n', SCREEN_ENTER},
	};
	int key = getch();

	if (key == ERR)
		return SCREEN_NOTHING;
	if (key == KEY_MOUSE)
		return mouse_key(s);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].key == key)
			return keys[i].ours;
	return key < 256 ? key : SCREEN_OTHER;
}

void screen_click(const struct screen *s, int *row, int *column)
{
	*row = s->click_row;
	*column = s->click_column;
}
