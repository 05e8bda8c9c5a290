#include "sink/screen/top_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/limits.h"
#include "fmt/prom/prom_text.h"
#include "sink/screen/top_scene_help.h"

enum {
	HEAD_LINE = 12,	 /* columns of the fleet's sparkline */
	SMALL_ROWS = 8,	 /* a terminal with fewer lines has no hints */
	ALARM_SHARE = 5, /* alarms get this fraction of the lines */
	CLOCK = 10,	 /* columns */
};

#define HINTS_OF_FLEET                                                         \
	"q quit  Enter engine  a alarms  s sort  / filter  f fold  "           \
	"space freeze  ? help"

/* The user's local time, as in their other programs. */
static size_t put_clock(char out[16], double time)
{
	time_t t = (time_t)time;
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL)
		return 0;
	return strftime(out, 16, "%H:%M:%S", &tm);
}

/* The head ------------------------------------------------------------ */

/* A line that pieces are appended to as long as they fit. */
struct line {
	struct screen *screen;
	int row;
	int at;
	int end;
};

static void add(struct line *l, int style, const char *text)
{
	int width = 0;

	for (const char *p = text; *p != '\0'; p++)
		width += ((unsigned char)*p & 0xc0) != 0x80;
	if (l->at + width > l->end) {
		l->end = l->at; /* the rest does not fit, either */
		return;
	}
	l->at += screen_put(l->screen, l->row, l->at, l->end - l->at, style,
			    str_of(text));
}

static void add_part(struct line *l, int style, const char *text)
{
	char part[160];

	snprintf(part, sizeof(part), "%s%s",
		 l->at == 0		      ? ""
		 : screen_has_utf8(l->screen) ? " · "
					      : " | ",
		 text);
	add(l, style, part);
}

static void add_fleet_line(struct line *l, const struct scene *scene)
{
	const struct board_view *v = scene->view;
	double values[HEAD_LINE], most = 0;
	char text[HEAD_LINE * 3 + 2];
	size_t n = v->number + 1 < HEAD_LINE ? (size_t)v->number + 1
					     : HEAD_LINE;

	for (size_t i = 0; i < n; i++) {
		uint64_t number = v->number - (n - 1 - i);

		values[i] = number < board_oldest(v->board)
				    ? (double)NAN
				    : board_frame_at(v->board, number)->tokens;
		most = values[i] > most ? values[i] : most;
	}
	text[0] = ' ';
	n = screen_line(l->screen, text + 1, values, n, most) + 1;
	text[n] = '\0';
	add(l, STYLE_LINE, text);
}

static void add_fleet(struct line *l, const struct scene *scene)
{
	const struct board_frame *f = &scene->view->frame;
	char text[128], tokens[BOARD_CELL_MAX], running[BOARD_CELL_MAX],
		queued[BOARD_CELL_MAX];

	snprintf(text, sizeof(text), "%u engine%s, ", f->engines,
		 f->engines == 1 ? "" : "s");
	add_part(l, STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "%u up", f->up);
	add(l, f->up < f->engines ? STYLE_ALARM : STYLE_PLAIN, text);
	board_put_short(tokens, f->tokens);
	snprintf(text, sizeof(text), "%s tok/s", tokens);
	add_part(l, STYLE_STRONG, text);
	add_fleet_line(l, scene);
	board_put_count(running, f->running);
	board_put_count(queued, f->queued);
	snprintf(text, sizeof(text), "%s running, %s queued", running, queued);
	add_part(l, STYLE_PLAIN, text);
	board_put_tenths(tokens, f->effective);
	snprintf(text, sizeof(text), "effective engines %s of %u", tokens,
		 f->engines);
	add_part(l, STYLE_PLAIN, text);
	if (isnan(f->tail))
		return;
	board_put_time(tokens, f->time - f->tail);
	snprintf(text, sizeof(text),
		 "tail: %s request%s left on %u engine%s, %s", running,
		 f->running == 1 ? "" : "s", f->busy, f->busy == 1 ? "" : "s",
		 tokens);
	add_part(l, STYLE_WORST, text);
}

