#include "top_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "common.h"
#include "top_profile.h"
#include "top_view.h"

static const char *const folds[] = {"", "role", "node", "model"};

enum {
	FOLDS = ARRAY_SIZE(folds),
	LEAP = 10, /* snapshots */
	WHEEL = 3, /* rows */
	FAR = 1000000
};

/* Prompts --------------------------------------------------------------- */

static void ask(struct top_screen *t, enum top_prompt prompt,
		const char *question)
{
	t->prompt = prompt;
	t->typed[0] = '\0';
	snprintf(t->question, sizeof(t->question), "%s", question);
}

static void set_columns(struct top_screen *t)
{
	const char *p = t->typed;
	bool hidden[BOARD_COLUMNS];

	memset(hidden, *p != '\0', sizeof(hidden));
	while (*p != '\0') {
		size_t n = strcspn(p, ", ");
		size_t i = board_column_find(str_make(p, n));

		if (n > 0 && i == BOARD_COLUMNS) {
			top_say(t,
				"no column is named %.*s; names are those of "
				"--format json, such as running,kv_usage",
				(int)n, p);
			return;
		}
		if (n > 0)
			hidden[i] = false;
		p += n;
		p += *p != '\0';
	}
	memcpy(t->scene.hidden, hidden, sizeof(hidden));
}

static void answer(struct top_screen *t)
{
	enum top_prompt prompt = t->prompt;

	t->prompt = PROMPT_NONE;
	if (prompt == PROMPT_FILTER)
		memcpy(t->filter, t->typed, sizeof(t->filter));
	else if (prompt == PROMPT_FOLD)
		memcpy(t->by, t->typed, sizeof(t->by));
	else if (prompt == PROMPT_COLUMNS)
		set_columns(t);
	else if (prompt == PROMPT_PROFILE && t->typed[0] == 'y')
		top_profile_run(t);
}

static void erase_typed(char *typed)
{
	size_t n = strlen(typed);

	while (n > 0 && ((unsigned char)typed[n - 1] & 0xc0) == 0x80)
		n--;
	typed[n > 0 ? n - 1 : 0] = '\0';
}

static void type(struct top_screen *t, int key)
{
	size_t n = strlen(t->typed);

	if (key == SCREEN_ENTER) {
		answer(t);
	} else if (key == SCREEN_ESCAPE) {
		t->prompt = PROMPT_NONE;
	} else if (key == SCREEN_ERASE) {
		erase_typed(t->typed);
	} else if (key >= ' ' && key < 256 && n + 1 < TYPED_MAX) {
		t->typed[n] = (char)key;
		t->typed[n + 1] = '\0';
		if (t->prompt == PROMPT_PROFILE)
			answer(t);
	}
}

static void ask_profile(struct top_screen *t, int64_t by)
{
	char question[128];
	uint32_t n = top_profile_engines(t, NULL, 0);

	(void)by;
	if (n == 0) {
		top_say(t, "no engine to profile; mark some with m");
		return;
	}
	snprintf(question, sizeof(question),
		 "profile %u engine%s for 3 forward passes? (y or n) ", n,
		 n == 1 ? "" : "s");
	ask(t, PROMPT_PROFILE, question);
}

/* Keys ------------------------------------------------------------------ */

static void freeze(struct top_screen *t, bool frozen)
{
	if (t->board->n_frames == 0)
		return;
	t->frame = top_seen_frame(t);
	t->frozen = frozen;
}

static void step_frames(struct top_screen *t, int64_t by)
{
	int64_t to;

	if (t->board->n_frames == 0)
		return;
	freeze(t, true);
	to = (int64_t)t->frame + by;
	if (to < (int64_t)board_oldest(t->board))
		to = (int64_t)board_oldest(t->board);
	if (to >= (int64_t)t->board->n_frames)
		to = (int64_t)top_last_frame(t);
	t->frame = (uint64_t)to;
	if (t->scene.page == PAGE_ENGINE && t->ended && t->regular) {
		struct err err;
		uint32_t scroll = t->scene.scroll;

		if (top_make_view(t, &err) == 0)
			top_open_engine(t);
		t->scene.scroll = scroll;
	}
}

