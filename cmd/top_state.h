/*
 * The state of obs-top's screen. Private to four files, of which each calls the
 * next ones: top_screen, top_keys, top_profile, top_view.
 */
#ifndef OBS_CMD_TOP_STATE_H
#define OBS_CMD_TOP_STATE_H

#include "metrics/detail.h"
#include "metrics/sequence.h"
#include "sink/screen/top_scene.h"
#include "top_settings.h"
#include "top_source.h"

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

#endif