/* "live", or the reason it is not. */
static void put_state(const struct scene *scene, struct screen *screen,
		      struct line *l)
{
	const struct board_view *v = scene->view;
	char clock[16], text[128], number[48] = "";
	int style = strcmp(scene->state, "live") == 0 ? STYLE_PLAIN
						      : STYLE_WORST;
	size_t n = v == NULL ? 0 : put_clock(clock, v->frame.time);
	int width = screen_columns(screen);

	clock[n] = '\0';
	if (v != NULL && v->number + 1 < v->board->n_frames)
		snprintf(number, sizeof(number), " %llu/%llu",
			 (unsigned long long)v->number + 1,
			 (unsigned long long)v->board->n_frames);
	n = (size_t)snprintf(text, sizeof(text), " %s%s%s%s",
			     strcmp(scene->state, "live") == 0 ? ""
							       : scene->state,
			     number, style == STYLE_PLAIN ? "" : " ", clock);
	if ((int)n > width)
		return;
	l->end = width - (int)n;
	screen_put_right(screen, 0, l->end, (int)n, style, str_of(text));
}

static void put_known(char *out, size_t size, const struct alarm_verdict *v)
{
	char clock[16];

	clock[put_clock(clock, v->known)] = '\0';
	snprintf(out, size, "; compared until %s, then %s", clock, v->why);
}

void scene_put_alarm(const struct scene *scene, struct screen *screen,
		     const struct board_alarm *a, int line)
{
	const struct board_view *v = scene->view;
	const struct alarm_verdict verdict = board_verdict_at(a, v->frame.time);
	char lasted[BOARD_CELL_MAX], clock[16] = "", text[400], known[160] = "";
	const struct board_engine *e =
		a->fleet ? NULL : board_find(v->board, a->engine);
	struct buf name = buf_new(LIMIT_LINE);
	double until = v->frame.time < a->end ? v->frame.time : a->end;

	buf_puts(&name, a->fleet ? "fleet" : "");
	for (uint32_t i = 0; e != NULL && scene->by == NULL && i < v->n; i++)
		if (v->rows[i].id == a->engine && v->rows[i].name.n > 0)
			buf_put(&name, v->rows[i].name.p, v->rows[i].name.n);
	if (e != NULL && name.n == 0)
		prom_unescape(&name, e->name);
	if (name.n == 0)
		buf_puts(&name, a->fleet ? "fleet" : "the engine");
	board_put_time(lasted, until - a->since);
	clock[put_clock(clock, a->since)] = '\0';
	if (verdict.why != NULL)
		put_known(known, sizeof(known), &verdict);
	/* On other pages the advice has its own line. */
	snprintf(text, sizeof(text), "! %.*s %s for %s, since %s: %s%s%s%s",
		 (int)(name.n < 80 ? name.n : 80), name.p,
		 alarm_rules[a->kind].name, lasted, clock, a->text, known,
		 scene->page == PAGE_FLEET ? "; try: " : "",
		 scene->page == PAGE_FLEET ? verdict.remedy : "");
	screen_put(screen, line, 0, screen_columns(screen),
		   isinf(a->end) || v->frame.time < a->end ? STYLE_ALARM
							   : STYLE_DIM,
		   str_of(text));
	buf_free(&name);
}

/* As many alarms as there are lines, and how many more there are. */
static int put_alarms(const struct scene *scene, struct screen *screen,
		      int line)
{
	const struct board_view *v = scene->view;
	int most = screen_rows(screen) / ALARM_SHARE;
	uint32_t n = v->n_alarms;
	char text[64];

	if (most < 1)
		most = 1;
	if (n > (uint32_t)most)
		n = (uint32_t)most - (most > 1);
	for (uint32_t i = 0; i < n; i++)
		scene_put_alarm(scene, screen, v->alarms[i], line++);
	if (n < v->n_alarms && most > 1) {
		snprintf(text, sizeof(text), "! %u more alarm%s (a lists all)",
			 v->n_alarms - n, v->n_alarms - n == 1 ? "" : "s");
		screen_put(screen, line++, 0, screen_columns(screen),
			   STYLE_ALARM, str_of(text));
	}
	return line;
}

