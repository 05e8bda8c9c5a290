/* The table of engines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sink/screen/top_scene.h"
#include "sink/table.h"

enum {
	NAME_LEAST = 6,
	NAME_MOST = 44,
	ROLE = 9,
	ROLE_RANK = 7,	/* like a column's title */
	LINE_LEAST = 6, /* columns of a sparkline and the blank before it */
	LINE_MOST = 61,
	GAP = 1,
};

/* The positions of the columns. */
struct table_layout {
	int name;
	int role;		   /* 0: hidden */
	int widths[BOARD_COLUMNS]; /* of cells with their mark; 0: hidden */
	int lines[BOARD_COLUMNS];  /* of sparklines with the blank before */
};

static int width_of(struct str text)
{
	struct buf b = buf_new(SIZE_MAX);
	int width = (int)table_escape(&b, text);

	buf_free(&b);
	return width;
}

static int total_of(const struct table_layout *l)
{
	int total = 1 + l->name + (l->role > 0 ? GAP + l->role : 0);

	for (size_t i = 0; i < BOARD_COLUMNS; i++)
		if (l->widths[i] > 0)
			total += GAP + l->widths[i] + l->lines[i];
	return total;
}

/* The width of all columns. */
static void measure(const struct scene *scene, struct table_layout *l)
{
	const struct board_view *v = scene->view;
	char text[BOARD_CELL_MAX];

	l->name = NAME_LEAST;
	for (uint32_t i = 0; i < v->n; i++) {
		int width = width_of(v->rows[i].name);

		if (v->rows[i].engine == NULL)
			width += (int)strlen(" (1000)");
		l->name = width > l->name ? width : l->name;
		if (v->rows[i].role.n > 0)
			l->role = ROLE;
	}
	l->name = l->name > NAME_MOST ? NAME_MOST : l->name;
	for (size_t k = 0; k < BOARD_COLUMNS; k++) {
		size_t width = strlen(board_columns[k].title);

		for (uint32_t i = 0; i < v->n; i++) {
			size_t n = board_cell(text, &board_columns[k],
					      v->rows[i].values);

			width = n > width ? n : width;
		}
		l->widths[k] = scene->hidden[k] ? 0 : (int)width + 1;
	}
}

/* The column to hide first; BOARD_COLUMNS: none. */
static size_t least_important(const struct table_layout *l)
{
	size_t found = BOARD_COLUMNS;

	for (size_t k = 0; k < BOARD_COLUMNS; k++)
		if (l->widths[k] > 0 &&
		    (found == BOARD_COLUMNS ||
		     board_columns[k].rank >= board_columns[found].rank))
			found = k;
	return found;
}

static void fit(struct table_layout *l, int width)
{
	while (total_of(l) > width) {
		size_t k = least_important(l);

		if (l->name > width / 3 && l->name > 2 * NAME_LEAST)
			l->name--;
		else if (l->role > 0 && (k == BOARD_COLUMNS ||
					 board_columns[k].rank <= ROLE_RANK))
			l->role = 0;
		else if (k < BOARD_COLUMNS)
			l->widths[k] = 0;
		else
			break;
	}
}

/* Remaining width is used for sparklines: the most useful columns first, then
 * all equally. */
static void spread(struct table_layout *l, int width)
{
	static const enum board_value order[] = {
		BOARD_TOKENS,	BOARD_REQUEST_TOKENS, BOARD_KV_USAGE,
		BOARD_RUNNING,	BOARD_QUEUE,	      BOARD_TTFT_P95,
		BOARD_HIT_RATE, BOARD_QUEUE_P95,      BOARD_IDLE_SHARE};
	int left = width - total_of(l), before;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t k = 0; k < BOARD_COLUMNS; k++)
			if (board_columns[k].value == order[i] &&
			    l->widths[k] > 0 && left >= LINE_LEAST) {
				l->lines[k] = LINE_LEAST;
				left -= LINE_LEAST;
			}
	do {
		before = left;
		for (size_t k = 0; k < BOARD_COLUMNS && left > 0; k++)
			if (l->lines[k] > 0 && l->lines[k] < LINE_MOST) {
				l->lines[k]++;
				left--;
			}
	} while (left > 0 && left < before);
}

