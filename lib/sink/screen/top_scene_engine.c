/* The page of one engine: its labels, alarms, columns and all its metrics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "sink/screen/top_scene.h"
#include "sink/table.h"

enum {
	HISTORY = 60,
	TITLE = 12, /* columns */
	NUMBER = 14,
	METRIC_MOST = 60,
};

/* Lines from the top of the page, some of them scrolled off. */
struct engine_page {
	struct scene *scene;
	struct screen *screen;
	int line;
	int end;
	uint32_t skip;
};

/* Is the next line visible? If not, skip it. */
static bool is_seen(struct engine_page *p)
{
	if (p->skip > 0) {
		p->skip--;
		return false;
	}
	return p->line < p->end;
}

static void put_text(struct engine_page *p, int style, const char *text)
{
	if (is_seen(p))
		screen_put(p->screen, p->line++, 0, screen_columns(p->screen),
			   style, str_of(text));
}

/* How many values fit after the column. */
static size_t history_from(const struct engine_page *p, int column)
{
	int room = screen_columns(p->screen) - column - 1;

	return room <= 0 ? 0 : room < HISTORY ? (size_t)room : HISTORY;
}

static void put_history(struct engine_page *p, int column, const double *values,
			size_t n, double most)
{
	char text[HISTORY * 3];

	for (size_t i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	screen_put(p->screen, p->line, column, (int)n, STYLE_LINE,
		   str_make(text,
			    screen_line(p->screen, text, values, n, most)));
}

static void put_column(struct engine_page *p, const struct board_row *row,
		       const struct board_column *column)
{
	const struct board_view *v = p->scene->view;
	enum board_mark mark = board_mark_of(v, row, column->value);
	char text[BOARD_CELL_MAX], of[64] = "";
	double values[HISTORY], fleet[BOARD_VALUES];
	size_t n = board_cell(text, column, row->values);
	int at = TITLE + NUMBER + 1;

	if (!is_seen(p))
		return;
	screen_put(p->screen, p->line, 1, TITLE, STYLE_PLAIN,
		   str_of(column->title));
	screen_put_right(p->screen, p->line, TITLE, NUMBER - 1,
			 mark == MARK_ALARM ? STYLE_ALARM : STYLE_STRONG,
			 n == 0 ? str_of("-") : str_make(text, n));
	screen_put(p->screen, p->line, at - 2, 1, STYLE_ALARM,
		   str_of(mark == MARK_ALARM   ? "!"
			  : mark == MARK_WORST ? "*"
					       : " "));
	memcpy(fleet, v->usual, sizeof(fleet));
	fleet[BOARD_CAP] = (double)NAN;
	if (board_cell(text, column, fleet) > 0)
		snprintf(of, sizeof(of), "%s %s", v->n == 2 ? "best" : "median",
			 text);
	screen_put(p->screen, p->line, at, 18, STYLE_DIM, str_of(of));
	n = history_from(p, at + 19);
	board_history(v, row, column->value, n, values);
	put_history(p, at + 19, values, n, 0);
	p->line++;
}

/* NAME{LABELS}, as much as fits. */
static void put_metric_name(struct engine_page *p,
			    const struct detail_metric *m, int width)
{
	struct buf b = buf_new(LIMIT_LINE);

	buf_put(&b, m->name.p, m->name.n);
	if (m->labels.n > 0) {
		buf_putc(&b, '{');
		prom_unescape(&b, m->labels);
		buf_putc(&b, '}');
	}
	screen_put(p->screen, p->line, 1, width, STYLE_PLAIN, buf_str(&b));
	buf_free(&b);
}

static void put_metric(struct engine_page *p, const struct detail_metric *m)
{
	int width = screen_columns(p->screen) * 2 / 5;
	char text[PROM_NUMBER_MAX + 8];
	double values[HISTORY], last;
	size_t n;

	width = width > METRIC_MOST ? METRIC_MOST : width;
	if (!is_seen(p))
		return;
	put_metric_name(p, m, width);
	detail_history(m, 1, &last);
	text[prom_put_value(text, m->value)] = '\0';
	screen_put_right(p->screen, p->line, width + 2, NUMBER, STYLE_STRONG,
			 str_of(text));
	if (m->counts && !isnan(last)) {
		n = table_number(text, last);
		snprintf(text + n, sizeof(text) - n, "/s");
		screen_put_right(p->screen, p->line, width + NUMBER + 3, 12,
				 STYLE_PLAIN, str_of(text));
	}
	n = history_from(p, width + NUMBER + 16);
	detail_history(m, n, values);
	put_history(p, width + NUMBER + 16, values, n, 0);
	p->line++;
}

static void put_metrics(struct engine_page *p)
{
	const struct detail *d = p->scene->detail;

	put_text(p, STYLE_PLAIN, "");
	if (d == NULL || d->snapshots == 0) {
		put_text(p, STYLE_DIM,
			 "All its metrics come with the next snapshot.");
		return;
	}
	put_text(p, STYLE_STRONG,
		 "ALL METRICS: the value, and how much a counter rises per "
		 "second");
	for (uint32_t i = 0; i < d->n; i++)
		put_metric(p, d->metrics[i]);
}

static void put_alarms(struct engine_page *p, const struct board_row *row)
{
	const struct board_view *v = p->scene->view;
	char text[256];

	for (uint32_t i = 0; i < v->n_alarms; i++) {
		const struct board_alarm *a = v->alarms[i];

		if (a->fleet || a->engine != row->id)
			continue;
		if (is_seen(p))
			scene_put_alarm(p->scene, p->screen, a, p->line++);
		snprintf(text, sizeof(text), "    %s; try: %s",
			 a->verdict.means, a->verdict.remedy);
		put_text(p, STYLE_PLAIN, text);
	}
}

void scene_put_engine(struct scene *scene, struct screen *screen, int line,
		      int end)
{
	const struct board_view *v = scene->view;
	struct engine_page p = {scene, screen, line, end, scene->scroll};
	const struct board_row *row;
	struct buf labels = buf_new(LIMIT_LINE);

	if (scene->cursor >= v->n || v->rows[scene->cursor].engine == NULL) {
		put_text(&p, STYLE_DIM, "The engine is not in this view.");
		buf_free(&labels);
		return;
	}
	row = &v->rows[scene->cursor];
	screen_fill(screen, line, 0, screen_columns(screen), STYLE_HEADING);
	screen_put(screen, p.line++, 1, screen_columns(screen) - 1,
		   STYLE_HEADING,
		   row->whole.n > 0 ? row->whole : str_of("(the engine)"));
	prom_unescape(&labels, row->engine->labels);
	if (is_seen(&p))
		screen_put(screen, p.line++, 1, screen_columns(screen) - 1,
			   STYLE_DIM, buf_str(&labels));
	buf_free(&labels);
	put_alarms(&p, row);
	for (size_t k = 0; k < BOARD_COLUMNS; k++)
		put_column(&p, row, &board_columns[k]);
	put_metrics(&p);
}