/* The values that s steps through. */
static int next_sort(int sort, int by)
{
	static const int others[] = {BOARD_BY_ALARM, BOARD_BY_NAME,
				     BOARD_BY_ROLE};
	int n = BOARD_COLUMNS + 3, at = 0;

	for (int i = 0; i < n; i++)
		if (sort ==
		    (i < 3 ? others[i] : (int)board_columns[i - 3].value))
			at = i;
	at = (at + by + n) % n;
	return at < 3 ? others[at] : (int)board_columns[at - 3].value;
}

static void sort_by(struct top_screen *t, int sort)
{
	t->scene.reversed = t->scene.sort == sort ? !t->scene.reversed : false;
	t->scene.sort = sort;
}

/* A digit: the n-th visible column; 0: alarms. */
static void sort_by_digit(struct top_screen *t, int digit)
{
	if (digit == 0)
		sort_by(t, BOARD_BY_ALARM);
	else if ((uint32_t)digit <= t->scene.n_places)
		sort_by(t, t->scene.places[digit - 1].sort);
}

static void fold_next(struct top_screen *t, int64_t by)
{
	size_t i = 0;

	(void)by;
	while (i < FOLDS && strcmp(t->by, folds[i]) != 0)
		i++;
	snprintf(t->by, sizeof(t->by), "%s", folds[(i + 1) % FOLDS]);
	t->scene.top = 0;
}

static void mark(struct top_screen *t, int64_t by)
{
	const struct board_row *row = top_chosen_row(t);
	struct map kept = map_new(false);

	(void)by;
	if (row == NULL)
		return;
	if (map_add(&t->marked, row->id, NULL) == 1)
		return;
	/* A set forgets nothing: copy the others. */
	for (uint32_t i = 0; i < t->board->n; i++) {
		uint64_t id = t->board->engines[i]->id;

		if (id != row->id && map_find(&t->marked, id, NULL) &&
		    map_add(&kept, id, NULL) < 0)
			die_memory();
	}
	map_free(&t->marked);
	t->marked = kept;
}

static void toggle_saving(struct top_screen *t, int64_t by)
{
	(void)by;
	if (t->source->copy >= 0) {
		top_source_end_copy(t->source, t->reader);
		top_say(t, "saved to %s", t->source->copy_name);
	} else if (t->ended) {
		top_say(t, "the stream has ended: nothing more to save");
	} else {
		t->saves = true;
		top_say(t, "saving begins with the next snapshot");
	}
}

static void go_back(struct top_screen *t, int64_t by)
{
	(void)by;
	if (t->scene.page != PAGE_FLEET) {
		top_drop_engine(t);
		t->scene.page = PAGE_FLEET;
	} else if (t->filter[0] != '\0') {
		t->filter[0] = '\0';
	} else {
		t->by[0] = '\0';
	}
}

static void show_page(struct top_screen *t, int64_t by)
{
	enum scene_page page = (enum scene_page)by;

	t->scene.page = t->scene.page == page ? PAGE_FLEET : page;
	t->scene.scroll = 0;
	top_drop_engine(t);
}

static void move(struct top_screen *t, int64_t by)
{
	int64_t to = (int64_t)t->scene.scroll + by;

	if (t->scene.page == PAGE_FLEET)
		top_choose(t, (int64_t)t->scene.cursor + by);
	else
		t->scene.scroll = to < 0       ? 0
				  : to > 10000 ? 10000
					       : (uint32_t)to;
}

static void click(struct top_screen *t, int64_t by)
{
	const struct scene *scene = &t->scene;
	int row, column;
	int64_t at;

	(void)by;
	screen_click(t->screen, &row, &column);
	if (scene->page != PAGE_FLEET)
		return;
	for (uint32_t i = 0; row == scene->heading && i < scene->n_places; i++)
		if (column >= scene->places[i].column &&
		    column < scene->places[i].column + scene->places[i].width)
			sort_by(t, scene->places[i].sort);
	at = (int64_t)scene->top + row - scene->first_line;
	if (row < scene->first_line || at >= t->view.n)
		return;
	if (at == scene->cursor && t->chosen == t->view.rows[at].id)
		top_open_engine(t);
	else
		top_choose(t, at);
}

