/* The names and the order of rows. Private to metrics/board_view. */
#ifndef OBS_METRICS_BOARD_NAMES_H
#define OBS_METRICS_BOARD_NAMES_H

#include "metrics/board_view.h"

/* Leave off what all names have in common and what says little: the scheme,
 * the host if it is the same everywhere, else the port if that is. */
void board_shorten(struct board_row *rows, uint32_t n);

/* Sort by an enum board_value, or BOARD_BY_ALARM and so on: what is unknown
 * last, what is equal by name. */
void board_sort(struct board_row *rows, uint32_t n, int sort, bool reversed);

#endif
