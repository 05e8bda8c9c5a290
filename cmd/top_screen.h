/*
 * The screen of obs-top: keys, the mouse and signals while the stream comes,
 * and what they change of what is seen.
 */
#ifndef OBS_CMD_TOP_SCREEN_H
#define OBS_CMD_TOP_SCREEN_H

#include "metrics/board.h"
#include "metrics/sequence.h"
#include "top_settings.h"
#include "top_source.h"

struct top_screen;

/* Take the terminal, and wait for keys wherever *source waits for input. All
 * outlive the screen. A failure ends the program. */
struct top_screen *top_screen_open(const struct top_settings *settings,
				   struct board *board,
				   struct top_source *source,
				   const struct metric_stream *reader,
				   struct sequence *sequence);

/* A snapshot was read: 0. */
int top_screen_update(struct top_screen *t);

/* The stream is at its end: until the user quits. */
void top_screen_stay(struct top_screen *t);

/* Did the user, or a signal, end it? NULL: no. */
bool top_screen_quits(const struct top_screen *t);

/* The terminal is as it was; messages that waited are said. NULL, or a second
 * time, is a no-op. */
void top_screen_close(struct top_screen *t);

/* In place of finish(), which it calls: free it, and end by the signal that
 * ended it. NULL: there was no screen. */
int top_screen_finish(struct top_screen *t);

#endif