/* Headings ------------------------------------------------------------ */

static void put_heading(struct scene *scene, struct screen *screen, int line,
			int column, int width, int sort, struct str title,
			bool right)
{
	int style = scene->sort == sort ? STYLE_STRONG : STYLE_HEADING;

	if (scene->sort == sort)
		screen_fill(screen, line, column, width, STYLE_STRONG);
	if (right)
		screen_put_right(screen, line, column, width, style, title);
	else
		screen_put(screen, line, column, width, style, title);
	scene->places[scene->n_places++] =
		(struct scene_place){sort, column, width};
}

static void put_headings(struct scene *scene, struct screen *screen, int line,
			 const struct table_layout *l)
{
	int at = 1 + l->name;

	scene->heading = line;
	scene->n_places = 0;
	screen_fill(screen, line, 0, screen_columns(screen), STYLE_HEADING);
	put_heading(scene, screen, line, 1, l->name, BOARD_BY_NAME,
		    str_of(scene->by == NULL ? "WORKER" : scene->by), false);
	if (l->role > 0) {
		put_heading(scene, screen, line, at + GAP, l->role,
			    BOARD_BY_ROLE, str_of("ROLE"), false);
		at += GAP + l->role;
	}
	for (size_t k = 0; k < BOARD_COLUMNS; k++) {
		if (l->widths[k] == 0)
			continue;
		put_heading(scene, screen, line, at + GAP, l->widths[k] - 1,
			    (int)board_columns[k].value,
			    str_of(board_columns[k].title), true);
		at += GAP + l->widths[k] + l->lines[k];
	}
}

/* Rows ---------------------------------------------------------------- */

/* A row being drawn. */
struct cells {
	struct scene *scene;
	struct screen *screen;
	const struct board_row *row;
	const struct table_layout *layout;
	int line;
	int at;	      /* column */
	int selected; /* STYLE_SELECTED, or 0 */
};

static void put_name(struct cells *c)
{
	const struct board_row *row = c->row;
	bool marked = map_find(c->scene->marked, row->id, NULL);
	int style = row->gravity > 0 ? STYLE_ALARM
		    : row->up == 0   ? STYLE_DIM
				     : STYLE_PLAIN;
	char count[32];
	int width = c->layout->name, used;

	screen_put(c->screen, c->line, 0, 1,
		   (row->gravity > 0 ? STYLE_ALARM : STYLE_PLAIN) | c->selected,
		   str_of(marked	     ? "+"
			  : row->gravity > 0 ? "!"
					     : " "));
	if (row->engine == NULL) {
		int n = snprintf(count, sizeof(count), " (%u)", row->n);

		used = screen_put(c->screen, c->line, 1, width - n,
				  style | c->selected, row->name);
		screen_put(c->screen, c->line, 1 + used, n, c->selected,
			   str_of(count));
	} else {
		screen_put(c->screen, c->line, 1, width, style | c->selected,
			   row->name.n > 0 ? row->name
					   : str_of("(the engine)"));
	}
	c->at = 1 + width;
	if (c->layout->role == 0)
		return;
	screen_put(c->screen, c->line, c->at + GAP, c->layout->role,
		   c->selected, row->role);
	c->at += GAP + c->layout->role;
}

static void put_line(struct cells *c, size_t k, const double *most)
{
	double values[LINE_MOST];
	char text[LINE_MOST * 3];
	int n = c->layout->lines[k] - 1;

	board_history(c->scene->view, c->row, board_columns[k].value, (size_t)n,
		      values);
	screen_put(c->screen, c->line, c->at + GAP + c->layout->widths[k] + 1,
		   n, STYLE_LINE | c->selected,
		   str_make(text, screen_line(c->screen, text, values,
					      (size_t)n, most[k])));
}

