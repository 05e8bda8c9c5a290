/*
 * The keys of obs-top's screen, and the state they change. Private to
 * top_screen.
 */
#ifndef OBS_CMD_TOP_KEYS_H
#define OBS_CMD_TOP_KEYS_H

#include "metrics/detail.h"
#include "sink/screen/top_scene.h"
#include "top_screen.h"

/* The purpose of a line being typed. */
enum top_prompt {
	PROMPT_NONE,
	PROMPT_FILTER,
	PROMPT_FOLD,
	PROMPT_COLUMNS,
	PROMPT_PROFILE
};

enum { TYPED_MAX = 120 };

struct top_screen {
	const struct top_settings *settings;
	struct board *board;
	struct top_source *source;
	const struct metric_stream *reader;
	struct sequence *sequence;
	struct screen *screen;
	int terminal; /* descriptors */
	int signals;
	bool regular; /* the input is a file */
	bool replay;  /* of the earlier, saved snapshots */
	bool ended;   /* the input is at its end */
	bool quits;
	int signal;	 /* that ended it; 0: none */
	int64_t arrived; /* monotonic time of the last snapshot */
	int64_t drawn;
	struct buf held;   /* messages buffered until the end */
	char said[256];	   /* the last of them */
	char message[256]; /* for a key; "": none */
	struct scene scene;
	struct board_view view;
	bool frozen;
	uint64_t frame;	 /* shown while frozen */
	uint64_t chosen; /* id of the row under the cursor */
	char filter[TYPED_MAX];
	char by[TYPED_MAX];
	char typed[TYPED_MAX];
	char question[256];
	enum top_prompt prompt;
	struct map marked; /* ids of engines */
	struct detail *detail;
	bool saves; /* start saving with the next snapshot */
};

void top_keys_begin(struct top_screen *t);
void top_keys_end(struct top_screen *t);

/* Handle pending keys. */
void top_take_keys(struct top_screen *t);

/* Compute the visible view. 0 or an error. */
int top_make_view(struct top_screen *t, struct err *err);

/* A snapshot was read to its end. */
void top_end_snapshot(struct top_screen *t);

/* Redraw everything. */
void top_draw(struct top_screen *t);

#endif
