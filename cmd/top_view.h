/*
 * The contents of obs-top's screen: the view, the chosen row, the page of one
 * engine.
 */
#ifndef OBS_CMD_TOP_VIEW_H
#define OBS_CMD_TOP_VIEW_H

#include "messages.h"
#include "top_state.h"

/* The view that the settings ask for. */
void top_view_begin(struct top_screen *t);
void top_view_end(struct top_screen *t);

/* Compute the visible view. 0 or an error. */
int top_make_view(struct top_screen *t, struct err *err);

/* Show a message instead of the hints, until the next key. */
void top_say(struct top_screen *t, const char *format, ...) LIKE_PRINTF(2);

/* There is a frame. */
uint64_t top_last_frame(const struct top_screen *t);
uint64_t top_seen_frame(const struct top_screen *t);

/* The row under the cursor; NULL: there are no rows. */
const struct board_row *top_chosen_row(const struct top_screen *t);

/* Put the cursor on a row of the view, or on the nearest one. */
void top_choose(struct top_screen *t, int64_t row);

/* The page of the chosen engine; for a group, its engines. */
void top_open_engine(struct top_screen *t);
void top_drop_engine(struct top_screen *t);

/* A snapshot was read to its end. */
void top_end_snapshot(struct top_screen *t);

#endif