static void put_cell(struct cells *c, size_t k, const double *most)
{
	static const char *const signs[] = {
		[MARK_NONE] = " ", [MARK_WORST] = "*", [MARK_ALARM] = "!"};
	static const int styles[] = {[MARK_NONE] = STYLE_PLAIN,
				     [MARK_WORST] = STYLE_WORST,
				     [MARK_ALARM] = STYLE_ALARM};
	const struct board_column *column = &board_columns[k];
	enum board_mark mark =
		board_mark_of(c->scene->view, c->row, column->value);
	int width = c->layout->widths[k];
	char text[BOARD_CELL_MAX];
	size_t n = board_cell(text, column, c->row->values);

	screen_put_right(c->screen, c->line, c->at + GAP, width - 1,
			 styles[mark] | c->selected,
			 n == 0 ? str_of("-") : str_make(text, n));
	screen_put(c->screen, c->line, c->at + GAP + width - 1, 1,
		   styles[mark] | c->selected, str_of(signs[mark]));
	if (c->layout->lines[k] > 1)
		put_line(c, k, most);
	c->at += GAP + width + c->layout->lines[k];
}

static void put_row(struct scene *scene, struct screen *screen, int line,
		    uint32_t i, const struct table_layout *l,
		    const double *most)
{
	struct cells c = {.scene = scene,
			  .screen = screen,
			  .row = &scene->view->rows[i],
			  .layout = l,
			  .line = line,
			  .selected = i == scene->cursor ? STYLE_SELECTED : 0};

	if (c.selected != 0)
		screen_fill(screen, line, 0, screen_columns(screen),
			    STYLE_SELECTED);
	put_name(&c);
	for (size_t k = 0; k < BOARD_COLUMNS; k++)
		if (l->widths[k] > 0)
			put_cell(&c, k, most);
}

/* The top of a column's sparklines: 1 for shares, else the greatest value of
 * any visible row, so that rows can be compared. */
static void find_most(const struct scene *scene, const struct table_layout *l,
		      uint32_t end, double *most)
{
	double values[LINE_MOST];

	for (size_t k = 0; k < BOARD_COLUMNS; k++) {
		enum board_value value = board_columns[k].value;
		size_t n = l->lines[k] > 1 ? (size_t)l->lines[k] - 1 : 0;

		most[k] = value == BOARD_KV_USAGE || value == BOARD_HIT_RATE ||
					  value == BOARD_IDLE_SHARE
				  ? 1
				  : 0;
		for (uint32_t i = scene->top; n > 0 && i < end; i++) {
			board_history(scene->view, &scene->view->rows[i], value,
				      n, values);
			for (size_t t = 0; t < n; t++)
				if (values[t] > most[k])
					most[k] = values[t];
		}
	}
}

/* Scroll to the row under the cursor. */
static void scroll(struct scene *scene)
{
	uint32_t n = scene->view->n, lines = scene->lines;

	if (scene->cursor >= n)
		scene->cursor = n == 0 ? 0 : n - 1;
	if (scene->cursor < scene->top)
		scene->top = scene->cursor;
	if (lines > 0 && scene->cursor >= scene->top + lines)
		scene->top = scene->cursor - lines + 1;
	if (scene->top + lines > n)
		scene->top = n > lines ? n - lines : 0;
}

int scene_put_table(struct scene *scene, struct screen *screen, int line,
		    int end, struct err *err)
{
	const struct board_view *v = scene->view;
	struct table_layout l = {0};
	double most[BOARD_COLUMNS];
	uint32_t last;

	(void)err;
	measure(scene, &l);
	fit(&l, screen_columns(screen));
	spread(&l, screen_columns(screen));
	put_headings(scene, screen, line++, &l);
	scene->first_line = line;
	scene->lines = end > line ? (uint32_t)(end - line) : 0;
	scroll(scene);
	last = scene->top + scene->lines < v->n ? scene->top + scene->lines
						: v->n;
	find_most(scene, &l, last, most);
	for (uint32_t i = scene->top; i < last; i++)
		put_row(scene, screen, line++, i, &l, most);
	if (v->n == 0)
		screen_put(screen, line, 1, screen_columns(screen), STYLE_DIM,
			   str_of(scene->filter[0] != '\0'
					  ? "no engine matches the filter"
					  : "no engine answers"));
	return 0;
}