static int put_head(struct scene *scene, struct screen *screen)
{
	struct line l = {screen, 0, 0, screen_columns(screen)};
	char text[64], late[BOARD_CELL_MAX];
	int line = 1;

	put_state(scene, screen, &l);
	if (screen_columns(screen) >= 60)
		add_part(&l, STYLE_STRONG, "obs-top");
	if (scene->view == NULL) {
		add_part(&l, STYLE_PLAIN, "waiting for the first snapshot");
		return line;
	}
	add_fleet(&l, scene);
	if (scene->late >= 10) {
		board_put_time(late, scene->late);
		snprintf(text, sizeof(text), "! no snapshot for %s", late);
		screen_put(screen, line++, 0, screen_columns(screen),
			   STYLE_ALARM, str_of(text));
	}
	return scene->page == PAGE_FLEET ? put_alarms(scene, screen, line)
					 : line;
}

/* Pages --------------------------------------------------------------- */

static void put_alarm_log(struct scene *scene, struct screen *screen, int line,
			  int end)
{
	const struct board *b = scene->view->board;
	double now = scene->view->frame.time;
	uint32_t skip = scene->scroll;
	bool any = false;

	screen_fill(screen, line, 0, screen_columns(screen), STYLE_HEADING);
	screen_put(screen, line++, 0, screen_columns(screen), STYLE_HEADING,
		   str_of("ALARMS, newest first; those that ended are dim"));
	for (uint32_t i = b->n_alarms; i-- > 0 && line < end;) {
		if (b->alarms[i].begin > now)
			continue;
		any = true;
		if (skip > 0) {
			skip--;
			continue;
		}
		scene_put_alarm(scene, screen, &b->alarms[i], line++);
		if (line < end && board_alarm_is_on(&b->alarms[i], now)) {
			screen_put(screen, line, 4, screen_columns(screen) - 4,
				   STYLE_PLAIN, str_of("try: "));
			screen_put(screen, line++, 9,
				   screen_columns(screen) - 9, STYLE_PLAIN,
				   str_of(b->alarms[i].verdict.remedy));
		}
	}
	if (!any && line < end)
		screen_put(screen, line, 2, screen_columns(screen) - 2,
			   STYLE_PLAIN, str_of("none so far"));
}

static void put_foot(struct scene *scene, struct screen *screen)
{
	static const char *const hints[] = {
		[PAGE_FLEET] = HINTS_OF_FLEET,
		[PAGE_ENGINE] = "Esc back  arrows scroll  [ ] step  ? help",
		[PAGE_ALARMS] = "Esc back  arrows scroll  [ ] step",
		[PAGE_HELP] = "Esc back  arrows scroll",
	};
	int row = screen_rows(screen) - 1, width = screen_columns(screen), at;

	if (scene->prompt != NULL) {
		at = screen_put(screen, row, 0, width, STYLE_STRONG,
				str_of(scene->prompt));
		at += screen_put(screen, row, at, width - at, STYLE_PLAIN,
				 str_of(scene->typed));
		screen_cursor(screen, row, at);
		return;
	}
	if (scene->message != NULL)
		screen_put(screen, row, 0, width, STYLE_WORST,
			   str_of(scene->message));
	else
		screen_put(screen, row, 0, width, STYLE_DIM,
			   str_of(hints[scene->page]));
}

int scene_draw(struct scene *scene, struct screen *screen, struct err *err)
{
	int rows = screen_rows(screen), line, end = rows;
	int code = 0;

	screen_begin(screen);
	line = put_head(scene, screen);
	if (rows >= SMALL_ROWS || scene->prompt != NULL ||
	    scene->message != NULL)
		end--;
	scene->heading = -1;
	if (scene->page == PAGE_HELP)
		scene_put_help(screen, line, end, scene->scroll);
	else if (scene->view == NULL)
		;
	else if (scene->page == PAGE_ALARMS)
		put_alarm_log(scene, screen, line, end);
	else if (scene->page == PAGE_ENGINE)
		scene_put_engine(scene, screen, line, end);
	else
		code = scene_put_table(scene, screen, line, end, err);
	if (end < rows)
		put_foot(scene, screen);
	screen_end(screen);
	return code;
}
