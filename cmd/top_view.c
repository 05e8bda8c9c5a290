#include "top_view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

void top_say(struct top_screen *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->message, sizeof(t->message), format, args);
	va_end(args);
}

/* The view -------------------------------------------------------------- */

void top_view_begin(struct top_screen *t)
{
	const struct top_settings *s = t->settings;

	t->scene.sort = s->sort;
	t->scene.reversed = s->reversed;
	memcpy(t->scene.hidden, s->hidden, sizeof(t->scene.hidden));
	snprintf(t->filter, sizeof(t->filter), "%s", s->filter);
	snprintf(t->by, sizeof(t->by), "%s", s->by == NULL ? "" : s->by);
}

uint64_t top_last_frame(const struct top_screen *t)
{
	return t->board->n_frames - 1;
}

uint64_t top_seen_frame(const struct top_screen *t)
{
	uint64_t oldest = board_oldest(t->board);

	if (!t->frozen)
		return top_last_frame(t);
	return t->frame < oldest ? oldest : t->frame;
}

/* The cursor stays on its row, wherever that moves. */
static void follow_row(struct top_screen *t)
{
	struct scene *scene = &t->scene;

	for (uint32_t i = 0; i < t->view.n; i++)
		if (t->view.rows[i].id == t->chosen) {
			scene->cursor = i;
			return;
		}
	if (scene->cursor >= t->view.n)
		scene->cursor = t->view.n == 0 ? 0 : t->view.n - 1;
}

int top_make_view(struct top_screen *t, struct err *err)
{
	struct board_view_how how = {.filter = str_of(t->filter),
				     .by = t->by[0] == '\0' ? NULL : t->by,
				     .sort = t->scene.sort,
				     .reversed = t->scene.reversed};
	struct scene *scene = &t->scene;
	int code;

	board_view_free(&t->view);
	scene->view = NULL;
	scene->by = how.by;
	scene->filter = t->filter;
	scene->marked = &t->marked;
	scene->detail = t->detail;
	scene->prompt = t->prompt == PROMPT_NONE ? NULL : t->question;
	scene->typed = t->typed;
	if (t->board->n_frames == 0)
		return 0;
	how.frame = top_seen_frame(t);
	code = board_view_make(&t->view, t->board, &how, err);
	if (code < 0)
		return code;
	scene->view = &t->view;
	follow_row(t);
	return 0;
}

const struct board_row *top_chosen_row(const struct top_screen *t)
{
	return t->scene.cursor < t->view.n ? &t->view.rows[t->scene.cursor]
					   : NULL;
}

void top_choose(struct top_screen *t, int64_t row)
{
	if (t->view.n == 0)
		return;
	if (row < 0)
		row = 0;
	if (row >= t->view.n)
		row = (int64_t)t->view.n - 1;
	t->scene.cursor = (uint32_t)row;
	t->chosen = t->view.rows[row].id;
}

/* One engine ------------------------------------------------------------ */

/* Whose lines are examined as they are read. */
static struct detail *detail_read;

static int take_line(const struct prom_line *line, struct err *err)
{
	return detail_take(detail_read, line, err);
}

void top_drop_engine(struct top_screen *t)
{
	t->sequence->line = NULL;
	detail_free(t->detail);
	t->detail = detail_read = NULL;
}

/* If a file was read to its end, its lines are read again, up to the current
 * frame. */
static void read_again(struct top_screen *t)
{
	struct metric_stream r =
		metric_stream_fd(&t->source->fd, PROM_ALL_MILLISECONDS, false);
	double until = t->view.frame.time;
	double set_by = 0; /* so far */
	struct prom_line line;
	double time = 0; /* on the stream's last clock */
	struct err err;
	int code = 1;

	if (lseek(t->source->fd, 0, SEEK_SET) != 0)
		return;
	while (code != 0 && code != ERR_IO && code != ERR_MEMORY) {
		code = metric_stream_next(&r, &line, &err);
		if (code != 1)
			continue;
		if (line.kind == PROM_CLOCK && time > 0)
			set_by += line.value;
		if (line.kind == PROM_SAMPLE && line.stamped)
			time = (double)(line.time / 1000) + t->board->set_by -
			       set_by;
		if (line.kind == PROM_SAMPLE && time > until + 1e-6)
			break;
		if (detail_take(t->detail, &line, &err) < 0)
			break;
		if (line.kind == PROM_EOF)
			detail_end(t->detail, time, 0);
	}
	metric_stream_free(&r);
}

void top_open_engine(struct top_screen *t)
{
	const struct board_row *row = top_chosen_row(t);

	if (row == NULL)
		return;
	if (row->engine == NULL) { /* open the group: its engines */
		snprintf(t->filter, sizeof(t->filter), "%.*s",
			 STR_ARG(row->whole));
		t->by[0] = '\0';
		return;
	}
	top_drop_engine(t);
	t->chosen = row->id;
	t->detail = detail_read = detail_new(row->id, row->engine->name);
	if (t->detail == NULL)
		die_memory();
	if (t->ended && t->regular)
		read_again(t);
	else
		t->sequence->line = take_line;
	t->scene.page = PAGE_ENGINE;
	t->scene.scroll = 0;
}

void top_end_snapshot(struct top_screen *t)
{
	if (t->detail != NULL && t->sequence->line != NULL)
		detail_end(t->detail,
			   board_frame_at(t->board, top_last_frame(t))->time,
			   t->board->set_by);
	if (!t->saves)
		return;
	t->saves = false;
	if (top_source_begin_copy(t->source, t->reader))
		top_say(t, "saving the stream to %s; w stops",
			t->source->copy_name);
	else
		top_say(t, "cannot save to %s: %s", t->source->copy_name,
			strerror(errno));
}

void top_view_end(struct top_screen *t)
{
	top_drop_engine(t);
	board_view_free(&t->view);
}