/* Actions of keys; `by` is for keys that share an action. */
static void quit(struct top_screen *t, int64_t by)
{
	(void)by;
	t->quits = true;
}

static void move_page(struct top_screen *t, int64_t by)
{
	move(t, by * (screen_rows(t->screen) - 4));
}

static void move_to_end(struct top_screen *t, int64_t by)
{
	if (t->scene.page == PAGE_FLEET)
		move(t, FAR);
	else
		move_page(t, by);
}

static void enter(struct top_screen *t, int64_t by)
{
	(void)by;
	if (t->scene.page == PAGE_FLEET)
		top_open_engine(t);
}

static void sort_next(struct top_screen *t, int64_t by)
{
	sort_by(t, next_sort(t->scene.sort, (int)by));
}

static void reverse(struct top_screen *t, int64_t by)
{
	(void)by;
	t->scene.reversed = !t->scene.reversed;
}

static void ask_text(struct top_screen *t, int64_t prompt)
{
	static const char *const questions[] = {
		[PROMPT_FILTER] = "filter (name, label or alarm): ",
		[PROMPT_FOLD] = "fold by label (empty: no more): ",
		[PROMPT_COLUMNS] =
			"columns, such as running,kv_usage (empty: all): "};

	ask(t, (enum top_prompt)prompt, questions[prompt]);
}

static void toggle_frozen(struct top_screen *t, int64_t by)
{
	(void)by;
	freeze(t, !t->frozen);
}

static const struct {
	int key;
	void (*act)(struct top_screen *t, int64_t by);
	int64_t by;
} actions[] = {
	{'q', quit, 0},
	{SCREEN_UP, move, -1},
	{'k', move, -1},
	{SCREEN_DOWN, move, 1},
	{'j', move, 1},
	{SCREEN_WHEEL_UP, move, -WHEEL},
	{SCREEN_WHEEL_DOWN, move, WHEEL},
	{SCREEN_PAGE_UP, move_page, -1},
	{SCREEN_PAGE_DOWN, move_page, 1},
	{SCREEN_HOME, move, -FAR},
	{'g', move, -FAR},
	{SCREEN_END, move_to_end, 1},
	{'G', move_to_end, 1},
	{SCREEN_ENTER, enter, 0},
	{SCREEN_RIGHT, enter, 0},
	{SCREEN_ESCAPE, go_back, 0},
	{SCREEN_LEFT, go_back, 0},
	{'s', sort_next, 1},
	{'S', sort_next, -1},
	{'r', reverse, 0},
	{'/', ask_text, PROMPT_FILTER},
	{'f', fold_next, 0},
	{'F', ask_text, PROMPT_FOLD},
	{'c', ask_text, PROMPT_COLUMNS},
	{' ', toggle_frozen, 0},
	{'[', step_frames, -1},
	{']', step_frames, 1},
	{'{', step_frames, -LEAP},
	{'}', step_frames, LEAP},
	{'a', show_page, PAGE_ALARMS},
	{'?', show_page, PAGE_HELP},
	{'h', show_page, PAGE_HELP},
	{'m', mark, 0},
	{'p', ask_profile, 0},
	{'w', toggle_saving, 0},
	{SCREEN_CLICK, click, 0},
};

static void press(struct top_screen *t, int key)
{
	t->message[0] = '\0';
	if (key >= '0' && key <= '9')
		sort_by_digit(t, key - '0');
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (actions[i].key == key)
			actions[i].act(t, actions[i].by);
}

void top_take_keys(struct top_screen *t)
{
	int key = screen_next_key(t->screen);

	for (; key != SCREEN_NOTHING && !t->quits;
	     key = screen_next_key(t->screen)) {
		if (t->prompt != PROMPT_NONE)
			type(t, key);
		else
			press(t, key);
	}
}
