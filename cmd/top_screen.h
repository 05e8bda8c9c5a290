/*
 * The screen of obs-top: keys, mouse and signals while the stream arrives, and
 * their effect on what is shown.
 */
#ifndef OBS_CMD_TOP_SCREEN_H
#define OBS_CMD_TOP_SCREEN_H

#include "metrics/board.h"
#include "metrics/sequence.h"
#include "top_settings.h"
#include "top_source.h"

struct top_screen;

/* Take over the terminal, and handle keys whenever *source waits for input. All
 * arguments outlive the screen. A failure ends the program. */
struct top_screen *top_screen_open(const struct top_settings *settings,
				   struct board *board,
				   struct top_source *source,
				   const struct metric_stream *reader,
				   struct sequence *sequence);

/* A snapshot was read: 0. */
int top_screen_update(struct top_screen *t);

/* At the end of the stream: run until the user quits. */
void top_screen_stay(struct top_screen *t);

/* Did the user or a signal end it? NULL: no. */
bool top_screen_quits(const struct top_screen *t);

/* Restore the terminal; print pending messages. NULL, or a second call, is a
 * no-op. */
void top_screen_close(struct top_screen *t);

/* Instead of finish(), which it calls: free it, and end by the signal that
 * ended it. NULL: there was no screen. */
int top_screen_finish(struct top_screen *t);

#endif
